"""Whether nodes make a graph that can be asked: every fault is refused with the node that has
it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ....state.errors import UsageError
from ....state.question_graph import QuestionGraph, QuestionNode, question_key
from ..text import quoted, some_of

MAX_NODES = 20_000


def named(node: str, path: Path) -> str:
    """How a message names a node: every one of them names its file, too."""
    return f"The node {node} of {path}"


def check_graph(
    nodes: Sequence[QuestionNode],
    where: Path,
    successors: Mapping[str, Sequence[str]] | None = None,
) -> QuestionGraph:
    """The graph of these nodes, without a name. `where` is what messages call the file;
    `successors` are those that the file names, by node.

    Raises UsageError, with the node, for: no node, more than 20,000, one id twice, a node without
    question or reference answer, a predecessor that is unknown or named twice, an edge that does
    not lead exactly one depth up (one of every cycle does not), and successors that do not agree
    with the predecessors. A node of depth 2 or 3 may have no predecessors.
    """
    if not 0 < len(nodes) <= MAX_NODES:
        raise UsageError(
            f"The file {where} holds {len(nodes):,} nodes: a graph has 1 to {MAX_NODES:,}."
        )
    by_id: dict[str, QuestionNode] = {}
    for node in nodes:
        if node.id in by_id:
            raise UsageError(
                f"{named(node.id, where)} stands there twice: give each node an id of its own."
            )
        by_id[node.id] = node
    for node in nodes:
        if fault := _fault(node, by_id):
            raise UsageError(f"{named(node.id, where)} {fault}.")
    _require_agreement(by_id, successors or {}, where)
    return QuestionGraph(nodes=tuple(nodes))


def repeats(graph: QuestionGraph, where: Path) -> Iterator[str]:
    """Notices of questions that stand there with more than one reference answer, and of a graph
    without edges."""
    first = {node.id: graph.by_id[graph.first_of[node.id]] for node in graph.nodes}
    with_other_reference = [
        n.id
        for n in graph.nodes
        if question_key(n.reference) != question_key(first[n.id].reference)
    ]
    if with_other_reference:
        yield (
            f"Questions of {where} with another reference answer than before; the first one "
            f"counts: {some_of(with_other_reference)}."
        )
    if len(graph.nodes) > 1 and not graph.edges:
        yield (
            f"No node of {where} has predecessors: each question stands alone, so that only scores "
            "can be measured "
            "and no discrepancies."
        )


def _fault(node: QuestionNode, by_id: Mapping[str, QuestionNode]) -> str:
    """What is wrong with the node; empty where nothing is."""
    for part, text in (("question", node.question), ("reference answer", node.reference)):
        if not question_key(text):
            return f"has no {part}: write it, or take the node out"
    names = set[str]()
    for name in node.predecessors:
        if name not in by_id:
            hint = "; part them by semicolons" if "," in name else ""
            return (
                f"names the predecessor {quoted(name)}, and there is no such node: add it, or "
                f"take it out{hint}"
            )
        if name in names:
            return f"names the predecessor {name} twice: keep one"
        names.add(name)
        if (depth := by_id[name].depth) != node.depth - 1:
            return (
                f"is of depth {node.depth} and its predecessor {name} of depth {depth}: an edge "
                "leads from depth 1 to "
                "2 or from 2 to 3; fix a depth, or take the edge out"
            )
    return ""


def _require_agreement(
    by_id: Mapping[str, QuestionNode], successors: Mapping[str, Sequence[str]], where: Path
) -> None:
    """Successors may be left out; those that are named are the predecessors' other side."""
    edges_up = {
        (lower, node.id)
        for node in by_id.values()
        for lower in node.predecessors
        if lower in successors
    }
    edges_down = {(lower, upper) for lower, uppers in successors.items() for upper in uppers}
    for lower, upper in sorted(edges_up ^ edges_down):
        raise UsageError(
            f"{named(lower, where)} has the successor {quoted(upper)} on one side only, as its "
            "successor or as that one's predecessor: make both agree."
        )
