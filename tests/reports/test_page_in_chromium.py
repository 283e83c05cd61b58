"""The page of `fathom report` in a real browser, from disk: what is seen, the address, the keys,
the files."""

import csv
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from fathom.reports.page import figures
from fathom.reports.page.forms import written

from ..goldens.recordings import METHODS, recordings
from ..support.command_line import Caller
from ..support.html_pages import CHROMIUM, missing

pytestmark = [
    pytest.mark.xdist_group("chromium"),  # one browser for all
    pytest.mark.chromium,
    pytest.mark.skipif(missing() is not None, reason=missing() or ""),
]
MARKUP = "</script><script>window.owned = 1</script><img src=x onerror='window.owned = 1'>"
DRILL = recordings("drill")["complete"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    for method in METHODS:
        recordings(method)["complete"].write(tmp_path / "runs")
    return Caller(tmp_path, monkeypatch, capsys)


class Opened:
    """A report that is open, with all that it complained of and asked for."""

    def __init__(
        self, browser: Browser, call: Caller, *runs: str, width: int = 1280, dark: bool = False
    ) -> None:
        if runs:
            assert call("report", *runs, "-o", "r.html", "--force").code == 0
        self.file = f"file://{call.folder / 'r.html'}"
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            accept_downloads=True,
        )
        self.page: Page = context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.at("")

    def at(self, address: str) -> "Opened":
        self.page.goto(f"{self.file}{address}")
        self.page.wait_for_selector("#report[data-ready]")
        self.page.wait_for_function(
            "document.querySelectorAll('.chart').length === document.querySelectorAll('.chart "
            "svg').length"
        )
        return self

    @property
    def text(self) -> str:
        return self.page.inner_text("#report")

    @property
    def quiet(self) -> bool:
        return not self.said and {url.partition("#")[0] for url in self.asked} == {self.file}

    def told(self, words: str) -> bool:
        """Waits until the line above the steps says this."""
        self.page.wait_for_selector(f"[role=status]:has-text('{words}')")
        return True

    def saved(self, button: str) -> str:
        with self.page.expect_download() as download:
            self.page.click(f"text={button}")
        return Path(download.value.path()).read_text(encoding="utf-8")


def figure(page: Page, label: str) -> str:
    return (
        page.locator("tr", has=page.locator("th", has_text=label)).locator("td").first.inner_text()
    )


def test_every_method_is_shown_without_a_request_or_a_complaint(
    browser: Browser, call: Caller
) -> None:
    shorts = [recordings(method)["complete"].short for method in METHODS]
    opened = Opened(browser, call, *shorts)
    for short in shorts:
        opened.at(f"#{short}")
        assert short in opened.page.inner_text("main h2 >> nth=0")
    assert opened.quiet, (opened.said, opened.asked)


def test_every_figure_is_that_of_the_result(browser: Browser, call: Caller) -> None:
    opened = Opened(browser, call, DRILL.short)
    result = json.loads(DRILL.files["result.json"])
    assert (
        f"(EVD) {result['evd']:.2f} of {len(result['depths'])} (95% interval "
        f"{figures.span(tuple(result['evd_ci']))})"
    ) in opened.text
    depths = opened.page.locator(
        "section", has=opened.page.locator("h3", has_text="By depth")
    ).locator("tbody tr")
    assert depths.count() == len(result["depths"])
    for number, row in enumerate(result["depths"]):
        cells = depths.nth(number).locator("th, td").all_inner_texts()
        assert cells[0].rstrip("*") == str(row["depth"])
        assert (
            written(row["survival"], "percents") in cells or f"{row['survival'] * 100:.1f}" in cells
        )
    assert figure(opened.page, "accuracy over all scored probes") == written(
        result["accuracy"], "percent"
    )
    assert json.loads(opened.saved("Result as JSON")) == json.loads(
        call("show", DRILL.short, "--json").out
    )
    rows = list(csv.DictReader(io.StringIO(opened.saved("Items as CSV"))))
    exported = list(csv.DictReader(io.StringIO(call("export", DRILL.short).out)))
    assert [row["id"] for row in rows] == [row["id"] for row in exported]
    assert [row["answer"] for row in rows] == [row["answer"] for row in exported]
    assert opened.quiet


