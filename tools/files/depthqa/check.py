"""Whether nodes make a graph that can be asked: every fault is refused with the node that has it."""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from ....state.depthqa.items import QuestionGraph, QuestionNode, question_key
from ....state.errors import UsageError
from ..text import quoted, some_of

MAX_NODES = 20_000
MAX_EDGES = 200_000


def named(node: str, path: Path) -> str:
    """How a message names a node: every one of them names its file, too."""
    return f"The node {node} of {path}"


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
    above = successors or {}
    edges = max(sum(len(node.predecessors) for node in nodes), sum(map(len, above.values())))
    for count, most, what in ((len(nodes), MAX_NODES, "nodes"), (edges, MAX_EDGES, "edges")):
        if count > most:
            raise UsageError(f"The file {where} has {count:,} {what}: a graph has at most {most:,}; split it.")
    if not nodes:
        raise UsageError(f"The file {where} holds no node: a graph needs at least one question.")
    by_id: dict[str, QuestionNode] = {}
    for node in nodes:
        if node.id in by_id:
            raise UsageError(f"{named(node.id, where)} stands there twice: give each node an id of its own.")
        by_id[node.id] = node
    for node in nodes:
        _require_sound(node, by_id, where)
    # before depths: an edge of a cycle has a wrong depth as well, and that would be the lesser half of the truth
    _require_no_cycle(nodes, where)
    for node in nodes:
        for predecessor in node.predecessors:
            depth = by_id[predecessor].depth
            if depth != node.depth - 1:
                raise UsageError(
                    f"{named(node.id, where)} is of depth {node.depth} and its predecessor {predecessor} of depth "
                    f"{depth}: an edge leads from depth 1 to 2 or from 2 to 3; mend a depth, or take the edge out."
                )
    _require_agreement(by_id, above, where)
    return QuestionGraph(nodes=tuple(nodes))


def repeats(graph: QuestionGraph, where: Path) -> Iterator[str]:
    """Notices of questions that stand there with more than one reference answer, or at more than one depth."""
    first = {node.id: graph.by_id[graph.first_of[node.id]] for node in graph.nodes}
    other = [n.id for n in graph.nodes if question_key(n.reference) != question_key(first[n.id].reference)]
    moved = [n.id for n in graph.nodes if n.depth != first[n.id].depth]
    if other:
        yield f"Questions of {where} with another reference answer than before; the first one counts: {some_of(other)}."
    if moved:
        yield f"Questions of {where} that stand at another depth than before: {some_of(moved)}."
    if len(graph.nodes) > 1 and not graph.edges:
        yield (
            f"No node of {where} has predecessors: each question stands alone, so that only scores can be measured "
            "and no discrepancies."
        )


def _require_sound(node: QuestionNode, by_id: Mapping[str, QuestionNode], where: Path) -> None:
    """Texts that are there, and predecessors that are there once."""
    this = named(node.id, where)
    for what, said in (("question", node.question), ("reference answer", node.reference)):
        if not question_key(said):
            raise UsageError(f"{this} has no {what}: write it, or take the node out.")
    if unknown := next((one for one in node.predecessors if one not in by_id), None):
        hint = "; part them by semicolons" if "," in unknown else ""
        raise UsageError(
            f"{this} names the predecessor {quoted(unknown)}, and there is no such node: add it, or take it out{hint}."
        )
    if len(set(node.predecessors)) < len(node.predecessors):
        twice = next(one for place, one in enumerate(node.predecessors) if one in node.predecessors[:place])
        raise UsageError(f"{this} names the predecessor {twice} twice: keep one.")


def _require_no_cycle(nodes: Sequence[QuestionNode], where: Path) -> None:
    try:
        TopologicalSorter({node.id: node.predecessors for node in nodes}).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        some = [*cycle[:8], "…", cycle[-1]] if len(cycle) > 9 else cycle
        raise UsageError(
            f"{named(cycle[0], where)} leads back to itself ({' → '.join(some)}): questions lead from depth 1 to 2 to "
            "3 only; take one of these edges out."
        ) from None


def _require_agreement(by_id: Mapping[str, QuestionNode], above: Mapping[str, Sequence[str]], where: Path) -> None:
    """Successors may be left out; those that are named are the predecessors' other side."""
    below = {(predecessor, node.id) for node in by_id.values() for predecessor in node.predecessors}
    told = {node: set(named_by) for node, named_by in above.items()}
    for lower, upper in ((lower, upper) for lower, named_by in above.items() for upper in named_by):
        if (lower, upper) not in below:
            fault = f"does not name {lower} as its predecessor" if upper in by_id else "is no node"
            raise UsageError(
                f"{named(lower, where)} names the successor {quoted(upper)}, which {fault}: make both agree."
            )
    for node in by_id.values():
        for predecessor in node.predecessors:
            if predecessor in told and node.id not in told[predecessor]:
                raise UsageError(
                    f"{named(node.id, where)} names the predecessor {predecessor}, whose successors leave {node.id} "
                    "out: make both agree."
                )
