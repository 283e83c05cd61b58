"""What is kept of each step of asking a graph of questions."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ..question_graph import Mode
from ..records import MODELS_OWN, Answer, Call, Record, Sent, Unscored

Score = Annotated[int, Field(ge=1, le=5)]
"""Factual correctness by rubric: 1 largely wrong … 5 wholly right."""
HIGH = 4.0
"""From this mean score of its neighbours on a question is looked at for a discrepancy (METHODS.md,
section 4)."""
LEAST, SCALE = 1, 4
"""The lowest score, and the largest possible gap between two."""
MIN_K_SHARE = 0.2
"""The share k of least likely tokens that Min-K% averages over."""
MIN_K_TOKENS = 128
"""So many tokens of an answer, from its beginning, count for Min-K%."""


class DepthItem(Record):
    """One step. `tree` counts from 0 in the graph's list of trees, or in the list of questions to
    deconstruct."""

    id: str
    """Asked: `run/1_d3@zero-shot`, its rating `run/1_d3@zero-shot@score`; a turn of the
    conversation that leads to 1_d3: `run/1_d3@multi-turn@1_d2_n1`, its rating `…@score`."""
    tree: int
    """Place of the tree in the graph's list, counted from 0."""
    prompt: tuple[Sent, ...] = ()
    """The messages as they were first sent; none when nobody was asked."""
    fault: Unscored | None = None
    """Why there is nothing, when the infrastructure or a model that helps failed; never counted
    against the target."""
    calls: tuple[Call, ...] = ()
    elapsed_s: float = 0.0
    """Seconds it took."""

    @property
    def concept(self) -> int:
        """The part of the run it belongs to, by the name that all methods share."""
        return self.tree

    @property
    def lost(self) -> bool:
        """Whether the infrastructure failed, so that it is worth while to try again."""
        return self.fault is not None and self.fault.kind not in MODELS_OWN


class DepthAnswer(DepthItem):
    """What the target says to a question."""

    type: Literal["depth_answer"] = "depth_answer"
    mode: Mode
    nodes: tuple[str, ...]
    """The nodes it answers: several where they hold the same question and are asked the same way.
    """
    conversation: str | None = None
    """Multi-turn: the node that the conversation leads to."""
    scored: bool = True
    """False: it is only there to be quoted to the questions above it (prompt-pred without
    zero-shot)."""
    answer: Answer | None = None
    """None when the target said nothing at all, and when `fault` is set."""


class Rating(DepthItem):
    """What the judge says of an answer."""

    type: Literal["rating"] = "rating"
    of: str
    """The answer's id."""
    mode: Mode
    nodes: tuple[str, ...]
    conversation: str | None = None
    """Of multi-turn: the node that the conversation leads to; else null."""
    score: Score | None = None
    """None exactly when `fault` is set."""
    reason: str = ""
    judge: str = ""
    """Empty where nobody had to be asked: the target refused, or said nothing (score 1)."""

    @model_validator(mode="after")
    def _either(self) -> "Rating":
        if (self.score is None) != (self.fault is not None):
            raise ValueError("a rating has a score or a fault")
        return self
