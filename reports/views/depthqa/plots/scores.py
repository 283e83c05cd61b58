"""Mean scores by depth, and how they change with the way of asking."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor
from pathlib import Path
from typing import Any, TypeVar, get_args

from .....state.depthqa.items import Mode
from .....state.depthqa.result import Change, DepthQAResult, Level, ScoreRow
from ....page.chart import svg
from ....page.chart.panels import (
    SIGNED,
    Look,
    Panel,
    Row,
    Runs,
    by_mode,
    dots,
    ends,
    figure,
    heights,
    interval,
    line_at,
    only,
    panels,
    places,
    words,
)
from ....page.figures import count

T = TypeVar("T")

LEVELS: tuple[Level, ...] = get_args(Level)
_HEIGHT = 250
"""Of a panel, in pixels."""
_WIDEST = 1100
"""Of two panels side by side, in pixels."""
_SIGN = 8
"""Width of a sign of the figures, with what keeps them apart."""
_HALF = 0.5
"""Points of score to which the range of a change is rounded."""


def scores_picture(path: Path, runs: Runs, notes: Sequence[str]) -> Path | None:
    """Draw the mean score by depth into the file; None, and no file, without any score. Raises UsageError when it
    cannot be written."""
    held = {label: found for label, result in runs.items() if (found := _scores(result))}
    if not held:
        return None
    shown, look = by_mode(held, runs)
    names = _with_counts([scores for own in held.values() for scores in own.values()])
    rows = [
        {"panel": title, "series": name, "place": names[level], "told": figure(row.mean), "value": row.mean}
        | ends(row.ci)
        for title, name, scores in _each(shown)
        for level, row in scores.items()
    ]
    y = heights("mean score", 1, 5.35, values=[1, 2, 3, 4, 5], format=".0f")
    layers = dots(look, x=places(list(names.values()), title=_depth_title(names)), y=y)
    said = [
        *notes,
        *only(shown, look),
        "Factual correctness by rubric: 1 largely wrong, 5 wholly right. Mean over the distinct questions of a depth. "
        "Lines: 95% intervals, clustered by tree; none where fewer than two trees have scores.",
    ]
    figures = [f"{label}, {mode}: {_scores_in_words(own)}." for label, o in held.items() for mode, own in o.items()]
    return _saved(path, "Mean score by depth", (said, figures), (layers, rows), look)


def _scores(result: DepthQAResult) -> dict[Mode, Mapping[Level, ScoreRow]]:
    return {n.mode: n.accuracy for n in result.modes if any(row.mean is not None for row in n.accuracy.values())}


def _each(shown: Sequence[Panel[T]]) -> list[tuple[str, str, T]]:
    """(heading, series, figures); a single panel has no heading."""
    return [(each.title if len(shown) > 1 else "", name, own) for each in shown for name, own in each.series.items()]


def _with_counts(series: Iterable[Mapping[Level, ScoreRow]]) -> dict[Level, str]:
    """Level → its name, with the number of questions where all that have the level agree on it."""
    rows = [(level, row.questions) for scores in series for level, row in scores.items()]
    held = {level: {questions for of, questions in rows if of == level} for level in LEVELS}
    return {level: f"{level}\n{min(found):,}" if len(found) == 1 else level for level, found in held.items()}


def _depth_title(names: Mapping[Level, str]) -> str:
    return "depth, and its number of questions" if any("\n" in name for name in names.values()) else "depth"


def _scores_in_words(scores: Mapping[Level, ScoreRow]) -> str:
    return ", ".join(
        f"{level} {figure(row.mean)}{interval(row.ci)} over {row.scored} of {count(row.questions, 'question')}"
        for level, row in scores.items()
    )


def changes_picture(path: Path, runs: Runs, notes: Sequence[str]) -> Path | None:
    """Draw the change of the mean score against zero-shot into the file; None, and no file, where nobody was asked in
    zero-shot and another mode. Raises UsageError when it cannot be written."""
    held = {label: found for label, result in runs.items() if (found := _changes(result))}
    if not held:
        return None
    shown, look = by_mode(held, runs)
    rows = [
        {"panel": title, "series": name, "place": c.level, "told": signed(c.difference), "value": c.difference}
        | ends(c.ci)
        for title, name, changed in _each(shown)
        for c in changed
    ]
    low, high = _reach([change for own in held.values() for changed in own.values() for change in changed])
    y = heights("change of the mean score", low, high, **SIGNED)
    layers = [line_at(0), *dots(look, x=places(LEVELS, title="depth"), y=y)]
    said = [
        *notes,
        *only(shown, look),
        "Mean score in a mode minus that in zero-shot, over the questions that have both; above 0: the mode helps. "
        "Prompt modes have no D1. Lines: 95% intervals, clustered by tree.",
    ]
    figures = [f"{label}, {mode}: {_changes_in_words(own)}." for label, o in held.items() for mode, own in o.items()]
    return _saved(path, "Change of the mean score against zero-shot", (said, figures), (layers, rows), look, signs=5)


def _saved(
    path: Path,
    title: str,
    told: tuple[Sequence[str], Sequence[str]],
    drawn: tuple[Sequence[Any], Sequence[Row]],
    look: Look,
    *,
    signs: int = 4,
) -> Path:
    """`told`: under the title, and to those who cannot see the picture. `drawn`: layers and rows. `signs`: of a figure
    beside a mark."""
    width = look.step_for(_SIGN * signs) * len(LEVELS)
    columns = min(2 if 2 * width <= _WIDEST else 1, len({row["panel"] for row in drawn[1]}))
    picture = panels(*drawn, columns=columns, width=width, height=_HEIGHT)
    return svg.saved(path, picture, words(title, *told, look, columns * (width + 24) + 40))


def _changes(result: DepthQAResult) -> dict[Mode, list[Change]]:
    found: dict[Mode, list[Change]] = {}
    for change in result.changes:
        if change.difference is not None:
            found.setdefault(change.mode, []).append(change)
    return found


def _reach(changes: Sequence[Change]) -> tuple[float, float]:
    """The range of the vertical axis; 0 is inside it."""
    every = [value for c in changes for value in (c.difference or 0.0, *(c.ci or ()))]
    low, high = min(0.0, *every), max(0.0, *every)
    return min(-_HALF, floor(low / _HALF) * _HALF), max(_HALF, ceil((high + 0.1 * (high - low)) / _HALF) * _HALF)


def signed(value: float | None) -> str:
    """A difference with its sign."""
    return f"+{figure(value)}" if value is not None and round(value, 2) > 0 else figure(value)


def _changes_in_words(changed: Sequence[Change]) -> str:
    return ", ".join(f"{c.level} {signed(c.difference)}{interval(c.ci)} over {count(c.nodes, 'node')}" for c in changed)
