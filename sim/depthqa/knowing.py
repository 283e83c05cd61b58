"""What a simulated model knows at three depths, settled by draws that are named by world, model and
question alone.

A question of depth 1 is answered rightly with the model's chance of knowing a fact of its tier. At
depth 2 an answer is right when its own draw succeeds, with chance `d2`, and when each of the
questions it rests on is *there*: the model has a grasp of it, and the edge from it carries, with
chance `d1d2`. Depth 3 is like it, with `d3` and `d2d3`.

The model has a grasp of what it answers rightly, and, with chance `slips`, of what it answers
wrongly at depth 1 or 2: then the wrong answer is a slip that does not hold up the deeper questions.
Without slips nobody answers a question rightly and one that it rests on wrongly. Forward
discrepancy comes from `d2`, `d3`, `d1d2` and `d2d3`, backward discrepancy from `slips`; the share
of right answers at depth 1 depends on none of them.

Quoted answers help: a question that would be answered wrongly comes right with chance
`with_context` times the share of the quoted answers that are right; in a conversation, with
`guided` and its earlier turns.

A wrong answer of several parts is right in some of them, but not all, with chance `partial` (each
number from one to all but one as likely as the others), else in none; with chance `abstains` it
only says not to know.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from struct import unpack
from typing import Literal

from ..personas import Persona
from ..world import World
from .library import LibraryQuestion

Help = Literal["with_context", "guided"]

_OWN, _SLIP, _ABSTAINS, _PARTIAL, _WITH_CONTEXT, _GUIDED = range(6)
_FIRST_EDGE = 8
_ENOUGH_DICE = 16
_HELPED: Mapping[Help, int] = {"with_context": _WITH_CONTEXT, "guided": _GUIDED}


@dataclass(frozen=True, slots=True)
class Settled:
    """How a question is answered: with how many of its parts right, or by saying not to know.
    `right`: all of it."""

    right: bool
    parts: int
    abstains: bool = False


@dataclass(slots=True)
class Mind:
    """What one model knows in one world. It remembers what it has settled; nothing depends on the
    order of asking."""

    world: World
    persona: Persona
    _right: dict[str, bool] = field(default_factory=dict)
    _dice: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def right(self, question: LibraryQuestion) -> bool:
        """Whether the model, asked for the question alone, answers it rightly."""
        answer = self._right.get(question.id)
        if answer is None:
            answer = self._right[question.id] = self._works_out(question)
        return answer

    def outcome(
        self, question: LibraryQuestion, help_: Help | None = None, share: float = 0.0
    ) -> Settled:
        """How the model answers, with help by quoted answers of which this share is right."""
        if self.right(question) or (help_ is not None and self.helped(question, help_, share)):
            return Settled(True, len(question.parts))
        if self._draw(question, _ABSTAINS) < self.persona.abstains:
            return Settled(False, 0, abstains=True)
        chance, count = self.persona.partial, len(question.parts)
        luck = self._draw(question, _PARTIAL)
        return Settled(
            False, 1 + int(luck / chance * (count - 1)) if count > 1 and luck < chance else 0
        )

    def helped(self, question: LibraryQuestion, help_: Help, share: float) -> bool:
        """Whether quoted answers, of which this share is right, bring about the right answer."""
        if share <= 0.0:
            return False
        chance = self.persona.with_context if help_ == "with_context" else self.persona.guided
        return self._draw(question, _HELPED[help_]) < chance * share

    def _works_out(self, question: LibraryQuestion) -> bool:
        if question.fact is not None:
            return self.world.knows(self.persona, question.fact)
        if question.depth == 1:
            return self._draw(question, _OWN) < self.persona.chance(question.tier)
        if self._draw(question, _OWN) >= self.persona.ability(question.depth):
            return False
        carries = self.persona.d1d2 if question.depth == 2 else self.persona.d2d3
        return all(
            self._draw(question, _FIRST_EDGE + index) < carries and self._grasps(need)
            for index, need in enumerate(question.needs)
        )

    def _grasps(self, question: LibraryQuestion) -> bool:
        return self.right(question) or self._draw(question, _SLIP) < self.persona.slips

    def _draw(self, question: LibraryQuestion, die: int) -> float:
        """A uniform number in [0, 1); all dice of a question come from one digest, because they are
        thrown often."""
        dice = self._dice.get(question.id)
        if dice is None:
            name = f"{self.world.seed}\x1fdepth\x1f{self.persona.name}\x1f{question.id}"
            dice = unpack(
                f"<{_ENOUGH_DICE}I", blake2b(name.encode(), digest_size=4 * _ENOUGH_DICE).digest()
            )
            self._dice[question.id] = dice
        return dice[die] / 2**32


def score_of(right: int, parts: int) -> int:
    """Score by rubric (1 … 5) of an answer with so many of its parts right: 1 + ⌊4 ·
    right/parts⌋."""
    return 1 + 4 * right // parts