def test_an_address_opens_a_step_and_keeps_a_filter(browser: Browser, call: Caller) -> None:
    opened = Opened(browser, call, DRILL.short, recordings("eqt")["complete"].short)
    result = json.loads(DRILL.files["result.json"])
    probe = next(each for each in result["probes"] if each["depth"] == 2 and each["answer"])
    place = probe["id"].partition("/")[2]
    opened.at(f"#{DRILL.short}/{place.rpartition('.')[0]}")
    step = opened.page.locator("details.step[open]")
    assert step.count() == 1
    for part in (
        probe["question"]["evidence"]["text"],
        probe["question"]["text"],
        probe["answer"]["text"],
    ):
        assert " ".join(part.split()) in " ".join(step.inner_text().split())
    step.locator("summary", has_text=f"{len(probe['calls'])} calls").click()
    assert f"{probe['calls'][0]['role']} · {probe['calls'][0]['purpose']}" in step.inner_text()
    opened.page.select_option("#filter-mark", "wrong")
    wrong = [each for each in result["probes"] if each["outcome"].get("verdict") == "wrong"]
    opened.page.wait_for_url("**mark=wrong")
    assert opened.told(f"{len(wrong)} of {len(result['probes'])} probes")
    opened.page.go_back()
    assert opened.told(f"{len(result['probes'])} of {len(result['probes'])} probes")
    opened.at(f"#{DRILL.short}?mark=wrong&kind=common")
    shallow = [each for each in wrong if each["tier"] == "COMMON"]
    assert opened.page.inner_text("[role=status]").startswith(f"{len(shallow)} of ")
    assert opened.at("#nothing/x%").page.locator("text=There is no run nothing").count() == 1
    assert opened.quiet


def test_the_keys_lead_through_the_steps(browser: Browser, call: Caller) -> None:
    opened = Opened(browser, call, DRILL.short)
    page = opened.page
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.parentElement.className") == "group"
    page.keyboard.press("Enter")
    page.wait_for_selector("details.group[open] details.step")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("details.step[open]")
    assert page.locator("details.step[open]").count() == 1
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "filter-text"
    page.keyboard.type("no such words at all")
    page.keyboard.press("Enter")
    assert opened.told("0 of ")
    assert page.evaluate("document.activeElement.id") == "filter-text"
    assert opened.quiet


def test_two_runs_stand_side_by_side(browser: Browser, call: Caller) -> None:
    eqt = recordings("eqt")["complete"]
    result: dict[str, Any] = json.loads(eqt.files["result.json"])
    answered = next(
        line for line in eqt.journal if '"type":"choice"' in line and '"correct":true' in line
    )
    other = answered.replace('"correct":true', '"correct":false')
    folder = call.folder / "runs" / "20260101T000000-eqt-twin-11111111"
    folder.mkdir()
    for name, text in eqt.files.items():
        (folder / name).write_text(
            text.replace(answered, other).replace(eqt.short, "11111111"), encoding="utf-8"
        )
    opened = Opened(browser, call, eqt.short, "11111111").at(
        f"#{eqt.short}?with=11111111&differs=1"
    )
    told = opened.page.inner_text("[role=status]")
    assert told.startswith("1 of ")
    assert told.endswith("1 came out differently")
    opened.page.locator(".steps details.step summary").click()
    opened.page.wait_for_selector(".steps .two > div >> nth=1")
    opened.page.uncheck("#filter-differs")
    opened.page.wait_for_function(
        "!document.querySelector('[role=status]').textContent.startsWith('1 of')"
    )
    assert result["method"] == "eqt"
    assert opened.quiet


def test_foreign_text_stays_text(browser: Browser, call: Caller) -> None:
    result = json.loads(DRILL.files["result.json"])
    probe = result["probes"][0]
    probe["answer"]["text"] = f"{MARKUP} \u202egnp.exe {'long ' * 200_000}end"
    probe["question"]["evidence"]["url"] = "javascript:window.owned=1"
    result["spec"]["domain"] = f"שלום {MARKUP}"
    (call.folder / "runs" / DRILL.name / "result.json").write_text(json.dumps(result))
    opened = Opened(browser, call, DRILL.short).at(
        f"#{DRILL.short}/{probe['id'].partition('/')[2]}"
    )
    step = opened.page.locator("details.step[open]")
    assert MARKUP in step.inner_text()
    assert "<U+202E>gnp.exe" in step.inner_text()
    assert not step.inner_text().rstrip().endswith("end")
    step.locator("button", has_text="Show all").click()
    assert "long end" in step.inner_text()
    assert step.locator("a[href^='javascript']").count() == 0
    assert opened.page.evaluate("typeof window.owned") == "undefined"
    assert opened.page.locator("img, script[src], iframe").count() == 0
    assert opened.quiet


@pytest.mark.parametrize("dark", [False, True])
def test_a_telephone_shows_it_without_scrolling_sideways(
    browser: Browser, call: Caller, dark: bool
) -> None:
    opened = Opened(
        browser, call, *(recordings(m)["complete"].short for m in METHODS), width=400, dark=dark
    )
    for address in ("", *(f"#{recordings(method)['complete'].short}" for method in METHODS)):
        opened.at(address)
        assert opened.page.evaluate("document.documentElement.scrollWidth") == 400
    ground = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(21, 23, 26)" if dark else "rgb(255, 255, 255)")
    assert opened.quiet


