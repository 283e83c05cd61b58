"""From the originals to Q2S and Q2I: every accuracy beside that on the originals of the very same problems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from .....state.deepquestion.items import DISTRACTORS, LOADS, Load
from .....state.deepquestion.result import DeepQuestionCell, DeepQuestionResult, LoadRow, Share
from ....page import figures
from ....page.chart.axes import PAGE, SIGN, Axis, Channels, Row, having, text
from ....page.chart.draw import Drawn, chart, interval
from ....page.chart.picture import Picture
from ....page.chart.runs import of_models
from ..labels import load_words, share_words

DROP = "drop"
ORIGINAL, Q2I = "original", "Q2I"
_HEIGHT, _TOP = 280, 1.09
"""Of the picture from 0 up to the accuracy at its top, in pixels."""
_SMALL = 6.6
"""Width of a sign of the numbers at the foot, with what keeps them apart."""
_LINE = 17
"""Height of a line of figures, in pixels: at the foot there are two, of a mark at 0 and of its problems."""
_DASH = 12
"""Pixels of the dash that stands for originals; half of them where many runs are drawn."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The accuracies of one run."""

    original: Share
    q2s: Sequence[LoadRow]
    q2i: Share | None
    distance: float | None = None
    distance_ci: tuple[float, float] | None = None

    @property
    def shares(self) -> dict[str, Share]:
        """Place on the horizontal axis → accuracy; those that were measured."""
        held = {ORIGINAL: self.original, **{_place(row.load): row.accuracy for row in self.q2s}}
        held |= {Q2I: self.q2i} if self.q2i else {}
        return {place: share for place, share in held.items() if share.share is not None}

    @property
    def pairs(self) -> dict[str, tuple[float, float, int | None]]:
        """Place → accuracy on the originals of its problems, its own, and over how many with both marks."""
        found: dict[str, tuple[float, float, int | None]] = {
            _place(row.load): (row.drop.original, row.drop.transformed, row.drop.n) for row in self.q2s if row.drop
        }
        if self.q2i is not None and self.q2i.share is not None and self.distance is not None:
            # the distance is what is to be seen; where an original is lost its dash is off by what that one counts
            found[Q2I] = (min(1.0, self.q2i.share + self.distance), self.q2i.share, None)
        return found


def measured(run: DeepQuestionResult | DeepQuestionCell) -> Measured:
    """What a run measured, or what a comparison says of it."""
    if isinstance(run, DeepQuestionCell):
        return Measured(run.original, run.q2s, run.q2i, run.distance, run.distance_ci)
    row = run.q2i
    if row is None:
        return Measured(run.original, run.q2s, None)
    return Measured(run.original, run.q2s, row.accuracy, row.distance, row.distance_ci)


def _place(load: Load) -> str:
    return f"Q2S\n{load_words(load)}"


def drop_picture(runs: Mapping[str, Measured], told: Sequence[str]) -> Picture | None:
    """None without any accuracy. `runs`: by their labels."""
    held = {label: run for label, run in runs.items() if run.shares}
    if not held:
        return None
    series = of_models([*held], [*runs])
    order = [ORIGINAL, *(_place(load) for load in LOADS), Q2I]
    present = [place for place in order if any(place in run.shares for run in held.values())]
    rows = [row for label, run in held.items() for row in _rows(label, run, dashed=len(held) == 1)]
    longest = _SMALL * max(len(row["foot"]) for row in rows if "foot" in row)
    foot = 2 * _LINE if series.told else round(longest) + 8
    most = (PAGE - 90) / len(present)
    wide = min(max(110, series.step(max(SIGN * 4.5, longest))), max(110, most))
    x = Axis(names=present)
    y = Axis("accuracy", low=-_TOP * foot / _HEIGHT, high=_TOP, values=(0, 0.2, 0.4, 0.6, 0.8, 1))
    width = round(wide * len(present))
    slots = [_slot(name, own=own) for name in series.names for own in (False, True)]

    def draw() -> Drawn:
        size: Row = {"width": width, "height": _HEIGHT + foot}
        figures = partial(_figures, foot=foot)
        return chart(rows, x, y, series, below=True, under=_lines, over=figures, slots=slots, **size)

    return Picture(
        DROP,
        "Accuracy on originals, scenarios (Q2S) and written questions (Q2I)",
        [*told, " ".join(_said(series.names, list(held.values()), present))],
        [f"{label}: {_in_words(run)}." for label, run in held.items()],
        width + 60,
        draw,
        series.legend,
    )


