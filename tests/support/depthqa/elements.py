"""Graphs of the simulated world's questions at three depths."""

from collections.abc import Sequence
from itertools import zip_longest

from fathom.sim.depthqa import LibraryQuestion, library
from fathom.sim.values import shuffled
from fathom.state.question_graph import QuestionGraph, QuestionNode


def strategies(count: int, seed: int) -> list[LibraryQuestion]:
    """So many questions of depth 3, all kinds in turn, in an order that the seed decides. Raises
    ValueError where there are not so many."""
    kinds: dict[str, list[LibraryQuestion]] = {}
    for question in library().values():
        if question.depth == 3:
            kinds.setdefault(question.id.split(".")[1], []).append(question)
    mixed = (
        [library()[name] for name in shuffled([each.id for each in some], seed)]
        for some in kinds.values()
    )
    roots = [question for turn in zip_longest(*mixed) for question in turn if question]
    if count > len(roots):
        raise ValueError(f"The library has {len(roots)} questions of depth 3, and not {count}.")
    return roots[:count]


def graph_of(count: int, seed: int, *, shared: bool = True) -> QuestionGraph:
    """A graph of `count` questions of depth 3 with everything they rest on.

    `shared`: a question that serves several is one node; otherwise each tree has nodes of its own,
    as in the published data. Raises ValueError when there are not so many questions.
    """
    return as_graph(strategies(count, seed), f"elements-{count}-{seed}", shared=shared)


def as_graph(
    roots: Sequence[LibraryQuestion], name: str, *, shared: bool = True
) -> QuestionGraph:
    """The questions with everything they rest on."""
    nodes: dict[str, QuestionNode] = {}
    for tree, root in enumerate(roots, 1):
        _put(nodes, root, "" if shared else f"{tree}.", root.domain)
    return QuestionGraph(
        name=name, nodes=tuple(sorted(nodes.values(), key=lambda node: -node.depth))
    )


def _put(
    nodes: dict[str, QuestionNode], question: LibraryQuestion, prefix: str, domain: str
) -> str:
    node_id = prefix + question.id
    if node_id not in nodes:
        own = question.domain or domain
        nodes[node_id] = QuestionNode(
            id=node_id,
            depth=question.depth,
            question=question.question,
            reference=question.reference,
            predecessors=tuple(_put(nodes, need, prefix, own) for need in question.needs),
            domain=own,
            reasoning=question.reasoning,
        )
    return node_id
