"""What came of building a DepthQA graph: how large it is, what was taken out and why, where it is,
what comes next."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

from .....state.depthqa.build import (
    Comprehensive,
    DepthQABuildResult,
    Implicit,
    RelationTable,
    Removal,
    Why,
)
from .....state.depthqa.items import DEPTHS
from .....tools.files.depthqa.graph import GRAPH
from ....page import figures
from ....page.blocks import Block, Column, Line, Table, Text
from ....page.sanitise import model_name, one_line
from ....page.view import CASES, How, View
from ...findings import ending, forced

REASONS: dict[Why, str] = {
    "not depth 3": "not of depth 3",
    "unclassified": "whose depth is unclear",
    "yes or no": "that can be answered by yes or no",
    "repeated": "that another predecessor of the same question repeats",
    "merged": "merged with a predecessor of another question",
    "like a shallower": "of depth 2 like one of depth 1",
    "like a deeper": "of depth 1 like one of depth 2",
    "no reference": "without a reference answer",
    "not deconstructed": "that could not be deconstructed",
    "orphan": "removed because nothing depends on them any more",
}
LEXICAL = (
    "Similarity was measured by the words that questions share (lexical): only near-verbatim "
    "repeats are found."
)

COMPREHENSIVE: Mapping[Comprehensive, str] = {
    "comprehensive": "comprehensive",
    "partial": "partially comprehensive",
    "insufficient": "insufficient",
}
IMPLICIT: Mapping[Implicit, str] = {
    "implicit": "fully implicit",
    "partial": "partially implicit",
    "revealing": "gives its successor away",
}
DEPTH_COLUMNS = (
    Column("depth", "depth"),
    Column("questions", "questions", "count", style="bold"),
    Column("augmented", "augmented", "count", since=56),
    Column("rewritten", "rewritten", "count", since=56),
    Column("removed", "removed", "count"),
    Column("merged", "merged", "count"),
)
REASON_COLUMNS = (Column("n", "n", "count"), Column("questions", "words", fold=True))


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
    changes = [
        f"{number:,} {word}"
        for number, word in (
            (len(result.removed) - merged, "removed"),
            (merged, "merged"),
            (len(result.augmented), "augmented"),
            (len(result.rewritten), "rewritten"),
        )
        if number
    ]
    return figures.joined(
        [f"{figures.count(len(graph.trees), 'tree')} from {brought}: {size}", ", ".join(changes)]
    )


def _remarks(result: DepthQABuildResult) -> list[str]:
    lines = ending(result, "question", len(result.spec.questions), ())
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


def _cases(result: DepthQABuildResult, how: How) -> Iterator[Block]:
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


def _blocks(result: DepthQABuildResult, how: How) -> Iterator[Block]:
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
    if not rows:
        return
    counted = Counter(row.reason for row in rows)
    reasons = [
        {"n": counted[name], "words": words} for name, words in REASONS.items() if counted[name]
    ]
    yield Table("What was taken out", REASON_COLUMNS, reasons)


def _relations(result: DepthQABuildResult) -> Iterator[Block]:
    """The evaluator's ratings of the relations, as shares (the paper's tables 8 and 9)."""
    tables = result.relations
    if not tables:
        return
    said = f"as {model_name(result.spec.evaluator)} rates them"
    unrated = [
        f"{table.unrated:,} of {table.relations:,} {table.pair}"
        for table in tables
        if table.unrated
    ]
    lost = [f"not rated, for a fault: {', '.join(unrated)}"] if unrated else []
    yield _ratings(
        "Relations covered",
        tables,
        "comprehensive",
        COMPREHENSIVE,
        f"{said} · of all rated relations",
    )
    kept_back = "Predecessors that keep the answer back"
    yield _ratings(
        kept_back, tables, "implicit", IMPLICIT, f"{said} · of all rated predecessors", *lost
    )


def _ratings(
    title: str, tables: Sequence[RelationTable], field: str, names: Mapping[Any, str], *said: str
) -> Table:
    """A line per rating: for each pair of depths how many have it, and their share of all rated."""
    columns = [Column("", "words", fold=True)]
    rows: list[dict[str, Any]] = [{"words": words} for words in names.values()]
    for place, table in enumerate(tables):
        counts: Mapping[Any, int] = getattr(table, field)
        total = sum(counts.values())
        columns.append(Column(table.pair.replace(" ", ""), f"n{place}", "count"))
        columns.append(Column("%", f"share{place}", "percents"))
        for row, name in zip(rows, names, strict=True):
            number = counts.get(name, 0)
            row |= {f"n{place}": number, f"share{place}": number / total if total else None}
    return Table(title, columns, rows, said)


def _after(result: DepthQABuildResult, how: How) -> Iterator[Block]:
    """Where the graph is, and the command that asks it; never folded, so that it can be copied."""
    if result.graph is not None and how.kept is not None:
        file = one_line(str(how.kept / GRAPH))
        command = f"fathom depthqa ask {quote(file)} --target PROVIDER:MODEL --judge PROVIDER:MODEL"
        yield Text([Line(f"the graph is {file}", whole=True), Line(f"next: {command}", whole=True)])


VIEW = View(
    headline=_headline, title=_title, remarks=_remarks, cases=_cases, blocks=_blocks, after=_after
)
