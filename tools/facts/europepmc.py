"""Europe PMC: the literature of the life sciences, keyless, through its Articles RESTful API
(version 6.9).

As its documentation has it: `GET {url}/search` with `query`, `format=json`, `resultType=core` (with
abstracts) and `pageSize` up to 1000; fields of the query language are ABSTRACT, PUB_TYPE, SRC (MED,
PMC, PPR for preprints), FIRST_PDATE:[from TO to] and HAS_ABSTRACT; `email`
tells whom to write to. No rate is published.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from ...state.tiers import Tier
from .base import FactQuery, bare, content_words
from .plan import ADDRESSES
from .search import (
    PREPRINT_SECTION,
    SECTION,
    Json,
    Look,
    Service,
    Work,
    day_of,
    listed,
    plain_abstract,
    plain_title,
    text_of,
)
from .standing import is_guideline, two_years_before
from .transport import Habits

_PAGE = 25
_SPOKEN = {
    "MED": "PMID",
    "PMC": "PMCID",
    "PPR": "Europe PMC preprint",
}
_MAX_WORDS = 12
_WORD = re.compile(r"[^\W_]+(?:[-'’.+][^\W_]+)*")
_GUIDANCE = (
    "practice guideline",
    "guideline",
    "consensus development conference",
    "systematic review",
    "review",
)
_GUIDANCE_TYPES = frozenset(
    (
        *_GUIDANCE,
        "review article",
        "consensus statement",
        "consensus development conference, nih",
    )
)
_REVIEWED_TYPES = _GUIDANCE_TYPES | {
    "journal article", "research article", "meta analysis", "brief report", "case report", "case reports",
    "rapid communication", "clinical trial", "randomized controlled trial", "observational study", "data paper",
}  # fmt: skip
_UNREVIEWED_TYPES = frozenset((
    "preprint", "editorial", "letter", "comment", "news", "newspaper article", "book review", "abstract",
    "meeting abstract", "interview", "biography", "obituary", "announcement", "product review",
    "patient education handout",
))  # fmt: skip
_ABOUT_A_WORK = re.compile(
    r"retract|withdraw|erratum|^correction|expression of concern|corrigendum"
)
_WITHDRAWN_LINK = re.compile(
    r"retract|withdraw|expression of concern|^erratum (?:for|of)|^correction (?:for|of|to)"
)


def _params(query: FactQuery, look: Look) -> dict[str, str]:
    """Abstracts are mostly English, whatever the language of the article."""
    clauses = " AND ".join(_clauses(query, look))
    return {
        "query": f'{clauses} NOT PUB_TYPE:"retracted publication"',
        "format": "json",
        "resultType": "core",
        "pageSize": str(_PAGE),
    }


def _clauses(query: FactQuery, look: Look) -> Iterator[str]:
    words = _words(bare(query.concept))
    together = f'ABSTRACT:"{" ".join(words)}"'
    all_words = " AND ".join(f'ABSTRACT:"{word}"' for word in words)
    yield together if len(words) < 2 else f"({together} OR ({all_words}))"
    if look.in_domain:
        around = f"{query.domain} {query.sense}" if look.in_sense else query.domain
        yield from dict.fromkeys(f'"{word}"' for word in _words(around))
    yield "HAS_ABSTRACT:y"
    if look.guidance:
        yield _any("PUB_TYPE", _GUIDANCE)
    yield _any(
        "SRC", ("MED", "PMC", "PPR") if query.tier is Tier.CUTTING_EDGE else ("MED", "PMC")
    )
    if query.tier is Tier.CUTTING_EDGE:
        yield (
            f"FIRST_PDATE:[{two_years_before(query.as_of).isoformat()} TO "
            f"{query.as_of.isoformat()}]"
        )


def _any(field: str, values: tuple[str, ...]) -> str:
    return "(" + " OR ".join(f'{field}:"{value}"' for value in values) + ")"


def _words(text: str) -> list[str]:
    """The content words of a text, which a quoted term of the query language can hold: no quotes,
    no brackets."""
    return content_words(" ".join(_WORD.findall(text)))[:_MAX_WORDS]


def _work(entry: Json, moment: datetime) -> Work | None:
    id, source, marked = (
        text_of(entry, "id"),
        text_of(entry, "source").upper(),
        text_of(entry, "abstractText"),
    )
    if not (id and source and marked):
        return None
    types = frozenset(
        kind.casefold().replace("-", " ")
        for kind in listed(entry, "pubTypeList", "pubType")
        if isinstance(kind, str)
    )
    links = listed(
        entry, "commentCorrectionList", "commentCorrection"
    )  # `retraction in`, `erratum in`, `comment in`
    title = plain_title(text_of(entry, "title"))
    revised = day_of(entry, "dateOfRevision", "firstIndexDate")
    doi = text_of(entry, "doi")
    preprint = source == "PPR" or "preprint" in types
    return Work(
        id=f"{source}:{id}",
        title=title,
        url=f"https://doi.org/{doi}" if doi else f"https://europepmc.org/article/{source}/{id}",
        text=plain_abstract(marked),
        revision=f"{_SPOKEN.get(source, source)} {id}"
        + (f", revised {revised.isoformat()}" if revised else ""),
        retrieved_at=moment,
        section=PREPRINT_SECTION if preprint else SECTION,
        published=day_of(entry, "firstPublicationDate", "electronicPublicationDate"),
        # of an article in another language it is not said in which its abstract is
        language="en" if text_of(entry, "language") == "eng" else None,
        reviewed=source in ("MED", "PMC")
        and bool(types & _REVIEWED_TYPES)
        and not types & _UNREVIEWED_TYPES,
        guidance=bool(types & _GUIDANCE_TYPES) or is_guideline(title),
        preprint=preprint,
        withdrawn=any(_ABOUT_A_WORK.search(kind) for kind in types)
        or any(
            _WITHDRAWN_LINK.search(text_of(link, "type").casefold())
            for link in links
            if isinstance(link, dict)
        ),
    )


EUROPE_PMC = Service(
    name="Europe PMC's REST service",
    url=ADDRESSES["europepmc"],
    path="/search",
    records=("resultList", "result"),
    most=_PAGE,
    params=_params,
    work=_work,
    habits=Habits(
        advice={
            400: "It did not understand the search.",
            404: "Is it the address of Europe PMC's REST service?",
        },
        per_second=10,
        spent="Go on later.",
    ),
    contact="email",
)
