"""Parts of a DepthQA run by the ids it shows: a node, a node in one way of asking, a turn of a conversation."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from ....state.depthqa.items import MODES, DepthAnswer, Mode, QuestionGraph
from ....state.depthqa.spec import DepthQASpec
from ....state.errors import UsageError
from ....state.items import DepthQAItem
from ...page import figures

SCORE = "score"
NAMED = 3
"""So many ids are named where there is no such part."""


@dataclass(frozen=True, slots=True)
class Place:
    """What a path names."""

    node: str
    mode: Mode | None = None
    turn: str | None = None
    """Multi-turn: the node that is a turn of the conversation which leads to `node`."""


def place_of(spec: DepthQASpec, graph: QuestionGraph, path: str, run: str = "") -> Place:
    """`1_d3`, `1_d3@zero-shot`, `1_d3@multi-turn@1_d2_n1`, with or without the run in front and `@score` behind. A
    node may be named by the published dataset's name of its question, a tree by its number (`t003`).

    `run`: the short id that items bear; empty when there is none to compare with. Raises UsageError for anything else.
    """
    before, _, rest = path.strip().rpartition("/")
    if before and run and figures.short_id(before.rpartition("/")[2]) != run:
        raise UsageError(f"{path!r} is of the run {before}, and this is {run}: show that run.")
    name, *more = rest.removesuffix(f"@{SCORE}").split("@")
    if len(more) > 2:
        raise UsageError(
            f"{path!r} names no part of a DepthQA run: give a node, a node with a way of asking or a turn, such as"
            " 1_d3, 1_d3@zero-shot or 1_d3@multi-turn@1_d2_n1."
        )
    node = _node(graph, name)
    mode = _mode(spec, more[0]) if more else None
    return Place(node, mode, _turn(graph, node, mode, more[1]) if len(more) > 1 else None)


def _node(graph: QuestionGraph, name: str) -> str:
    """The node's id, in whatever letters it was written."""
    folded = {node.id.casefold(): node.id for node in reversed(graph.nodes)}
    questions = {node.question_id.casefold(): node.id for node in reversed(graph.nodes) if node.question_id}
    trees = {f"t{number:03d}": tree.root for number, tree in enumerate(graph.trees, start=1)}
    key = name.casefold()
    found = name if name in graph.by_id else folded.get(key) or questions.get(key) or trees.get(key)
    if found is None:
        number = figures.count(len(graph.nodes), "node")
        raise UsageError(f"No question of this run is called {name!r}: it has {number}, {_some(name, graph.by_id)}.")
    return found


def _some(name: str, ids: Iterable[str]) -> str:
    """The ids that are most like the name, or the first."""
    known = list(ids)
    close = get_close_matches(name, known, NAMED)
    return f"{'perhaps' if close else 'such as'} {', '.join(close or known[:NAMED])}"


def _mode(spec: DepthQASpec, name: str) -> Mode:
    asked = [mode for mode in MODES if mode in spec.modes or (mode == "zero-shot" and "prompt-pred" in spec.modes)]
    found = next((mode for mode in asked if mode == name.casefold()), None)
    if found is None:
        raise UsageError(f"This run has not asked in the way {name!r}: there is {', '.join(asked)}.")
    return found


def _turn(graph: QuestionGraph, node: str, mode: Mode | None, name: str) -> str:
    turns = turns_of(graph, node)
    if mode != "multi-turn" or not turns:
        raise UsageError(f"{node}@{mode} has no turns: those are of multi-turn conversations that lead to a node.")
    found = next((turn for turn in turns if turn.casefold() == name.casefold()), None)
    if found is None:
        raise UsageError(f"{name!r} is no turn of the conversation that leads to {node}: it has {', '.join(turns)}.")
    return found


def turns_of(graph: QuestionGraph, node: str) -> tuple[str, ...]:
    """The turns of the conversation that leads to a node, in order; none where there is no conversation. The node
    itself is its last turn where it leads to nothing further."""
    above, below = graph.successors[node], graph.by_id[node].predecessors
    return (*below, *(() if above else (node,)))


def items_at(
    spec: DepthQASpec, graph: QuestionGraph, items: Sequence[DepthQAItem], path: str
) -> tuple[DepthQAItem, ...]:
    """The steps that a path names, each answer before its rating; of a repeated id the last. Raises UsageError for a
    path that names no part of the run; a part that the run has not come to has no steps.

    A node has its answers in all ways of asking; in multi-turn these are the conversation that leads to it, and its
    own turns in others.
    """
    latest = {item.id: item for item in items}
    place = place_of(spec, graph, path, next(iter(latest), "").partition("/")[0])
    found = [item for item in latest.values() if _belongs(item, place)]
    return tuple(sorted(found, key=lambda item: _order(item, place, graph)))


def _belongs(item: DepthQAItem, place: Place) -> bool:
    if place.mode is not None and item.mode != place.mode:
        return False
    if place.turn is not None:
        return item.conversation == place.node and place.turn in item.nodes
    return place.node in item.nodes or item.conversation == place.node


def _order(item: DepthQAItem, place: Place, graph: QuestionGraph) -> tuple[int, int, str, int, int]:
    """By mode; the conversation that leads to the node first, its turns in order; an answer before its rating."""
    ends = item.conversation or ""
    turns = turns_of(graph, ends) if ends in graph.by_id else ()
    turn = next((number for number, node in enumerate(turns) if node in item.nodes), 0)
    return MODES.index(item.mode), ends != place.node, ends, turn, not isinstance(item, DepthAnswer)
