"""Abstracts as services send them, made plain text that can be cut: HTML, JATS, inverted indexes. Pure."""

import html
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

MAX_CHARS = 20_000
"""No abstract is longer; what a service calls one sometimes is the whole text."""
_LONGEST_TITLE, _LONGEST_WORD = 2000, 200
_GAP = "{{…}}"  # reads as markup, so that no passage is cut across a gap in the text
_HEADING = re.compile(r"<(h[1-6]|(?:jats:)?title)\b[^<>]*>(.{0,500}?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"</?(?:jats:)?(?:p|br|div|sec|section|ul|ol|li|list|list-item|abstract)\b[^<>]*>", re.IGNORECASE)
_RAISED = re.compile(r"<((?:jats:)?sup)\b[^<>]*>(.{0,500}?)</\1\s*>", re.IGNORECASE | re.DOTALL)
_INLINE = re.compile(
    r"</?(?:jats:)?(?:i|b|em|strong|u|italic|bold|sub|sup|span|a|small|sc|tt|ext-link|inline-formula|mml:\w+|h[1-6]|"
    r"title)\b[^<>]*>",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^\W*(?:abstract|summary)\b\s*(?:[:.–—-]\s*|\n|(?=(?-i:[A-Z])))", re.IGNORECASE)
_RAISED_SIGNS = str.maketrans("0123456789+-−()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿ")
_CAN_RISE = frozenset("0123456789+-−()n")
_SPACES = re.compile(r"[ \t\r\f\v]+")


@lru_cache(maxsize=512)  # one work is found by many searches
def plain_abstract(marked: str) -> str:
    """The text of an abstract: its headings on lines of their own as `## Heading`, paragraphs as lines, no tags.

    A raised number stays raised (10⁵, not 105). Tags that are themselves escaped are tags; a bare `<` is a sign.
    """
    text = marked[: 2 * MAX_CHARS]
    for _ in range(2):  # tags within escaped text appear after the first round
        text = html.unescape(_without_tags(text))
    text = _without_tags(text)
    lines = (_SPACES.sub(" ", line).strip() for line in text.split("\n"))
    return _unlabelled("\n".join(line for line in lines if line))[:MAX_CHARS]


def plain_title(marked: str) -> str:
    """A title without markup, on one line, without the full stop that some services end it with."""
    text = " ".join(_INLINE.sub("", html.unescape(_RAISED.sub(_risen, html.unescape(marked[:_LONGEST_TITLE])))).split())
    return text[:-1] if text.endswith(".") and not text.endswith("..") else text


def from_index(index: Mapping[str, Any]) -> str:
    """The text of an inverted index (word → its places): words in order, a gap in the places marked so that nothing is
    cut across it. Of two words at one place the first counts; places that are no whole numbers from 0 are ignored."""
    placed: dict[int, str] = {}
    for word, places in index.items():
        for place in places if isinstance(places, list) else ():
            if isinstance(place, int) and place >= 0:
                placed.setdefault(place, str(word)[:_LONGEST_WORD])
    words: list[str] = []
    last = -1
    for place in sorted(placed)[:MAX_CHARS]:
        if place != last + 1 and last >= 0:
            words.append(_GAP)
        words.append(placed[place])
        last = place
    if placed and min(placed) > 0:
        words.insert(0, _GAP)
    return " ".join(words)


def _without_tags(text: str) -> str:
    text = _HEADING.sub(lambda found: f"\n## {_INLINE.sub('', found[2]).strip()}\n", text)
    text = _RAISED.sub(_risen, _BREAK.sub("\n", text))
    return _INLINE.sub("", text)


def _risen(found: re.Match[str]) -> str:
    text = found[2].strip()
    if text and set(text) <= _CAN_RISE:
        return text.translate(_RAISED_SIGNS)
    return f"^{text}" if text[:1].isdigit() else text


def _unlabelled(text: str) -> str:
    """Without the word "Abstract" that some services leave in front of the first sentence or as its heading."""
    first, _, rest = text.partition("\n")
    if first.strip("# :").casefold() in ("abstract", "summary"):
        return rest
    return text if first.startswith("#") else _LABEL.sub("", text, count=1)
