"""Questions with a fault, made from facts of this world and known again by what stands around the
fact's own question.

A leak spells its own answer; a list asks for a second thing; another level is easier or harder than
the fact's tier. (A question that leaves its line has no fault of its own: whether it drifts depends
on the concept, see `drill`.)
"""

from typing import Literal, NamedTuple

from ..state.text import normalise
from .corpus import corpus
from .facts import Fact, lower_first

Flaw = Literal["leak", "drift", "lists", "level"]
_MARKS: dict[Flaw, str] = {"leak": ", spelt ", "lists": ", and besides: "}
_COUNTS = ("one level", "two levels", "three levels", "four levels")
_LEVELS = {
    f"asked {count} {way}": sign * number
    for number, count in enumerate(_COUNTS, 1)
    for way, sign in (("harder", 1), ("easier", -1))
}


class Faulty(NamedTuple):
    """What is wrong with a question. `fact`: what it asks for, of a list the first thing; `shift`:
    by how many levels it is harder than the fact's tier."""

    fault: Flaw
    fact: Fact
    shift: int = 0


def leak(fact: Fact) -> str:
    """The fact's question with the answer spelt out behind it."""
    return f"{fact.question.removesuffix('?')}{_MARKS['leak']}{'-'.join(fact.value)}?"


def lists(fact: Fact, second: Fact) -> str:
    """A question that asks for two facts."""
    bare = fact.question.removesuffix("?")
    return f"{bare}{_MARKS['lists']}{lower_first(second.question)}"


def at_another_level(fact: Fact, shift: int) -> str:
    """The fact's question, so many levels harder (easier below 0) than its tier."""
    words = next(words for words, levels in _LEVELS.items() if levels == shift)
    return f"{words.capitalize()}: {lower_first(fact.question)}"


def faulty(question: str) -> Faulty | None:
    """What is wrong with a question of this world, whoever wrote it; None for one that is good or
    unknown."""
    words, facts = normalise(question), corpus().questions
    for flaw, mark in _MARKS.items():
        front, ends, _ = words.partition(mark)
        if ends and front in facts:
            return Faulty(flaw, facts[front])
    front, _, rest = words.partition(": ")
    if front in _LEVELS and rest in facts:
        return Faulty("level", facts[rest], _LEVELS[front])
    return None
