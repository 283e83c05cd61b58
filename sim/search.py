"""Finding pages and documents by words. Indexes are built once per process, when the first search
comes."""

import re
from functools import cache

from ..state.records import TIERS, Tier
from ..state.text import normalise
from .corpus import corpus
from .pages import PREPRINT, RETRACTED, Document
from .values import extend, matches, tokens

_WORD = re.compile(r"\w+")
_CUES = (
    "professional practice practitioner guideline guidance standard handbook body society agency",
    "peer reviewed review journal study article research paper specialist literature systematic",
    "new newest latest recent result cutting edge advance frontier emerging current published",
)
"""Words of a query that ask for one kind of literature, from PROFESSIONAL to CUTTING_EDGE."""
_COPY_PENALTY = 2.0


def stems(text: str) -> list[str]:
    """The words of a text without the endings that a search should not mind."""
    return [
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
        for word in _WORD.findall(normalise(text))
    ]


@cache
def _wiki() -> tuple[dict[str, list[str]], dict[str, dict[str, int]]]:
    """The stems of each title; and stem → title → how often the page has it."""
    titles: dict[str, list[str]] = {}
    words: dict[str, dict[str, int]] = {}
    for page in corpus().pages.values():
        titles[page.title] = stems(page.title)
        for word in [*titles[page.title], *stems(page.text)]:
            counts = words.setdefault(word, {})
            counts[page.title] = counts.get(page.title, 0) + 1
    return titles, words


def find_pages(query: str) -> list[str]:
    """Titles of pages that have all the words, best first: words in the title and whole titles
    count most, and disambiguation pages come last."""
    titles, index = _wiki()
    words = list(dict.fromkeys(stems(query)))
    if not words:
        return []
    hits = [index.get(word, {}) for word in words]

    def score(title: str) -> float:
        heading = titles[title]
        whole = 100.0 if heading == words[: len(heading)] else 0.0
        first = sum(20.0 / (place + 1) for place, word in enumerate(words) if word in heading)
        often = sum(hit[title] for hit in hits) / 100.0
        return whole + first + often - 1000.0 * corpus().pages[title].disambiguation

    return sorted(set(hits[0]).intersection(*hits), key=lambda title: (-score(title), title))


@cache
def _literature() -> tuple[dict[tuple[str, ...], list[tuple[float, Document]]], dict[str, int]]:
    """By name: the documents whose subject it is, and those that touch on it, with their
    weights."""
    found: dict[tuple[str, ...], list[tuple[float, Document]]] = {}
    for document in corpus().documents:
        for name, weight in (
            (document.subject, 10.0),
            *((topic, 1.0) for topic in document.topics),
        ):
            found.setdefault(tuple(tokens(name)), []).append((weight, document))
    return found, extend({}, *found)


def find_documents(query: str) -> list[Document]:
    """Documents whose subject the query names, then those that touch on it, best first; nothing for
    a query that names neither. What the query names first counts most; words such as "guideline"
    choose the kind."""
    by_name, longest = _literature()
    scores: dict[Document, float] = {}
    for rank, (_, key) in enumerate(matches(tokens(query), by_name, longest), start=1):
        for weight, document in by_name[key]:
            scores[document] = scores.get(document, 0.0) + weight / rank
    for document in scores:
        scores[document] -= _COPY_PENALTY * (document.kind in (PREPRINT, RETRACTED))
    wanted = _wanted_tier(query)
    fitting = [document for document in scores if wanted in (None, document.tier)]
    return sorted(fitting, key=lambda document: (-scores[document], document.id))


def _wanted_tier(query: str) -> Tier | None:
    """The kind of literature that the words of a query ask for most clearly; None when they do not
    say."""
    words = set(stems(query))
    cues = sorted(
        (
            (len(words.intersection(stems(cue))), tier)
            for cue, tier in zip(_CUES, TIERS[2:], strict=True)
        ),
        key=lambda cue: -cue[0],
    )
    return cues[0][1] if cues[0][0] > cues[1][0] else None
