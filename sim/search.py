"""Finding pages and documents by words. Built once per process, when the first search comes."""

import re
from collections.abc import Iterable
from functools import cache

from ..state.text import normalise
from ..state.tiers import Tier
from .corpus import corpus
from .pages import Document
from .values import extend, matches, tokens

_WORD = re.compile(r"\w+")


def stem(word: str) -> str:
    """A word without the endings that a search should not mind."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def stems(text: str) -> list[str]:
    return [stem(word) for word in _WORD.findall(normalise(text))]


class WikiIndex:
    """All words must occur; words in the title and whole titles count most."""

    def __init__(self, pages: Iterable[tuple[str, str, bool]]) -> None:
        self._titles: dict[str, list[str]] = {}
        self._words: dict[str, dict[str, int]] = {}
        self._last: set[str] = set()
        for title, text, is_last in pages:
            self._titles[title] = stems(title)
            for word in [*self._titles[title], *stems(text)]:
                counts = self._words.setdefault(word, {})
                counts[title] = counts.get(title, 0) + 1
            if is_last:
                self._last.add(title)

    def find(self, query: str) -> list[str]:
        """Titles, best first."""
        words = list(dict.fromkeys(stems(query)))
        if not words:
            return []
        hits = [self._words.get(word, {}) for word in words]
        common = set(hits[0]).intersection(*hits)
        return sorted(common, key=lambda title: (-self._score(title, words, hits), title))

    def _score(self, title: str, words: list[str], hits: list[dict[str, int]]) -> float:
        heading = self._titles[title]
        whole = 100.0 if heading == words[: len(heading)] else 0.0
        first = sum(20.0 / (place + 1) for place, word in enumerate(words) if word in heading)
        return whole + first + sum(hit[title] for hit in hits) / 100.0 - 1000.0 * (title in self._last)


_CUES = {
    Tier.PROFESSIONAL: "professional practice practitioner guideline guidance standard handbook body society agency",
    Tier.SPECIALIST: "peer reviewed review journal study article research paper specialist literature systematic",
    Tier.CUTTING_EDGE: "new newest latest recent result cutting edge advance frontier emerging current published",
}  # fmt: skip
_CUE_WORDS = {tier: frozenset(stem(word) for word in words.split()) for tier, words in _CUES.items()}
_COPY_PENALTY = 2.0


class LiteratureIndex:
    """Documents whose subject the query names, then those that touch on it; nothing for a query that names neither."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_name: dict[tuple[str, ...], list[tuple[float, Document]]] = {}
        for document in documents:
            self._enter(document.subject, 10.0, document)
            for topic in document.topics:
                self._enter(topic, 1.0, document)
        self._longest = extend({}, *self._by_name)

    def _enter(self, name: str, weight: float, document: Document) -> None:
        self._by_name.setdefault(tuple(tokens(name)), []).append((weight, document))

    def find(self, query: str) -> list[Document]:
        """Best first. What the query names first counts most; words such as "guideline" choose the kind."""
        scores: dict[str, float] = {}
        known: dict[str, Document] = {}
        for rank, (_, key) in enumerate(matches(tokens(query), self._by_name, self._longest), start=1):
            for weight, document in self._by_name[key]:
                known[document.id] = document
                scores[document.id] = scores.get(document.id, 0.0) + weight / rank
        wanted = _wanted_tier(query)

        def score(document: Document) -> float:
            copy = _COPY_PENALTY if document.id.startswith(("preprint", "retracted")) else 0.0
            return scores[document.id] - copy

        fitting = [document for document in known.values() if wanted in (None, document.tier)]
        return sorted(fitting, key=lambda document: (-score(document), document.id))


def _wanted_tier(query: str) -> Tier | None:
    """The kind of literature that the words of a query ask for most clearly; None when they do not say."""
    words = set(stems(query))
    cues = sorted(((len(words & found), tier) for tier, found in _CUE_WORDS.items()), key=lambda cue: -cue[0])
    return cues[0][1] if cues[0][0] > cues[1][0] else None


@cache
def wiki_index() -> WikiIndex:
    return WikiIndex((page.title, page.text, page.disambiguation) for page in corpus().pages.values())


@cache
def literature_index() -> LiteratureIndex:
    return LiteratureIndex(corpus().documents)
