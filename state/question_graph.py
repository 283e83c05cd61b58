"""A graph of questions at three depths, and ways to ask them."""

import hashlib
from functools import cached_property
from typing import Annotated, Literal, get_args

import orjson
from pydantic import Field

from .records import UNSAID, Record

Depth = Annotated[int, Field(ge=1, le=3)]
"""Webb's depth of knowledge: 1 factual and conceptual, 2 procedural, 3 strategic (DepthQA, section
3.1)."""
DEPTHS = (1, 2, 3)
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
    """Questions with edges from depth 1 to 2 to 3."""

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
            node.id: first.setdefault(question_key(node.question), node.id)
            for node in self.nodes
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


Comprehensive = Literal["comprehensive", "partial", "insufficient"]
"""Whether a question's predecessors cover what has to be known for it (criterion C1)."""
Implicit = Literal["implicit", "partial", "revealing"]
"""Whether a predecessor keeps its successor's answer to itself (criterion C2)."""


class SubQuestion(Record):
    """A question one depth below, with its reference answer."""

    question: str
    reference: str
    yes_or_no: Annotated[bool, UNSAID] = False
    """Whether yes or no would answer it, as who wrote it says."""
