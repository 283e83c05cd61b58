"""HTML through selectolax: the prose of a page's main part, with the anchor of the heading it
stands under. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..base import unnumbered
from ..passages import LACKS, raised
from ..standing import parse_date
from .document import Document, Labels, Unreadable, term


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NO_PROSE = """nav, script, style, header, footer, aside, form, noscript, template, svg, iframe, button, select,
    textarea, pre, figure, object, dialog, menu, canvas, audio, video, head, title"""
NOT_IN_DOCUMENTS = f"""{_NO_PROSE}, [hidden], [aria-hidden=true], [role=navigation], [role=search], [role=banner],
    [role=contentinfo], .headerlink, .navheader, .navfooter, .docnav, .toc"""
NOT_IN_ARTICLES = f"""{_NO_PROSE}, table, figcaption, map, option, #toc, [style*="display:none"],
    [style*="display: none"], .ambox, .catlinks, .coordinates, .dablink, .gallery, .geo, .hatnote, .infobox, .metadata,
    .mbox-small, .mw-editsection, .mw-empty-elt, .mw-references-wrap, .navbar, .navbox, .noexcerpt, .noprint,
    .printfooter, .reference, .references, .reflist, .rellink, .shortdescription, .sidebar, .sistersitebox, .thumb,
    .toc, .vertical-navbox"""
_FORMULAE = """math, img.tex, span.tex, img[class^="mwe-math"], img[class*=" mwe-math"], span[class^="mwe-math"],
    span[class*=" mwe-math"]"""
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = _names(
    """address article blockquote body caption center dd details div dl dt fieldset figcaption h1 h2 h3 h4 h5 h6 hr
    legend li main ol p section summary table tbody td tfoot th thead tr ul"""
)
_DATES = (
    "article:published_time", "citation_publication_date", "citation_online_date", "dc.date.issued", "dcterms.issued",
    "dc.date", "dcterms.date", "dc.date.created", "datepublished",
)  # fmt: skip
"""Names of a page's own meta data that state when it was published, best first."""
_OPENING = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]*)")
_FLAT = _names(
    """p li dt dd option optgroup tr td th thead tbody tfoot colgroup area base br col embed hr img input link meta
    param source track wbr"""
)
"""Elements that never nest in themselves, closed or not."""
_MANY_TAGS, _MAX_DEPTH = 20_000, 2_000


def read_html(text: str, unread: str = NOT_IN_DOCUMENTS) -> Document:
    """`unread`: what is no prose, as selectors. The title is the first `h1`, else what `<title>`
    says. Raises Unreadable: elements nested so deeply that only a machine can have meant it."""
    # parsing takes time by the square of the depth
    if text.count("<") > _MANY_TAGS and _depth(text) > _MAX_DEPTH:
        raise Unreadable(f"elements nested more than {_MAX_DEPTH:,} deep")
    page = LexborHTMLParser(text)
    title = _words(page.css_first("h1")) or _words(page.css_first("head > title"))
    document = Document(unnumbered(title), Labels(published=_published(page)))
    for node in page.css("dt br"):
        node.replace_with(", ")
    begun_definitions: set[int] = set()
    root = _main(page)
    for run in _runs(root, unread) if root is not None else ():
        _add_to(document, run, begun_definitions)
    return document


def _depth(text: str) -> int:
    deepest = depth = 0
    for close, tag, rest in _OPENING.findall(text):
        if tag.lower() in _FLAT or rest.endswith("/"):
            continue
        depth = max(0, depth - 1) if close else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _words(node: LexborNode | None) -> str:
    if not node:
        return ""
    words = " ".join(node.text().split())
    return words.strip(" ¶#")[:300]


def _published(page: LexborHTMLParser) -> date | None:
    stated: dict[str, str] = {}
    for node in page.css("meta[content]"):
        name = (
            node.attributes.get("property")
            or node.attributes.get("name")
            or node.attributes.get("itemprop")
            or ""
        )
        stated.setdefault(name.casefold(), node.attributes.get("content") or "")
    days = (parse_date(stated[name].replace("/", "-")) for name in _DATES if name in stated)
    return next((day for day in days if day), None)


