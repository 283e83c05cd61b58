"""HTML through selectolax: the prose of a page's main part, with the anchor of the heading it
stands under. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..passages import LACKS, raised
from ..standing import parse_date
from ..titles import unnumbered
from .document import Document, Labels, Unreadable, is_head, term


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NO_PROSE = """nav, script, style, header, footer, aside, form, noscript, template, svg, iframe, button, select,
    textarea, pre, figure, object, dialog, menu, canvas, audio, video, head, title"""
_NOT_IN_DOCUMENTS = f"""{_NO_PROSE}, [hidden], [aria-hidden=true], [role=navigation], [role=search], [role=banner],
    [role=contentinfo], .headerlink, .navheader, .navfooter, .docnav, .toc"""
_NOT_IN_ARTICLES = f"""{_NO_PROSE}, table, figcaption, map, option, #toc, [style*="display:none"],
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
_HOME = (
    ".navheader a[accesskey=h][title], head > link[rel=home][title], head > link[rel=start][title]"
)
_CHAPTER = ".navheader tr + tr th"
"""Where manuals made from DocBook name the book, with its edition, and the chapter that a section
belongs to."""
_NOTICES = frozenset(
    ("note", "tip", "hint", "warning", "caution", "important", "danger", "attention")
)
"""Headings of boxes: what follows the box is not below them."""
_BEHIND_TITLE = re.compile(r"\s+[—–|·-]\s+(?=\S)")
_OPENING = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]*)")
_FLAT = _names(
    """p li dt dd option optgroup tr td th thead tbody tfoot colgroup area base br col embed hr img input link meta
    param source track wbr"""
)
"""Elements that never nest in themselves, closed or not."""
_MANY_TAGS, _MAX_DEPTH = 20_000, 2_000
_SENSES = (
    'meta[property="mw:PageProp/disambiguation"], #disambigbox, .disambigbox, .dmbox-disambig, '
    ".mbox-disambig, "
    "#begriffsklaerung, .bandeau-homonymie"
)
_LISTS_SENSES = re.compile(
    r"\b(?:may|can) (?:also )?refer to\s*:|\b(?:steht|stehen) für\s*:|\bbezeichnet\s*:|"
    r"\bpeut (?:aussi )?(?:désigner|faire référence à)\s*:|\bpuede (?:también )?referirse a\s*:",
    re.IGNORECASE,
)
_SENSES_TITLE = re.compile(
    r"\((?:disambiguation|begriffsklärung|homonymie|desambiguación|desambiguação|disambigua|doorverwijspagina)\)$",
    re.IGNORECASE,
)
_GOES_TO = re.compile(r"url\s*=\s*['\"]?(?P<path>[^'\"]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ArticleText:
    """What an article of an offline encyclopedia says. `goes_to`: the relative address of a page
    that only sends its reader on, else None."""

    text: str
    ambiguous: bool
    goes_to: str | None


def read_article(html: str, title: str) -> ArticleText:
    """The prose of an article in reading order, one line per paragraph, `== Heading ==` for each
    heading below the title; without tables, boxes, navigation, notes and reference marks.
    `ambiguous`: it lists senses of its title."""
    page, lines, titled = LexborHTMLParser(html), list[str](), False
    marked = page.css_first(_SENSES)
    for run in _runs(page.body, _NOT_IN_ARTICLES) if page.body is not None else ():
        level = _HEADINGS.get(run.block.tag or "", 0)
        if level == 1 and not titled:
            titled = True  # the page's own title
        else:
            signs = "=" * max(2, level) if level else ""
            lines.append(f"{signs} {run.text} {signs}".strip())
    text = "\n".join(lines)
    ambiguous = bool(
        marked or _SENSES_TITLE.search(title.strip()) or _LISTS_SENSES.search(text[:300])
    )
    return ArticleText(text, ambiguous, None if text else _goes_to(page))


def _goes_to(page: LexborHTMLParser) -> str | None:
    meta = page.css_first('meta[http-equiv="refresh" i]')
    found = _GOES_TO.search(meta.attributes.get("content") or "") if meta else None
    return found["path"].partition("#")[0] or None if found else None


def read_html(text: str) -> Document:
    """The title is the first `h1`, else what `<title>` says, with the book it is from; a numbered
    section of a chapter goes by the chapter's title, and its own is the outermost heading. Raises
    Unreadable: elements nested so deeply that only a machine can have meant it."""
    if (
        text.count("<") > _MANY_TAGS and _depth(text) > _MAX_DEPTH
    ):  # parsing takes time by the square of the depth
        raise Unreadable(f"elements nested more than {_MAX_DEPTH:,} deep")
    page = LexborHTMLParser(text)
    stated = _words(page.css_first("head > title"))
    own = _words(page.css_first("h1")) or stated
    out = _opened(page, own, stated)
    out.labels = Labels(published=_published(page))
    out.names.update(_words(node) for node in page.css("code, tt, kbd, samp, .command"))
    for node in page.css("dt br"):
        node.replace_with(", ")
    begun: set[int] = set()  # definitions of which the first paragraph has been seen
    for run in _runs(root, _NOT_IN_DOCUMENTS) if (root := _main(page)) is not None else ():
        _put(run, out, begun)
    return out


def _opened(page: LexborHTMLParser, own: str, stated: str) -> Document:
    """A document that is named, and nothing yet read into it."""
    chapter, home = _words(page.css_first(_CHAPTER)), page.css_first(_HOME)
    book = str(home.attributes["title"]) if home else ""
    if not book and stated.startswith(own) and (found := _BEHIND_TITLE.match(stated, len(own))):
        book = stated[found.end() :]
    if chapter in ("", book, own) or chapter.startswith("Part "):
        return Document(title=unnumbered(own), book=book[:100])
    if own != unnumbered(own):
        return Document(title=unnumbered(chapter), book=book[:100])
    names = filter(None, (unnumbered(chapter), book[:100]))
    return Document(title=own, book=", ".join(names))


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
    found = (parse_date(stated[name].replace("/", "-")) for name in _DATES if name in stated)
    return next((day for day in found if day), None)


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
    bold: bool
    anchor: str


def _runs(root: LexborNode, unread: str) -> Iterator[_Run]:
    """Each run is a paragraph. By a stack, because the depth of somebody's HTML has no limit."""
    _leave_out(unread, root)
    held: list[str] = []
    block, anchor, bold = root, "", True
    stack: list[tuple[LexborNode | None, LexborNode, bool, bool]] = [(root, root, False, False)]
    while stack:
        node, within, in_bold, is_raised = stack.pop()
        if node is None or node.tag in _BLOCKS:  # a block ends, or begins
            if text := " ".join("".join(held).split()):
                yield _Run(block, text, bold, anchor)
            held, bold = [], True
            if node is None:
                continue
        if node.tag == "-text":
            text = node.text_content or ""
            held.append((raised(text) if is_raised else None) or text)
            block, bold = within, bold and (in_bold or not text.strip())
        elif (node.tag or "-")[0] not in "-_":  # comments are none
            if node.tag in _HEADINGS:
                anchor = _anchor(node)
            if node.tag in _BLOCKS:
                within = node
                stack.append((None, node, False, False))
            held.append(" " * (node.tag == "br"))
            inside = (
                within,
                in_bold or node.tag in ("b", "strong"),
                is_raised or node.tag == "sup",
            )
            stack.extend((child, *inside) for child in reversed(list(node.iter(include_text=True))))


def _leave_out(unread: str, root: LexborNode) -> None:
    for formula in root.css(_FORMULAE):
        formula.replace_with(LACKS)
    for node in root.css(unread):
        if node.mem_id != root.mem_id:
            node.replace_with("")  # not destroyed: another to be left out may stand within it


def _put(run: _Run, out: Document, begun: set[int]) -> None:
    tag, text, terms = run.block.tag or "", run.text, _terms(run.block)
    if terms is None:  # the text is itself a term, and stands before its definition
        return
    if tag in _HEADINGS:
        if text.casefold() in _NOTICES:
            return
        if out.title not in (bare := text.strip(" ¶#"), unnumbered(bare)) or out.blocks:
            out.heading(_HEADINGS[tag], text)
    elif run.bold and tag in ("p", "div") and is_head(text):
        out.head(text)
    else:
        begins = bool(terms) and terms[-1][0] not in begun
        begun.update(definition for definition, _ in terms)
        named = tuple(term for _, term in terms)
        out.block(
            text,
            place=run.anchor,
            terms=named,
            begins=begins,
            item=_is_item(run.block),
        )


def _terms(block: LexborNode) -> tuple[tuple[int, str], ...] | None:
    """What the text of a block is part of the definition of, outermost first, each with its
    definition's element; None for a term itself."""
    found: list[tuple[int, str]] = []
    node: LexborNode | None = block
    while node is not None:
        if node.tag == "dt" and _beside(node, "dd", forward=True):
            return None
        if node.tag == "dd" and (names := _beside(node, "dt", forward=False)):
            found.append((node.mem_id, term(_words(name) for name in reversed(names))))
        node = node.parent
    return tuple(reversed([(definition, name) for definition, name in found if name]))


def _is_item(block: LexborNode) -> bool:
    return block.tag == "li" or (block.parent is not None and block.parent.tag == "li")


def _beside(node: LexborNode, tag: str, *, forward: bool) -> list[LexborNode]:
    """The elements of this tag in the one run of them nearest to a `dt` or `dd`, on one side of it,
    nearest first."""
    found: list[LexborNode] = []
    beside = node.next if forward else node.prev
    while beside is not None:
        if beside.tag == tag:
            found.append(beside)
        elif beside.tag not in (node.tag, "-text", "-comment", "_comment") or (
            beside.tag == node.tag and found
        ):
            break
        beside = beside.next if forward else beside.prev
    return found


def _anchor(heading: LexborNode) -> str:
    """The heading's own id, or that of the section it opens."""
    parent = heading.parent
    found = heading.attributes.get("id") or (
        parent.attributes.get("id")
        if parent is not None and parent.tag in ("section", "div")
        else None
    )
    return found if found and found.isprintable() and " " not in found else ""
