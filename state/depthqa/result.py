"""What a DepthQA run measured. Field names are the contract of `fathom schema depthqa`."""

from typing import Annotated, Any, Literal

from pydantic import PrivateAttr

from ..errors import RunFailed
from ..question_graph import Depth, Mode, QuestionGraph
from ..records import UNSAID, Record
from ..result import Envelope, Interval, RoleUsage
from ..spec import DepthQASpec

Pair = Literal["D2 → D3", "D1 → D2", "overall"]
"""Neighbouring depths, and both pooled."""
Level = Literal["D1", "D2", "D3", "overall"]
LEVEL_OF: dict[int, Level] = {1: "D1", 2: "D2", 3: "D3"}


class ScoreRow(Record):
    """Mean score (1 … 5) over questions of one depth, or all. Questions that share a text count
    once per mode when they share an answer; multi-turn answers to one node in several conversations
    are averaged first."""

    questions: int
    """Questions that were asked (of given answers: that have one)."""
    scored: int
    mean: float | None
    """None without any score."""
    ci: Interval | None
    """Clustered by tree; None with fewer than two trees that have scores."""
    bounds: Annotated[Interval | None, UNSAID] = None
    """The mean if all answers that the target itself lost had scored 1, and 5; None where it lost
    none."""


class DiscrepancyRow(Record):
    """Discrepancy over the nodes of one depth pair, or both pooled: d = max(0, mean(neighbours) −
    own)/4, for nodes whose neighbours' mean is at least 4 (METHODS.md, section 4). average =
    frequency · intensity."""

    eligible: int
    """n: nodes that count."""
    left_out: int
    """Nodes with a score and scored neighbours whose neighbours' mean is below 4."""
    unscored: int
    """Nodes that were asked (of given answers: that have one), as was a neighbour of theirs, but
    without a score of their own or of any neighbour."""
    average: float | None
    """None with n = 0, as everything below."""
    average_ci: Interval | None
    """Clustered by tree, as the others; None with fewer than two trees that have eligible nodes."""
    frequency: float | None
    """Share of nodes with a discrepancy, 0 … 1; null without a node that counts."""
    frequency_ci: Interval | None
    """95% interval of the frequency."""
    intensity: float | None
    """Mean of the positive d; None also when none is positive."""
    intensity_ci: Interval | None
    """95% interval of the intensity."""


class Discrepancies(Record):
    forward: dict[Pair, DiscrepancyRow]
    """Neighbours: direct predecessors. Of the pair `D2 → D3` the nodes of depth 3 are counted."""
    backward: dict[Pair, DiscrepancyRow]
    """Neighbours: direct successors. Of the pair `D2 → D3` the nodes of depth 2 are counted."""


class Spread5(Record):
    """A distribution in five numbers and its mean, linear interpolation between ranks."""

    n: int
    minimum: float
    q1: float
    median: float
    q3: float
    maximum: float
    mean: float
    """Arithmetic mean; null without any value."""


class QuartileGap(Record):
    """(f(D3) − f(D2))/4 over neighbouring pairs whose D3 answer lies in one quartile of Min-K%.
    Positive: backward, negative: forward."""

    quartile: Literal[1, 2, 3, 4]
    """1: the lowest Min-K%, the most likely to be memorised."""
    min_k: Interval
    """Lowest and highest Min-K% of the quartile's D3 answers."""
    questions: int
    """D3 nodes."""
    pairs: int
    mean: float | None
    """Arithmetic mean; null without any value."""
    ci: Interval | None
    """Clustered by tree."""
    gaps: Spread5 | None


class MinK(Record):
    """Min-K% of the answers: mean negative log-likelihood (nats) of the least likely fifth of the
    first 128 tokens."""

    answers: int
    """Answers that have it."""
    missing: int
    """Answers that lack it."""
    by_depth: dict[Level, Spread5 | None]
    quartiles: tuple[QuartileGap, ...]
    """Empty with fewer than four D3 answers that have it."""


class LabelRow(Record):
    """The figures of one domain or one type of reasoning, in zero-shot or (without it) the first
    mode."""

    label: str
    accuracy: dict[Level, ScoreRow]
    """Share of right answers, 0 … 1; null without any."""
    forward: DiscrepancyRow
    """Overall, over nodes with this label."""
    backward: DiscrepancyRow
    """Backward discrepancy, 0 … 1: worse than at the deeper questions it leads to."""


