"""What a page found on the web tells about its standing as literature: preprint, retracted, peer-reviewed. Pure."""

import re

PREPRINT_HOSTS = (
    "arxiv.org", "biorxiv.org", "medrxiv.org", "chemrxiv.org", "preprints.org", "ssrn.com", "osf.io", "psyarxiv.com",
    "researchsquare.com", "techrxiv.org", "essoar.org", "eartharxiv.org", "engrxiv.org", "authorea.com", "zenodo.org",
)  # fmt: skip
PROFESSIONAL_HOSTS = (
    # bodies that set rules: international organisations, standards bodies, regulators and national institutes
    "who.int", "iso.org", "iec.ch", "itu.int", "iaea.org", "fao.org", "oecd.org", "icao.int", "imo.org", "wmo.int",
    "europa.eu", "nist.gov", "bipm.org", "ietf.org", "w3.org", "cdc.gov", "fda.gov", "epa.gov", "osha.gov", "usgs.gov",
    "nice.org.uk", "hse.gov.uk", "cochranelibrary.com", "ifrs.org",
    # learned and professional societies
    "iupac.org", "acs.org", "rsc.org", "ieee.org", "acm.org", "asme.org", "astm.org", "aps.org", "apa.org",
    "americanbar.org", "heart.org", "escardio.org",
)  # fmt: skip
"""Where a search for professional evidence looks first; it goes on without them when they have nothing."""
JOURNAL_HOSTS = (
    "nih.gov", "europepmc.org", "nature.com", "science.org", "sciencedirect.com", "cell.com", "springer.com",
    "wiley.com", "tandfonline.com", "oup.com", "cambridge.org", "acs.org", "rsc.org", "aps.org", "iop.org", "aip.org",
    "ieee.org", "acm.org", "pnas.org", "plos.org", "frontiersin.org", "mdpi.com", "biomedcentral.com", "bmj.com",
    "thelancet.com", "nejm.org", "jamanetwork.com", "ahajournals.org", "sagepub.com", "royalsocietypublishing.org",
    "annualreviews.org", "elifesciences.org", "jstor.org", "copernicus.org", "agu.org", "uchicago.edu", "karger.com",
    "lww.com", "thieme.com", "degruyter.com",
)  # fmt: skip
"""Publishers and archives of reviewed journals: a mark of review, and where a search for specialists looks first."""
_REVIEWED = re.compile(
    r"\b10\.\d{4,9}/\S+|\b(?:journal|transactions|annals|proceedings|archives) of\b|\bjournal article\b|"
    r"\bpeer[- ]reviewed (?:study|article|journal|paper|research)\b",
    re.IGNORECASE,
)
_PREPRINT_TITLE = re.compile(r"\bpreprint\b", re.IGNORECASE)
_PREPRINT_TEXT = re.compile(
    r"\b(?:this|article|paper) (?:article |paper )?is a preprint\b|"
    r"\bnot (?:yet )?(?:been )?(?:peer[- ]reviewed|certified by peer review)",
    re.IGNORECASE,
)
_RETRACTED = re.compile(r"^\W*(?:retracted|retraction|withdrawn)\b|\bretraction (?:note|notice)\b", re.IGNORECASE)
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
    r"\b(?:guidelines?|guidance|recommendations?|consensus|position (?:statement|paper)|practice parameters?|"
    r"standards? (?:of|for))\b",
    re.IGNORECASE,
)


def is_preprint(title: str, head: str) -> bool:
    """Whether title or the top of the text call the page a preprint. Hosts are told apart by `PREPRINT_HOSTS`."""
    return bool(_PREPRINT_TITLE.search(title) or _PREPRINT_TEXT.search(head))


def is_retracted(title: str, head: str) -> bool:
    """Whether title or the top of the text say that the article was retracted or withdrawn."""
    return bool(_RETRACTED.search(title) or _RETRACTED_TEXT.search(head))


def is_notice(title: str) -> bool:
    """Whether a title is that of a note about another work: a correction, an erratum, an expression of concern."""
    return bool(_NOTICE.search(title))


def is_guideline(title: str) -> bool:
    """Whether a title is that of professional guidance."""
    return bool(_GUIDELINE.search(title))


def is_preprint_server(name: str) -> bool:
    """Whether the name of a venue is that of a server for preprints."""
    return bool(_PREPRINT_SERVER.search(name))


def looks_reviewed(host: str, url: str, title: str, head: str) -> bool:
    """A search cannot tell what was peer-reviewed: a publisher of journals, a DOI or a journal's name stands for it."""
    known = any(host == name or host.endswith(f".{name}") for name in JOURNAL_HOSTS)
    return known or any(_REVIEWED.search(text) for text in (url, title, head))
