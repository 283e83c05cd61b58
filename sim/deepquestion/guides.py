"""Transformation prompts in the simulated world: how a draft meets the criteria, and what comes of
one that does not.

A criterion is met by a draft that says what the criterion is about, whoever wrote it. What the
prompt for scenarios, or for instructions, does not demand is forgotten in a share of the problems.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ..personas import Persona
from ..values import draw, pick, shuffled
from .problems import TABLE

Fault = Literal[
    "lost", "changed", "bare", "too few", "meddling", "no path", "no answer", "given away"
]
"""What can be wrong with what is written from a problem. A scenario: a quantity is lost; another
thing is asked; it is the bare problem; a distractor too few; a distractor that changes something.
An instruction: it has no path; it has no answer; it gives the question away."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a draft is scored by."""

    says: str
    """How the world's own drafts meet it."""
    met: re.Pattern[str]
    """What any draft says that meets it."""
    fault: Fault | None = None
    """What happens where it is not met."""


CRITERIA: Mapping[str, Mapping[str, Criterion]] = {
    kind: {
        name: Criterion(says, re.compile(met, re.IGNORECASE), fault)
        for name, (says, met, fault) in named.items()
    }
    for kind, named in TABLE["criteria"].items()
}
"""By kind and by the name that stands in front of the colon in a prompt."""
FORGOTTEN = 0.3
"""Share of the problems that go wrong for each criterion whose fault the prompt does not rule out.
"""
_SPOILT: Mapping[str, tuple[Fault, ...]] = {
    "q2s": ("lost", "changed", "bare", "too few", "meddling"),
    "q2i": ("no path", "no answer", "given away"),
}
_SCORES = (9, 7, 5, 4, 3, 2, 1)
"""By the number of criteria that are not met; 10 as often as 9."""
_NAMED = re.compile(r"^\d+\. ([^:\n]+):", re.MULTILINE)
_OPENINGS: Mapping[str, str] = {
    "q2s": "Turn the problem into a scenario.",
    "q2i": "Turn the problem into an instruction for somebody who writes questions.",
}


def kind_of(criteria: str) -> str:
    """Which transformation the criteria of a prompt are about: q2s or q2i."""
    names = set(_NAMED.findall(criteria))
    return max(CRITERIA, key=lambda kind: len(names & CRITERIA[kind].keys()))


def met_by(kind: str, guide: str) -> set[str]:
    """The criteria that a prompt meets."""
    return {name for name, criterion in CRITERIA[kind].items() if criterion.met.search(guide)}


def first_draft(persona: Persona, criteria: str, *name: object) -> str:
    """A prompt that meets as many criteria as the persona covers at first; the name decides
    which."""
    kind = kind_of(criteria)
    return _draft(kind, set(shuffled(tuple(CRITERIA[kind]), *name, "first")[: persona.first]))


def next_draft(persona: Persona, criteria: str, draft: str, feedback: str) -> str:
    """The prompt with so many of the criteria mended that the feedback names, the first ones
    first."""
    kind = kind_of(criteria)
    met = met_by(kind, draft)
    wanting = [
        name
        for name in CRITERIA[kind]
        if name not in met and f"{name}:".casefold() in feedback.casefold()
    ]
    return _draft(kind, met | set(wanting[: persona.mends]))


def _draft(kind: str, covered: set[str]) -> str:
    return " ".join(
        [_OPENINGS[kind], *(each.says for name, each in CRITERIA[kind].items() if name in covered)]
    )


def score(criteria: str, draft: str, *name: object) -> dict[str, object]:
    """The score by how many criteria are not met, and which they are."""
    kind = kind_of(criteria)
    lacking = [criterion for criterion in CRITERIA[kind] if criterion not in met_by(kind, draft)]
    if not lacking:
        return {"feedback": "All criteria are met.", "score": pick((9, 10), *name, draft, "score")}
    told = " ".join(f"{criterion}: the instructions do not say it." for criterion in lacking)
    return {"feedback": told, "score": _SCORES[len(lacking)]}


def fault_of(seed: int, persona: Persona, kind: str, guide: str, problem: str) -> Fault | None:
    """What goes wrong when this persona writes from a problem by this prompt, in the world of this
    seed; None: nothing.

    In the persona's share of `spoils` something does, whatever the prompt says, each kind of fault
    as often as the others; else each criterion that is not met spoils its share, and of several the
    first drawn happens.
    """
    name = (seed, "writes", persona.name, kind, problem)
    spoilt = fault_planted(seed, persona, kind, problem)
    if spoilt is not None:
        return spoilt
    met = met_by(kind, guide)
    unruled = [
        each.fault
        for title, each in CRITERIA[kind].items()
        if title not in met and each.fault is not None
    ]
    return next(
        (fault for fault in shuffled(unruled, *name) if draw(*name, fault) < FORGOTTEN), None
    )


def fault_planted(seed: int, persona: Persona, kind: str, problem: str) -> Fault | None:
    """The fault that is planted whatever the prompt says."""
    name = (seed, "spoils", persona.name, kind, problem)
    if draw(*name) >= persona.spoils:
        return None
    return pick(_SPOILT[kind], *name, "which")
