"""Finding pages by words, and the literature: its documents, and a search over them as Tavily has
it."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Any

from ..state.text import normalise
from ..state.tiers import TIERS, Tier
from .corpus import corpus
from .facts import Fact
from .faults import BadRequest
from .pages import PageRow, prose
from .values import Index, index_of, matches, number, shuffled, tokens

_WORD = re.compile(r"\w+")


def stems(text: str) -> list[str]:
    """The words of a text without the endings that a search should not mind."""
    return [
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in _WORD.findall(normalise(text))
    ]


@cache
def _words_by_page() -> dict[str, Counter[str]]:
    """How often each page has each stem, its title included."""
    pages = corpus().pages.values()
    return {page.title: Counter(stems(f"{page.title} {page.text}")) for page in pages}


def find_pages(query: str) -> list[str]:
    """Titles of pages that have all the words, best first: words in the title and whole titles
    count most, and disambiguation pages come last."""
    words = list(dict.fromkeys(stems(query)))
    counts_by_page = _words_by_page()

    def score(title: str) -> float:
        heading, counts = stems(title), counts_by_page[title]
        whole = 100.0 if heading == words[: len(heading)] else 0.0
        first = sum(20.0 / place for place, word in enumerate(words, 1) if word in heading)
        often = sum(counts[word] for word in words) / 100.0
        return whole + first + often - 1000.0 * corpus().pages[title].disambiguation

    titles = [title for title, counts in counts_by_page.items() if counts.keys() >= {*words}]
    return sorted(titles if words else (), key=lambda title: (-score(title), title))


_, _, PROFESSIONAL, SPECIALIST, CUTTING_EDGE = TIERS
PREPRINT, RETRACTED = "preprint", "retracted article"
_KINDS = {
    PROFESSIONAL: ("guideline", "Guideline and data sheet for professional practice"),
    SPECIALIST: ("journal article", "Peer-reviewed study of properties"),
    CUTTING_EDGE: ("journal article", "New results"),
}
_PER_DOCUMENT = 9
"""Facts of one document, at most."""
_OLDEST, _SPAN_DAYS = date(2006, 1, 1), 6000
"""Days of publication of everything but the newest literature: 2006 to mid-2022."""
_YOUNGEST_DAYS, _NEW_SPAN_DAYS = 20, 660


_CUES = {"guideline": PROFESSIONAL, "journal": SPECIALIST, "new": CUTTING_EDGE}
"""Words of a query that ask for one kind of literature."""
_COPY_PENALTY = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A piece of the literature. `day` is fixed (ISO), or None for the newest, which has an age in
    days; `subject`: how prose names what it is about."""

    id: str
    title: str
    tier: Tier
    kind: str
    subject: str
    topics: tuple[str, ...]
    facts: tuple[Fact, ...]
    part: int
    day: str | None
    age_days: int

    @property
    def url(self) -> str:
        return f"sim://literature/{self.id}"

    @property
    def text(self) -> str:
        return prose(self.subject, self.facts, self.topics, turn=self.part)

    def published(self, reference: date) -> date:
        """The day of publication: fixed, or for the newest literature counted back from the
        reference day."""
        return (
            date.fromisoformat(self.day)
            if self.day
            else reference - timedelta(days=self.age_days)
        )


@cache
def all_documents() -> tuple[Document, ...]:
    """The literature, subject by subject. A document has at most nine facts of one tier."""
    documents: list[Document] = []
    for title, row in corpus().subjects.items():
        for tier in _KINDS:
            facts = corpus().stated.get(title, ())
            by_id = {fact.id: fact for fact in facts if fact.tier is tier}
            chosen = [by_id[id] for id in shuffled(list(by_id), tier)]
            count = -(-len(chosen) // _PER_DOCUMENT)
            for part in range(count):
                document = _document(row, tier, tuple(chosen[part::count]), part + 1)
                documents += [document, *_copies(document)]
    return tuple(documents)


def _document(row: PageRow, tier: Tier, facts: tuple[Fact, ...], part: int) -> Document:
    (kind, heading), name = _KINDS[tier], row["name"]
    id = f"{tier.lower().replace('_', '-')}-{name.lower().replace(' ', '-')}-{part}"
    title = f"{heading}: {name} among the chemical elements, part {part}"
    day = (
        None
        if tier is CUTTING_EDGE
        else (_OLDEST + timedelta(days=number(id) % _SPAN_DAYS)).isoformat()
    )
    age = _YOUNGEST_DAYS + number(id) % _NEW_SPAN_DAYS
    return Document(id, title, tier, kind, name, tuple(row["topics"]), facts, part, day, age)


def _copies(document: Document) -> Iterator[Document]:
    """Some articles have a preprint, some were retracted: a source for specialists has to leave
    both out."""
    chance = number("copy", document.id) % 20
    if document.tier is not SPECIALIST or chance > 2:
        return
    subject = f"{document.subject} among the chemical elements"
    if chance < 2:
        prefix, kind, title = "preprint", PREPRINT, f"Preprint, not peer-reviewed: {subject}"
    else:
        prefix, kind, title = "retracted", RETRACTED, f"Retracted: {document.title}"
    yield replace(document, id=f"{prefix}-{document.id}", kind=kind, title=title)


@cache
def _literature() -> Index[list[tuple[float, Document]]]:
    """By name: the documents whose subject it is, and those that touch on it, with their
    weights."""
    by_name: dict[tuple[str, ...], list[tuple[float, Document]]] = {}
    for document in all_documents():
        by_name.setdefault(tuple(tokens(document.subject)), []).append((10.0, document))
        for topic in document.topics:
            by_name.setdefault(tuple(tokens(topic)), []).append((1.0, document))
    return index_of(by_name)


def find_documents(query: str) -> list[Document]:
    """Documents whose subject the query names, then those that touch on it, best first; nothing for
    a query that names neither. What the query names first counts most; words such as "guideline"
    choose the kind."""
    scores: dict[Document, float] = {}
    for rank, weighted in enumerate(matches(tokens(query), _literature()), start=1):
        for weight, document in weighted:
            scores[document] = scores.get(document, 0.0) + weight / rank
    for document in scores:
        scores[document] -= _COPY_PENALTY * (document.kind in (PREPRINT, RETRACTED))
    words = stems(query)
    wanted = next((tier for cue, tier in _CUES.items() if cue in words), None)
    fitting = [document for document in scores if wanted in (None, document.tier)]
    return sorted(fitting, key=lambda document: (-scores[document], document.id))


Json = dict[str, Any]


def search(body: object, today: date) -> Json:
    """The reply to a search; lists of sites are ignored, as none of them is in this world. Raises
    BadRequest.

    The newest literature has ages, not dates: it is dated back from `end_date`, else from today, so
    that there is a frontier whatever day the question is about.
    """
    query = body.get("query") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(query, str) or not query.strip():
        raise BadRequest("Query is missing.")
    try:
        end = date.fromisoformat(body.get("end_date") or today.isoformat())
        start = date.fromisoformat(body.get("start_date") or _OLDEST.isoformat())
    except ValueError as error:
        raise BadRequest("Invalid start_date or end_date: use YYYY-MM-DD.") from error
    documents = [(document, document.published(end)) for document in find_documents(query)]
    results = [_result(document, day) for document, day in documents if start <= day <= end]
    return {"query": query, "results": results[: body.get("max_results", 5)]}


def _result(document: Document, day: date) -> Json:
    return {
        "url": document.url,
        "title": document.title,
        "content": document.text,
        "raw_content": document.text,
        "published_date": day.isoformat(),
    }
