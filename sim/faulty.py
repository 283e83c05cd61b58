"""Questions, those with a fault too, which are made from facts of this world and known again by what stands around the
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


class Wording(NamedTuple):
    """A question as it is read. `fact`: what it asks for, of a list the first thing; `shift`: by
    how many levels it is harder than the fact's tier."""

    fact: Fact
    fault: Flaw | None = None
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


def read_question(question: str) -> Wording | None:
    """What a question of this world asks for, and what is wrong with it, whoever wrote it; None for
    one of elsewhere."""
    words, facts = normalise(question), corpus().questions
    if words in facts:
        return Wording(facts[words])
    for flaw, mark in _MARKS.items():
        front, ends, _ = words.partition(mark)
        if ends and front in facts:
            return Wording(facts[front], flaw)
    front, _, rest = words.partition(": ")
    if front in _LEVELS and rest in facts:
        return Wording(facts[rest], "level", _LEVELS[front])
    return None
