"""What came of building a DepthQA graph: how large it is, what was taken out and why, where it is, what comes next."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from rich.console import Group, RenderableType
from rich.text import Text

from .....state.depthqa.build import Comprehensive, DepthQABuildResult, Implicit, RelationTable, Removal, Why
from .....state.depthqa.items import DEPTHS
from .....tools.files.depthqa.graph import GRAPH
from ....page import figures
from ....page.endings import ended_sentence
from ....page.remarks import DEVIATES, SIMULATED, kept_in, listed, sentence
from ....page.rows import STYLES, clip
from ....page.sanitise import model_name, one_line
from ....page.tables import Column, table_of, under
from ....page.usage import usage_part
from ..figures import share

SHOWN = 12
"""Removed, rewritten and badly rated questions that are listed; of more the first."""
REASONS: dict[Why, str] = {
    "not depth 3": "not of depth 3",
    "unclassified": "whose depth nobody could tell",
    "yes or no": "that can be answered by yes or no",
    "repeated": "that another predecessor of the same question repeats",
    "merged": "made one with another question's predecessor, which now serves both",
    "like a shallower": "of depth 2 like one of depth 1",
    "like a deeper": "of depth 1 like one of depth 2",
    "no reference": "without a reference answer",
    "not deconstructed": "that could not be deconstructed",
    "orphan": "left alone when what they led to went",
}
LEXICAL = "Likeness was measured by the words that questions share (lexical): only near-verbatim repeats are found."


@dataclass(frozen=True, slots=True)
class _Depth:
    """A line of the table by depth."""

    depth: int
    questions: int
    augmented: int
    rewritten: int
    removed: int
    merged: int


def build_summary(result: DepthQABuildResult, *, width: int, kept: Path | None = None) -> RenderableType:
    """What came of building a graph. `kept`: the run's folder."""
    parts: list[RenderableType] = [*_heading(result), Text(build_headline(result), "bold")]
    parts += [Text(line) for line in build_remarks(result)]
    if result.graph is not None or result.removed:
        parts += ["", *under("Questions by depth", table_of(DEPTH_COLUMNS, _depths(result), width=width))]
    parts += [*_removed(result.removed, width), *_rewritten(result, width), *_relations(result, width)]
    parts += [*usage_part(result, width=width), *listed("Notes", result.notes), *listed(DEVIATES, result.conformance)]
    parts += ["", Text(f"took {figures.duration(result.wall_s)}", "dim"), *kept_in(kept)]
    return Group(*parts, *_next(result, kept))


def build_headline(result: DepthQABuildResult) -> str:
    """`3 trees from 3 questions: 47 nodes with 43 questions, 62 edges · 2 removed, 1 merged, 3 augmented`."""
    graph, brought = result.graph, figures.count(len(result.spec.questions), "question")
    if graph is None:
        return f"no graph could be built from {brought}"
    distinct = figures.count(len(graph.holders), "question")
    size = f"{figures.count(len(graph.nodes), 'node')} with {distinct}, {figures.count(graph.edges, 'edge')}"
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
    return figures.joined([f"{figures.count(len(graph.trees), 'tree')} from {brought}: {size}", ", ".join(changes)])


def build_remarks(result: DepthQABuildResult) -> list[str]:
    """What must be known of the graph."""
    lines = []
    if result.status != "complete" or result.stop_reason != "all_asked":
        stop = one_line(result.stop_reason), one_line(result.stop_detail)
        lines.append(sentence(ended_sentence(result.spec, result.status, *stop)))
    if result.similarity == "lexical":
        lines.append(LEXICAL)
    else:
        lines.append(f"Likeness was measured by the embeddings of {one_line(result.similarity)}.")
    if result.unfilled:
        places = figures.count(
            result.unfilled, "place that a removed question left", "places that removed questions left"
        )
        lines.append(f"{places} stayed empty.")
    return [*lines, *(one_line(note) for note in result.notes if note.startswith("Resumed by force"))]


def _heading(result: DepthQABuildResult) -> list[RenderableType]:
    spec = result.spec
    parts = [
        f"evaluator {model_name(spec.evaluator)}",
        f"at most {figures.count(spec.width, 'predecessor')} a question",
    ]
    parts += [f"language {spec.language}", f"seed {spec.seed}"]
    title = Text.assemble((one_line(spec.name), "bold"), " · ", " · ".join(parts))
    return [title, Text(SIMULATED, STYLES["badge"])] if result.simulated else [title]


DEPTH_COLUMNS: tuple[Column[_Depth], ...] = (
    Column("depth", lambda r: f"D{r.depth}", text=True, fixed=True),
    Column("questions", lambda r: Text(f"{r.questions:,}", "bold")),
    Column("augmented", lambda r: f"{r.augmented:,}", since=56),
    Column("rewritten", lambda r: f"{r.rewritten:,}", since=56),
    Column("removed", lambda r: f"{r.removed:,}"),
    Column("merged", lambda r: f"{r.merged:,}"),
)


def _depths(result: DepthQABuildResult) -> list[_Depth]:
    graph = result.graph
    known = graph.by_id if graph else {}
    of: Mapping[str, Counter[int]] = {
        "questions": Counter(known[first].depth for first in graph.holders) if graph else Counter(),
        "augmented": Counter(known[node].depth for node in result.augmented if node in known),
        "rewritten": Counter(known[row.node].depth for row in result.rewritten if row.node in known),
        "removed": Counter(row.depth for row in result.removed if row.reason != "merged"),
        "merged": Counter(row.depth for row in result.removed if row.reason == "merged"),
    }
    return [_Depth(depth, **{name: counts[depth] for name, counts in of.items()}) for depth in reversed(DEPTHS)]


