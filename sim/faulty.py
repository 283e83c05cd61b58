"""Questions with a fault, made from facts of this world and known again by their words alone.

A leak holds its own answer; a list asks for several things, or for what else there is. (A question that leaves its line
has no fault of its own: whether it drifts depends on the concept, see `drill`.)
"""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ..state.spec import FaultRates
from ..state.text import normalise
from .answering import read_claim
from .corpus import corpus, pool_of
from .facts import Fact, lower_first
from .values import draw, join, show

Flaw = Literal["leak", "drift", "lists"]
_FIGURE = re.compile(r"[-+]?\d+(\.\d+)?")
_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "a dozen"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)


@dataclass(frozen=True, slots=True)
class Faulty:
    """A question with a fault. `way`: how; `fact`: what it asks for, of a list the first thing."""

    fault: Flaw
    way: str
    fact: Fact
    question: str
    reference: str


def leaks(fact: Fact) -> Iterator[Faulty]:
    """The fact's question in every way of giving its answer away that it allows: the answer in whole, in other words,
    or half of it."""
    bare = fact.question.removesuffix("?")
    confirmed = f"Is it true that {lower_first(fact.claim.removesuffix('.'))}?"
    yield Faulty("leak", "yes or no", fact, confirmed, fact.claim)
    for way, hint in _hints(fact):
        yield Faulty("leak", way, fact, f"{bare}, {hint}?", fact.claim)


def _hints(fact: Fact) -> Iterator[tuple[str, str]]:
    yield "named", fact.value
    if other := in_other_words(fact):
        yield "other words", other
    first = fact.value.split()[0]
    if _FIGURE.fullmatch(fact.items[0]):
        if (figure := float(fact.items[0])) >= 100:
            step = 10 ** (len(str(int(figure))) - 2)
            unit = pool_of(fact.property).unit
            yield "half", f"a little over {show(int(figure) // step * step)} {unit}".rstrip()
    elif len(fact.value) > 1 and fact.value[0].isalpha():
        yield "letters", f"beginning with {fact.value[0].upper()} and ending in {fact.value[-1]}"
        if " " in fact.value and first.isalpha() and first.casefold() not in fact.question.casefold().split():
            yield "half", f"something with {first} in front"


def in_other_words(fact: Fact) -> str | None:
    """The value as a symbol, or a figure in words; None where there is no such way to say it."""
    if fact.property == "element" and len(fact.items) == 1:
        return f"the one whose symbol is {corpus().symbols[fact.items[0]]}"
    small = fact.items[0].isdecimal() and int(fact.items[0]) < len(_NUMBERS)
    return f"about as many as {_NUMBERS[int(fact.items[0])]}" if small else None


def lists(fact: Fact, others: Sequence[Fact]) -> Iterator[Faulty]:
    """Questions that ask for the fact and another one, or for what else there is."""
    for other in others:
        both = f"{fact.question.removesuffix('?')}, and {lower_first(other.question)}"
        yield Faulty("lists", "two questions", fact, both, f"{fact.claim} {other.claim}")
    if len(fact.items) > 1:
        asked = f"Besides {fact.items[0]}, {lower_first(fact.question)}"
        yield Faulty("lists", "besides", fact, asked, f"Also to be named: {join(fact.items[1:])}.")


@lru_cache(maxsize=4096)
def faulty(question: str) -> Faulty | None:
    """What is wrong with a question of this world, whoever wrote it; None for one that is good or unknown."""
    wanted = normalise(question)
    if wanted.startswith("is it true that "):
        claim = read_claim(f"{wanted.removeprefix('is it true that ')}.")
        return next(leaks(claim.fact)) if claim and claim.true else None
    known = corpus().questions
    for cut in (place.start() for place in re.finditer(", ", wanted)):
        front, back = known.get(wanted[:cut]), known.get(wanted[cut + 2 :].removeprefix("and "))
        if first := front or back:
            made = [*leaks(first), *lists(first, [back] if back and back is not first else [])]
            if same := next((one for one in made if normalise(one.question) == wanted), None):
                return same
    return None


Fault = Literal["rate_limit", "server_error", "hang", "malformed", "refusal", "cut_off"]
Kind = Literal["chat", "structured", "wiki", "search", "models", "embeddings", "europepmc", "openalex"]

_EVERYWHERE: tuple[Fault, ...] = ("rate_limit", "server_error", "hang")
_CAN_HAPPEN: dict[Kind, tuple[Fault, ...]] = {
    "chat": (*_EVERYWHERE, "refusal", "cut_off"),
    "structured": (*_EVERYWHERE, "malformed", "refusal", "cut_off"),
    "models": (),
}


class Faults:
    """Counts attempts per request digest, and draws what goes wrong for the n-th attempt at a digest."""

    def __init__(self, rates: FaultRates, seed: int) -> None:
        self._rates = rates
        self._seed = seed
        self._attempts: Counter[str] = Counter()

    def attempt(self, digest: str) -> int:
        """Counts one more arrival of this digest; the first is 1."""
        self._attempts[digest] += 1
        return self._attempts[digest]

    def drawn(self, kind: Kind, digest: str, attempt: int) -> Fault | None:
        """The fault of this attempt, or None. Each kind has its own draw; of several the first in the list happens."""
        for fault in _CAN_HAPPEN.get(kind, _EVERYWHERE):
            rate: float = getattr(self._rates, fault)
            if rate and draw(self._seed, "fault", fault, digest, attempt) < rate:
                return fault
        return None


@dataclass(frozen=True, slots=True)
class Timing:
    """How long replies take, in seconds. It changes when a reply comes, never what it says."""

    latency_s: float = 0.0
    jitter_s: float = 0.0
    """Up to this much on top, decided by digest and attempt."""
    reverse_window_s: float = 0.0
    """Collect what arrives within this window and release it in reverse order; 0: off."""


class Delay:
    """Makes requests wait as the timing says."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._waiting: list[asyncio.Future[None]] = []

    async def wait(self, digest: str, attempt: int) -> None:
        timing = self._timing
        seconds = timing.latency_s
        if timing.jitter_s:
            seconds += timing.jitter_s * draw("jitter", digest, attempt)
        if seconds > 0:
            await asyncio.sleep(seconds)
        if timing.reverse_window_s > 0:
            await self._reversed()

    async def _reversed(self) -> None:
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_later(self._timing.reverse_window_s, self._release)
        turn = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _release(self) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in reversed(waiting):
            if not turn.done():
                turn.set_result(None)
