"""Mean scores by depth, and how they change with the way of asking."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor
from typing import get_args

from .....state.depthqa.result import Change, DepthQAResult, Level, ScoreRow
from ....page.chart.axes import PAGE, PLUS, SIGN, Axis, Row, Series
from ....page.chart.draw import chart, interval
from ....page.chart.picture import Picture
from ....page.chart.runs import by_mode, only
from ....page.figures import count, difference, number, span_words

LEVELS: tuple[Level, ...] = get_args(Level)
SCORES, MODES = "scores", "modes"
_HEIGHT = 250
"""Of a panel, in pixels."""
_HALF = 0.5
"""Points of score to which the range of a change is rounded."""
Runs = Mapping[str, DepthQAResult]
"""Label → the run it stands for."""


def scores_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """The mean score by depth; None without any score."""
    held = {label: found for label, result in runs.items() if (found := _scores(result))}
    if not held:
        return None
    shown, series = by_mode(held, [*runs])
    names = _with_counts([scores for own in held.values() for scores in own.values()])
    rows = [
        {"panel": each.title * (len(shown) > 1), "series": name, "x": names[level], "y": row.mean}
        | {"told": number(row.mean), **interval(row.ci)}
        for each in shown
        for name, scores in each.held.items()
        for level, row in scores.items()
        if row.mean is not None
    ]
    said = [
        *told,
        *only(shown, series),
        "Factual correctness by rubric: 1 largely wrong, 5 wholly right. Mean over the distinct questions of a depth. "
        "Lines: 95% intervals, clustered by tree; none where fewer than two trees have scores.",
    ]
    counted = any("\n" in name for name in names.values())
    x = Axis("depth, and its number of questions" if counted else "depth", [*names.values()])
    y = Axis("mean score", low=1, high=5.35, values=(1, 2, 3, 4, 5), labels=".0f")
    words = [f"{label}, {mode}: {_in_words(own)}." for label, o in held.items() for mode, own in o.items()]
    return _picture(SCORES, "Mean score by depth", (said, words), rows, (x, y), series)


def _scores(result: DepthQAResult) -> dict[str, Mapping[Level, ScoreRow]]:
    return {n.mode: n.accuracy for n in result.modes if any(row.mean is not None for row in n.accuracy.values())}


def _with_counts(series: Iterable[Mapping[Level, ScoreRow]]) -> dict[Level, str]:
    """Level → its name, with the number of questions where all that have the level agree on it."""
    rows = [(level, row.questions) for scores in series for level, row in scores.items()]
    held = {level: {questions for of, questions in rows if of == level} for level in LEVELS}
    return {level: f"{level}\n{min(found):,}" if len(found) == 1 else level for level, found in held.items()}


def _in_words(scores: Mapping[Level, ScoreRow]) -> str:
    return ", ".join(
        f"{level} {number(row.mean)}{span_words(row.ci)} over {row.scored} of {count(row.questions, 'question')}"
        for level, row in scores.items()
    )


def changes_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """The change of the mean score against zero-shot; None where nobody was asked in zero-shot and another mode."""
    held = {label: found for label, result in runs.items() if (found := _changes(result))}
    if not held:
        return None
    shown, series = by_mode(held, [*runs])
    rows = [
        {"panel": each.title * (len(shown) > 1), "series": name, "x": c.level, "y": c.difference}
        | {"told": difference(c.difference), **interval(c.ci)}
        for each in shown
        for name, changed in each.held.items()
        for c in changed
    ]
    low, high = _reach([change for own in held.values() for changed in own.values() for change in changed])
    said = [
        *told,
        *only(shown, series),
        "Mean score in a mode minus that in zero-shot, over the questions that have both; above 0: the mode helps. "
        "Prompt modes have no D1. Lines: 95% intervals, clustered by tree.",
    ]
    words = [f"{label}, {mode}: {_changes_in_words(own)}." for label, o in held.items() for mode, own in o.items()]
    axes = Axis("depth", LEVELS), Axis("change of the mean score", low=low, high=high, labels=PLUS)
    return _picture(MODES, "Change of the mean score against zero-shot", (said, words), rows, axes, series, 0.0)


def _picture(
    name: str,
    title: str,
    told: tuple[Sequence[str], Sequence[str]],
    rows: Sequence[Row],
    axes: tuple[Axis, Axis],
    series: Series,
    *lines: float,
) -> Picture:
    """`told`: under the title, and to those who cannot see the picture."""
    width = series.step(SIGN * max(len(str(row["told"])) for row in rows)) * len(LEVELS)
    columns = min(2 if 2 * width + 90 <= PAGE else 1, len({row["panel"] for row in rows}))
    return Picture(
        name,
        title,
        *told,
        columns * (width + 24) + 40,
        lambda: chart(rows, *axes, series, width=width, height=_HEIGHT, columns=columns, lines=lines),
        series.legend,
    )


def _changes(result: DepthQAResult) -> dict[str, list[Change]]:
    found: dict[str, list[Change]] = {}
    for change in result.changes:
        if change.difference is not None:
            found.setdefault(change.mode, []).append(change)
    return found


def _reach(changes: Sequence[Change]) -> tuple[float, float]:
    """The range of the vertical axis; 0 is inside it."""
    every = [value for c in changes for value in (c.difference or 0.0, *(c.ci or ()))]
    low, high = min(0.0, *every), max(0.0, *every)
    return min(-_HALF, floor(low / _HALF) * _HALF), max(_HALF, ceil((high + 0.1 * (high - low)) / _HALF) * _HALF)


def _changes_in_words(changed: Sequence[Change]) -> str:
    return ", ".join(
        f"{c.level} {difference(c.difference)}{span_words(c.ci)} over {count(c.nodes, 'node')}" for c in changed
    )
