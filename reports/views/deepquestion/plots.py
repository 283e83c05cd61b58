"""The picture of DeepQuestion runs: from the originals to Q2S and Q2I, every accuracy beside that on
the originals of the very same problems."""

from collections.abc import Iterator, Mapping, Sequence

from ....state.deepquestion.items import LOADS, Load
from ....state.deepquestion.result import (
    DeepQuestionCell,
    DeepQuestionComparison,
    DeepQuestionResult,
    Drop,
    Share,
)
from ...page import figures
from ...page.chart.axes import PAGE, SIGN, Axis, Channels, Row, Spec, layer, nominal, quantitative
from ...page.chart.draw import interval
from ...page.chart.picture import Picture
from ...page.chart.runs import named, notes, of_models
from ..pictures import SHARES, picture, target_of
from .labels import TEXTS_SIMULATED, load_words, share_words, texts_simulated

ORIGINAL, Q2I = "original", "Q2I"
_HEIGHT = 280
"""Of the picture from 0 up to the accuracy at its top, in pixels."""
_SMALL = 6.6
"""Width of a sign of the numbers at the foot, with what keeps them apart."""
_LINE = 17
"""Height of a line of figures, in pixels: at the foot there are two, of a mark at 0 and of its
problems."""
_DASH = 12
"""Pixels of the dash that stands for originals; half of them where many runs are drawn."""
Run = DeepQuestionResult | DeepQuestionCell
"""What a run measured, or what a comparison says of it."""


def pictures(
    results: Sequence[DeepQuestionResult], comparison: DeepQuestionComparison | None = None
) -> Iterator[Picture]:
    """Accuracy on originals, on scenarios by load and in Q2I, by `comparison`, which is over
    `results`, where there is one, else each run over its own problems. Without any figure there is
    no picture. The first twelve runs are drawn."""
    cells = {cell.run_id: cell for cell in comparison.cells} if comparison else {}
    runs = named(results, {run: cell.label for run, cell in cells.items()})
    unfinished = [
        f"{label}: {len(run.problems)} of {run.spec.problems} problems are finished."
        for label, run in runs.items()
        if run.open_problems
    ]
    given = [TEXTS_SIMULATED] if any(map(texts_simulated, results)) else []
    told = notes(results, runs, "runs", [*given, *unfinished])
    shown = {label: cells.get(result.run_id, result) for label, result in runs.items()}
    drop = _drop_picture(shown, [*told, *_over(comparison)])
    if drop is not None:
        yield drop


def _over(comparison: DeepQuestionComparison | None) -> list[str]:
    """Over which problems the accuracies are, and whether the texts were the same."""
    if comparison is None or len(comparison.cells) < 2:
        return []
    if comparison.problems is None:
        return ["Originals: each run over the problems that it has finished itself."]
    texts = "" if comparison.same_texts else " Scenarios and instructions differ between the runs."
    common = figures.count(comparison.problems, "problem")
    return [f"Originals: the {common} that the runs have in common.{texts}"]


def _drop_picture(runs: Mapping[str, Run], told: Sequence[str]) -> Picture | None:
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
    longest = _SMALL * max(len(row["foot"]) for row in rows if "foot" in row)
    foot = 2 * _LINE if series.told else round(longest) + 8
    most = (PAGE - 90) / len(present)
    wide = min(max(110, series.step(max(SIGN * 4.5, longest))), max(110, most))
    low = -SHARES.high * foot / _HEIGHT
    y = Axis("accuracy", low=low, high=SHARES.high, values=(0, 0.2, 0.4, 0.6, 0.8, 1))
    return picture(
        "drop",
        "Accuracy on originals, scenarios (Q2S) and written questions (Q2I)",
        [*told, " ".join([*target_of(series), *_said(held, present)])],
        rows,
        (Axis(names=present), y),
        series,
        width=round(wide * len(present)),
        height=_HEIGHT + foot,
        below=True,
        under=_lines,
        over=lambda at: _figures(at, foot, beside=len(held) == 1),
        slots=[slot for name in series.names for slot in (_originals(name), name)],
    )


def _name(load: Load) -> str:
    return f"Q2S\n{load_words(load)}"


def _originals(label: str) -> str:
    """The place of the dash beside a mark."""
    return f"{label}, originals"


