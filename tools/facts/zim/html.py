"""An article's HTML, as offline encyclopedias hold it, as plain text with its headings. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BREAK = "\n"
_FORMULA = r" {\displaystyle x} "
"""Stands for any formula in the form the cutter of passages knows, so that no sentence with a lost part is evidence."""

_INLINE = _words(
    """a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q rp rt ruby s samp small span strike strong
    sub sup time tt u var wbr"""
)
_NO_PROSE = _words(
    """aside audio button canvas figcaption figure footer form head header iframe map nav noscript object option script
    select style svg table template textarea title video"""
)
_NO_PROSE_CLASSES = _words(
    """ambox catlinks coordinates dablink gallery geo hatnote infobox metadata mbox-small mw-editsection mw-empty-elt
    mw-references-wrap navbar navbox noexcerpt noprint printfooter reference references reflist rellink shortdescription
    sidebar sistersitebox thumb toc vertical-navbox"""
)
_SENSES = (
    'meta[property="mw:PageProp/disambiguation"], #disambigbox, .disambigbox, .dmbox-disambig, .mbox-disambig, '
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
_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_RAISABLE = re.compile(r"[0-9+\-−=()n]+")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Reading:
    """What a page says. `goes_to`: the relative address of a page that only sends its reader on, else None."""

    text: str
    ambiguous: bool
    goes_to: str | None


def read_html(html: str, title: str) -> Reading:
    """The prose of an article in reading order, one line per paragraph, `== Heading ==` for each heading below the
    title; without tables, boxes, navigation, notes and reference marks. `ambiguous`: it lists senses of its title."""
    tree = LexborHTMLParser(html)
    text = "\n".join(line for raw in "".join(_parts(tree.body)).split("\n") if (line := _SPACE.sub(" ", raw).strip()))
    ambiguous = bool(tree.css_first(_SENSES) or _SENSES_TITLE.search(title.strip()) or _LISTS_SENSES.search(text[:300]))
    return Reading(text, ambiguous, None if text else _goes_to(tree))


def _goes_to(tree: LexborHTMLParser) -> str | None:
    meta = tree.css_first('meta[http-equiv="refresh" i]')
    found = _GOES_TO.search(meta.attributes.get("content") or "") if meta else None
    return found["path"].partition("#")[0] or None if found else None


def _parts(body: LexborNode | None) -> Iterator[str]:
    """Pieces of text and line breaks. By a stack, because the depth of somebody's HTML has no limit."""
    titled = False
    stack: list[LexborNode | str] = [body] if body is not None else []
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
        elif node.tag == "-text":
            yield _SPACE.sub(" ", node.text_content or "")
        elif _is_formula(node):
            yield _FORMULA
        elif _has_no_prose(node):
            continue
        elif node.tag == "h1" and not titled:
            titled = True  # the page's own title
        elif re.fullmatch(r"h[1-6]", node.tag or ""):
            yield _heading(node)
        elif node.tag == "sup":
            yield _raised(node)
        else:
            edge = "" if node.tag in _INLINE else _BREAK
            yield edge
            stack.append(edge)
            stack.extend(reversed(list(node.iter(include_text=True))))


def _has_no_prose(node: LexborNode) -> bool:
    if node.tag in _NO_PROSE or (node.tag or "-").startswith(("-", "_")):
        return True
    classes = (node.attributes.get("class") or "").split()
    style = (node.attributes.get("style") or "").replace(" ", "")
    return not _NO_PROSE_CLASSES.isdisjoint(classes) or "display:none" in style or node.attributes.get("id") == "toc"


def _is_formula(node: LexborNode) -> bool:
    if node.tag not in ("math", "img", "span"):
        return False
    classes = (node.attributes.get("class") or "").split()
    return node.tag == "math" or any(name == "tex" or name.startswith("mwe-math") for name in classes)


def _heading(node: LexborNode) -> str:
    level = max(2, int((node.tag or "h2")[1]))
    for mark in node.css(".mw-editsection, .reference"):
        mark.decompose()
    signs = "=" * level
    return f"{_BREAK}{signs} {_SPACE.sub(' ', node.text()).strip()} {signs}{_BREAK}"


def _raised(node: LexborNode) -> str:
    """An exponent keeps its sense: 10<sup>5</sup> is 10⁵, not 105."""
    text = node.text().strip()
    return text.translate(_RAISED) if _RAISABLE.fullmatch(text) else text