def _slot(label: str, *, own: bool) -> str:
    return f"{label} {'mark' if own else 'originals'}"


def _said(names: Sequence[str], runs: Sequence[Measured], present: Sequence[str]) -> list[str]:
    said = [f"Target: {names[0]}."] if len(names) == 1 else []
    said.append("Marks: accuracy over n problems, with its 95% interval (Wilson).")
    if any(len({share.n for share in run.shares.values()}) > 1 for run in runs):
        after = "Q2S and Q2I" if Q2I in present and present[1:-1] else present[-1].partition("\n")[0]
        said.append(f"{after}: only problems whose texts passed their checks and whose answers have a mark.")
    if any(n not in (None, run.shares[place].n) for run in runs for place, (_, _, n) in run.pairs.items()):
        said.append("In brackets: problems with both marks.")
    if any(run.pairs for run in runs):
        said.append(
            "Dash: accuracy on the originals of the same problems as the mark beside it; the line shows the drop."
        )
    if Q2I in present:
        said.append("Q2I: another task, a question is written to an instruction; any line to it is dotted.")
    return said


def _rows(label: str, run: Measured, *, dashed: bool) -> list[Row]:
    """A row for each mark and for each end of the line to it. `dashed`: whether dashes have figures."""
    rows: list[Row] = []
    for place, share in run.shares.items():
        pair = run.pairs.get(place)
        at: Row = {"panel": "", "series": label, "x": place}
        mark = at | {"slot": _slot(label, own=True), "y": share.share, "told": f"{share.share:.0%}"}
        rows.append(mark | interval(share.ci) | {"foot": _foot(share, pair[2] if pair else None)})
        if pair is not None:
            line = "dotted" if place == Q2I else "solid"
            start = at | {"slot": _slot(label, own=False), "dash": pair[0], line: pair[0], "order": 0}
            rows.append(start | ({"beside": f"{pair[0]:.0%}"} if dashed else {}))
            rows.append(at | {"slot": _slot(label, own=True), line: pair[1], "order": 1})
    return rows


def _foot(share: Share, pairs: int | None) -> str:
    """`n 37`, and with the pairs where they are fewer."""
    return f"n {share.n:,}" + (f" ({pairs:,})" if pairs not in (None, share.n) else "")


def _lines(at: Channels) -> list[Any]:
    """From the originals of the same problems to Q2S, and dotted to Q2I, with a dash where they begin."""
    import altair as alt

    same: Row = at.at | {"color": at.colour()}
    drawn: dict[str, Row] = {"solid": {}, "dotted": {"strokeDash": [2, 4]}}
    lines = [
        having(field)
        .mark_line(strokeWidth=1.5, **gaps)
        .encode(
            detail=alt.Detail(field="x", type="nominal"),
            order=alt.Order(field="order", type="quantitative"),
            opacity=alt.value(0.55),
            **same | {"y": at.y(field)},
        )
        for field, gaps in drawn.items()
    ]
    size = _DASH if at.series.told else _DASH // 2
    dash = having("dash").mark_point(shape="stroke", size=size**2, strokeWidth=3, opacity=1)
    return [*lines, dash.encode(**same | {"y": at.y("dash")})]


def _figures(at: Channels, *, foot: int) -> list[Any]:
    """The accuracies of dashes, and at the foot how many problems each mark is over: upright where there is no room."""
    import altair as alt

    turned: Row = {} if at.series.told else {"angle": 270, "align": "left"}
    low = alt.value(_HEIGHT + foot - (_LINE // 2 if at.series.told else 4))
    dashes = having("beside").mark_text(dy=-8)
    return [
        having("foot").mark_text(**turned).encode(text=text("foot"), **at.at | {"y": low}),
        dashes.encode(text=text("beside"), **at.at | {"y": at.y("dash")}),
    ]


def _in_words(run: Measured) -> str:
    said = [
        f"{place.replace(chr(10), ' with ')} {share_words(share)} over {share.n}" for place, share in run.shares.items()
    ]
    for row in run.q2s:
        if row.drop is not None:
            drop = f"{figures.points(row.drop.drop)} points ({figures.points_span(row.drop.ci)})"
            over = f"over {row.drop.n}, whose originals are {figures.percent(row.drop.original)} right"
            said.append(f"drop with {DISTRACTORS[row.load]} distractors {drop} {over}")
    if run.distance is not None:
        said.append(f"distance to Q2I {figures.points(run.distance)} points ({figures.points_span(run.distance_ci)})")
    return ", ".join(said)
