"""Who is asked what in DepthQA: the askings of a graph in each mode, tree by tree (METHODS.md,
section 4). Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from ...state.depthqa.items import (
    PROMPT_MODES,
    Material,
    Mode,
    QuestionGraph,
    QuestionNode,
    question_key,
)
from ...state.depthqa.spec import DepthQASpec

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
    given: str | None = None
    """The answer, where it is given."""

    @property
    def place(self) -> str:
        """Its id without the run's."""
        if self.conversation is None:
            return f"{self.node}@{self.mode}"
        return f"{self.conversation}@{self.mode}@{self.node}"


def planned_questions(spec: DepthQASpec, material: Material) -> list[list[PlannedQuestion]]:
    """All askings, each once, by the tree it belongs to."""
    found: list[list[PlannedQuestion]] = [[] for _ in material.graph.trees]
    for planned in _every(spec, material):
        found[owner_of(material.graph, planned)].append(planned)
    return found


def owner_of(graph: QuestionGraph, planned: PlannedQuestion) -> int:
    """The tree an asking belongs to: the conversation's, else that of the first node it answers."""
    return graph.tree_of[planned.conversation or planned.nodes[0]]


def needed_by(spec: DepthQASpec, material: Material) -> list[list[PlannedQuestion]]:
    """What each tree has to see done before it is finished: its own askings, and those of other
    trees that answer a question of its own too, or that it quotes."""
    graph = material.graph
    found: list[list[PlannedQuestion]] = [[] for _ in graph.trees]
    quoting = _quoting(graph) if "prompt-pred" in spec.modes else {}
    for planned in _every(spec, material):
        trees = (
            {graph.tree_of[node] for node in planned.nodes}
            if planned.conversation is None
            else set()
        )
        if planned.mode == "zero-shot":
            trees |= quoting.get(planned.node, set())
        for tree in sorted(trees | {owner_of(graph, planned)}):
            found[tree].append(planned)
    return found


def _quoting(graph: QuestionGraph) -> dict[str, set[int]]:
    """First node with a question → the trees that quote the answer to it."""
    found: dict[str, set[int]] = {}
    for node in graph.nodes:
        for before in node.predecessors:
            found.setdefault(graph.first_of[before], set()).add(graph.tree_of[node.id])
    return found


def _every(spec: DepthQASpec, material: Material) -> Iterable[PlannedQuestion]:
    if material.answers is not None:
        yield from _given(
            spec.modes[0], material.graph, {each.node: each.text for each in material.answers}
        )
        return
    if "prompt-pred" in spec.modes and "zero-shot" not in spec.modes:
        yield from _quoted(material.graph)
    for mode in spec.modes:
        yield from _ASKINGS[mode](material.graph)


def _zero_shot(graph: QuestionGraph) -> Iterable[PlannedQuestion]:
    """One asking per text."""
    yield from (
        PlannedQuestion("zero-shot", first, nodes) for first, nodes in graph.holders.items()
    )


def _quoted(graph: QuestionGraph) -> Iterable[PlannedQuestion]:
    """The zero-shot answers that prompt-pred quotes."""
    wanted = {graph.first_of[before] for node in graph.nodes for before in node.predecessors}
    for planned in _zero_shot(graph):
        if planned.node in wanted:
            yield PlannedQuestion("zero-shot", planned.node, planned.nodes, scored=False)


def _prompted(mode: Mode, graph: QuestionGraph) -> Iterable[PlannedQuestion]:
    """Nodes that have predecessors; those that hold the same question and quote the same ones are
    asked once."""
    groups: dict[tuple[str, ...], list[QuestionNode]] = {}
    for node in graph.nodes:
        if node.predecessors:
            key = (
                graph.first_of[node.id],
                *(graph.first_of[before] for before in node.predecessors),
            )
            groups.setdefault(key, []).append(node)
    for group in groups.values():
        first = group[0]
        yield PlannedQuestion(
            mode, first.id, tuple(node.id for node in group), before=first.predecessors
        )


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
        for place, turn in enumerate(turns):
            yield PlannedQuestion(
                "multi-turn", turn, (turn,), before=turns[:place], conversation=end.id
            )


def _given(mode: Mode, graph: QuestionGraph, said: Mapping[str, str]) -> Iterable[PlannedQuestion]:
    """Given answers: equal ones to one question are judged once; in the prompt modes those alone
    that quote any."""
    groups: dict[tuple[str, str], list[str]] = {}
    for node in graph.nodes:
        if node.id in said and (node.predecessors or mode not in PROMPT_MODES):
            groups.setdefault((graph.first_of[node.id], question_key(said[node.id])), []).append(
                node.id
            )
    for group in groups.values():
        yield PlannedQuestion(mode, group[0], tuple(group), given=said[group[0]])


_ASKINGS: Mapping[Mode, Callable[[QuestionGraph], Iterable[PlannedQuestion]]] = {
    "zero-shot": _zero_shot,
    "prompt-gold": partial(_prompted, "prompt-gold"),
    "prompt-pred": partial(_prompted, "prompt-pred"),
    "multi-turn": _multi_turn,
}
