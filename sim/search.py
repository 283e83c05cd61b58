"""Finding pages by words."""

import re
from functools import cache

from ..state.text import normalise
from .corpus import corpus

_WORD = re.compile(r"\w+")


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
