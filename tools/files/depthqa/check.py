"""Whether nodes make a graph that can be asked: every fault is refused with the node that has it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ....state.depthqa.items import QuestionGraph, QuestionNode, question_key
from ....state.errors import UsageError
from ..table.row import named
from ..text import quoted

MAX_NODES = 20_000
MAX_EDGES = 200_000


def check_graph(
    nodes: Sequence[QuestionNode], where: Path, successors: Mapping[str, Sequence[str]] | None = None
) -> QuestionGraph:
    """The graph of these nodes, without a name. `where` is what messages call the file; `successors` are those that the
    file names, by node.

    Raises UsageError, with the node, for: no node, more than 20,000, more than 200,000 edges, one id twice, a node
    without question or reference answer, a predecessor that is unknown or named twice, a cycle, an edge that does not
    lead exactly one depth up, and successors that do not agree with the predecessors. A node of depth 2
    or 3 may have no predecessors.
    """
    if not nodes:
        raise UsageError(f"The file {where} holds no node: a graph needs at least one question.")
    if len(nodes) > MAX_NODES:
        raise UsageError(f"The file {where} holds {len(nodes):,} nodes: a graph has at most {MAX_NODES:,}; split it.")
    _require_edges(nodes, successors or {}, where)
    by_id: dict[str, QuestionNode] = {}
    for node in nodes:
        if node.id in by_id:
            raise UsageError(f"{named(node.id, where)} stands there twice: give each node an id of its own.")
        by_id[node.id] = node
        _require_texts(node, where)
    for node in nodes:
        _require_known(node, by_id, where)
    # before depths: an edge of a cycle has a wrong depth as well, and that would be the lesser half of the truth
    if cycle := _cycle(by_id):
        raise UsageError(
            f"{named(cycle[0], where)} leads back to itself ({_path(cycle)}): questions lead from depth 1 to 2 to 3 "
            "only; take one of these edges out."
        )
    for node in nodes:
        _require_steps(node, by_id, where)
    _require_agreement(by_id, successors or {}, where)
    return QuestionGraph(nodes=tuple(nodes))


def repeats(graph: QuestionGraph, where: Path) -> Iterator[str]:
    """Notices of questions that stand there with more than one reference answer, or at more than one depth."""
    first = {node.id: graph.by_id[graph.first_of[node.id]] for node in graph.nodes}
    other = [node.id for node in graph.nodes if _same(node.reference) != _same(first[node.id].reference)]
    if other:
        yield (
            f"{_counted(len(other), 'node')} of {where} {_has(other)} the question of an earlier node with another "
            f"reference answer; the first one counts: {_some(other)}."
        )
    moved = [node.id for node in graph.nodes if node.depth != first[node.id].depth]
    if moved:
        yield (
            f"{_counted(len(moved), 'node')} of {where} {_has(moved)} the question of an earlier node at another "
            f"depth: {_some(moved)}."
        )
    if len(graph.nodes) > 1 and not graph.edges:
        yield (
            f"No node of {where} has predecessors: each question stands alone, so that only scores can be measured "
            "and no discrepancies."
        )


def _require_edges(nodes: Sequence[QuestionNode], successors: Mapping[str, Sequence[str]], where: Path) -> None:
    edges = max(sum(len(node.predecessors) for node in nodes), sum(map(len, successors.values())))
    if edges > MAX_EDGES:
        raise UsageError(f"The file {where} names {edges:,} edges: a graph has at most {MAX_EDGES:,}; split it.")


def _require_texts(node: QuestionNode, where: Path) -> None:
    if not question_key(node.question):
        raise UsageError(f"{named(node.id, where)} has no question: write it, or take the node out.")
    if not question_key(node.reference):
        raise UsageError(
            f"{named(node.id, where)} has no reference answer: answers are judged against it; write it, or take the "
            "node out."
        )


def _require_known(node: QuestionNode, by_id: Mapping[str, QuestionNode], where: Path) -> None:
    seen = set()
    for predecessor in node.predecessors:
        if predecessor not in by_id:
            hint = "; part them by semicolons" if "," in predecessor else ""
            raise UsageError(
                f"{named(node.id, where)} names the predecessor {quoted(predecessor)}, and there is no such node: add "
                f"it, or take it out{hint}."
            )
        if predecessor in seen:
            raise UsageError(f"{named(node.id, where)} names the predecessor {predecessor} twice: keep one.")
        seen.add(predecessor)


def _require_steps(node: QuestionNode, by_id: Mapping[str, QuestionNode], where: Path) -> None:
    for predecessor in node.predecessors:
        depth = by_id[predecessor].depth
        if depth != node.depth - 1:
            raise UsageError(
                f"{named(node.id, where)} is of depth {node.depth} and its predecessor {predecessor} of depth {depth}: "
                "an edge leads from depth 1 to 2 or from 2 to 3; mend a depth, or take the edge out."
            )


def _require_agreement(by_id: Mapping[str, QuestionNode], successors: Mapping[str, Sequence[str]], where: Path) -> None:
    below = {node.id: frozenset(node.predecessors) for node in by_id.values()}
    above = {node_id: frozenset(named_by) for node_id, named_by in successors.items()}
    for node_id, named_by in successors.items():
        for successor in named_by:
            if successor not in by_id:
                raise UsageError(
                    f"{named(node_id, where)} names the successor {quoted(successor)}, and there is no such node: add "
                    "it, or take it out."
                )
            if node_id not in below[successor]:
                raise UsageError(
                    f"{named(node_id, where)} names the successor {successor}, which does not name {node_id} as its "
                    "predecessor: make both agree."
                )
        if len(above[node_id]) < len(named_by):
            twice = next(one for one, times in Counter(named_by).items() if times > 1)
            raise UsageError(f"{named(node_id, where)} names the successor {twice} twice: keep one.")
    for node in by_id.values():
        for predecessor in node.predecessors:
            if predecessor in above and node.id not in above[predecessor]:
                raise UsageError(
                    f"{named(node.id, where)} names the predecessor {predecessor}, whose successors leave {node.id} "
                    "out: make both agree."
                )


def _cycle(by_id: Mapping[str, QuestionNode]) -> list[str]:
    """The nodes along one cycle, from the first of them in the file, each leading to the next; none without any."""
    left = {node.id: len(node.predecessors) for node in by_id.values()}
    leads_to: dict[str, list[str]] = {node_id: [] for node_id in by_id}
    for node in by_id.values():
        for predecessor in node.predecessors:
            leads_to[predecessor].append(node.id)
    free = [node_id for node_id, count in left.items() if not count]
    while free:
        node_id = free.pop()
        del left[node_id]
        for successor in leads_to[node_id]:
            left[successor] -= 1
            if not left[successor]:
                free.append(successor)
    return _walked(by_id, left) if left else []


def _walked(by_id: Mapping[str, QuestionNode], left: Mapping[str, int]) -> list[str]:
    """Every node that is left has a predecessor that is left: going down from any of them comes back somewhere."""
    trail: dict[str, None] = {}
    node_id = next(node_id for node_id in by_id if node_id in left)
    while node_id not in trail:
        trail[node_id] = None
        node_id = next(one for one in by_id[node_id].predecessors if one in left)
    walked = list(trail)
    cycle = walked[walked.index(node_id) :][::-1]
    members = set(cycle)
    start = cycle.index(next(one for one in by_id if one in members))
    return cycle[start:] + cycle[:start]


def _path(cycle: Sequence[str], most: int = 8) -> str:
    shown = [*cycle[:most], "…"] if len(cycle) > most else list(cycle)
    return " → ".join([*shown, cycle[0]])


def _same(reference: str) -> str:
    return question_key(reference)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def _has(found: Sequence[str]) -> str:
    return "has" if len(found) == 1 else "have"


def _some(found: Sequence[str]) -> str:
    return ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
