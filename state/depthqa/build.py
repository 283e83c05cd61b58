"""Building a DepthQA graph: what is kept of each step, and the result."""

from typing import Annotated, Any, Literal

from pydantic import Field

from ..question_graph import (
    Comprehensive,
    Depth,
    Implicit,
    QuestionGraph,
    QuestionNode,
    Reasoning,
    SubQuestion,
)
from ..records import UNSAID, Record
from ..result import Envelope, RoleUsage
from ..spec import DepthQABuildSpec
from .items import DepthItem


class Classified(DepthItem):
    """The depth of a question that somebody brought."""

    type: Literal["classified"] = "classified"
    depth: Depth | None = None
    """None exactly when `fault` is set."""
    reason: str = ""


class ReferenceWritten(DepthItem):
    """A reference answer, from key points where there are any."""

    type: Literal["reference"] = "reference"
    node: str
    text: str = ""


class Deconstructed(DepthItem):
    """What has to be known one depth below a question; also what fills a gap there."""

    type: Literal["deconstructed"] = "deconstructed"
    node: str
    gap: bool = False
    """Whether it was asked for to fill a gap."""
    questions: tuple[SubQuestion, ...] = ()
    reasoning: tuple[Reasoning, ...] = ()
    """Of the question itself."""
    yes_or_no: Annotated[bool, UNSAID] = False
    """Whether yes or no would answer the question itself."""


class Rewritten(DepthItem):
    """A question that could be answered by yes or no, asked openly."""

    type: Literal["rewritten"] = "rewritten"
    node: str
    before: str
    text: str = ""
    """Empty where no open question came about; then `dropped` or `fault` says why."""
    dropped: str | None = None
    """Why it is not used; null: it is."""


class RelationChecked(DepthItem):
    """What the evaluator says of a question and its predecessors."""

    type: Literal["relation"] = "relation"
    node: str
    comprehensive: Comprehensive | None = None
    """None exactly when `fault` is set."""
    missing: str = ""
    """What the predecessors leave out, in the evaluator's words."""
    implicit: dict[str, Implicit] = Field(default_factory=dict)
    """By predecessor."""


Why = Literal[
    "not depth 3",
    "unclassified",
    "yes or no",
    "repeated",
    "merged",
    "like a shallower",
    "like a deeper",
    "no reference",
    "not deconstructed",
    "orphan",
]


class Removal(Record):
    """A question that was taken out, or made one with another."""

    node: str
    depth: Depth
    """Depth, counted from 1."""
    question: str
    reason: Why
    """`repeated`: another predecessor of the same question says the same; `merged`: another
    question's predecessor does, which now serves both; `like a shallower`: a D2 that is a D1; `like
    a deeper`: a D1 that is a D2; `orphan`: all it led to is gone."""
    like: str = ""
    """The node it is like."""
    like_question: str = ""
    """The question that it is like."""
    similarity: float | None = None
    """How alike the two are, 0 … 1."""


class Sifted(DepthItem):
    """What is left of the questions once those that are alike are one. Nobody is asked but an
    embeddings model."""

    type: Literal["sifted"] = "sifted"
    settled: bool
    """Whether gaps were filled before; nothing is asked for after that."""
    nodes: tuple[QuestionNode, ...]
    removed: tuple[Removal, ...]
    gaps: dict[str, int] = Field(default_factory=dict)
    """Question → predecessors it has lost for good."""


class RewrittenRow(Record):
    node: str
    before: str
    after: str


class RelationTable(Record):
    """How the evaluator rates the relations from one depth to the next (the paper's tables 8 and
    9)."""

    pair: Literal["D3 → D2", "D2 → D1"]
    relations: int
    unrated: int
    """Relations that a fault left unrated."""
    comprehensive: dict[Comprehensive, int]
    predecessors: int
    implicit: dict[Implicit, int]


class DepthQABuildResult(Envelope):
    method: Literal["depthqa_build"] = "depthqa_build"
    spec: DepthQABuildSpec
    graph: QuestionGraph | None
    """None when no question could be deconstructed."""
    similarity: str
    """Which measure told what is alike: `lexical`, or the embeddings' name."""
    removed: tuple[Removal, ...]
    rewritten: tuple[RewrittenRow, ...]
    """Questions that were reworded as open questions, in place of yes or no."""
    augmented: tuple[str, ...]
    """Nodes that were written to fill gaps."""
    unfilled: int
    """Places that stayed empty."""
    relations: tuple[RelationTable, ...] = ()
    """Empty unless the relations were rated."""
    checks: tuple[RelationChecked, ...] = ()
    """Each rating, without prompt and calls."""
    usage: dict[str, RoleUsage]
    cost_usd: float | None
    """What it cost in USD; null when the price of any call is unknown."""
    wall_s: float
    """Seconds from beginning to end, all sessions together."""
    conformance: tuple[str, ...]
    """Each place where this run deviates from the published method, by name."""
    notes: tuple[str, ...]
    provenance: dict[str, Any]
    """Versions, digests and models that the result was made with."""
