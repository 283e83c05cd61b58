"""How a simulated model answers multi-select questions: what it chooses, with known chances, and
how it says so.

A question is the set of its options: neither wording nor order changes it. For each there is one
base choice, exactly right with the persona's accuracy for it. An asking, told apart by the whole
text shown, keeps to the base choice, or else, in the persona's share of instability, is settled
anew with the same accuracy. A wrong choice is the right one with one option more or less, each
option as likely as the others.
"""

from dataclasses import dataclass
from functools import lru_cache

from ...state.records import TIERS, Tier
from ..answering import read_claim
from ..foreign import Shown
from ..personas import Persona
from ..texts import TEXTS
from ..values import draw, number, pick
from ..world import World

FORESIGHT = 5
"""With the explanation at hand a persona errs this many times more rarely."""

_SAID = TEXTS["choice"]
"""Forms of a reply: {l} letters with commas, {s} small ones from the last, {b} each in brackets,
{a} joined by and."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a question: its name, its options in an order of its own, the right ones,
    and the hardest tier among these. Both are None for a question that is not of this world."""

    name: int
    options: tuple[str, ...]
    right: frozenset[str] | None
    tier: Tier | None


@lru_cache(maxsize=16_384)
def known_question(options: frozenset[str]) -> Known:
    """What this world knows of the question with these options: all, or, when one of them is not
    its own, nothing."""
    ordered = tuple(sorted(options))
    name = number(*ordered)
    claims = {option: read_claim(option) for option in ordered}
    right = [claim for claim in claims.values() if claim is not None and claim.true]
    if not right or None in claims.values():
        return Known(name, ordered, None, None)
    tier = max((claim.fact.tier for claim in right), key=TIERS.index)
    return Known(
        name,
        ordered,
        frozenset(option for option, claim in claims.items() if claim and claim.true),
        tier,
    )


def _accuracy(persona: Persona, known: Known) -> float:
    """The chance that a choice of this persona is exactly the right one; for a question from
    elsewhere, that it is the one it takes for right."""
    return persona.chance(known.tier or Tier.COMMON)


def choose(world: World, persona: Persona, shown: Shown, asking: str) -> frozenset[str] | None:
    """The options chosen closed book; None for an answer without a selection. `asking` is the whole
    text shown."""
    known = known_question(frozenset(shown.options))
    name = (world.seed, "choice", persona.name, known.name)
    if draw(*name, "unreadable", asking) < persona.unreadable:
        return None
    if draw(*name, "favourite", asking) < persona.favourite:
        return frozenset(shown.options[:1])
    anew = draw(*name, "unstable", asking) < persona.instability
    return _settled(
        _accuracy(persona, known), world, persona, known, *name, asking if anew else "base"
    )


def choose_open_book(world: World, persona: Persona, shown: Shown) -> frozenset[str]:
    """The options chosen with the explanation at hand, whatever was chosen without."""
    known = known_question(frozenset(shown.options))
    accuracy = 1.0 - (1.0 - _accuracy(persona, known)) / FORESIGHT
    return _settled(
        accuracy,
        world,
        persona,
        known,
        world.seed,
        "choice",
        persona.name,
        known.name,
        "open book",
    )


def _settled(
    accuracy: float, world: World, persona: Persona, known: Known, *name: object
) -> frozenset[str]:
    right = known.right
    if right is None:
        # whom nobody told what is right takes some options for right, always the same ones
        own = (world.seed, "takes for right", persona.name, known.name)
        liked = frozenset(option for option in known.options if draw(*own, option) < 0.3)
        right = liked or frozenset((pick(known.options, *own),))
    return (
        right if draw(*name, "right") < accuracy else right ^ {pick(known.options, *name, "wrong")}
    )


def say(shown: Shown, chosen: frozenset[str] | None, *name: object) -> str:
    """The reply that makes this choice, in one of the forms that models use; the name decides
    which."""
    reason = pick(_SAID["reasons"], *name, "reason")
    if chosen is None:
        return pick(_SAID["prose"], *name, "prose")
    letters = [chr(65 + place) for place, option in enumerate(shown.options) if option in chosen]
    if not letters:
        return pick(_SAID["none"], *name, "form").format(r=reason)
    return pick(_SAID["one" if len(letters) == 1 else "several"], *name, "form").format(
        l=", ".join(letters),
        s=" and ".join(letter.lower() for letter in reversed(letters)),
        b=", ".join(f"({letter})" for letter in letters),
        a=" and ".join((", ".join(letters[:-1]), letters[-1])) if letters[1:] else letters[0],
        r=reason,
    )
