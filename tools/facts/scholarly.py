"""What a page found on the web tells about its standing as literature: preprint, retracted, peer-reviewed. Pure."""

import re

PREPRINT_HOSTS = (
    "arxiv.org", "biorxiv.org", "medrxiv.org", "chemrxiv.org", "preprints.org", "ssrn.com", "osf.io", "psyarxiv.com",
    "researchsquare.com", "techrxiv.org", "essoar.org", "eartharxiv.org", "engrxiv.org", "authorea.com", "zenodo.org",
)  # fmt: skip
_JOURNAL_HOSTS = (
    "nih.gov", "europepmc.org", "nature.com", "science.org", "sciencedirect.com", "cell.com", "springer.com",
    "wiley.com", "tandfonline.com", "oup.com", "cambridge.org", "acs.org", "rsc.org", "aps.org", "iop.org", "aip.org",
    "ieee.org", "acm.org", "pnas.org", "plos.org", "frontiersin.org", "mdpi.com", "biomedcentral.com", "bmj.com",
    "thelancet.com", "nejm.org", "jamanetwork.com", "ahajournals.org", "sagepub.com", "royalsocietypublishing.org",
    "annualreviews.org", "elifesciences.org", "jstor.org", "copernicus.org", "agu.org", "uchicago.edu", "karger.com",
    "lww.com", "thieme.com", "degruyter.com",
)  # fmt: skip
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
_RETRACTED_TEXT = re.compile(r"\bthis (?:article|paper) has been (?:retracted|withdrawn)\b", re.IGNORECASE)


def is_preprint(title: str, head: str) -> bool:
    """Whether title or the top of the text call the page a preprint. Hosts are told apart by `PREPRINT_HOSTS`."""
    return bool(_PREPRINT_TITLE.search(title) or _PREPRINT_TEXT.search(head))


def is_retracted(title: str, head: str) -> bool:
    """Whether title or the top of the text say that the article was retracted or withdrawn."""
    return bool(_RETRACTED.search(title) or _RETRACTED_TEXT.search(head))


def looks_reviewed(host: str, url: str, title: str, head: str) -> bool:
    """A search cannot tell what was peer-reviewed: a publisher of journals, a DOI or a journal's name stands for it."""
    known = any(host == name or host.endswith(f".{name}") for name in _JOURNAL_HOSTS)
    return known or any(_REVIEWED.search(text) for text in (url, title, head))
