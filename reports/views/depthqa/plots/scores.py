"""Mean scores by depth, and how they change with the way of asking."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, floor
from typing import TypeVar, get_args

from .....state.depthqa.result import Change, DepthQAResult, Level, ScoreRow
from ....page.chart.axes import PAGE, PLUS, SIGN, Axis, Row, Series
from ....page.chart.draw import interval
from ....page.chart.picture import Picture
from ....page.chart.runs import by_mode, only
from ....page.figures import count, difference, number, span_words
from ...pictures import picture

LEVELS: tuple[Level, ...] = get_args(Level)
Runs = Mapping[str, DepthQAResult]
"""Label → the run it stands for."""
T = TypeVar("T")


def present(
    runs: Runs, found: Callable[[DepthQAResult], Mapping[str, T]]
) -> dict[str, Mapping[str, T]]:
    """Label → mode → figures, of the runs that have any."""
    return {
        label: own for label, own in ((label, found(run)) for label, run in runs.items()) if own
    }


def scores_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """The mean score by depth; None without any score."""
    held = present(
        runs,
        lambda r: {n.mode: n.accuracy for n in r.modes if any(s.mean for s in n.accuracy.values())},
    )
    if not held:
        return None
    shown, series = by_mode(held, [*runs])
    names = _with_counts([scores for own in held.values() for scores in own.values()])
    rows: list[Row] = [
        {"panel": each.title * (len(shown) > 1), "series": name, "x": names[level], "y": row.mean}
        | {"told": number(row.mean), **interval(row.ci)}
        | {
            "words": (
                f"{level} {number(row.mean)}{span_words(row.ci)} over {row.scored} of "
                f"{_questions(row)}"
            )
        }
        for each in shown
        for name, scores in each.held.items()
        for level, row in scores.items()
        if row.mean is not None
    ]
    said = [
        *told,
        *only(shown, series),
        "Factual correctness by rubric: 1 largely wrong, 5 wholly right. Mean over the distinct "
        "questions of a depth. "
        "Lines: 95% intervals, clustered by tree; none where fewer than two trees have scores.",
    ]
    counted = any("\n" in name for name in names.values())
    x = Axis("depth, and its number of questions" if counted else "depth", [*names.values()])
    y = Axis("mean score", low=1, high=5.35, values=(1, 2, 3, 4, 5), labels=".0f")
    return _picture("scores", "Mean score by depth", said, rows, (x, y), series)


def _questions(row: ScoreRow) -> str:
    return count(row.questions, "question")


def _with_counts(series: Iterable[Mapping[Level, ScoreRow]]) -> dict[Level, str]:
    """Level → its name, with the number of questions where all that have the level agree on it."""
    held: dict[Level, set[int]] = {level: set() for level in LEVELS}
    for scores in series:
        for level, row in scores.items():
            held[level].add(row.questions)
    return {
        level: f"{level}\n{min(found):,}" if len(found) == 1 else level
        for level, found in held.items()
    }


def changes_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """The change of the mean score against zero-shot; None where nobody was asked in zero-shot and
    another mode."""
    held = present(runs, _changes)
    if not held:
        return None
    shown, series = by_mode(held, [*runs])
    rows: list[Row] = [
        {"panel": each.title * (len(shown) > 1), "series": name, "x": c.level, "y": c.difference}
        | {"told": difference(c.difference), **interval(c.ci)}
        | {
            "words": (
                f"{c.level} {difference(c.difference)}{span_words(c.ci)} over "
                f"{count(c.nodes, 'node')}"
            )
        }
        for each in shown
        for name, changed in each.held.items()
        for c in changed
    ]
    said = [
        *told,
        *only(shown, series),
        "Mean score in a mode minus that in zero-shot, over the questions that have both; above 0: "
        "the mode helps. "
        "Prompt modes have no D1. Lines: 95% intervals, clustered by tree.",
    ]
    ends: list[float] = [row[end] for row in rows for end in ("y", "low", "high") if end in row]
    low, high = floor(min(-0.5, *ends) * 2) / 2, ceil(max(0.5, *ends) * 2.2) / 2
    axes = Axis("depth", LEVELS), Axis("change of the mean score", low=low, high=high, labels=PLUS)
    return _picture(
        "modes", "Change of the mean score against zero-shot", said, rows, axes, series, 0.0
    )


def _changes(result: DepthQAResult) -> dict[str, list[Change]]:
    found: dict[str, list[Change]] = {}
    for change in result.changes:
        if change.difference is not None:
            found.setdefault(change.mode, []).append(change)
    return found


def _picture(
    name: str,
    title: str,
    said: Sequence[str],
    rows: Sequence[Row],
    axes: tuple[Axis, Axis],
    series: Series,
    *at: float,
) -> Picture:
    """`at`: where a dashed line runs."""
    width = series.step(SIGN * max(len(str(row["told"])) for row in rows)) * len(LEVELS)
    columns = min(2 if 2 * width + 90 <= PAGE else 1, len({row["panel"] for row in rows}))
    return picture(
        name, title, said, rows, axes, series, width=width, height=250, columns=columns, lines=at
    )
