"""Who is asked what in DepthQA: the askings of a graph in each mode, tree by tree (METHODS.md,
section 4). Pure."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from ...state.depthqa.spec import DepthQASpec
from ...state.question_graph import (
    PROMPT_MODES,
    Material,
    Mode,
    QuestionGraph,
    QuestionNode,
    question_key,
)

SCORE = "@score"
"""Ends the id of a rating."""


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """One question put to the target in one way."""

    mode: Mode
    node: str
    """The node that is asked: its question, its reference."""
    nodes: tuple[str, ...]
    """All nodes that this answers."""
    before: tuple[str, ...] = ()
    """Nodes that are quoted in the prompt, or that are earlier turns of the conversation."""
    conversation: str | None = None
    """Multi-turn: the node it leads to."""
    scored: bool = True
    given_answer: str | None = None

    @property
    def name(self) -> str:
        """Its id without the run's."""
        if self.conversation is None:
            return f"{self.node}@{self.mode}"
        return f"{self.conversation}@{self.mode}@{self.node}"


def planned_questions(spec: DepthQASpec, material: Material) -> list[list[PlannedQuestion]]:
    """All askings, each once, by the tree it belongs to."""
    trees: list[list[PlannedQuestion]] = [[] for _ in material.graph.trees]
    for planned in _every(spec, material):
        trees[owner_of(material.graph, planned)].append(planned)
    return trees


def owner_of(graph: QuestionGraph, planned: PlannedQuestion) -> int:
    """The tree an asking belongs to: the conversation's, else that of the first node it answers."""
    return graph.tree_of[planned.conversation or planned.nodes[0]]


def needed_by(spec: DepthQASpec, material: Material) -> list[list[PlannedQuestion]]:
    """What each tree has to see done before it is finished: its own askings, and those of other
    trees that answer a question of its own too, or that it quotes."""
    graph = material.graph
    needed: list[list[PlannedQuestion]] = [[] for _ in graph.trees]
    quoting: dict[str, set[int]] = defaultdict(set)
    """First node with a question → the trees that quote the answer to it."""
    for node in graph.nodes if "prompt-pred" in spec.modes else ():
        for before in node.predecessors:
            quoting[graph.first_of[before]].add(graph.tree_of[node.id])
    for planned in _every(spec, material):
        trees = {owner_of(graph, planned)}
        if planned.conversation is None:
            trees |= {graph.tree_of[node] for node in planned.nodes}
        if planned.mode == "zero-shot":
            trees |= quoting[planned.node]
        for tree in sorted(trees):
            needed[tree].append(planned)
    return needed


def _every(spec: DepthQASpec, material: Material) -> Iterable[PlannedQuestion]:
    graph = material.graph
    if material.answers is not None:
        answers = {answer.node: answer.text for answer in material.answers}
        yield from _given(spec.modes[0], graph, answers)
        return
    if "prompt-pred" in spec.modes and "zero-shot" not in spec.modes:
        quoted = chain.from_iterable(node.predecessors for node in graph.nodes)
        firsts = {graph.first_of[name] for name in quoted}
        unrated = (replace(planned, scored=False) for planned in _zero_shot(graph))
        yield from (planned for planned in unrated if planned.node in firsts)
    for mode in spec.modes:
        yield from _ASKINGS[mode](graph)


def _zero_shot(graph: QuestionGraph) -> Iterable[PlannedQuestion]:
    """One asking per text."""
    for first, nodes in graph.holders.items():
        yield PlannedQuestion("zero-shot", first, nodes)


def _prompted(mode: Mode, graph: QuestionGraph) -> Iterable[PlannedQuestion]:
    """Nodes that have predecessors; those that hold the same question and quote the same ones are
    asked once."""
    groups: dict[tuple[str, ...], list[QuestionNode]] = defaultdict(list)
    for node in graph.nodes:
        if node.predecessors:
            groups[
                tuple(graph.first_of[name] for name in (node.id, *node.predecessors))
            ].append(node)
    for group in groups.values():
        nodes = tuple(node.id for node in group)
        yield PlannedQuestion(mode, nodes[0], nodes, before=group[0].predecessors)


def _multi_turn(graph: QuestionGraph) -> Iterable[PlannedQuestion]:
    """The turns of one conversation per node that has predecessors. As in the published code a
    question is scored as a turn of the conversations that lead on from it, and at the end of its
    own only where none does."""
    for end in graph.nodes:
        if not end.predecessors:
            if not graph.successors[end.id]:  # stands alone: a conversation of one turn
                yield PlannedQuestion("multi-turn", end.id, (end.id,), conversation=end.id)
            continue
        turns = (*end.predecessors, *(() if graph.successors[end.id] else (end.id,)))
        for number, turn in enumerate(turns):
            yield PlannedQuestion(
                "multi-turn", turn, (turn,), before=turns[:number], conversation=end.id
            )


def _given(
    mode: Mode, graph: QuestionGraph, answers: Mapping[str, str]
) -> Iterable[PlannedQuestion]:
    """Given answers: equal ones to one question are judged once; in the prompt modes those alone
    that quote any."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for node in graph.nodes:
        if node.id in answers and (node.predecessors or mode not in PROMPT_MODES):
            groups[graph.first_of[node.id], question_key(answers[node.id])].append(node.id)
    for first, *others in groups.values():
        yield PlannedQuestion(mode, first, (first, *others), given_answer=answers[first])


_ASKINGS: Mapping[Mode, Callable[[QuestionGraph], Iterable[PlannedQuestion]]] = {
    "zero-shot": _zero_shot,
    "prompt-gold": partial(_prompted, "prompt-gold"),
    "prompt-pred": partial(_prompted, "prompt-pred"),
    "multi-turn": _multi_turn,
}
