"""Questions with a fault, made from facts of this world and recognised again by their words alone.

A leak holds its own answer; a list asks for several things, or for a missing member. (A question that leaves its line
has no fault of its own: whether it drifts depends on the concept, see `questioning`.)
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ...state.text import normalise
from ..corpus import corpus
from ..draws import number
from ..facts import Fact
from ..properties import BY_ID
from ..values import join, show

Fault = Literal["leak", "drift", "lists"]


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A question with a fault. `way`: how; `fact`: what it asks for, of a list the first thing."""

    fault: Fault
    way: str
    fact: Fact
    question: str
    reference: str


_ASKED = re.compile(
    r"^((?:in(?:to)? )?(?:which|what|how many) \S.*?) (?=(?:is|was|were|are|does|has|holds|carries|stands|do) )", re.I
)
"""What a question asks for, where the verb stands behind it: "In which year"."""
_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "a dozen"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def leaks(fact: Fact) -> Iterator[Spoilt]:
    """The fact's question in every way of giving its answer away that it allows, the answer in whole, in other words,
    or half of it."""
    bare, claim, value = fact.question.removesuffix("?"), fact.claim, fact.value
    asked = _ASKED.match(fact.question)
    at = f"{asked[1]}, {value}, {fact.question[asked.end() :]}" if asked else f"{bare}, {value}?"
    yield Spoilt("leak", "named", fact, at, claim)
    what = named(fact)
    if what is not None:
        is_it = f"Is {what} {_behind(fact)}"
        rest = f"Yes, {claim[0].lower()}{claim[1:]}" if number("yes", fact.id) % 2 else claim
        yield Spoilt("leak", "yes or no", fact, f"{is_it}?", rest)
        if rival := _rival(fact):
            pair = (value, rival) if number("order", fact.id) % 2 else (rival, value)
            front = is_it.removesuffix(value)
            yield Spoilt("leak", "choice", fact, f"{front}{pair[0]} or {pair[1]}?", claim)
    for way, hint in _hints(fact):
        yield Spoilt("leak", way, fact, f"{bare}, {hint}?", claim)


def in_other_words(fact: Fact) -> str | None:
    """The value as a symbol, a figure in words, or on another scale; None where there is no such way to say it."""
    prop = BY_ID.get(fact.property)
    if prop is None and fact.property == "element" and len(fact.items) == 1:
        return f"the one whose symbol is {_symbols()[fact.items[0]]}"
    if not re.fullmatch(r"[-+]?\d+(\.\d+)?", fact.items[0]):
        return None
    figure = float(fact.items[0])
    if figure == int(figure) and 0 <= figure < 100:
        return f"about as many as {in_words(int(figure))}"
    return f"which is {show(round(figure + 273.15, 2))} on the Kelvin scale" if prop and prop.unit == "°C" else None


def _hints(fact: Fact) -> Iterator[tuple[str, str]]:
    prop = BY_ID.get(fact.property)
    if other := in_other_words(fact):
        yield "other words", other
    if re.fullmatch(r"[-+]?\d+(\.\d+)?", fact.items[0]):
        yield from _figure_hints(float(fact.items[0]), prop.unit if prop else "")
    elif len(fact.value) > 1 and fact.value[0].isalpha():
        yield "letters", f"beginning with {fact.value[0].upper()} and ending in {fact.value[-1]}"
    first = fact.value.split()[0]
    if " " in fact.value and first.isalpha() and first.casefold() not in fact.question.casefold().split():
        yield "half", f"something with {first} in front"


def _figure_hints(figure: float, unit: str) -> Iterator[tuple[str, str]]:
    if figure >= 100:
        step = 10 ** (len(str(int(figure))) - 2)
        yield "half", f"a little over {show(int(figure) // step * step)} {unit}".rstrip()