def _rows(label: str, run: Run) -> list[Row]:
    """A row for each mark, and for each end of the line to it."""
    made = _mark(label, ORIGINAL, run.original)
    for row in run.q2s:
        made += _mark(label, _name(row.load), row.accuracy, row.drop)
    if isinstance(run, DeepQuestionCell):
        made += _mark(label, Q2I, run.q2i, None, run.distance, run.distance_ci) if run.q2i else []
    elif run.q2i is not None:
        made += _mark(label, Q2I, run.q2i.accuracy, None, run.q2i.distance, run.q2i.distance_ci)
    return made


def _mark(
    label: str,
    place: str,
    share: Share,
    drop: Drop | None = None,
    distance: float | None = None,
    distance_ci: tuple[float, float] | None = None,
) -> list[Row]:
    """`drop`, `distance`: from the originals of the same problems."""
    if share.share is None:
        return []
    at: Row = {"panel": "", "series": label, "x": place}
    words = f"{place.replace(chr(10), ' with ')} {share_words(share)} over {share.n}"
    start = end = None
    pairs = share.n
    if drop is not None:
        start, end, pairs = drop.original, drop.transformed, drop.n
        over = f"over {drop.n}, whose originals are {figures.percent(start)} right"
        words += (
            f", drop {figures.points(drop.drop)} points ({figures.points_span(drop.ci)}) {over}"
        )
    elif distance is not None:
        # the distance is what is to be seen; where an original is lost its dash is off by what that
        # one counts
        start, end = min(1.0, share.share + distance), share.share
        words += (
            f", distance {figures.points(distance)} points ({figures.points_span(distance_ci)})"
        )
    foot = f"n {share.n:,}" + (f" ({pairs:,})" if pairs != share.n else "")
    mark: Row = {
        "slot": label,
        "y": share.share,
        "told": f"{share.share:.0%}",
        "foot": foot,
        "words": words,
    }
    rows = [at | mark | interval(share.ci)]
    if start is not None:
        line = "dotted" if place == Q2I else "solid"
        dash = {"dash": start, "beside": f"{start:.0%}", line: start, "order": 0}
        rows += [
            at | {"slot": _originals(label), **dash},
            at | {"slot": label, line: end, "order": 1},
        ]
    return rows


def _said(held: Mapping[str, Sequence[Row]], present: Sequence[str]) -> list[str]:
    said = ["Marks: accuracy over n problems, with its 95% interval (Wilson)."]
    feet = [[row["foot"] for row in rows if "foot" in row] for rows in held.values()]
    if any(len({foot.partition(" (")[0] for foot in own}) > 1 for own in feet):
        after = (
            "Q2S and Q2I" if Q2I in present and present[1:-1] else present[-1].partition("\n")[0]
        )
        said.append(
            f"{after}: only problems whose texts passed their checks and whose answers have a mark."
        )
    if any("(" in foot for own in feet for foot in own):
        said.append("In brackets: problems with both marks.")
    if any("dash" in row for rows in held.values() for row in rows):
        said.append(
            "Dash: accuracy on the originals of the same problems as the mark beside it; the "
            "line shows the drop."
        )
    if Q2I in present:
        said.append(
            "Q2I: another task, a question is written to an instruction; any line to it is dotted."
        )
    return said


def _lines(at: Channels) -> list[Spec]:
    """From the originals of the same problems to Q2S, and dotted to Q2I, with a dash where they
    begin."""
    same: Spec = at.at | {"color": at.colour()}
    joined = {"detail": nominal("x"), "order": quantitative("order"), "opacity": {"value": 0.55}}
    drawn: dict[str, Row] = {"solid": {}, "dotted": {"strokeDash": [2, 4]}}
    lines = [
        layer("line", same | joined | {"y": at.y(field)}, having=field, strokeWidth=1.5, **gaps)
        for field, gaps in drawn.items()
    ]
    size = _DASH if at.series.told else _DASH // 2
    dash: Row = {"shape": "stroke", "size": size**2, "strokeWidth": 3, "opacity": 1}
    return [*lines, layer("point", same | {"y": at.y("dash")}, having="dash", **dash)]


def _figures(at: Channels, foot: int, *, beside: bool) -> list[Spec]:
    """At the foot how many problems each mark is over, upright where there is no room; and the
    accuracies of dashes."""
    turned: Row = {} if at.series.told else {"angle": 270, "align": "left"}
    low = {"value": _HEIGHT + foot - (_LINE // 2 if at.series.told else 4)}
    feet = layer("text", at.at | {"y": low, "text": nominal("foot")}, having="foot", **turned)
    dashes = layer(
        "text", at.at | {"y": at.y("dash"), "text": nominal("beside")}, having="beside", dy=-8
    )
    return [feet, *([dashes] if beside else [])]
