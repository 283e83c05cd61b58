"""The world's questions at three depths, a fixed library in which every text is found again; and what
a simulated model knows of them.

Depth 3 and 2 and the concepts of depth 1 stand in `data/depths.json`, their references worked out
from the values of the elements; the other questions of depth 1 are the facts of the world.

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
from functools import cache, lru_cache
from hashlib import blake2b
from struct import unpack
from typing import Literal

import orjson

from ...state.question_graph import Reasoning
from ...state.text import normalise
from ...state.tiers import Tier
from ..answering import read_claim
from ..corpus import corpus
from ..facts import DATA, TEXTS, Fact, lower_first
from ..personas import Persona
from ..world import World

ECHO = "Briefly, "
"""In front of a question it leaves the question what it was."""
FRAMES = TEXTS["deep answer"]["frames"]
"""The same with more words in front, from little to much."""
_IS_IT_TRUE = "is it true that "
_FITTING = (
    "symbol",
    "atomic_number",
    "atomic_weight",
    "period",
    "block",
    "series",
    "state",
    "melting_c",
    "density",
)


@dataclass(frozen=True, slots=True)
class Part:
    """One statement of a reference answer: a sentence with `{v}` in the place of a value, the
    value, and wrong ones."""

    sentence: str
    value: str
    wrong: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.stating(self.value)

    def stating(self, value: str) -> str:
        """The sentence with another value."""
        return self.sentence.replace("{v}", value)


@dataclass(frozen=True, slots=True, eq=False)
class LibraryQuestion:
    """A question of this world. `needs` are the questions one depth below on whose answers it
    rests; `yes_no`: the same as a question that yes or no would answer, empty at depth 3;
    `subjects`: the elements it is about."""

    id: str
    depth: int
    question: str
    parts: tuple[Part, ...] = ()
    needs: tuple["LibraryQuestion", ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    domain: str = ""
    subjects: tuple[str, ...] = ()
    yes_no: str = ""
    fact: Fact | None = None

    @property
    def reference(self) -> str:
        """The fact's claim, or all parts in a row."""
        return self.fact.claim if self.fact else " ".join(part.text for part in self.parts)

    @property
    def tier(self) -> Tier:
        return self.fact.tier if self.fact else Tier.TEXTBOOK


@lru_cache(maxsize=16_384)
def of_fact(fact: Fact) -> LibraryQuestion:
    """A fact of this world as a question of depth 1."""
    yes_no = f"Is it true that {lower_first(fact.claim.removesuffix('.'))}?"
    return LibraryQuestion(f"d1.{fact.id.replace('/', '.')}", 1, fact.question, subjects=(fact.subject,),
                        yes_no=yes_no, fact=fact)  # fmt: skip


@cache
def library() -> dict[str, LibraryQuestion]:
    """The questions that are no facts, by id, the deepest first."""
    rows = orjson.loads((DATA / "depths.json").read_bytes())
    questions: dict[str, LibraryQuestion] = {}
    for row in reversed(rows):  # what a question rests on stands behind it
        questions[row["id"]] = LibraryQuestion(
            id=row["id"],
            depth=row["depth"],
            question=row["question"],
            parts=tuple(
                Part(sentence, value, tuple(wrong)) for sentence, value, *wrong in row["parts"]
            ),
            needs=tuple(
                questions.get(need) or of_fact(corpus().by_id[need])
                for need in row.get("needs", ())
            ),
            reasoning=tuple(row.get("reasoning", ())),
            domain=row.get("domain", ""),
            subjects=tuple(row.get("subjects", ())),
            yes_no=row.get("yes_no", ""),
        )
    return dict(reversed(questions.items()))


@lru_cache(maxsize=16_384)
def recognise(text: str) -> LibraryQuestion | None:
    """The question of this world that a text asks, be it put openly or so that yes or no would
    answer it; None for any other."""
    bare = " ".join(text.split())
    bare = bare.removeprefix(
        next((front for front in (*FRAMES, ECHO) if bare.startswith(front)), "")
    )
    words = normalise(bare)
    fact = corpus().questions.get(words)
    if fact is not None:
        return of_fact(fact)
    if words in _texts() or not words.startswith(_IS_IT_TRUE):
        return _texts().get(words)
    claim = read_claim(f"{bare[len(_IS_IT_TRUE) :].rstrip('?')}.")
    return of_fact(claim.fact) if claim else None


@cache
def _texts() -> dict[str, LibraryQuestion]:
    return {
        normalise(text): q for q in library().values() for text in (q.question, q.yes_no) if text
    }


def framed(frame: str, question: str) -> str:
    """A question behind a frame or the echo."""
    return f"{frame}{lower_first(question)}"


def fitting(question: LibraryQuestion, depth: int) -> list[LibraryQuestion]:
    """Questions of this depth (1 or 2) about the same elements, without the question itself."""
    names = set(question.subjects)
    if depth == 1:
        facts = corpus().by_id
        ids = (f"{name}/{prop}" for prop in _FITTING for name in question.subjects)
        questions = [of_fact(facts[name]) for name in ids if name in facts]
    else:
        questions = [
            candidate
            for candidate in library().values()
            if candidate.depth == depth and names.issuperset(candidate.subjects)
        ]
    return [candidate for candidate in questions if candidate.id != question.id]


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