def _removed(rows: Sequence[Removal], width: int) -> list[RenderableType]:
    """How many for which reason, and the questions, each with the one it is like."""
    if not rows:
        return []
    parts: list[RenderableType] = ["", Text("What was taken out", "bold")]
    counted = Counter(row.reason for row in rows)
    parts += [Text(f"{counted[name]:>4} {words}") for name, words in REASONS.items() if counted[name]]
    for row in rows[:SHOWN]:
        parts.append(Text.assemble((f"{one_line(row.node)} ", "dim"), _short(row.question, width), f" ({row.reason})"))
        if row.like:
            how = "" if row.similarity is None else f", likeness {figures.score(row.similarity)}"
            parts.append(Text(f"  like {one_line(row.like)}{how}: {_short(row.like_question, width)}", "dim"))
    return [*parts, *_more(len(rows))]


def _short(text: str, width: int) -> str:
    return clip(one_line(text[: 8 * width]), max(20, width))


def _more(number: int) -> list[RenderableType]:
    return [Text(f"and {number - SHOWN:,} more in the result", "dim")] if number > SHOWN else []


def _rewritten(result: DepthQABuildResult, width: int) -> list[RenderableType]:
    rows = result.rewritten
    if not rows:
        return []
    parts: list[RenderableType] = ["", Text("Yes-or-no questions asked openly", "bold")]
    for row in rows[:SHOWN]:
        parts.append(Text.assemble((f"{one_line(row.node)} ", "dim"), _short(row.before, width)))
        parts.append(Text(f"  → {_short(row.after, width)}"))
    return [*parts, *_more(len(rows))]


_COMPREHENSIVE: tuple[tuple[Comprehensive, str], ...] = (
    ("comprehensive", "comprehensive"),
    ("partial", "partially comprehensive"),
    ("insufficient", "insufficient"),
)
_IMPLICIT: tuple[tuple[Implicit, str], ...] = (
    ("implicit", "fully implicit"),
    ("partial", "partially implicit"),
    ("revealing", "gives its successor away"),
)
Line = tuple[str, tuple[tuple[int, int], ...]]
"""A rating, and for each pair of depths (how many have it, of how many)."""


def _relations(result: DepthQABuildResult, width: int) -> list[RenderableType]:
    """The evaluator's ratings of the relations, as shares (the paper's tables 8 and 9)."""
    tables = result.relations
    if not tables:
        return []
    covers: list[Line] = [
        (words, tuple((table.comprehensive.get(name, 0), sum(table.comprehensive.values())) for table in tables))
        for name, words in _COMPREHENSIVE
    ]
    hides: list[Line] = [
        (words, tuple((table.implicit.get(name, 0), sum(table.implicit.values())) for table in tables))
        for name, words in _IMPLICIT
    ]
    said = f"as {model_name(result.spec.evaluator)} rates them"
    parts: list[RenderableType] = ["", *under("Relations covered", table_of(_columns(tables), covers, width=width))]
    kept_back = "Predecessors that keep the answer back"
    parts += ["", *under(kept_back, table_of(_columns(tables), hides, width=width))]
    parts.append(Text(f"{said} · of all rated relations, and of all rated predecessors", "dim"))
    unrated = [f"{table.unrated:,} of {table.relations:,} {table.pair}" for table in tables if table.unrated]
    parts += [Text(f"not rated, for a fault: {', '.join(unrated)}")] if unrated else []
    return [*parts, *_poor(result, width)]


def _columns(tables: Sequence[RelationTable]) -> list[Column[Line]]:
    columns: list[Column[Line]] = [Column("", lambda r: r[0], text=True)]
    for place, table in enumerate(tables):
        columns.append(Column(table.pair.replace(" ", ""), lambda r, p=place: f"{r[1][p][0]:,}"))  # type: ignore[misc]
        columns.append(Column("%", lambda r, p=place: _share(r[1][p])))  # type: ignore[misc]
    return columns


def _share(counts: tuple[int, int]) -> str:
    return share(counts[0] / counts[1] if counts[1] else None)


def _poor(result: DepthQABuildResult, width: int) -> list[RenderableType]:
    """Relations that leave something out or give something away."""
    lines: list[RenderableType] = []
    for check in result.checks:
        given = [one_line(name) for name, rating in check.implicit.items() if rating == "revealing"]
        if check.comprehensive in ("partial", "insufficient"):
            missing = f": {_short(check.missing, width)}" if check.missing.strip() else ""
            lines.append(Text(f"{one_line(check.node)} {check.comprehensive}{missing}"))
        if given:
            lines.append(Text(f"{one_line(check.node)} is given away by {', '.join(given)}"))
    return ["", Text("Relations to look at", "bold"), *lines[:SHOWN], *_more(len(lines))] if lines else []


def _next(result: DepthQABuildResult, kept: Path | None) -> list[RenderableType]:
    """Where the graph is, and the command that asks it; never folded, so that it can be copied."""
    if result.graph is None or kept is None:
        return []
    file = one_line(str(kept / GRAPH))
    command = f"fathom depthqa ask {quote(file)} --target PROVIDER:MODEL --judge PROVIDER:MODEL"
    return [
        Text(f"the graph is {file}", no_wrap=True, overflow="ignore"),
        Text(f"next: {command}", no_wrap=True, overflow="ignore"),
    ]
