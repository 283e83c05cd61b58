"""DepthQA's graph of questions at three depths, and what is kept of each step of asking it."""

import hashlib
from functools import cached_property
from typing import Annotated, Literal, get_args

import orjson
from pydantic import Field, model_validator

from ..records import MODELS_OWN, Answer, Call, Record, Sent, Unscored

Depth = Annotated[int, Field(ge=1, le=3)]
"""Webb's depth of knowledge: 1 factual and conceptual, 2 procedural, 3 strategic (DepthQA, section
3.1)."""
DEPTHS = (1, 2, 3)
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

Mode = Literal["zero-shot", "prompt-gold", "prompt-pred", "multi-turn"]
"""How a node is asked: alone; with its predecessors and their reference answers; with the target's
own answers to them; with them as earlier turns of one conversation."""
MODES: tuple[Mode, ...] = get_args(Mode)
PROMPT_MODES: tuple[Mode, ...] = ("prompt-gold", "prompt-pred")
"""Modes that quote a question's predecessors, so that questions without any are not asked."""

Reasoning = Literal[
    "comparative",
    "relational",
    "causal",
    "inductive",
    "criteria",
    "procedural",
    "evaluative",
    "example",
    "quantitative",
    "application",
    "other",
]
"""What a question of depth 2 or 3 asks of whoever answers it (DepthQA, table 15)."""
REASONINGS: tuple[Reasoning, ...] = get_args(Reasoning)

NodeId = Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^\s/@]+$")]


class QuestionNode(Record):
    """One place in the graph. Several nodes may hold the same question."""

    id: NodeId
    depth: Depth
    """Depth, counted from 1."""
    question: Annotated[str, Field(min_length=1, pattern=r"\S")]
    reference: str
    """The reference answer; never empty in a graph that can be asked."""
    predecessors: tuple[str, ...] = ()
    """Ids of the nodes one depth below that lead to it, in order; the successors follow from them.
    """
    question_id: str = ""
    """The published dataset's name of the question; empty elsewhere."""
    domain: str = ""
    reasoning: tuple[str, ...] = ()
    """Types of reasoning, `Reasoning` where Fathom gave them; none at depth 1."""
    augmented: bool = False
    """Written to fill a gap that a removed question had left."""


class Tree(Record):
    """A question of depth 3 with everything below it, or (where nothing leads on) what stands
    alone."""

    root: str
    """The node on top."""
    nodes: tuple[str, ...]
    """All nodes that are counted here, in the graph's order; one that serves several trees counts
    in the first."""


class QuestionGraph(Record):
    """Questions with edges from depth 1 to 2 to 3. `fathom.tools.files.depthqa.graph` reads and
    checks one."""

    format: Literal["fathom-depthqa/1"] = "fathom-depthqa/1"
    name: str = ""
    nodes: Annotated[tuple[QuestionNode, ...], Field(min_length=1)]
    made: dict[str, str] = Field(default_factory=dict)
    """How it came about, where Fathom built it: evaluator, similarity measure, run, version."""

    @cached_property
    def by_id(self) -> dict[str, QuestionNode]:
        return {node.id: node for node in self.nodes}

    @cached_property
    def places(self) -> dict[str, int]:
        return {node.id: index for index, node in enumerate(self.nodes)}

    @cached_property
    def successors(self) -> dict[str, tuple[str, ...]]:
        """Node → the nodes it leads to, in the graph's order."""
        leads_to: dict[str, list[str]] = {node.id: [] for node in self.nodes}
        for node in self.nodes:
            for predecessor in node.predecessors:
                leads_to[predecessor].append(node.id)
        return {node_id: tuple(names) for node_id, names in leads_to.items()}

    @cached_property
    def _roots(self) -> list[str]:
        return [node.id for node in self.nodes if not self.successors[node.id]]

    @cached_property
    def tree_of(self) -> dict[str, int]:
        """Node → index of its tree, the first of those that it is part of."""
        trees: dict[str, int] = {}
        for index, root in enumerate(self._roots):
            ahead = [root]
            while ahead:
                name = ahead.pop()
                if name not in trees:
                    trees[name] = index
                    ahead += self.by_id[name].predecessors
        return trees

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        """The trees in order of their roots; every node is in exactly one."""
        nodes: list[list[str]] = [[] for _ in self._roots]
        for node in self.nodes:
            nodes[self.tree_of[node.id]].append(node.id)
        pairs = zip(self._roots, nodes, strict=True)
        return tuple(Tree(root=root, nodes=tuple(names)) for root, names in pairs)

    @cached_property
    def component_of(self) -> dict[str, int]:
        """Node → what hangs together with it, as the least index of its trees: trees that share a
        question, by an edge or by its text, stand or fall together."""
        parts = dict(self.tree_of)
        edges = [(node.id, name) for node in self.nodes for name in node.predecessors]
        for first, second in [*edges, *self.first_of.items()]:
            least, most = sorted((parts[first], parts[second]))
            if least < most:
                parts = {node: least if part == most else part for node, part in parts.items()}
        return parts

    @cached_property
    def first_of(self) -> dict[str, str]:
        """Node → the first node of the graph with the same question, itself where it is that."""
        first: dict[str, str] = {}
        return {
            node.id: first.setdefault(question_key(node.question), node.id) for node in self.nodes
        }

    @cached_property
    def holders(self) -> dict[str, tuple[str, ...]]:
        """First node with a question → all nodes with it, in the graph's order."""
        nodes_of: dict[str, list[str]] = {}
        for node_id, first in self.first_of.items():
            nodes_of.setdefault(first, []).append(node_id)
        return {first: tuple(nodes) for first, nodes in nodes_of.items()}

    @property
    def edges(self) -> int:
        return sum(len(node.predecessors) for node in self.nodes)


def question_key(question: str) -> str:
    """What makes two questions the same text: everything but white space."""
    return " ".join(question.split())


class GivenAnswer(Record):
    """An answer somebody else has collected."""

    node: str
    text: str


class Material(Record):
    """What a DepthQA run asks about: the graph, and the answers where they are given instead of
    asked for."""

    graph: QuestionGraph
    answers: tuple[GivenAnswer, ...] | None = None
    notices: tuple[str, ...] = ()
    """What has to be known of the files it was read from, in sentences; they stand among the
    result's notes."""

    @cached_property
    def digest(self) -> str:
        """Sixteen hex digits over everything but the notices, and the graph's name and history."""
        nodes = [node.model_dump(mode="json") for node in self.graph.nodes]
        answers = None
        if self.answers is not None:
            answers = [answer.model_dump(mode="json") for answer in self.answers]
        content = orjson.dumps([nodes, answers], option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(content).hexdigest()[:16]


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
