"""How far an answer states what is true: what a simulated judge goes by."""

import re
from dataclasses import dataclass

from ..state.text import normalise
from .facts import Fact
from .values import Pool

_DECLINES = re.compile(
    r"\b(?:do not|don't|cannot|can't|can not|could not|couldn't) (?:know|say|recall|remember|tell|help|answer|assist)\b"
    r"|\b(?:no idea|unable to|not able to|not familiar with)\b"
)


@dataclass(frozen=True, slots=True)
class Marking:
    """What an answer does with respect to a reference."""

    abstained: bool
    asserts: bool
    incompatible: bool

    @property
    def correct(self) -> bool:
        return self.asserts and not self.incompatible


def declines(answer: str) -> bool:
    """Whether an answer says that it does not know."""
    return _DECLINES.search(normalise(answer)) is not None


def mark(fact: Fact, pool: Pool, answer: str) -> Marking:
    """The true marking of an answer to a question of this world: right if it names every item of the value and no other
    value that the property could have, those in the question and those also true aside."""
    said = pool.found(answer)
    unknowing = declines(answer)
    if unknowing:
        said = {value for value in said if not pool.idle(value)}
    true = [value for value in said if any(pool.same(value, item) for item in fact.items)]
    others = {value for value in said if value not in (*true, *fact.also) and not pool.idle(value)}
    others -= pool.found(fact.question) if others else set()
    named = all(any(pool.same(value, item) for value in true) for item in fact.items)
    return Marking(unknowing and not named and not others, named, bool(others))