def in_words(figure: int) -> str:
    """0 … 99 in words; twelve is a dozen."""
    if figure < 20:
        return _ONES[figure]
    tens = _TENS[figure // 10 - 2]
    return f"{tens}-{_ONES[figure % 10]}" if figure % 10 else tens


def lists(fact: Fact, others: list[Fact]) -> Iterator[Spoilt]:
    """Questions that ask for the fact and something else: another of the facts, or the other members of a class."""
    for other in others:
        both = f"{fact.claim} {other.claim}"
        second = f"{other.question[0].lower()}{other.question[1:]}"
        yield Spoilt("lists", "two questions", fact, f"{fact.question.removesuffix('?')}, and {second}", both)
        what, more = named(fact), named(other)
        if what is not None and more is not None:
            yield Spoilt("lists", "name", fact, f"Name {what} and {more}.", both)
            yield Spoilt("lists", "what are", fact, f"What are {what} and {more}?", both)
    yield from _besides(fact)


def _besides(fact: Fact) -> Iterator[Spoilt]:
    if len(fact.items) > 1:
        asked = f"Besides {fact.items[0]}, {fact.question[0].lower()}{fact.question[1:]}"
        yield Spoilt("lists", "besides", fact, asked, f"Also to be named: {join(fact.items[1:])}.")
    elif "/member-" in fact.id:
        known = _members()[fact.subject]
        place = known.index(fact.value)
        two = join(tuple(known[(place + step) % len(known)] for step in (1, 2)))
        if len(known) > 2:
            asked = f"Besides {two}, which chemical elements are in {fact.subject}?"
            yield Spoilt("lists", "besides", fact, asked, f"{fact.value.capitalize()} is in {fact.subject} too.")


def spoilt(question: str) -> Spoilt | None:
    """What is wrong with a question of this world, whoever wrote it; None for one that is good or unknown."""
    wanted = normalise(question)
    return _index().get(wanted) or _pair(wanted)


@cache
def _index() -> dict[str, Spoilt]:
    found: dict[str, Spoilt] = {}
    for fact in corpus().facts:
        for made in (*leaks(fact), *_besides(fact)):
            found.setdefault(normalise(made.question), made)
    return found


_PAIRS = (("name ", " and "), ("what are ", " and "), ("", ", and "))


def _pair(wanted: str) -> Spoilt | None:
    for opening, between in _PAIRS:
        parts = wanted.removeprefix(opening).split(between) if wanted.startswith(opening) else []
        known = _nouns() if opening else corpus().questions
        for cut in range(1, len(parts)):
            first, second = (known.get(between.join(side)) for side in (parts[:cut], parts[cut:]))
            if first is not None and second is not None:
                made = lists(first, [second])
                return next((one for one in made if normalise(one.question) == wanted), None)
    return None


def named(fact: Fact) -> str | None:
    """What the fact asks for as a noun, "the melting point of copper"; None where the claim does not begin so."""
    before = fact.claim[: fact.claim.rfind(fact.value)]
    what, verb, _ = before.rpartition(" is ")
    return f"{what[0].lower()}{what[1:]}" if verb else None


def _behind(fact: Fact) -> str:
    """What the claim says of it, "credited to Marie Curie"."""
    before = fact.claim[: fact.claim.rfind(fact.value)]
    return f"{before.rpartition(' is ')[2]}{fact.value}"


def _rival(fact: Fact) -> str | None:
    """Another value of the property, as the fact would show it."""
    others = [(rival,) for rival in fact.rivals] or corpus().rivals[fact.property]
    start = number("rival", fact.id)
    for step in range(len(others)):
        items = others[(start + step) % len(others)]
        if not set(items) & {*fact.items, *fact.also}:
            unit = BY_ID[fact.property].unit if fact.property in BY_ID else ""
            return f"{join(items)} {unit}".strip()
    return None


@cache
def _nouns() -> dict[str, Fact]:
    return {normalise(what): fact for fact in corpus().facts if (what := named(fact)) is not None}


@cache
def _symbols() -> dict[str, str]:
    return {fact.subject: fact.value for fact in corpus().facts if fact.property == "symbol"}


@cache
def _members() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for fact in corpus().facts:
        if "/member-" in fact.id:
            found.setdefault(fact.subject, []).append(fact.value)
    return found
