"""What a web search returns, made fit for cutting: Markdown to plain text, and the date of publication. Pure."""

import re
from datetime import date
from functools import lru_cache

from .vocabulary import MONTHS

_FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]\[]*\]\([^()]*(?:\([^()]*\)[^()]*)?\)")
_LINK = re.compile(r"\[([^\]\[]*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)")
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|___|__)(?=\S)(.{1,800}?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*])")
_BOLD_LINE = re.compile(r"^[ \t]*(\*\*|__)([^*_\n]{1,60}[^*_\n.!?,;])\1:?[ \t]*$", re.MULTILINE)
_DEFINED = re.compile(r"^(\S[^\n]{0,120})\n:[ \t]+(?=\S)", re.MULTILINE)
_LINE_MARK = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)]|>)[ \t]+", re.MULTILINE)
_SETEXT = re.compile(r"^([^\n]+)\n(?:=+|-{2,})[ \t]*$", re.MULTILINE)
_TABLE_ROW = re.compile(r"^[ \t]*\|.*$|^[^\n|]*\|[^\n|]*\|[^\n]*$", re.MULTILINE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|~>])")

_MONTH = r"\b(?P<month>" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in (*MONTHS, "sept")) + r")\b\.?"
_ISO = re.compile(r"(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)-(?P<day>\d\d)")
_WORDED = (
    re.compile(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH},?\s+(?P<year>(?:19|20)\d\d)", re.IGNORECASE),
    re.compile(rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>(?:19|20)\d\d)", re.IGNORECASE),
)
_LABEL = re.compile(
    r"\b(?:published(?: online)?|publication date|date of publication|first published|version of record|posted(?: on)?)"
    r"\s*(?:on|:|\||–|-)?\s*(?P<when>[^\n]{6,40})",
    re.IGNORECASE,
)
_IN_PATH = re.compile(r"/(?P<year>20\d\d)/(?P<number>0[1-9]|1[0-2])/(?P<day>0[1-9]|[12]\d|3[01])(?:/|$)")
_WHERE_LABELS_STAND = 4000
MOST_CHARS = 300_000
"""Of one page, some hundred printed ones: to clean and cut the worst of that length takes a few seconds."""


def in_length(page: str) -> str:
    """A page as far as it is read, without the word that is cut: half a number would be a wrong one."""
    if len(page) <= MOST_CHARS:
        return page
    head = page[:MOST_CHARS]
    return head.rsplit(maxsplit=1)[0] if head.strip() else ""


@lru_cache(maxsize=256)  # one page is found by many searches
def plain(markdown: str) -> str:
    """Markdown as plain text whose headings stay marked with `#`; code, images, tables and raw tags are gone."""
    text = _FENCE.sub("", markdown.replace("\r\n", "\n"))
    text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    text = _DEFINED.sub(r"\1: ", _BOLD_LINE.sub(r"###### \2", _SETEXT.sub(r"# \1", text)))
    text = _TABLE_ROW.sub("", text)
    text = _LINE_MARK.sub("", text)
    text = _ITALIC.sub(r"\1", _EMPHASIS.sub(r"\2", text))
    return _ESCAPE.sub(r"\1", _TAG.sub("", text))


def parse_date(text: str) -> date | None:
    """The first date in a text: ISO (with or without a time), `12 March 2025`, `Wed, 12 Mar 2025`, `March 12, 2025`."""
    return next((_as_date(found) for pattern in (_ISO, *_WORDED) if (found := pattern.search(text))), None)


def find_published(stated: str | None, text: str, url: str) -> date | None:
    """Date of publication: as the search stated it, else labelled near the top of the text, else in the URL's path."""
    if stated and (found := parse_date(stated)):
        return found
    for label in _LABEL.finditer(text[:_WHERE_LABELS_STAND]):
        if found := parse_date(label["when"]):
            return found
    in_path = _IN_PATH.search(url)
    return _as_date(in_path) if in_path else None


def _as_date(found: re.Match[str]) -> date | None:
    parts = found.groupdict()
    if parts.get("number"):
        month = int(parts["number"])
    else:
        month = next(i for i, name in enumerate(MONTHS, 1) if name.startswith(parts["month"].lower()))
    try:
        return date(int(parts["year"]), month, int(parts["day"]))
    except ValueError:
        return None


def two_years_before(day: date) -> date:
    """The same day two years earlier; 28 February for 29 February."""
    try:
        return day.replace(year=day.year - 2)
    except ValueError:
        return day.replace(year=day.year - 2, day=28)
