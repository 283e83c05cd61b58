"""What the judge says of written questions: wins, ties and losses by criterion, and which place it prefers."""

from collections.abc import Mapping, Sequence
from typing import Any

from .....state.deepquestion.result import CriterionRow, DeepQuestionResult, PositionRow
from ....page.chart.axes import PAGE, Axis, Row, Series
from ....page.chart.draw import across, chart, heading, room_of
from ....page.chart.picture import Picture
from ....page.figures import count, percent, whole
from ....page.palette import Mark, in_turn
from ..labels import CRITERION_NAMES, span

Runs = Mapping[str, DeepQuestionResult]
"""Label → run."""

WINS, PLACES = "win_rates", "places"
FILLS = {"original preferred": "#e8a66b", "tie": "#d9d9d9", "written question preferred": "#86b9de"}
"""From left to right; light enough for figures in dark ink, and told apart with any kind of colour blindness."""
BASES = ("written question and original", "two originals")
ALL = "all criteria"
_ROW, _TALL = 30, 42
"""Pixels of a criterion, and with two marks."""
_LEAST = 0.08
"""Share of the pairs from which a bar has room for its figure."""
_BESIDE = 96
"""Pixels of the figures at the right of a panel."""


def wins_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """Wins, ties and losses by criterion, a panel for each run; None without a pair."""
    held = {label: rows for label, run in runs.items() if (rows := _criteria(run))}
    if not held:
        return None
    present = {row.criterion for own in held.values() for row in own}
    names = [name for criterion, name in CRITERION_NAMES.items() if criterion in present]
    size, titles = _size(held, names, _ROW)
    bars = [bar for label, own in held.items() for row in own for bar in _bars(titles[label], row)]
    said = [
        *told,
        *_only(held),
        "Bars: share of the pairs, each judged in both orders. Preferred: in both of them; all others are ties, and"
        " stand in the middle.",
        "The numbers in the bars count pairs; the axis has their share.",
        "At the right the win rate, (wins + ties/2)/pairs in %, with its 95% interval (Student's t over pairs); 50"
        " where neither is better.",
    ]
    series = Series({name: Mark(fill, "square", "■") for name, fill in FILLS.items()}, across=True, filled=True)
    ticks = "format(abs(datum.value), '.0%')"
    x = Axis(low=-1, high=1, values=(-1, -0.5, 0, 0.5, 1), labels=ticks)
    words = [f"{label}: {'; '.join(map(_wins_in_words, rows))}." for label, rows in held.items()]
    return Picture(
        WINS,
        "Written questions against the originals",
        said,
        words,
        _width(size, names),
        lambda: chart(bars, x, _criteria_axis(names), series, kind="bar", lines=(0.0,), **size),
        series.legend,
    )


def _criteria(result: DeepQuestionResult) -> list[CriterionRow]:
    row = result.q2i
    return [each for each in row.comparisons.criteria if each.pairs] if row else []


def _size(held: Mapping[str, Any], names: Sequence[str], tall: int) -> tuple[dict[str, Any], dict[str, str]]:
    """Of a panel, and how many are side by side; and the headings of the panels: a single one needs none."""
    columns = min(2, len(held))
    width = 360 if columns == 1 else (PAGE - 40 - room_of(names)) // 2 - 24 - _BESIDE
    titles = {label: heading(label, width) if len(held) > 1 else "" for label in held}
    return {"width": width, "height": tall * len(names), "columns": columns}, titles


def _width(size: Mapping[str, Any], names: Sequence[str]) -> float:
    return float(size["columns"] * (size["width"] + _BESIDE) + room_of(names))


def _only(held: Mapping[str, Any]) -> list[str]:
    return [f"Target: {next(iter(held))}."] if len(held) == 1 else []


def _bars(panel: str, row: CriterionRow) -> list[Row]:
    """Losses, ties and wins, end to end; the ties around 0."""
    start = -(row.ties / 2 + row.losses) / row.pairs
    told = f"{whole(row.win_rate)}" + (f" ({span(row.win_rate, row.ci)})" if row.ci else "")
    made: list[Row] = []
    for kind, number in zip(FILLS, (row.losses, row.ties, row.wins), strict=True):
        end = start + number / row.pairs
        bar: Row = {"panel": panel, "y": CRITERION_NAMES[row.criterion], "series": kind, **across((start, end))}
        bar |= {"number": str(number), "middle": (start + end) / 2} if end - start >= _LEAST else {}
        made.append(bar | ({"told": told} if not made else {}))
        start = end
    return made


def _wins_in_words(row: CriterionRow) -> str:
    outcome = f"{count(row.wins, 'win')}, {count(row.ties, 'tie')}, {count(row.losses, 'loss', 'losses')}"
    interval = f" ({span(row.win_rate, row.ci)})" if row.ci else ""
    return f"{CRITERION_NAMES[row.criterion]} {outcome}, win rate {percent(row.win_rate)}{interval}"


def places_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """The share of preferences that go to the first place, a panel for each run; None where nothing was preferred."""
    held = {label: rows for label, run in runs.items() if (rows := _leanings(run))}
    if not held:
        return None
    every = [each for own in held.values() for each in own]
    names = [name for name in [*CRITERION_NAMES.values(), ALL] if name in {_name(row) for _, row in every}]
    bases = [base for base in BASES if any(base == own for own, _ in every)]
    size, titles = _size(held, names, _ROW if len(bases) == 1 else _TALL)
    marks: list[Row] = [
        {"panel": titles[label], "x": row.first_share, "y": _name(row), "series": base, **across(row.ci)}
        | {"told": f"{percent(row.first_share)} of {row.first + row.second:,}"}
        for label, own in held.items()
        for base, row in own
    ]
    said = [
        *told,
        *_only(held),
        "Share of the judge's preferences for the question in first position: 50% without bias. Ties are left out.",
        "Lines: 95% intervals. Right: % first-place preferences (n).",
        *([f"Compared: {bases[0]}."] if len(bases) == 1 else []),
    ]
    series = Series({base: mark for base, mark in in_turn(BASES).items() if base in bases}, across=True)
    x = Axis(values=(0, 0.25, 0.5, 0.75, 1))
    words = [f"{label}: {'; '.join(_place_in_words(*each) for each in own)}." for label, own in held.items()]
    return Picture(
        PLACES,
        "Judge position bias",
        said,
        words,
        _width(size, names),
        lambda: chart(marks, x, _criteria_axis(names), series, lines=(0.5,), **size),
        series.legend,
    )


def _leanings(result: DeepQuestionResult) -> list[tuple[str, PositionRow]]:
    """What was compared, and one criterion of it; those with a preference."""
    compared = [result.q2i.comparisons if result.q2i else None, result.baseline]
    return [
        (base, row)
        for base, own in zip(BASES, compared, strict=True)
        if own is not None
        for row in own.position
        if row.first_share is not None
    ]


def _name(row: PositionRow) -> str:
    return ALL if row.criterion == "all" else CRITERION_NAMES[row.criterion]


def _place_in_words(base: str, row: PositionRow) -> str:
    interval = f" ({span(row.first_share, row.ci)})" if row.ci else ""
    of = count(row.first + row.second, "preference")
    return f"{base}, {_name(row)} {percent(row.first_share)}{interval} of {of}"


def _criteria_axis(names: Sequence[str]) -> Axis:
    return Axis(names=names, room=room_of(names), bare=True, apart=0.25)
