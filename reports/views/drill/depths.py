"""The live depth table: one row per depth, as wide as the screen allows."""

from collections.abc import Sequence

from ....state.records import Tier, tier_name
from ....state.result import DepthRow
from ...page import figures
from ...page.rows import Row, clip, pad
from ...progress import RunProgress
from ...step import RunContext
from ...tally import OpenPart

MIN_BAR, MAX_BAR = 4, 24
WIDE = 104
"""Width from which intervals, abstentions and unscored probes have columns of their own."""
Column = tuple[str, int, str]
"""Its head, how wide it is (flush left where that is negative), and the style of its figures."""


def open_depth(run: RunProgress) -> OpenPart | None:
    """The depth that is being asked, or was when the run ended."""
    return run.open[max(run.open)] if run.open else None


def scored(part: OpenPart) -> int:
    """Its probes with a verdict so far."""
    return sum(part.marks[mark] for mark in ("correct", "wrong", "abstained"))


def tier_in(scene: RunContext | None, tier: Tier) -> str:
    """A tier of the run as prose writes it."""
    if scene is None:
        return tier_name(tier)
    nominal = scene.spec.nominal if scene.nominal is None else scene.nominal
    return tier_name(tier, nominal=tier in nominal)


def depth_rows(run: RunProgress, width: int, height: int) -> list[Row]:
    """Heading and depths in at most `height` rows; when that is too few, the earliest depths are
    folded into one."""
    wide = width >= WIDE
    part = open_depth(run) if run.finished is None else None
    tiers = [f"{tier_in(run.scene, row.tier)} {row.tier_pass}" for row in run.rows]
    if part is not None:
        planned = part.planned
        tiers.append(f"{tier_in(run.scene, planned.tier)} {planned.tier_pass}" if planned else "")
    room = max(14, *map(len, tiers)) if tiers else 14
    bar = min(MAX_BAR, (width - room - (52 if wide else 28)) // 2)
    bar = bar if bar >= MIN_BAR else 0
    columns = _columns(room, bar, wide=wide)
    closed = zip(run.rows, tiers, strict=False)
    lines = [_row(columns, _closed(row, tier, bar, wide=wide)) for row, tier in closed]
    if part is not None:
        lines.append([*_row(columns, _open(part, tiers[-1], wide=wide)), *_waiting(part)])
    if not lines or height < 2:
        return []
    room = height - 1
    if len(lines) > room:
        folded = len(lines) - room + 1
        note = list[Row]()
        if room > 1:
            note.append([(f"  … {figures.count(folded, 'earlier depth')}", "quiet")])
        lines = note + lines[-(room - len(note)) :]
    heading: Row = [(text, "head") for text, _ in _row(columns, [head for head, _, _ in columns])]
    return [heading, *lines]


def _columns(room: int, bar: int, *, wide: bool) -> list[Column]:
    """`room`: cells of a tier; `bar`: of a bar, 0 where there is no room for any."""
    made = [
        ("d", 2, ""),
        ("tier", -room, ""),
        ("scored", 6, ""),
        ("✓", 3, "correct"),
    ]
    if wide:
        made += [("∅", 3, "abstained"), ("?", 3, "unscored")]
    for name, style in (("A", "accuracy"), ("S", "survival")):
        made.append((name, 5, "title"))
        if wide:
            made.append(("95% CI", -7, "quiet"))
        if bar:
            made.append(("", -bar, style))
    return made


def _row(columns: Sequence[Column], texts: Sequence[str]) -> Row:
    """The texts of the first columns, a blank apart."""
    row: Row = []
    for (_, size, style), text in zip(columns, texts, strict=False):
        width = abs(size)
        cell = pad(clip(text, width), width, right=size > 0)
        row += [(cell, style), (" ", "")]
    return row[:-1]


def _closed(row: DepthRow, tier: str, bar: int, *, wide: bool) -> list[str]:
    texts = [f"{row.depth}", tier, f"{row.scored}", f"{row.correct}"]
    texts += [f"{row.abstained}", f"{sum(row.unscored.values())}"] if wide else []
    for value, interval in ((row.accuracy, row.accuracy_ci), (row.survival, row.survival_ci)):
        texts.append(figures.percent(value))
        texts += [figures.percent_span(interval)] if wide else []
        texts += [figures.bar(value, interval, bar)] if bar else []
    return texts


def _open(part: OpenPart, tier: str, *, wide: bool) -> list[str]:
    planned, marks = part.planned, part.marks
    done = f"{scored(part)}/{planned.slots}" if planned else f"{scored(part)}"
    counts = ["correct", *(("abstained", "unscored") if wide else ())]
    return [f"{part.index}", tier, done, *(f"{marks[mark]}" for mark in counts)]


def _waiting(part: OpenPart) -> Row:
    planned = part.planned
    waiting = f"replacing, round {planned.round}" if planned and planned.round else "asking"
    paths = f", {figures.count(planned.paths, 'path')}" if planned else ""
    return [(f"  … {waiting}{paths}", "quiet")]