class ModeNumbers(Record, extra="ignore"):
    """The figures of one way of asking. What results of older runs hold besides is passed over."""

    mode: Mode
    accuracy: dict[Level, ScoreRow]
    """In the prompt modes without depth 1, which has no predecessors to quote."""
    discrepancies: Discrepancies
    unscored: dict[str, int]
    """Answers and ratings that came to nothing, by stage."""
    refusals: int
    """Answers that the endpoint marks as refused; score 1."""
    silent: int
    """Replies without a word that score 1, in runs of earlier versions; now they are unscored."""
    min_k: MinK | None
    """Min-K% in nats, of an answer or a group; null: it could not be measured."""
    min_k_missing: str | None
    """Why there is no Min-K%; None where there is."""


class Change(Record):
    """Mean score in a mode minus that in zero-shot, over the nodes that have both (the paper's
    figure 4)."""

    mode: Mode
    level: Level
    nodes: int
    zero_shot: float | None
    """Mean score in zero-shot over these nodes, 1 … 5; null without any."""
    score: float | None
    """A score: 1 … 5 by a rubric, 0 … 1 in a benchmark; null without one."""
    difference: float | None
    ci: Interval | None
    """Clustered by tree."""


class Neighbour(Record):
    node: str
    depth: Depth
    """Depth, counted from 1."""
    question: str
    reference: str
    answer: str
    score: float
    """A score: 1 … 5 by a rubric, 0 … 1 in a benchmark; null without one."""
    reason: str


class Case(Record):
    """A node with a discrepancy, and the neighbours it is measured against, with both answers."""

    mode: Mode
    direction: Literal["forward", "backward"]
    discrepancy: float
    """How far the score lies behind its neighbours', 0 … 1."""
    own: Neighbour
    neighbours: tuple[Neighbour, ...]


class Asked(Record):
    """One answer and its score."""

    id: str
    mode: Mode
    nodes: tuple[str, ...]
    conversation: str | None
    """Of multi-turn: the node that the conversation leads to; else null."""
    answer: str
    """Word for word; empty when the model said nothing, and when a fault took it."""
    refused: bool
    score: int | None
    """A score: 1 … 5 by a rubric, 0 … 1 in a benchmark; null without one."""
    reason: str
    min_k: float | None
    """Min-K% in nats, of an answer or a group; null: it could not be measured."""
    unscored: str | None
    """The fault for which there is no score; never counted against the model."""


class GraphRow(Record):
    """What was asked about."""

    name: str
    trees: int
    nodes: int
    questions: int
    """Distinct texts."""
    edges: int
    depths: dict[Level, int]
    """Distinct questions by depth."""


class DepthQAResult(Envelope):
    """The whole outcome of one target over one graph."""

    method: Literal["depthqa"] = "depthqa"
    spec: DepthQASpec
    graph: GraphRow
    open_trees: tuple[str, ...] = ()
    """Roots of trees that are not finished; they stay out of every number but usage."""
    threshold: str = "neighbours' mean score >= 4 of 5"
    """The rule by which nodes are left out of the discrepancies."""
    modes: tuple[ModeNumbers, ...]
    """In the order of the spec."""
    by_domain: tuple[LabelRow, ...]
    """Empty when no node has one."""
    by_reasoning: tuple[LabelRow, ...]
    changes: tuple[Change, ...]
    """Empty without zero-shot beside another mode."""
    cases: tuple[Case, ...]
    """The worst in each direction, backward first; in zero-shot or (without it) the first mode."""
    answers: tuple[Asked, ...]
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
    _asked: QuestionGraph | None = PrivateAttr(None)

    def about(self, asked: QuestionGraph | None) -> "DepthQAResult":
        """This result, that knows what was asked: a result's file does not hold it."""
        self._asked = asked
        return self

    @property
    def asked_graph(self) -> QuestionGraph:
        """The questions. Raises RunFailed where the journal has lost them."""
        if self._asked is None:
            raise RunFailed(
                f"The journal of {self.run_id} lacks its questions: it has no answers."
            )
        return self._asked
