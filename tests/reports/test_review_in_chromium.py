"""The page of a review in a real browser, from disk: keys, what is kept, the file it saves."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from fathom.commands.finished import run_in
from fathom.commands.review.command import PageLabels
from fathom.reports.document.review import write
from fathom.stats.sampling import is_reviewable

from ..contracts.recordings import recordings
from ..support.html_pages import CHROMIUM, missing

pytestmark = [
    pytest.mark.xdist_group("chromium"),  # one browser for all
    pytest.mark.chromium,
    pytest.mark.skipif(missing() is not None, reason=missing() or ""),
]
MARKUP = "</script><img src=x onerror='window.owned = 1'>\u202e"
DRILL = recordings("drill")["complete"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(browser: Browser, file: Path, **options: Any) -> tuple[Page, list[str]]:
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
    texts = {**first.texts, "answer": MARKUP, "url": "javascript:window.owned=1"}
    rows = [replace(first, texts=texts), *others[:2]]
    path = tmp_path / "review.html"
    with path.open("w", encoding="utf-8") as text:
        write([(f"{number:016x}", row) for number, row in enumerate(rows)], "Ann Li", text)
    return path


def test_answers_are_labelled_by_keys_and_saved(browser: Browser, file: Path) -> None:
    page, events = opened(browser, file)
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


@pytest.mark.parametrize("width", [400, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_as_wide_as_the_screen(
    browser: Browser, file: Path, width: int, scheme: Any
) -> None:
    page, _ = opened(browser, file, viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(21, 23, 26)")
