"""The live page in a real browser: what is seen while a study runs, and what is asked."""

from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from ..support.html_pages import CHROMIUM, missing
from ..support.service import STUDY, beside

pytestmark = [
    pytest.mark.xdist_group("chromium"),  # one browser for all
    pytest.mark.chromium,
    pytest.mark.skipif(missing() is not None, reason=missing() or ""),
]
MARKUP = "<img src=x onerror='window.owned = 1'>"


def test_the_page_follows_a_study_and_asks_nobody_else(tmp_path: Path) -> None:
    study = {**STUDY, "domains": [MARKUP, *STUDY["domains"]]}
    asked, errors = set[str](), list[str]()
    with beside(tmp_path / "runs") as server, sync_playwright() as playwright:
        name = server.ask("/v1/studies", study)["id"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.on("request", lambda request: asked.add(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(server.url)
        page.fill("input", server.token)
        page.click("button")
        page.click(f'a[href="#{name}"]')
        page.wait_for_selector("polyline")
        page.wait_for_selector("li b")
        assert MARKUP in page.inner_text("main")
        for width in (1280, 400):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") == width
        link = page.wait_for_selector("a[href$='report.html']", timeout=60_000)
        assert link is not None
        report = context.new_page()
        report.on("request", lambda request: asked.add(request.url))
        report.goto(f"{server.url}{link.get_attribute('href')}", timeout=90_000)
        report.wait_for_selector("#report h1")
        assert not page.evaluate("'owned' in window")
        assert not report.evaluate("'owned' in window")
        browser.close()
    assert errors == []
    assert {url for url in asked if not url.startswith(server.url)} <= {"data:", "blob:"}
