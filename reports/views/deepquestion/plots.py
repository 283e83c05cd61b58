"""The picture of DeepQuestion runs: accuracy from the originals to Q2S and Q2I."""

from collections.abc import Iterator, Mapping, Sequence

from ....state.deepquestion.items import LOADS, Load
from ....state.deepquestion.result import (
    DeepQuestionResult,
    Share,
)
from ....state.result import Interval
from ...page import figures
from ...page.chart.axes import SIGN, Axis, Row
from ...page.chart.draw import interval
from ...page.chart.picture import Picture
from ...page.chart.runs import named, notes, of_models
from ..pictures import SHARES, picture, target_of
from .labels import TEXTS_SIMULATED, load_words, share_words, texts_simulated

ORIGINAL, Q2I = "original", "Q2I"


def pictures(results: Sequence[DeepQuestionResult], _: object = None) -> Iterator[Picture]:
    """Accuracy on originals, on scenarios by load and in Q2I, each run over its own problems.
    Without any figure there is no picture. The first twelve runs are drawn."""
    runs = named(results, {})
    unfinished = [
        f"{label}: {len(run.problems)} of {run.spec.problems} problems are finished."
        for label, run in runs.items()
        if run.open_problems
    ]
    given = [TEXTS_SIMULATED] if any(map(texts_simulated, results)) else []
    told = notes(results, runs, "runs", [*given, *unfinished])
    drop = _drop_picture(runs, told)
    if drop is not None:
        yield drop


def _drop_picture(runs: Mapping[str, DeepQuestionResult], told: Sequence[str]) -> Picture | None:
    """None without any accuracy. `runs`: by their labels."""
    held = {label: rows for label, run in runs.items() if (rows := _rows(label, run))}
    if not held:
        return None
    series = of_models([*held], [*runs])
    rows = [row for own in held.values() for row in own]
    present = [
        name
        for name in (ORIGINAL, *map(_name, LOADS), Q2I)
        if any(row["x"] == name for row in rows)
    ]
    said = [
        *told,
        *target_of(series),
        "Accuracy with its 95% interval (Wilson). Q2S and Q2I: only problems whose texts passed "
        "their checks. Q2I is another task: a question is written to an instruction.",
    ]
    return picture(
        "drop",
        "Accuracy on originals, scenarios (Q2S) and written questions (Q2I)",
        said,
        rows,
        (Axis(names=present), SHARES),
        series,
        width=max(110, series.step(SIGN * 4)) * len(present),
        height=280,
    )


def _name(load: Load) -> str:
    return f"Q2S\n{load_words(load)}"


def _rows(label: str, run: DeepQuestionResult) -> list[Row]:
    """A row for each accuracy; in words also the drop from the originals of the same problems."""
    made = [_row(label, ORIGINAL, run.original)]
    for row in run.q2s:
        drop = row.drop
        words = f"drop {_points(drop.drop, drop.ci)} over {drop.n}" if drop else ""
        made.append(_row(label, _name(row.load), row.accuracy, words))
    written = run.q2i
    if written is not None:
        far = written.distance
        words = f"distance {_points(far, written.distance_ci)}" if far is not None else ""
        made.append(_row(label, Q2I, written.accuracy, words))
    return [row for row in made if row["y"] is not None]


def _points(value: float | None, interval: Interval | None) -> str:
    return f"{figures.points(value)} points ({figures.points_span(interval)})"


def _row(label: str, place: str, share: Share, change: str = "") -> Row:
    if share.share is None:
        return {"y": None}
    words = f"{place.replace(chr(10), ' with ')} {share_words(share)} over {share.n}"
    return {
        "panel": "",
        "series": label,
        "x": place,
        "y": share.share,
        "told": f"{share.share:.0%}",
        "words": f"{words}, {change}" if change else words,
    } | interval(share.ci)
