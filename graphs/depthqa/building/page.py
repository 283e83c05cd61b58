"""The page of a build of a DepthQA graph: how large it is, what was taken out and why, where it is,
what comes next."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from shlex import quote
from typing import Any

from ....reports.page import figures
from ....reports.page.blocks import Block, Column, Line, Table, Text
from ....reports.page.sanitise import model_name, one_line
from ....reports.page.view import PageOptions, View
from ....reports.views.findings import ending
from ....state.depthqa.build import DepthQABuildResult
from ....tools.files.question_graph import GRAPH
from ..steps import BUILD_STEPS

DEPTHS_COLUMNS = (
    Column("questions", "words"),
    *(Column(level, level, "count") for level in ("D3", "D2", "D1")),
)
RELATION_COLUMNS = (
    Column("", "pair"),
    Column("covered by its predecessors", "covered"),
    Column("these keep its answer back", "implicit"),
    Column("not rated", "unrated", "count"),
)


def _headline(result: DepthQABuildResult) -> str:
    """`3 trees from 3 questions: 47 nodes with 43 questions, 62 edges · 3 removed, 3 augmented`."""
    graph, sources = result.graph, figures.count(len(result.spec.questions), "question")
    if graph is None:
        return f"no graph could be built from {sources}"
    trees, nodes = (
        figures.count(len(graph.trees), "tree"),
        figures.count(len(graph.nodes), "node"),
    )
    questions = figures.count(len(graph.holders), "question")
    size = f"{trees} from {sources}: {nodes} with {questions}, {figures.count(graph.edges, 'edge')}"
    return f"{size} · {len(result.removed):,} removed, {len(result.augmented):,} augmented"


def _remarks(result: DepthQABuildResult) -> list[str]:
    lines = ending(BUILD_STEPS, result, len(result.spec.questions), ())
    if result.unfilled:
        lines.append(f"{figures.count(result.unfilled, 'gap')} could not be filled.")
    return lines


def _blocks(result: DepthQABuildResult, how: PageOptions) -> Iterator[Block]:
    graph, counts = result.graph, defaultdict[str, Counter[str]](Counter)
    for name in graph.holders if graph else ():
        counts["in the graph"][f"D{graph.by_id[name].depth}" if graph else ""] += 1
    for row in result.removed:
        counts[f"taken out: {row.reason}"][f"D{row.depth}"] += 1
    lines = [{"words": words, **levels} for words, levels in counts.items()]
    yield Table("Questions by depth", DEPTHS_COLUMNS, lines)
    relations = [
        {
            "pair": table.pair,
            "covered": _counted(table.comprehensive),
            "implicit": _counted(table.implicit),
            "unrated": table.unrated,
        }
        for table in result.relations
    ]
    if relations:
        judge = f"as {model_name(result.spec.evaluator)} rates them"
        yield Table("Relations", RELATION_COLUMNS, relations, [judge])
    yield from _next(result, how)


def _counted(ratings: Mapping[Any, int]) -> str:
    return ", ".join(f"{number} {rating}" for rating, number in ratings.items())


def _next(result: DepthQABuildResult, how: PageOptions) -> Iterator[Block]:
    """Where the graph is, and the command that asks it; never folded, so that it can be copied."""
    if result.graph is not None and how.kept is not None:
        file = one_line(str(how.kept / GRAPH))
        command = (
            f"fathom depthqa ask {quote(file)} --target PROVIDER:MODEL --judge PROVIDER:MODEL"
        )
        yield Text(
            [Line(f"the graph is {file}", whole=True), Line(f"next: {command}", whole=True)]
        )


VIEW = View(headline=_headline, remarks=_remarks, blocks=_blocks)
