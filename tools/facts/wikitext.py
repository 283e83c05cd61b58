"""Plain text of an article's wikitext. A wiki gives the wikitext of many articles in one request,
but the plain text of one only.

What only the wiki itself could write out (a template, a formula) leaves a mark, and a sentence with
a mark is no evidence. Footnotes, tables, pictures and what stands in brackets around a mark go
without one.
"""

import re
from collections.abc import Callable
from html import unescape

from .passages import LACKS, raised

_SILENT = re.compile(
    r"<!--(?:(?!<!--).)*?-->|<(?P<tag>ref|gallery|timeline|imagemap|templatestyles|references)\b"
    r"(?:[^<>]*/>|[^<>]*>(?:(?!<(?P=tag)\b).)*?</(?P=tag)\s*>)",
    re.DOTALL | re.IGNORECASE,
)
_UNREAD = re.compile(
    r"<(?P<tag>math|chem|ce|hiero|score|code|pre|source|syntaxhighlight)\b[^<>]*>(?:(?!<(?P=tag)\b).)*?</(?P=tag)\s*>|"
    r"-\{[^{}]*\}-",
    re.DOTALL | re.IGNORECASE,
)
_SINGLE = re.compile(r"\{(?<![{}]\{)(?![{|])|\}(?<![|}]\})(?!\})")
"""A brace that is no markup, and must not keep the template around it from being seen. The pattern
begins with the brace: what comes before is looked at then, so that all other text is passed over
fast."""
_TEMPLATE = re.compile(r"\{\{([^{}|]*)[^{}]*\}\}")
_TABLE = re.compile(r"^[ :*]*\{\|(?:(?!^[ :*]*\{\|).)*?^\s*\|\}", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[\[([^\[\]]*)\]\]")
_NESTED = 12
"""How deep templates, tables and links stand in one another at most."""
_UNBALANCED = re.compile(r"\{\{|\}\}|\{\||\[\[|\]\]|</?ref\b[^<>]*>")
_FOOTNOTE = re.compile(
    r"(?:cit|sfn|efn|refn|reflist|rp$|r$|cn$|fact$|clarify|when$|who$|which$|by whom|page "
    r"needed|better source|dubious|"
    r"failed verification|anchor|short description|main$|see also|further)",
    re.IGNORECASE,
)
_SHOWS_TEXT = re.compile(r"lang|transl|nowrap|mvar|chem2|em|strong|small", re.IGNORECASE)
"""Templates that show their last argument in another type."""
_MEASURE = re.compile(
    r"(?:convert|cvt)\|([\d.,]+)\|([^\W\d_][\w/°]*)(?<!to)(?<!and)(?<!by)(?=\||$)"
)
_MEDIA = re.compile(
    r"\.(?:jpe?g|png|svg|gif|tiff?|webp|og[gva]|webm|mp[34]|wav|flac|pdf|djvu|stl|midi?)\s*$",
    re.IGNORECASE,
)
_OF_ANOTHER_KIND = re.compile(r"[^\W\d_][^:|#\n]{0,30}:\S")
"""A category, a page in another language: a word, a colon, and no space behind it."""
_OUTWARD = re.compile(r"\[(?:https?:)?//[^\s\[\]]+[ \t]*([^\[\]\n]*)\]")
_RAISED = re.compile(r"<sup\b[^<>]*>([^<>]*)</sup\s*>", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile(r"<[bh]r\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>|__[A-Z]+__|''+", re.IGNORECASE)
_ITEM = re.compile(r"^[*#:;]+[ \t]*", re.MULTILINE)
_ASIDE = re.compile(rf"[ \t]?\([^()\n]*{LACKS}[^()\n]*\)")
_NOTHING_ELSE = re.compile(rf"^[\s{LACKS}]*{LACKS}[ \t{LACKS}]*$", re.MULTILINE)


def plain(wikitext: str) -> str:
    """The text as it would be read, headings as `== Heading ==`, one paragraph or item of a list
    per line; `LACKS` stands where something could not be read."""
    text = _SILENT.sub("", wikitext)
    text = _UNREAD.sub(LACKS, text)
    text = _SINGLE.sub(LACKS, text)
    for pattern, instead in ((_TEMPLATE, _template), (_TABLE, _nothing), (_LINK, _link)):
        text = _innermost_first(pattern, instead, text)
    text = _UNBALANCED.sub(LACKS, text)
    text = _OUTWARD.sub(r"\1", text)
    text = _RAISED.sub(lambda tag: raised(tag[1]) or LACKS, text)
    text = _BREAK.sub(" ", text)
    text = unescape(_TAG.sub("", text))
    text = _ITEM.sub("", text)
    text = _ASIDE.sub("", text)
    return _NOTHING_ELSE.sub("", text)


def _innermost_first(
    pattern: re.Pattern[str], instead: Callable[[re.Match[str]], str], text: str
) -> str:
    for _ in range(_NESTED):
        text, count = pattern.subn(instead, text)
        if not count:
            break
    return text


def _nothing(_: re.Match[str]) -> str:
    return ""


def _template(markup: re.Match[str]) -> str:
    """Nothing for a footnote, which stands behind a sentence or says so by its name; the text of
    one that only sets it in another type; a measure without what it is converted to."""
    after = markup.string[markup.end() : markup.end() + 1]
    inside = markup[0][2:-2]
    if measure := _MEASURE.match(inside):
        return f"{measure[1]} {measure[2]}"
    if _SHOWS_TEXT.fullmatch(markup[1].strip()) and "|" in inside:
        return inside.rpartition("|")[2]
    is_behind = _stands_apart(markup) and (not after or after in " \n{")
    return "" if is_behind or _FOOTNOTE.match(markup[1].strip()) else LACKS


def _link(markup: re.Match[str]) -> str:
    target, *rest = markup[1].split("|")
    if _MEDIA.search(target):
        return ""
    if _OF_ANOTHER_KIND.match(target) and not rest:
        return "" if _stands_apart(markup) else LACKS
    return (rest[-1] if rest else target.lstrip(":")).strip()


def _stands_apart(markup: re.Match[str]) -> bool:
    """Whether it follows the end of a sentence, or something else that does."""
    before = markup.string[max(0, markup.start() - 1) : markup.start()]
    return before != "" and before in ".!?。]"
