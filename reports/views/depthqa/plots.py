"""The picture of DepthQA runs: mean scores by depth."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, get_args

from ....state.depthqa.result import DepthQAResult, Level, ScoreRow
from ...page.chart.axes import PAGE, SIGN, Axis, Row
from ...page.chart.draw import interval
from ...page.chart.picture import Picture
from ...page.chart.runs import by_mode, named, notes, only
from ...page.figures import count, number, span_words
from ..pictures import picture

LEVELS: tuple[Level, ...] = get_args(Level)
Runs = Mapping[str, DepthQAResult]
"""Label → the run it stands for."""


def pictures(results: Sequence[DepthQAResult], _: Any = None) -> Iterator[Picture]:
    """Mean score by depth; nothing without any score. The results are of one graph; the first
    twelve are drawn."""
    runs = named(results)
    unfinished = [
        f"{label}: {run.graph.trees - len(run.open_trees)} of {run.graph.trees} trees are finished."
        for label, run in runs.items()
        if run.open_trees
    ]
    told = notes(results, runs, "targets", unfinished)
    held = {label: scores for label, run in runs.items() if (scores := _scores(run))}
    if held:
        yield _picture(runs, held, told)


def _scores(run: DepthQAResult) -> dict[str, Mapping[Level, ScoreRow]]:
    """Mode → the scores by level, of modes with any."""
    return {
        each.mode: each.accuracy
        for each in run.modes
        if any(row.mean for row in each.accuracy.values())
    }


def _picture(
    runs: Runs, held: Mapping[str, Mapping[str, Mapping[Level, ScoreRow]]], told: Sequence[str]
) -> Picture:
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
    width = series.step(SIGN * max(len(str(row["told"])) for row in rows)) * len(LEVELS)
    columns = min(2 if 2 * width + 90 <= PAGE else 1, len({row["panel"] for row in rows}))
    size = {"width": width, "height": 250, "columns": columns}
    return picture("scores", "Mean score by depth", said, rows, (x, y), series, **size)


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
