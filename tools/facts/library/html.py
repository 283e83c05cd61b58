"""HTML through selectolax: the prose of the page's main part, with the anchor of the heading it stands under. Pure."""

import re
from datetime import date
from typing import TYPE_CHECKING

from ..webtext import parse_date
from .document import Document, Labels, Outliner, Unreadable

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode


def _tags(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BOILERPLATE = [
    "nav", "script", "style", "header", "footer", "aside", "form", "noscript", "template", "svg", "math", "iframe",
    "button", "select", "textarea", "pre", "figure", "object", "dialog", "menu", "canvas", "audio", "video",
]  # fmt: skip
_HIDDEN = (
    "[hidden], [aria-hidden=true], [role=navigation], [role=search], [role=banner], [role=contentinfo], .headerlink"
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = _tags(
    """address article blockquote body caption center dd details div dl dt fieldset figcaption h1 h2 h3 h4 h5 h6 hr
    legend li main ol p section summary table tbody td tfoot th thead tr ul"""
)
_DATES = (
    "article:published_time", "citation_publication_date", "citation_online_date", "dc.date.issued", "dcterms.issued",
    "dc.date", "dcterms.date", "dc.date.created", "datepublished",
)  # fmt: skip
"""Names of a page's own meta data that state when it was published, best first."""
_OPENING = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]*)")
_FLAT = _tags(
    """p li dt dd option optgroup tr td th thead tbody tfoot colgroup area base br col embed hr img input link meta
    param source track wbr"""
)
"""Elements that never nest in themselves, closed or not."""
_MANY_TAGS, _MAX_DEPTH = 20_000, 2_000


def read_html(text: str) -> Document:
    """The title is the first `h1`, else what `<title>` says. Raises Unreadable: elements nested so deeply that only a
    machine can have meant it."""
    from selectolax.lexbor import LexborHTMLParser

    if text.count("<") > _MANY_TAGS and _depth(text) > _MAX_DEPTH:  # parsing takes time by the square of the depth
        raise Unreadable(f"elements nested more than {_MAX_DEPTH:,} deep")
    page = LexborHTMLParser(text)
    out = Outliner(title=_words(page.css_first("h1")) or _words(page.css_first("head > title")))
    published = _published(page)
    page.strip_tags(_BOILERPLATE)
    for node in page.css(_HIDDEN):
        node.decompose()
    if (root := _main(page)) is not None:
        _outline(root, out)
    return out.document(Labels(published=published))


def _depth(text: str) -> int:
    deepest = depth = 0
    for close, tag, rest in _OPENING.findall(text):
        if tag.lower() in _FLAT or rest.endswith("/"):
            continue
        depth = max(0, depth - 1) if close else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _words(node: "LexborNode | None") -> str:
    return " ".join(node.text().split()).strip(" ¶#")[:300] if node else ""


def _published(page: "LexborHTMLParser") -> date | None:
    stated: dict[str, str] = {}
    for node in page.css("meta[content]"):
        name = node.attributes.get("property") or node.attributes.get("name") or node.attributes.get("itemprop") or ""
        stated.setdefault(name.casefold(), node.attributes.get("content") or "")
    found = (parse_date(stated[name].replace("/", "-")) for name in _DATES if name in stated)
    return next((day for day in found if day), None)


def _main(page: "LexborHTMLParser") -> "LexborNode | None":
    """The main part that the page declares, else its only article, else its body."""
    if declared := page.css_first("main, [role=main]"):
        return declared
    articles = page.css("article")
    return articles[0] if len(articles) == 1 else page.body


def _outline(root: "LexborNode", out: Outliner) -> None:
    """Each run of text within one block element is a paragraph."""
    held: list[str] = []
    block = anchor = ""
    owner = -1
    for node in root.traverse(include_text=True):
        if not node.is_text_node:
            if node.tag not in _BLOCKS:
                if node.tag == "br":
                    held.append(" ")
                continue
            _flush(held, block, anchor, out)
            if node.tag in _HEADINGS:
                anchor = _anchor(node)
            continue
        parent = _block_of(node)
        if parent.mem_id != owner:
            _flush(held, block, anchor, out)
            owner, block = parent.mem_id, parent.tag or ""
        held.append(node.text_content or "")
    _flush(held, block, anchor, out)


def _flush(held: list[str], tag: str, anchor: str, out: Outliner) -> None:
    text = " ".join("".join(held).split())
    held.clear()
    if not text:
        return
    if tag in _HEADINGS:
        if text.strip(" ¶#") != out.title or out.blocks:
            out.heading(_HEADINGS[tag], text)
    else:
        out.block(text, place=anchor)


def _block_of(node: "LexborNode") -> "LexborNode":
    parent = node.parent
    while parent is not None and parent.tag not in _BLOCKS and parent.parent is not None:
        parent = parent.parent
    return parent if parent is not None else node


def _anchor(heading: "LexborNode") -> str:
    """The heading's own id, or that of the section it opens."""
    parent = heading.parent
    found = heading.attributes.get("id") or (
        parent.attributes.get("id") if parent is not None and parent.tag in ("section", "div") else None
    )
    return found if found and found.isprintable() and " " not in found else ""
