"""What came of building a DepthQA graph: how large it is, what was taken out and why, where it is,
what comes next."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import Any, get_args

from .....state.depthqa.build import (
    Comprehensive,
    DepthQABuildResult,
    Implicit,
    Removal,
)
from .....state.depthqa.items import DEPTHS
from .....tools.files.depthqa.graph import GRAPH
from ....page import figures
from ....page.blocks import Block, Column, Line, Table, Text
from ....page.sanitise import model_name, one_line
from ....page.view import CASES, PageOptions, View
from ...findings import ending, forced
from .steps import STEPS

LEXICAL = (
    "Similarity was measured by the words that questions share (lexical): only near-verbatim "
    "repeats are found."
)
DEPTH_COLUMNS = (
    Column("depth", "depth"),
    Column("questions", "questions", "count", style="bold"),
    Column("augmented", "augmented", "count", since=56),
    Column("rewritten", "rewritten", "count", since=56),
    Column("removed", "removed", "count"),
    Column("merged", "merged", "count"),
)
REASON_COLUMNS = (Column("reason", "words"), Column("questions", "n", "count"))


def _headline(result: DepthQABuildResult) -> str:
    """`3 trees from 3 questions: 47 nodes with 43 questions, 62 edges · 2 removed, 1 merged, 3
    augmented`."""
    graph, brought = result.graph, figures.count(len(result.spec.questions), "question")
    if graph is None:
        return f"no graph could be built from {brought}"
    distinct = figures.count(len(graph.holders), "question")
    size = (
        f"{figures.count(len(graph.nodes), 'node')} with {distinct}, "
        f"{figures.count(graph.edges, 'edge')}"
    )
    merged = sum(row.reason == "merged" for row in result.removed)
    counted = {
        "removed": len(result.removed) - merged,
        "merged": merged,
        "augmented": len(result.augmented),
        "rewritten": len(result.rewritten),
    }
    changes = [f"{number:,} {word}" for word, number in counted.items() if number]
    return figures.joined(
        [f"{figures.count(len(graph.trees), 'tree')} from {brought}: {size}", ", ".join(changes)]
    )


def _remarks(result: DepthQABuildResult) -> list[str]:
    lines = ending(STEPS, result, len(result.spec.questions), ())
    if result.similarity == "lexical":
        lines.append(LEXICAL)
    else:
        lines.append(f"Similarity was measured by the embeddings of {result.similarity}.")
    if result.unfilled:
        lines.append(f"{figures.count(result.unfilled, 'gap')} could not be filled.")
    return [*lines, *forced(result)]


def _title(result: DepthQABuildResult) -> tuple[str, list[str]]:
    spec = result.spec
    parts = [
        f"evaluator {model_name(spec.evaluator)}",
        f"at most {figures.count(spec.width, 'predecessor')} a question",
    ]
    return spec.name, [*parts, f"language {spec.language}", f"seed {spec.seed}"]


def _cases(result: DepthQABuildResult, how: PageOptions) -> Iterator[Block]:
    """Relations that leave something out or give something away."""
    lines = _poor(result)
    if lines:
        more = f"; {len(lines) - CASES:,} more in the result" if len(lines) > CASES else ""
        yield Text(
            lines[:CASES], f"Relations to look at: {min(CASES, len(lines))} of {len(lines):,}{more}"
        )


def _poor(result: DepthQABuildResult) -> list[str | Line]:
    lines: list[str | Line] = []
    for check in result.checks:
        given = [name for name, rating in check.implicit.items() if rating == "revealing"]
        if check.comprehensive in ("partial", "insufficient"):
            missing = f": {check.missing}" if check.missing.strip() else ""
            lines.append(Line(f"{check.node} {check.comprehensive}{missing}", lines=2))
        if given:
            lines.append(f"{check.node} is given away by {', '.join(given)}")
    return lines


def _blocks(result: DepthQABuildResult, how: PageOptions) -> Iterator[Block]:
    if result.graph is not None or result.removed:
        yield Table("Questions by depth", DEPTH_COLUMNS, _depths(result))
    yield from _removed(result.removed)
    yield from _relations(result)


def _depths(result: DepthQABuildResult) -> list[dict[str, Any]]:
    graph = result.graph
    known = graph.by_id if graph else {}
    of: Mapping[str, Counter[int]] = {
        "questions": Counter(known[first].depth for first in graph.holders) if graph else Counter(),
        "augmented": Counter(known[node].depth for node in result.augmented if node in known),
        "rewritten": Counter(
            known[row.node].depth for row in result.rewritten if row.node in known
        ),
        "removed": Counter(row.depth for row in result.removed if row.reason != "merged"),
        "merged": Counter(row.depth for row in result.removed if row.reason == "merged"),
    }
    return [
        {"depth": f"D{depth}", **{name: n[depth] for name, n in of.items()}}
        for depth in reversed(DEPTHS)
    ]


def _removed(rows: Sequence[Removal]) -> Iterator[Block]:
    """How many for which reason; the result names them."""
    if rows:
        counted = Counter(row.reason for row in rows).most_common()
        reasons = [{"n": number, "words": reason} for reason, number in counted]
        yield Table("What was taken out", REASON_COLUMNS, reasons)


def _relations(result: DepthQABuildResult) -> Iterator[Block]:
    """The evaluator's ratings of the relations (the paper's tables 8 and 9)."""
    tables = result.relations
    if not tables:
        return
    columns = [Column("", "words", fold=True)]
    columns += [Column(table.pair, table.pair, "part") for table in tables]
    covered = {table.pair: table.comprehensive for table in tables}
    implicit = {table.pair: table.implicit for table in tables}
    lines = [
        "is a question covered by its predecessors?",
        *_ratings(covered, get_args(Comprehensive)),
        "do these keep its answer back?",
        *_ratings(implicit, get_args(Implicit)),
    ]
    unrated = sum(table.unrated for table in tables)
    lost = [f"{figures.count(unrated, 'relation')} not rated, for a fault"] if unrated else []
    judge = f"as {model_name(result.spec.evaluator)} rates them"
    yield Table("Relations", columns, lines, [judge, *lost])


def _ratings(
    counts: Mapping[Any, Mapping[Any, int]], ratings: Sequence[str]
) -> list[dict[str, Any]]:
    """A line per rating: for each pair of depths how many of all that were rated have it."""
    lines = []
    for rating in ratings:
        parts = {pair: (own.get(rating, 0), sum(own.values())) for pair, own in counts.items()}
        lines.append({"words": rating, **parts})
    return lines


def _after(result: DepthQABuildResult, how: PageOptions) -> Iterator[Block]:
    """Where the graph is, and the command that asks it; never folded, so that it can be copied."""
    if result.graph is not None and how.kept is not None:
        file = one_line(str(how.kept / GRAPH))
        command = f"fathom depthqa ask {quote(file)} --target PROVIDER:MODEL --judge PROVIDER:MODEL"
        yield Text([Line(f"the graph is {file}", whole=True), Line(f"next: {command}", whole=True)])


VIEW = View(
    headline=_headline, title=_title, remarks=_remarks, cases=_cases, blocks=_blocks, after=_after
)
