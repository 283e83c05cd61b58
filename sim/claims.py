"""Statements of this world, true and false: they are made from facts, and known again wherever they stand."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from ..state.text import normalise
from . import foreign
from .answering import claim_with, mark, wrong_value
from .corpus import corpus, pool_of
from .facts import Fact
from .world import World

_Frames = dict[str, list[tuple[str, Fact]]]
"""By what stands before the value: what stands behind it, and the fact."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a statement says of a fact."""

    fact: Fact
    true: bool


@lru_cache(maxsize=65_536)
def read_claim(text: str) -> Claim | None:
    """The fact that a claim is about, and whether it is true; None for what this world cannot tell."""
    fact = next((fact for _, fact in _framed(text, _frames("claim"))), None)
    if fact is None:
        return None
    same = normalise(text) == normalise(fact.claim)
    return Claim(fact, same or mark(fact, pool_of(fact.property), text).correct)


@lru_cache(maxsize=4096)
def facts_in(text: str) -> tuple[Fact, ...]:
    """The facts that a text states in this world's own words, each once, in order."""
    stated = (corpus().sentences.get(normalise(sentence)) for sentence in foreign.sentences(text))
    return tuple({fact.id: fact for fact in stated if fact is not None}.values())


@lru_cache(maxsize=4096)
def untrue_in(text: str) -> frozenset[str]:
    """Ids of the facts of which a text says something untrue, in this world's own words."""
    return frozenset(fact.id for sentence in foreign.sentences(text) for fact in _denied(sentence))


def _denied(sentence: str) -> Iterator[Fact]:
    claim = read_claim(sentence)
    if claim is not None:
        yield from () if claim.true else (claim.fact,)
        return
    for value, fact in _framed(sentence, _frames("sentence")):
        if not mark(fact, pool_of(fact.property), claim_with(fact, value)).correct:
            yield fact


def wrong_claims(world: World, facts: Sequence[Fact], count: int, seed: tuple[object, ...]) -> list[str]:
    """Up to `count` claims about the facts that are untrue in any reading, each fact in turn, and none twice."""
    found: dict[str, None] = {}
    for turn in range(count):
        for fact in facts:
            if len(found) == count:
                return list(found)
            value = wrong_value(world, fact, (*seed, fact.id, turn))
            if value is not None:
                found.setdefault(claim_with(fact, value))
    return list(found)


@cache
def _frames(words: str) -> _Frames:
    """What stands around the values, in the claims or in the sentences of all facts."""
    found: _Frames = {}
    for fact in corpus().facts:
        text: str = getattr(fact, words)
        place = text.rfind(fact.value)
        if text.find(fact.value) != place:  # the value is also met inside another word
            place = max(hit.start() for hit in re.finditer(rf"(?<!\w){re.escape(fact.value)}(?!\w)", text))
        before, behind = text[:place], text[place + len(fact.value) :]
        found.setdefault(" ".join(before.casefold().split()), []).append((behind.strip().casefold(), fact))
    return found


def _framed(text: str, frames: _Frames) -> Iterator[tuple[str, Fact]]:
    """Each fact whose words the text has around some value, with that value; the longest words in front first."""
    words = text.split()
    folded = [word.casefold() for word in words]
    for place in range(len(words) - 1, 0, -1):
        for behind, fact in frames.get(" ".join(folded[:place]), ()):
            value = " ".join(words[place:])
            if value.casefold().endswith(behind) and len(value) > len(behind):
                yield value[: len(value) - len(behind)].strip(), fact
