"""The pages of `fathom report`, of an exam and of a review in a real browser, from disk: what is seen,
the address, the keys, the files."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from fathom.commands.exam import ExamAnswers
from fathom.commands.finished import run_in
from fathom.commands.review.command import PageLabels
from fathom.reports.document.exam import page as exam_page
from fathom.reports.document.review import write
from fathom.reports.page import figures
from fathom.reports.page.forms import written
from fathom.stats.sampling import is_reviewable

from ..contracts.recordings import METHODS, recordings
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
        page.locator("tr", has=page.locator("th", has_text=label))
        .locator("td")
        .first.inner_text()
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
        assert any(cell.startswith(f"{row['survival'] * 100:.1f} (") for cell in cells)
    assert figure(opened.page, "accuracy weighted by depth") == written(
        result["survival_depth_weighted"], "percent"
    )
    assert json.loads(opened.saved("Result as JSON")) == json.loads(
        call("show", DRILL.short, "--json").out
    )
    rows = list(csv.DictReader(io.StringIO(opened.saved("Items as CSV"))))
    exported = list(csv.DictReader(io.StringIO(call("export", DRILL.short).out)))
    assert [row["item"] for row in rows] == [row["item"] for row in exported]
    assert [row["answer"] for row in rows] == [row["answer"] for row in exported]
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
    probe["answer"]["text"] = f"{MARKUP} \u202egnp.exe {'long ' * 8_000}end"
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


# an exam


def test_answers_of_an_exam_are_kept_and_saved_and_foreign_text_stays_text(
    browser: Browser, tmp_path: Path
) -> None:
    questions = {"d01.s00.r0": f"What is {MARKUP}?", "d02.s01.r0": "And why?"}
    file = tmp_path / "exam.html"
    file.write_text(exam_page(f"A {MARKUP} B", "0" * 16, "run", questions), encoding="utf-8")
    opened = browser.new_context(accept_downloads=True).new_page()
    complaints, addresses = list[str](), list[str]()
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: addresses.append(request.url))
    opened.goto(file.as_uri())
    assert MARKUP in opened.inner_text("h2")
    opened.fill("textarea", "An element")
    opened.keyboard.press("Control+Enter")
    opened.reload()
    assert "1 of 2 answered" in opened.inner_text("main")
    assert opened.inner_text("h2") == "And why?"
    opened.click("text=Next")
    with opened.expect_download() as download:
        opened.click("text=Save answers")
    saved = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert opened.evaluate("typeof window.owned") == "undefined"
    answers = ExamAnswers.model_validate(saved).answers
    assert answers == {"d01.s00.r0": "An element", "d02.s01.r0": ""}
    assert not complaints
    assert {address for address in addresses if not address.startswith("blob:")} == {
        file.as_uri()
    }


# a review


def review_in(browser: Browser, file: Path, **options: Any) -> tuple[Page, list[str]]:
    """The page, and all that it complained of or asked for."""
    page = browser.new_context(**options).new_page()
    events: list[str] = []
    page.on("console", lambda message: events.append(message.text))
    page.on("pageerror", lambda error: events.append(str(error)))
    page.on("request", lambda request: events.append(request.url))
    page.goto(f"file://{file}")
    page.keyboard.press("Escape")
    return page, events


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three answers, of which the first is hostile."""
    DRILL.write(tmp_path)
    first, *others = filter(is_reviewable, run_in(tmp_path / DRILL.name).rows)
    texts = {**first.texts, "answer": f"{MARKUP}\u202e", "url": "javascript:window.owned=1"}
    rows = [replace(first, texts=texts), *others[:2]]
    path = tmp_path / "review.html"
    with path.open("w", encoding="utf-8") as text:
        write([(f"{number:016x}", row) for number, row in enumerate(rows)], "Ann Li", text)
    return path


def test_answers_under_review_are_labelled_by_keys_and_saved(
    browser: Browser, file: Path
) -> None:
    page, events = review_in(browser, file)
    assert "<U+202E>" in page.inner_text(".f-answer")
    assert page.locator("a[href^='javascript'], main img").count() == 0
    for key in "1r":
        page.keyboard.press(key)
    page.keyboard.press("n")
    page.keyboard.type("1 fault?")
    page.keyboard.press("Escape")
    for key in "5a0c":
        page.keyboard.press(key)
    assert page.inner_text("h1") == "The end"
    page.reload()
    page.keyboard.press("Escape")
    for key in ("b", "b", "ArrowLeft"):
        page.keyboard.press(key)
    page.click("text=wrong")
    with page.expect_download() as download:
        page.keyboard.press("d")
    assert download.value.suggested_filename == "review-Ann-Li.json"
    saved = PageLabels.model_validate(json.loads(Path(download.value.path()).read_text()))
    assert [(label.question, label.answer, label.note) for label in saved.labels] == [
        ("sound", "wrong", ""),
        ("faulty reference", "abstained", "1 fault?"),
        (None, "cannot say", ""),
    ]
    assert {event.partition("#")[0] for event in events} <= {f"file://{file}"}


@pytest.mark.parametrize(("scheme", "width"), [("light", 400), ("dark", 1280)])
def test_the_page_of_a_review_is_as_wide_as_the_screen(
    browser: Browser, file: Path, width: int, scheme: Any
) -> None:
    page, _ = review_in(
        browser, file, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    assert page.evaluate("document.documentElement.scrollWidth") == width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(21, 23, 26)")