def _main(page: LexborHTMLParser) -> LexborNode | None:
    """The main part that the page declares, else its only article, else its body."""
    if declared := page.css_first("main, [role=main]"):
        return declared
    articles = page.css("article")
    return articles[0] if len(articles) == 1 else page.body


@dataclass(frozen=True, slots=True)
class _Run:
    """The text within one block element, between the blocks inside it."""

    block: LexborNode
    text: str
    anchor: str


def _runs(root: LexborNode, unread: str) -> Iterator[_Run]:
    """Each run is a paragraph. By a stack, because the depth of somebody's HTML has no limit."""
    _leave_out(unread, root)
    texts: list[str] = []
    block, anchor = root, ""
    stack: list[tuple[LexborNode | None, LexborNode, bool]] = [(root, root, False)]
    while stack:
        node, within, is_raised = stack.pop()
        if node is None or node.tag in _BLOCKS:  # a block ends, or begins
            if text := " ".join("".join(texts).split()):
                yield _Run(block, text, anchor)
            texts = []
            if node is None:
                continue
        if node.tag == "-text":
            text = node.text_content or ""
            if is_raised:
                text = raised(text) or (f"^{text}" if text[:1].isdigit() else text)
            texts.append(text)
            block = within
        elif (node.tag or "-")[0] not in "-_":  # comments are none
            if node.tag in _HEADINGS:
                anchor = _anchor(node)
            if node.tag in _BLOCKS:
                within = node
                stack.append((None, node, False))
            texts.append(" " * (node.tag == "br"))
            inside = (within, is_raised or node.tag == "sup")
            stack.extend(
                (child, *inside) for child in reversed(list(node.iter(include_text=True)))
            )


def _leave_out(unread: str, root: LexborNode) -> None:
    for formula in root.css(_FORMULAE):
        formula.replace_with(LACKS)
    for node in root.css(unread):
        if node.mem_id != root.mem_id:
            node.replace_with("")  # not destroyed: another to be left out may stand within it


def _add_to(document: Document, run: _Run, begun_definitions: set[int]) -> None:
    tag, text, terms = run.block.tag or "", run.text, _terms(run.block)
    if terms is None:  # the text is itself a term, and stands before its definition
        return
    if tag not in _HEADINGS:
        begins = bool(terms) and terms[-1][0] not in begun_definitions
        begun_definitions.update(definition for definition, _ in terms)
        document.block(text, run.anchor, tuple(name for _, name in terms), begins=begins)
    elif document.blocks or document.title != unnumbered(text.strip(" ¶#")):
        document.heading(_HEADINGS[tag], text)


def _terms(block: LexborNode) -> tuple[tuple[int, str], ...] | None:
    """What the text of a block is part of the definition of, outermost first, each with its
    definition's element; None for a term itself."""
    terms: list[tuple[int, str]] = []
    node: LexborNode | None = block
    while node is not None:
        if node.tag == "dt" and _neighbours(node, "dd", forward=True):
            return None
        if node.tag == "dd" and (names := _neighbours(node, "dt", forward=False)):
            terms.append((node.mem_id, term(_words(name) for name in reversed(names))))
        node = node.parent
    return tuple(reversed([(definition, name) for definition, name in terms if name]))


def _neighbours(node: LexborNode, tag: str, *, forward: bool) -> list[LexborNode]:
    """The elements of this tag in the one run of them nearest to a `dt` or `dd`, on one side of it,
    nearest first."""
    run: list[LexborNode] = []
    texts = ("-text", "-comment", "_comment")
    sibling = node.next if forward else node.prev
    while sibling is not None:
        if sibling.tag == tag:
            run.append(sibling)
        elif sibling.tag not in texts and (run or sibling.tag != node.tag):
            break
        sibling = sibling.next if forward else sibling.prev
    return run


def _anchor(heading: LexborNode) -> str:
    """The heading's own id, or that of the section it opens."""
    section = (
        heading.parent if heading.parent and heading.parent.tag in ("section", "div") else None
    )
    anchor = heading.attributes.get("id") or (section.attributes.get("id") if section else None)
    return anchor if anchor and anchor.isprintable() and " " not in anchor else ""
