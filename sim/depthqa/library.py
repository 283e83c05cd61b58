"""The world's questions at three depths: a fixed library, in which every text is found again.

Depth 3 and 2 and the concepts of depth 1 stand in `data/depths.json`, their references worked out
from the values of the elements; the other questions of depth 1 are the facts of the world.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache

import orjson

from ...state.question_graph import Reasoning
from ...state.records import Tier
from ...state.text import normalise
from ..answering import read_claim
from ..corpus import corpus
from ..facts import DATA, TEXTS, Fact, lower_first

ECHO = "Briefly, "
"""In front of a question it leaves the question what it was."""
FRAMES = TEXTS["deep answer"]["frames"]
"""The same with more words in front, from little to much."""
_IS_IT_TRUE = re.compile(r"Is it true that (.+)\?", re.IGNORECASE)
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
    question = _texts().get(words)
    closed = _IS_IT_TRUE.fullmatch(bare) if question is None else None
    claim = read_claim(f"{closed[1]}.") if closed else None
    return of_fact(claim.fact) if claim else question


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
