"""A page's text cut into passages: 1-4 consecutive sentences, at most 800 characters, never overlapping. Pure.

A passage has to carry a question, so it stays within one paragraph, has two or three sentences where the paragraph
allows it, and would rather not begin with a word that points back. What cannot carry a fact (headings, reference
lists, stub notices, table rows, formula debris) is left out, and a passage never reaches across what was left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from .clean import clean, is_junk
from .outline import outline
from .sentences import sentences

MAX_CHARS = 800
MAX_SENTENCES = 4
_MIN_CHARS, _MIN_WORDS = 25, 5
_MIN_CHARS_UNSPACED = 10
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u1000-\u109f\u1780-\u17ff]")
_POINTS_BACK = re.compile(
    r"(?:it|its|they|their|he|his|she|her|this|these|that|those|such|however|therefore|thus|also|moreover|but|"
    r"er|sie|es|dies|diese|dieser|il|elle|ils|elles|cela|ello|esto|este|esta|sin|aussi|auch|jedoch)\b",
    re.IGNORECASE,
)
_SIZE_COST = {1: 2, 2: 0, 3: 0, 4: 1}


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a page: `text` is a substring of `clean(page)`; `section` is its heading, None in the lead."""

    text: str
    section: str | None = None


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    kind: str
    """`full` carries a fact alone, `short` only in company, `junk` never."""


def passages(page: str, language: str = "en") -> list[Passage]:
    """All passages of a page in reading order. `page` is plain text with wiki or Markdown headings.

    Deterministic: the same text gives the same passages. A sentence of more than 800 characters is left out whole.
    """
    return list(_passages(page, language))


@lru_cache(maxsize=256)  # many concepts lead to one page, and cutting it costs more than fetching it
def _passages(page: str, language: str) -> tuple[Passage, ...]:
    return tuple(
        Passage(text, section.heading)
        for section in outline(clean(page))
        for paragraph in section.text.split("\n")
        for text in _cut(paragraph, language)
    )


def _cut(paragraph: str, language: str) -> Iterator[str]:
    found = [_Sentence(a, b, _kind(paragraph[a:b])) for a, b in sentences(paragraph, language)]
    for junk, run in groupby(found, key=lambda s: s.kind == "junk"):
        if not junk:
            for group in _partition(paragraph, list(run)):
                yield paragraph[group[0].start : group[-1].end]


def _kind(sentence: str) -> str:
    if len(sentence) > MAX_CHARS or is_junk(sentence):
        return "junk"
    if _UNSPACED.search(sentence):
        return "full" if len(sentence) >= _MIN_CHARS_UNSPACED else "short"
    return "full" if len(sentence) >= _MIN_CHARS and len(sentence.split()) >= _MIN_WORDS else "short"


def _partition(paragraph: str, run: list[_Sentence]) -> list[list[_Sentence]]:
    """The cheapest cut of a run of sentences into groups; among equals, the one with the longer first groups.

    Groups without one full sentence are dropped, and their price keeps the cut from making any that it can avoid.
    """
    best: list[tuple[float, int]] = [(0.0, 0)]  # from the end: price of the rest, size of its first group
    for start in range(len(run) - 1, -1, -1):
        options = []
        for size in range(min(MAX_SENTENCES, len(run) - start), 0, -1):
            group = run[start : start + size]
            if size == 1 or group[-1].end - group[0].start <= MAX_CHARS:
                options.append((_price(paragraph, group, first=start == 0) + best[-size][0], size))
        best.append(min(options, key=lambda option: option[0]))
    groups, start = [], 0
    while start < len(run):
        size = best[len(run) - start][1]
        groups.append(run[start : start + size])
        start += size
    return [group for group in groups if any(s.kind == "full" for s in group)]


def _price(paragraph: str, group: list[_Sentence], *, first: bool) -> float:
    price = float(_SIZE_COST[len(group)])
    if not first and _POINTS_BACK.match(paragraph, group[0].start):
        price += 1.5
    if all(s.kind == "short" for s in group):
        price += 5.0
    return price
