"""ZIM archives for tests, made by libzim's own writer: from articles given as HTML, or from the
wiki for tests."""

import html
from collections.abc import Mapping
from pathlib import Path

from libzim.writer import Creator, Hint, Item, StringProvider  # type: ignore[import-untyped]  # ships no py.typed
from tests.support.world_wiki import AMBIGUOUS, DOMAIN, MOVED, MOVED_TO, articles, prose, world

METADATA = {
    "Name": "wiki_en_test",
    "Date": "2026-05-01",
    "Language": "eng",
    "Title": "A wiki for tests",
}
FULL_TEXT_LANGUAGE = "eng"
_FRONT = {Hint.FRONT_ARTICLE: True}


class _Page(Item):  # type: ignore[misc]  # the base class is untyped
    def __init__(self, path: str, title: str, content: str, mimetype: str) -> None:
        super().__init__()
        self._path, self._title, self._content, self._mimetype = path, title, content, mimetype

    def get_path(self) -> str:
        return self._path

    def get_title(self) -> str:
        return self._title

    def get_mimetype(self) -> str:
        return self._mimetype

    def get_contentprovider(self) -> StringProvider:
        return StringProvider(self._content)

    def get_hints(self) -> dict[Hint, bool]:
        return _FRONT if self._mimetype.startswith("text/html") else {}


def build_zim(
    file: Path,
    pages: Mapping[str, str],
    *,
    redirects: Mapping[str, str] | None = None,
    full_text: bool = True,
    metadata: Mapping[str, str] | None = None,
    files: Mapping[str, str] | None = None,
) -> Path:
    """An archive of articles, title → HTML of the body. `redirects`: title → title; `files`: path →
    style sheet.

    Paths are titles with underscores, as on Wikipedia. Without `full_text` only titles can be
    searched.
    """
    with Creator(file).config_indexing(full_text, FULL_TEXT_LANGUAGE) as creator:
        for title, body in pages.items():
            head = f"<head><meta charset='utf-8'><title>{html.escape(title)}</title></head>"
            text = f"<html>{head}<body><h1>{html.escape(title)}</h1>{body}</body></html>"
            creator.add_item(_Page(path_of(title), title, text, "text/html"))
        for path, content in (files or {}).items():
            creator.add_item(_Page(path, "", content, "text/css"))
        for title, target in (redirects or {}).items():
            creator.add_redirection(path_of(title), title, path_of(target), _FRONT)
        for key, value in (METADATA if metadata is None else metadata).items():
            creator.add_metadata(key, value)
    return file


def path_of(title: str) -> str:
    return title.replace(" ", "_")


def world_zim(file: Path, *, full_text: bool = True) -> Path:
    """The wiki for tests as an archive: sixty articles of the simulated world, redirects, a list of
    senses."""
    senses = world().look_up(AMBIGUOUS).page
    assert senses is not None
    pages = {title: _body(prose(page)) for title, page in articles().items()}
    lines = "".join(f"<li>{html.escape(title)}</li>" for title in senses.links)
    pages[AMBIGUOUS] = (
        f"<p><b>{AMBIGUOUS}</b> may refer to:</p><ul>{lines}</ul><div id='disambigbox'></div>"
    )
    redirects = {DOMAIN: "Chemical element", MOVED: MOVED_TO}
    return build_zim(file, pages, redirects=redirects, full_text=full_text)


def _body(parts: Mapping[str | None, str]) -> str:
    sections = []
    for heading, text in parts.items():
        head = (
            f"<h2>{html.escape(heading)}</h2>"
            if heading
            else "<table class='infobox'><tr><td>12</td></tr></table>"
        )
        sections.append(f"{head}<p>{html.escape(text)}<sup class='reference'>[1]</sup></p>")
    return (
        "".join(sections)
        + "<h2>References</h2><ol class='references'><li>A handbook, 1987, page 12.</li></ol>"
    )
