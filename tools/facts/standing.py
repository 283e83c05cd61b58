"""What a page tells about its standing: when it was published, preprint, retracted, peer-reviewed.
Pure."""

import re
from datetime import date

from .base import FactQuery


def _listed(hosts: str) -> tuple[str, ...]:
    return tuple(hosts.split())


PREPRINT_HOSTS = _listed(
    """
arxiv.org biorxiv.org medrxiv.org chemrxiv.org preprints.org ssrn.com osf.io psyarxiv.com researchsquare.com
techrxiv.org essoar.org eartharxiv.org engrxiv.org authorea.com zenodo.org
"""
)

PROFESSIONAL_HOSTS = _listed(
    """
who.int iso.org iec.ch itu.int iaea.org fao.org oecd.org icao.int imo.org wmo.int europa.eu nist.gov bipm.org ietf.org
w3.org cdc.gov fda.gov epa.gov osha.gov usgs.gov nice.org.uk hse.gov.uk cochranelibrary.com ifrs.org iupac.org acs.org
rsc.org ieee.org acm.org asme.org astm.org aps.org apa.org americanbar.org heart.org escardio.org
"""
)
"""Where a search for professional evidence looks first; it goes on without them when they have
nothing."""
JOURNAL_HOSTS = _listed(
    """
nih.gov europepmc.org nature.com science.org sciencedirect.com cell.com springer.com wiley.com tandfonline.com oup.com
cambridge.org acs.org rsc.org aps.org iop.org aip.org ieee.org acm.org pnas.org plos.org frontiersin.org mdpi.com
biomedcentral.com bmj.com thelancet.com nejm.org jamanetwork.com ahajournals.org sagepub.com
royalsocietypublishing.org annualreviews.org elifesciences.org jstor.org copernicus.org agu.org uchicago.edu
karger.com lww.com thieme.com degruyter.com
"""
)
"""Publishers and archives of reviewed journals: a mark of review, and where a search for specialists
looks first."""

_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_REVIEWED = re.compile(
    r"\b10\.\d{4,9}/\S+|\b(?:journal|transactions|annals|proceedings|archives) of\b|\bjournal "
    r"article\b|"
    r"\bpeer[- ]reviewed (?:study|article|journal|paper|research)\b",
    re.IGNORECASE,
)
_PREPRINT_TITLE = re.compile(r"\bpreprint\b", re.IGNORECASE)
_PREPRINT_TEXT = re.compile(
    r"\b(?:this|article|paper) (?:article |paper )?is a preprint\b|"
    r"\bnot (?:yet )?(?:been )?(?:peer[- ]reviewed|certified by peer review)",
    re.IGNORECASE,
)
_RETRACTED = re.compile(
    r"^\W*(?:retracted|retraction|withdrawn)\b|\bretraction (?:note|notice)\b", re.IGNORECASE
)
_RETRACTED_TEXT = re.compile(
    r"\bthis (?:article|paper|study|manuscript|preprint|review) has been (?:retracted|withdrawn)\b|"
    r"\bauthors have (?:retracted|withdrawn) (?:this|their)\b",
    re.IGNORECASE,
)
_NOTICE = re.compile(
    r"^\W*(?:(?:author|publisher|editorial)(?:['’]?s)? )?"
    r"(?:correction|corrigend(?:um|a)|errat(?:um|a)|addend(?:um|a)|expressions? of concern)\b"
    r"\W*(?:$|[:.–—-]|\]|\bto\b|\bin\b:|\bfor\b.{0,80}\bet al\b)",
    re.IGNORECASE,
)
_PREPRINT_SERVER = re.compile(
    r"\w*rxiv\b|\bssrn\b|\bpreprints?\b|\bresearch square\b|\bosf\b|\bauthorea\b|\bzenodo\b",
    re.IGNORECASE,
)
_GUIDELINE = re.compile(
    r"\b(?:guidelines?|guidance|recommendations?|consensus|position (?:statement|paper)|practice "
    r"parameters?|"
    r"standards? (?:of|for))\b",
    re.IGNORECASE,
)
_MONTH = (
    r"\b(?P<month>"
    + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in (*_MONTHS, "sept"))
    + r")\b\.?"
)
_ISO = re.compile(r"(?P<year>(?:19|20)\d\d)-(?P<number>\d\d)-(?P<day>\d\d)")
_WORDED = (
    re.compile(
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+{_MONTH},?\s+(?P<year>(?:19|20)\d\d)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>(?:19|20)\d\d)",
        re.IGNORECASE,
    ),
)
_LABEL = re.compile(
    r"\b(?:published(?: online)?|publication date|date of publication|first published|version of "
    r"record|posted(?: on)?)"
    r"\s*(?:on|:|\||–|-)?\s*(?P<when>[^\n]{6,40})",
    re.IGNORECASE,
)
_IN_PATH = re.compile(
    r"/(?P<year>20\d\d)/(?P<number>0[1-9]|1[0-2])/(?P<day>0[1-9]|[12]\d|3[01])(?:/|$)"
)
_WHERE_LABELS_STAND = 4000


def is_preprint(title: str, head: str) -> bool:
    """Whether title or the top of the text call the page a preprint. Hosts are told apart by
    `PREPRINT_HOSTS`."""
    return bool(_PREPRINT_TITLE.search(title) or _PREPRINT_TEXT.search(head))


def is_retracted(title: str, head: str) -> bool:
    """Whether title or the top of the text say that the article was retracted or withdrawn."""
    return bool(_RETRACTED.search(title) or _RETRACTED_TEXT.search(head))


def is_notice(title: str) -> bool:
    """Whether a title is that of a note about another work: a correction, an erratum, an expression
    of concern."""
    return bool(_NOTICE.search(title))


def is_guideline(title: str) -> bool:
    """Whether a title is that of professional guidance."""
    return bool(_GUIDELINE.search(title))


def is_preprint_server(name: str) -> bool:
    """Whether the name of a venue is that of a server for preprints."""
    return bool(_PREPRINT_SERVER.search(name))


def is_at(host: str, hosts: tuple[str, ...]) -> bool:
    """Whether a host is one of these, or below one."""
    return any(host == name or host.endswith(f".{name}") for name in hosts)


def looks_reviewed(host: str, url: str, head: str) -> bool:
    """A search cannot tell what was peer-reviewed: a publisher of journals, a DOI or a journal's
    name stands for it."""
    return is_at(host, JOURNAL_HOSTS) or any(map(_REVIEWED.search, (url, head)))


def parse_date(text: str) -> date | None:
    """The first date in a text: ISO (with or without a time), `12 March 2025`, `Wed, 12 Mar 2025`,
    `March 12, 2025`."""
    return next(
        (_as_date(match) for pattern in (_ISO, *_WORDED) if (match := pattern.search(text))),
        None,
    )


def find_published(stated: str | None, text: str, url: str) -> date | None:
    """Date of publication: as the search stated it, else labelled near the top of the text, else in
    the URL's path."""
    if stated and (day := parse_date(stated)):
        return day
    for label in _LABEL.finditer(text[:_WHERE_LABELS_STAND]):
        if day := parse_date(label["when"]):
            return day
    in_path = _IN_PATH.search(url)
    return _as_date(in_path) if in_path else None


def _as_date(match: re.Match[str]) -> date | None:
    parts = match.groupdict()
    if parts.get("number"):
        month = int(parts["number"])
    else:
        month = next(
            i for i, name in enumerate(_MONTHS, 1) if name.startswith(parts["month"].lower())
        )
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
