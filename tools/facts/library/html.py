"""HTML through selectolax: the prose of the page's main part, with the anchor of the heading it stands under. Pure."""

import re
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from ..relevance import unnumbered
from ..webtext import parse_date
from .document import Document, Labels, Outliner, Unreadable, is_head, term

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode


def _tags(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BOILERPLATE = [
    "nav", "script", "style", "header", "footer", "aside", "form", "noscript", "template", "svg", "math", "iframe",
    "button", "select", "textarea", "pre", "figure", "object", "dialog", "menu", "canvas", "audio", "video",
]  # fmt: skip
_HIDDEN = (
    "[hidden], [aria-hidden=true], [role=navigation], [role=search], [role=banner], [role=contentinfo], .headerlink, "
    ".navheader, .navfooter, .toc"
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
_HOME = ".navheader a[accesskey=h][title], head > link[rel=home][title], head > link[rel=start][title]"
_CHAPTER = ".navheader tr + tr th"
"""Where manuals made from DocBook name the book, with its edition, and the chapter that a section belongs to."""
_NOTICES = frozenset(("note", "tip", "hint", "warning", "caution", "important", "danger", "attention"))
"""Headings of boxes: what follows the box is not below them."""
_BEHIND_TITLE = re.compile(r"\s+[—–|·-]\s+(?=\S)")
_OPENING = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]*)")
_FLAT = _tags(
    """p li dt dd option optgroup tr td th thead tbody tfoot colgroup area base br col embed hr img input link meta
    param source track wbr"""
)
"""Elements that never nest in themselves, closed or not."""
_MANY_TAGS, _MAX_DEPTH = 20_000, 2_000


def read_html(text: str) -> Document:
    """The title is the first `h1`, else what `<title>` says, with the book it is from; a numbered section of a chapter
    goes by the chapter's title, and its own is the outermost heading. Raises Unreadable: elements nested so deeply that
    only a machine can have meant it."""
    from selectolax.lexbor import LexborHTMLParser

    if text.count("<") > _MANY_TAGS and _depth(text) > _MAX_DEPTH:  # parsing takes time by the square of the depth
        raise Unreadable(f"elements nested more than {_MAX_DEPTH:,} deep")
    page = LexborHTMLParser(text)
    stated = _words(page.css_first("head > title"))
    own = _words(page.css_first("h1")) or stated
    out = _opened(page, own, stated)
    published = _published(page)
    page.strip_tags(_BOILERPLATE)
    for node in page.css(_HIDDEN):
        node.decompose()
    for node in page.css("dt br"):
        node.replace_with(", ")
    if (root := _main(page)) is not None:
        _outline(root, out)
    return out.document(Labels(published=published))


def _opened(page: "LexborHTMLParser", own: str, stated: str) -> Outliner:
    """A document that is named, and nothing yet read into it."""
    chapter, home = _words(page.css_first(_CHAPTER)), page.css_first(_HOME)
    book = str(home.attributes["title"]) if home else ""
    if not book and stated.startswith(own) and (found := _BEHIND_TITLE.match(stated, len(own))):
        book = stated[found.end() :]
    if chapter in ("", book, own) or chapter.startswith("Part "):
        return Outliner(title=unnumbered(own), book=book[:100])
    if own != unnumbered(own):
        return Outliner(title=unnumbered(chapter), book=book[:100])
    return Outliner(title=own, book=", ".join(filter(None, (unnumbered(chapter), book[:100]))))


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
    run, owner, anchor = _Run(), -1, ""
    for node in root.traverse(include_text=True):
        if not node.is_text_node:
            if node.tag not in _BLOCKS:
                if node.tag == "br":
                    run.held.append(" ")
                continue
            run.flush(anchor, out)
            if node.tag in _HEADINGS:
                anchor = _anchor(node)
            continue
        parent, bold = _block_of(node)
        if parent.mem_id != owner:
            run.flush(anchor, out)
            owner, run.tag, run.terms = parent.mem_id, parent.tag or "", _terms(parent)
        run.held.append(node.text_content or "")
        run.bold = run.bold and (bold or not run.held[-1].strip())
    run.flush(anchor, out)


@dataclass
class _Run:
    """Text within one block element, and the terms that it is part of the definition of, outermost first."""

    tag: str = ""
    terms: tuple[tuple[int, str], ...] | None = ()
    """Each with its definition's element. None: the text is itself a term, and stands before its definition."""
    held: list[str] = field(default_factory=list)
    bold: bool = True
    begun: set[int] = field(default_factory=set)
    """Definitions of which the first paragraph has been seen."""

    def flush(self, anchor: str, out: Outliner) -> None:
        text, bold = " ".join("".join(self.held).split()), self.bold
        self.held.clear()
        self.bold = True
        if not text or self.terms is None:
            return
        if self.tag in _HEADINGS:
            if text.casefold() in _NOTICES:
                return
            if out.title not in (bare := text.strip(" ¶#"), unnumbered(bare)) or out.blocks:
                out.heading(_HEADINGS[self.tag], text)
        elif bold and self.tag in ("p", "div") and is_head(text):
            out.head(text)
        else:
            begins = bool(self.terms) and self.terms[-1][0] not in self.begun
            self.begun.update(definition for definition, _ in self.terms)
            out.block(text, place=anchor, terms=tuple(term for _, term in self.terms), begins=begins)


def _block_of(node: "LexborNode") -> "tuple[LexborNode, bool]":
    """The block element that a text is in, and whether the text is in bold type."""
    parent, bold = node.parent, False
    while parent is not None and parent.tag not in _BLOCKS and parent.parent is not None:
        bold = bold or parent.tag in ("b", "strong")
        parent = parent.parent
    return (parent if parent is not None else node), bold


def _terms(block: "LexborNode") -> tuple[tuple[int, str], ...] | None:
    found: list[tuple[int, str]] = []
    node: LexborNode | None = block
    while node is not None:
        if node.tag == "dt" and _beside(node, "dd", forward=True):
            return None
        if node.tag == "dd" and (names := _beside(node, "dt", forward=False)):
            found.append((node.mem_id, term(_words(name) for name in reversed(names))))
        node = node.parent
    return tuple(reversed([(definition, name) for definition, name in found if name]))


def _beside(node: "LexborNode", tag: str, *, forward: bool) -> "list[LexborNode]":
    """The elements of this tag in the one run of them nearest to a `dt` or `dd`, on one side of it, nearest first."""
    found: list[LexborNode] = []
    beside = node.next if forward else node.prev
    while beside is not None:
        if beside.tag == tag:
            found.append(beside)
        elif beside.tag not in (node.tag, "-text", "-comment", "_comment") or (beside.tag == node.tag and found):
            break
        beside = beside.next if forward else beside.prev
    return found


def _anchor(heading: "LexborNode") -> str:
    """The heading's own id, or that of the section it opens."""
    parent = heading.parent
    found = heading.attributes.get("id") or (
        parent.attributes.get("id") if parent is not None and parent.tag in ("section", "div") else None
    )
    return found if found and found.isprintable() and " " not in found else ""