def test_paper_shows_all_rows_and_no_buttons(browser: Browser, call: Caller) -> None:
    opened = Opened(browser, call, DRILL.short, dark=True)
    opened.page.emulate_media(media="print")
    assert (
        opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    assert opened.page.locator("button:visible, select:visible, input:visible").count() == 0
    assert opened.page.locator(".chart svg").count() >= 1


def copied(call: Caller, short: str, domain: str, target: str) -> None:
    """The recorded drill as one of another domain and model."""
    name = f"20260101T000000-drill-copy-{short}"
    result = json.loads(DRILL.files["result.json"].replace(DRILL.name, name))
    result["spec"] |= {"domain": domain, "target": target}
    folder = call.folder / "runs" / name
    folder.mkdir()
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")
    (folder / "events.jsonl").write_text(DRILL.files["events.jsonl"], encoding="utf-8")


def test_many_drills_are_one_page(browser: Browser, call: Caller) -> None:
    models = ("sim:expert", "sim:novice", "sim:student")
    cells = [
        (f"Domain {number:02} with a long name", model) for number in range(8) for model in models
    ]
    for number, cell in enumerate(cells):
        copied(call, f"{number:08x}", *cell)
    opened = Opened(browser, call, *(f"{number:08x}" for number in range(24)))
    rows = opened.page.locator("section", has=opened.page.locator("h2", has_text="Runs")).locator(
        "tbody tr"
    )
    assert rows.count() == 24
    assert rows.locator("visible=true").count() < 20
    opened.page.emulate_media(media="print")
    assert rows.locator("visible=true").count() == 24
    assert opened.quiet


def test_an_address_holds_any_sign_and_runs_of_one_short_id_stay_apart(
    browser: Browser, call: Caller
) -> None:
    """Also models and domains that are called as a script calls its own parts."""
    copied(call, "11111111", "constructor", "sim:__proto__")
    copied(call, "22222222", "__proto__", "sim:constructor")
    copied(call, "33333333", "toString", "sim:constructor")
    recording, sign = recordings("deepquestion")["complete"], "a#b?c%dé<x>"
    first = json.loads(recording.files["result.json"])["problems"][0]["id"]
    folder = call.folder / "other" / "20260102T000000-deepquestion-11111111"
    folder.mkdir(parents=True)
    for name, text in recording.files.items():
        (folder / name).write_text(
            text.replace(f'"{first}', f'"{sign}').replace(f"/{first}", f"/{sign}"), "utf-8"
        )
    opened = Opened(browser, call, "11111111", "22222222", "33333333", str(folder))
    assert "cannot be drawn" not in opened.text
    opened.at("#11111111-2/a%23b%3Fc%25d%C3%A9%3Cx%3E@original?kind=")
    step = opened.page.locator("details.step[open]")
    assert sign in step.locator("> summary").inner_text()
    here = step.locator("a", has_text="address of").get_attribute("href")
    assert (
        opened.at(here or "").page.locator("details.step[open] > summary").inner_text().count(sign)
        == 1
    )
    assert "sim:__proto__ · drill 11111111" in opened.at("#11111111").page.inner_text(
        "main h2 >> nth=0"
    )
    assert opened.quiet


def test_an_old_browser_is_told(browser: Browser, call: Caller) -> None:
    assert call("report", DRILL.short, "-o", "r.html").code == 0
    page = browser.new_page()
    page.add_init_script("delete window.DecompressionStream")
    page.goto(f"file://{call.folder / 'r.html'}")
    page.wait_for_selector("[role=alert]")
    assert "cannot be shown: its browser cannot unpack it. Chrome" in page.inner_text("#report")


def test_a_text_of_a_million_signs_without_blanks_opens_at_once(
    browser: Browser, call: Caller
) -> None:
    """It is cut where it is shown; a button shows it whole."""
    result = json.loads(DRILL.files["result.json"])
    probe = result["probes"][0]
    probe["question"]["text"] = probe["answer"]["text"] = "x" * 10**6
    folder = call.folder / "long" / "20260101T000000-drill-long-44444444"
    folder.mkdir(parents=True)
    (folder / "result.json").write_text(json.dumps(result), encoding="utf-8")
    opened = Opened(browser, call, str(folder))
    began = time.monotonic()
    opened.at("#44444444?text=xxxxxxxxxx")
    (step := opened.page.locator("details.step").first).locator("> summary").click()
    step.locator("button", has_text="Show all 1,000,000 signs").first.wait_for()
    assert time.monotonic() - began < 2
    assert len(step.locator("> summary").inner_text()) < 2000
    assert opened.quiet
