"""Questions with a fault, made from facts of this world and known again by their words alone.

A leak holds its own answer; a list asks for several things, or for what else there is; another
level is easier or harder than the fact's tier. (A question that leaves its line has no fault of its
own: whether it drifts depends on the concept, see `drill`.)
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ..state.text import normalise
from .answering import read_claim
from .corpus import corpus, pool_of
from .facts import TEXTS, Fact, lower_first
from .values import join, show

Flaw = Literal["leak", "drift", "lists", "level"]
_FIGURE = re.compile(r"[-+]?\d+(\.\d+)?")
_NUMBERS = TEXTS["counting"]["numbers"]


@dataclass(frozen=True, slots=True)
class Faulty:
    """A question with a fault. `way`: how; `fact`: what it asks for, of a list the first thing;
    `shift`: by how many levels it is harder than the fact's tier."""

    fault: Flaw
    way: str
    fact: Fact
    question: str
    reference: str
    shift: int = 0


_COUNTS = ("one level", "two levels", "three levels", "four levels")
_ANOTHER_LEVEL = re.compile(rf"asked ({'|'.join(_COUNTS)}) (easier|harder): (.*)")


def at_another_level(fact: Fact, shift: int) -> Faulty:
    """The fact's question, so many levels harder (easier below 0) than its tier."""
    way = f"{_COUNTS[abs(shift) - 1]} {'harder' if shift > 0 else 'easier'}"
    question = f"Asked {way}: {lower_first(fact.question)}"
    return Faulty("level", way, fact, question, fact.claim, shift)


def leaks(fact: Fact) -> Iterator[Faulty]:
    """The fact's question in every way of giving its answer away that it allows: the answer in
    whole, in other words, or half of it."""
    bare = fact.question.removesuffix("?")
    confirmed = f"Is it true that {lower_first(fact.claim.removesuffix('.'))}?"
    yield Faulty("leak", "yes or no", fact, confirmed, fact.claim)
    for way, hint in _hints(fact):
        yield Faulty("leak", way, fact, f"{bare}, {hint}?", fact.claim)


def _hints(fact: Fact) -> Iterator[tuple[str, str]]:
    yield "named", fact.value
    if synonym := in_other_words(fact):
        yield "other words", synonym
    first = fact.value.split()[0]
    if _FIGURE.fullmatch(fact.items[0]):
        if (figure := float(fact.items[0])) >= 100:
            step = 10 ** (len(str(int(figure))) - 2)
            unit = pool_of(fact.property).unit
            yield "half", f"a little over {show(int(figure) // step * step)} {unit}".rstrip()
    elif len(fact.value) > 1 and fact.value[0].isalpha():
        yield "letters", f"beginning with {fact.value[0].upper()} and ending in {fact.value[-1]}"
        if (
            " " in fact.value
            and first.isalpha()
            and first.casefold() not in fact.question.casefold().split()
        ):
            yield "half", f"something with {first} in front"


def in_other_words(fact: Fact) -> str | None:
    """The value as a symbol, or a figure in words; None where there is no such way to say it."""
    if fact.property == "element" and len(fact.items) == 1:
        return f"the one whose symbol is {corpus().symbols[fact.items[0]]}"
    small = fact.items[0].isdecimal() and int(fact.items[0]) < len(_NUMBERS)
    return f"about as many as {_NUMBERS[int(fact.items[0])]}" if small else None


def lists(fact: Fact, others: Sequence[Fact]) -> Iterator[Faulty]:
    """Questions that ask for the fact and another one, or for what else there is."""
    for second in others:
        both = f"{fact.question.removesuffix('?')}, and {lower_first(second.question)}"
        yield Faulty("lists", "two questions", fact, both, f"{fact.claim} {second.claim}")
    if len(fact.items) > 1:
        question = f"Besides {fact.items[0]}, {lower_first(fact.question)}"
        yield Faulty(
            "lists", "besides", fact, question, f"Also to be named: {join(fact.items[1:])}."
        )


@lru_cache(maxsize=4096)
def faulty(question: str) -> Faulty | None:
    """What is wrong with a question of this world, whoever wrote it; None for one that is good or
    unknown."""
    wanted = normalise(question)
    if wanted.startswith("is it true that "):
        claim = read_claim(f"{wanted.removeprefix('is it true that ')}.")
        return next(leaks(claim.fact)) if claim and claim.true else None
    by_question = corpus().questions
    if levelled := _ANOTHER_LEVEL.fullmatch(wanted):
        fact, levels = by_question.get(levelled[3]), _COUNTS.index(levelled[1]) + 1
        return (
            at_another_level(fact, levels if levelled[2] == "harder" else -levels) if fact else None
        )
    for cut in (comma.start() for comma in re.finditer(", ", wanted)):
        front, back = (
            by_question.get(wanted[:cut]),
            by_question.get(wanted[cut + 2 :].removeprefix("and ")),
        )
        if first := front or back:
            candidates = [
                *leaks(first),
                *lists(first, [back] if back and back is not first else []),
            ]
            if match := next(
                (candidate for candidate in candidates if normalise(candidate.question) == wanted),
                None,
            ):
                return match
    return None
