"""When something was published, as texts and addresses say it. Pure."""

import re
from datetime import date

from .base import FactQuery
from .vocabulary import MONTHS

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


def within_two_years(day: date | None, query: FactQuery) -> bool:
    """Whether a day of publication is known and within two years before the query's `as_of`."""
    return day is not None and two_years_before(query.as_of) <= day <= query.as_of
