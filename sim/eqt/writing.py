"""Multi-select questions as the simulated examiner writes them: from the facts of an explanation, right and wrong."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict

from ...state.eqt.items import KINDS
from .. import foreign
from ..claims import facts_in, wrong_claims
from ..draws import draw, number, pick, shuffled
from ..facts import Fact
from ..personas import Persona
from ..rewording import stem_about
from ..world import World

_TOPICS: Mapping[str, str] = {
    "definition": "a definition of {s}",
    "characteristics": "a list of the characteristics of {s}",
    "relation": "an account of what {s} is related to",
    "example": "an example that is about {s}",
    "significance": "an account of why {s} matters",
    "comparison": "a comparison of {s} with its like",
    "process": "an account of how {s} comes about",
    "applications": "an account of what {s} is used for",
    "limitations": "an account of the limits of {s}",
    "history": "a history of {s}",
}
_RIGHT_OPTIONS = (1, 2, 2, 3, 3, 4)
"""How many options are right, each as often as it stands here; one less than there are options at most."""


class Written(TypedDict):
    """An option as the examiner replies it."""

    text: str
    correct: bool


class Question(TypedDict):
    """A question as the examiner replies it."""

    question: str
    options: list[Written]


@dataclass(frozen=True, slots=True)
class _Order:
    """What was ordered: which question of the concept (from 0), what for, how many options, and in which attempt."""

    concept: str
    kind: str
    turn: int
    count: int
    attempt: int

    @property
    def name(self) -> tuple[object, ...]:
        return " ".join(self.concept.casefold().split()), self.kind, self.turn, self.attempt

    @property
    def place(self) -> int:
        """Questions of one concept that are ordered one after the other have places one after the other."""
        index = KINDS.index(self.kind) if self.kind in KINDS else number(self.kind) % len(KINDS)
        return self.turn * len(KINDS) + index

    @property
    def stem(self) -> str:
        return _TOPICS.get(self.kind, f"an account of {{s}} that is a matter of {self.kind or 'choice'}")


def write_question(world: World, persona: Persona, given: Mapping[str, str], attempt: int) -> Question:
    """The question ordered: from one to four right options (the claims of facts that the explanation states, of one
    tier as far as they reach), the others wrong in any reading, in mixed order.

    `attempt` counts from 0 the times it was sent back. With the persona's share it is malformed, drawn anew for each
    attempt. It depends on the order and the explanation, never on what was written before.
    """
    order = _read(given, attempt)
    facts = facts_in(given["explanation"])
    made = _of_facts(world, order, facts) if facts else _of_prose(world, order, given["explanation"])
    name = (world.spec.seed, "malformed question", persona.name, *order.name)
    if draw(*name) < persona.malformed_questions:
        _spoil(made, number(*name, "how") % 3)
    return made


def _read(given: Mapping[str, str], attempt: int) -> _Order:
    kind = given["kind"].partition(":")[0].strip().casefold()
    turn = re.search(r"\d+", given["point"])
    asked = given["count"].strip()
    count = min(26, max(2, int(asked))) if asked.isdecimal() else 10
    return _Order(given["concept"], kind, int(turn[0]) if turn else 0, count, attempt)


def _of_facts(world: World, order: _Order, facts: tuple[Fact, ...]) -> Question:
    name = (world.spec.seed, "question", *order.name)
    by_id = {fact.id: fact for fact in facts}
    mixed = [by_id[id] for id in shuffled(sorted(by_id), world.spec.seed, "question", order.concept)]
    lead = order.place % len(mixed)
    turned = sorted(mixed[lead:] + mixed[:lead], key=lambda fact: fact.tier is not mixed[lead].tier)
    right = turned[: min(pick(_RIGHT_OPTIONS, *name, "right"), order.count - 1)]
    others = turned[len(right) :]
    around = sorted(others, key=lambda fact: number(*name, fact.id)) + right
    wrong = wrong_claims(world, around, order.count - len(right), name)
    return _mixed(name, _stem(order, facts[0].page), [fact.claim for fact in right], wrong)


def _of_prose(world: World, order: _Order, explanation: str) -> Question:
    """A question on a text of which this world knows nothing: its sentences, and their denials."""
    name = (world.spec.seed, "question", *order.name)
    said = shuffled(list(dict.fromkeys(foreign.sentences(explanation))), *name)
    right = said[: max(1, min(2, order.count - 1, len(said) - 1))]
    denied = said[len(right) :] + right
    wrong = [f"It is untrue that {sentence[:1].lower()}{sentence[1:]}" for sentence in denied]
    return _mixed(name, _stem(order, order.concept), right, wrong[: order.count - len(right)])


def _stem(order: _Order, subject: str) -> str:
    about = order.stem.format(s=" ".join(subject.partition(" (")[0].split()))
    about += f", part {order.turn + 1}" if order.turn else ""
    return stem_about(about + ", seen afresh" * order.attempt)


def _mixed(name: tuple[object, ...], stem: str, right: list[str], wrong: list[str]) -> Question:
    marks = {**dict.fromkeys(wrong, False), **dict.fromkeys(right, True)}
    return {"question": stem, "options": [{"text": t, "correct": marks[t]} for t in shuffled(list(marks), *name)]}


def _spoil(made: Question, how: int) -> None:
    """One option too few, none of them right, or two that are the same."""
    options = made["options"]
    if how == 0:
        options.pop()
    elif how == 1:
        made["options"] = [{"text": option["text"], "correct": False} for option in options]
    else:
        options[-1] = {**options[0]}
