"""What the judge says of written questions: wins, ties and losses by criterion, and which place it
prefers."""

from collections.abc import Mapping, Sequence
from typing import Any

from .....state.deepquestion.result import CriterionRow, DeepQuestionResult, PositionRow
from ....page.chart.axes import PAGE, Axis, Row, Series
from ....page.chart.draw import across, heading, room_of
from ....page.chart.picture import Picture
from ....page.figures import count, percent, whole
from ....page.palette import Mark, in_turn
from ...pictures import QUARTERS, picture
from ..labels import CRITERION_NAMES, span

Runs = Mapping[str, DeepQuestionResult]
"""Label → run."""
FILLS = {"original preferred": "#e8a66b", "tie": "#d9d9d9", "written question preferred": "#86b9de"}
"""From left to right; light enough for figures in dark ink, and told apart with any kind of colour
blindness."""
BASES = ("written question and original", "two originals")
_LEAST = 0.08
"""Share of the pairs from which a bar has room for its figure."""
_BESIDE = 96
"""Pixels of the figures at the right of a panel."""


def wins_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """Wins, ties and losses by criterion, a panel for each run; None without a pair."""
    rows = {
        label: [row for each in _criteria(run) for row in _bars(each)]
        for label, run in runs.items()
    }
    said = [
        "Bars: share of the pairs, each judged in both orders. Preferred: in both of them; all "
        "others are ties, and"
        " stand in the middle.",
        "The numbers in the bars count pairs; the axis has their share.",
        "At the right the win rate, (wins + ties/2)/pairs in %, with its 95% interval (Student's t "
        "over pairs); 50"
        " where neither is better.",
    ]
    series = Series(
        {name: Mark(fill, "square", "■") for name, fill in FILLS.items()}, across=True, filled=True
    )
    x = Axis(low=-1, high=1, values=(-1, -0.5, 0, 0.5, 1), labels="format(abs(datum.value), '.0%')")
    title = "Written questions against the originals"
    return _picture(
        "win_rates", title, rows, (told, said), x, series, tall=30, kind="bar", lines=(0.0,)
    )


def _criteria(result: DeepQuestionResult) -> list[CriterionRow]:
    row = result.q2i
    return [each for each in row.comparisons.criteria if each.pairs] if row else []


def _bars(row: CriterionRow) -> list[Row]:
    """Losses, ties and wins, end to end; the ties around 0."""
    name, interval = (
        CRITERION_NAMES[row.criterion],
        f" ({span(row.win_rate, row.ci)})" if row.ci else "",
    )
    outcome = (
        f"{count(row.wins, 'win')}, {count(row.ties, 'tie')}, {count(row.losses, 'loss', 'losses')}"
    )
    words = f"{name} {outcome}, win rate {percent(row.win_rate)}{interval}"
    start = -(row.ties / 2 + row.losses) / row.pairs
    made: list[Row] = [{"y": name, "told": f"{whole(row.win_rate)}{interval}", "words": words}]
    for kind, number in zip(FILLS, (row.losses, row.ties, row.wins), strict=True):
        end = start + number / row.pairs
        figure = (
            {"number": str(number), "middle": (start + end) / 2} if end - start >= _LEAST else {}
        )
        made.append({"y": name, "series": kind, **across((start, end)), **figure})
        start = end
    return made


def places_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """The share of preferences that go to the first place, a panel for each run; None where nothing
    was preferred."""
    rows = {label: _places(run) for label, run in runs.items()}
    bases = [
        base for base in BASES if any(row["series"] == base for own in rows.values() for row in own)
    ]
    said = [
        (
            "Share of the judge's preferences for the question in first position: 50% without "
            "bias. Ties are left out."
        ),
        "Lines: 95% intervals. Right: % first-place preferences (n).",
        *([f"Compared: {bases[0]}."] if len(bases) == 1 else []),
    ]
    series = Series(
        {base: mark for base, mark in in_turn(BASES).items() if base in bases}, across=True
    )
    tall = 30 if len(bases) == 1 else 42
    axis = Axis(values=QUARTERS)
    return _picture(
        "places", "Judge position bias", rows, (told, said), axis, series, tall=tall, lines=(0.5,)
    )


def _places(result: DeepQuestionResult) -> list[Row]:
    """What was compared, and one criterion of it; those with a preference."""
    compared = (result.q2i.comparisons if result.q2i else None, result.baseline)
    held = [
        (base, row)
        for base, of in zip(BASES, compared, strict=True)
        for row in (of.position if of else ())
    ]
    return [_place(base, row) for base, row in held if row.first_share is not None]


def _place(base: str, row: PositionRow) -> Row:
    interval = f" ({span(row.first_share, row.ci)})" if row.ci else ""
    name, preferences = _NAMES[row.criterion], row.first + row.second
    words = (
        f"{base}, {name} {percent(row.first_share)}{interval} of {count(preferences, 'preference')}"
    )
    at: Row = {"x": row.first_share, "y": name, "series": base, **across(row.ci)}
    return at | {"told": f"{percent(row.first_share)} of {preferences:,}", "words": words}


_NAMES = {
    **{str(criterion): name for criterion, name in CRITERION_NAMES.items()},
    "all": "all criteria",
}


def _picture(
    name: str,
    title: str,
    held: Mapping[str, Sequence[Row]],
    told: tuple[Sequence[str], Sequence[str]],
    x: Axis,
    series: Series,
    *,
    tall: int,
    **layout: Any,
) -> Picture | None:
    """A panel for each run, with a line for each criterion."""
    held = {label: rows for label, rows in held.items() if rows}
    if not held:
        return None
    present = {row["y"] for own in held.values() for row in own}
    names = [each for each in _NAMES.values() if each in present]
    columns = min(2, len(held))
    width = 360 if columns == 1 else (PAGE - 40 - room_of(names)) // 2 - 24 - _BESIDE
    rows = [
        {"panel": heading(label, width) if len(held) > 1 else "", "of": label, **row}
        for label, own in held.items()
        for row in own
    ]
    said = [*told[0], *([f"Target: {next(iter(held))}."] if len(held) == 1 else []), *told[1]]
    axes = x, Axis(names=names, room=room_of(names), bare=True, apart=0.25)
    size = {"width": width, "height": tall * len(names), "columns": columns, "beside": _BESIDE}
    return picture(name, title, said, rows, axes, series, **size, **layout)
