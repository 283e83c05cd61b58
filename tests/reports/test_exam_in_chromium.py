"""The page of `fathom exam` in a real browser, from disk: answers stay over a reload, and are saved
as a file."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from fathom.commands.exam import ExamAnswers
from fathom.reports.document.exam import page

from ..support.html_pages import CHROMIUM, missing

pytestmark = [
    pytest.mark.xdist_group("chromium"),
    pytest.mark.chromium,
    pytest.mark.skipif(missing() is not None, reason=missing() or ""),
]
MARKUP = "</script><img src=x onerror='window.owned = 1'>"


def test_answers_are_kept_and_saved_and_foreign_text_stays_text(tmp_path: Path) -> None:
    questions = {"d01.s00.r0": f"What is {MARKUP}?", "d02.s01.r0": "And why?"}
    file = tmp_path / "exam.html"
    file.write_text(page(f"A {MARKUP} B", "0" * 16, "run", questions), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
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
        browser.close()
    answers = ExamAnswers.model_validate(saved).answers
    assert answers == {"d01.s00.r0": "An element", "d02.s01.r0": ""}
    assert not complaints
    assert {address for address in addresses if not address.startswith("blob:")} == {file.as_uri()}
