"""The live depth table: one row per depth, as wide as the screen allows."""

from dataclasses import dataclass

from ....state.result import DepthRow
from ...page import figures
from ...page.rows import Row, clip, pad
from ...progress import RunProgress
from ...tally import OpenPart

MIN_BAR, MAX_BAR = 4, 24
WIDE = 104
"""Width from which intervals, abstentions and unscored probes have columns of their own."""


@dataclass(frozen=True, slots=True)
class Columns:
    """What fits into a width."""

    wide: bool
    bar: int
    """Cells of each of the two bars; 0 where they do not fit."""


def columns(width: int) -> Columns:
    """The columns for a screen `width` cells wide."""
    wide = width >= WIDE
    fixed = 66 if wide else 42
    bar = min(MAX_BAR, (width - fixed) // 2)
    return Columns(wide, bar if bar >= MIN_BAR else 0)


def open_depth(run: RunProgress) -> OpenPart | None:
    """The depth that is being asked, or was when the run ended."""
    return run.open[max(run.open)] if run.open else None


def scored(part: OpenPart) -> int:
    """Its probes with a verdict so far."""
    return sum(part.marks[mark] for mark in ("correct", "wrong", "abstained"))


def depth_rows(run: RunProgress, width: int, height: int) -> list[Row]:
    """Heading and depths in at most `height` rows; when that is too few, the earliest depths are folded into one."""
    shape, part = columns(width), open_depth(run) if run.finished is None else None
    lines = [_closed(row, shape) for row in run.rows]
    if part is not None:
        lines.append(_open(part, shape))
    if not lines or height < 2:
        return []
    room = height - 1
    if len(lines) > room:
        folded = len(lines) - room + 1
        note: list[Row] = [[(f"  … {figures.count(folded, 'earlier depth')}", "quiet")]] if room > 1 else []
        lines = note + lines[-(room - len(note)) :]
    return [_heading(shape), *lines]


def _heading(shape: Columns) -> Row:
    cells = [pad("d", 2, right=True), pad("tier", 14), pad("scored", 6, right=True), pad("✓", 3, right=True)]
    if shape.wide:
        cells += [pad("∅", 3, right=True), pad("?", 3, right=True)]
    for name in ("A", "S"):
        cells.append(pad(name, 5, right=True))
        if shape.wide:
            cells.append(pad("95% CI", 7))
        if shape.bar:
            cells.append(" " * shape.bar)
    return [(" ".join(cells), "head")]


def _closed(row: DepthRow, shape: Columns) -> Row:
    tier = f"{figures.tier_name(row.tier)} {row.tier_pass}"
    cells: Row = [(_lead(row.depth, tier, f"{row.scored}"), ""), (pad(str(row.correct), 3, right=True), "correct")]
    if shape.wide:
        cells.append((pad(str(row.abstained), 3, right=True), "abstained"))
        cells.append((pad(str(sum(row.unscored.values())), 3, right=True), "unscored"))
    for value, interval, style in (
        (row.accuracy, row.accuracy_ci, "accuracy"),
        (row.survival, row.survival_ci, "survival"),
    ):
        cells.append((pad(figures.percent(value), 5, right=True), "title"))
        if shape.wide:
            cells.append((pad(figures.percent_span(interval), 7), "quiet"))
        if shape.bar:
            cells.append((figures.bar(value, interval, shape.bar), style))
    return _spaced(cells)


def _open(part: OpenPart, shape: Columns) -> Row:
    planned = part.planned
    tier = f"{figures.tier_name(planned.tier)} {planned.tier_pass}" if planned else ""
    done = f"{scored(part)}/{planned.slots}" if planned else f"{scored(part)}"
    cells: Row = [(_lead(part.index, tier, done), ""), (pad(str(part.marks["correct"]), 3, right=True), "correct")]
    if shape.wide:
        cells.append((pad(str(part.marks["abstained"]), 3, right=True), "abstained"))
        cells.append((pad(str(part.marks["unscored"]), 3, right=True), "unscored"))
    waiting = f"replacing, round {planned.round}" if planned and planned.round else "asking"
    paths = f", {figures.count(planned.paths, 'path')}" if planned else ""
    cells.append((f" … {waiting}{paths}", "quiet"))
    return _spaced(cells)


def _lead(depth: int, tier: str, scored: str) -> str:
    return f"{depth:>2} {pad(clip(tier, 14), 14)} {pad(scored, 6, right=True)}"


def _spaced(cells: Row) -> Row:
    row: Row = []
    for cell in cells:
        row += [cell, (" ", "")]
    return row[:-1]
