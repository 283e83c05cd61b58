"""From the originals to Q2S and Q2I: every accuracy beside that on the originals of the very same problems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .....state.deepquestion.items import DISTRACTORS, LOADS, Load
from .....state.deepquestion.result import DeepQuestionCell, DeepQuestionResult, LoadRow, Share
from ....page import figures
from ....page.chart import svg
from ....page.chart.panels import Look, Row, dots, ends, having, heights, panels, places, words
from ....page.palette import model_marks
from ..labels import load_words, share_words

ORIGINAL, Q2I = "original", "Q2I"
_HEIGHT, _TOP = 280, 1.09
"""Of the picture from 0 up to the accuracy at its top, in pixels."""
_SIGN, _SMALL = 8, 6.6
"""Width of a sign of the figures, and of the numbers at the foot, with what keeps them apart."""
_LINE = 17
"""Height of a line of figures, in pixels: at the foot there are two, of a mark at 0 and of its problems."""
_FAINT = 0.55
"""Of the lines to the marks."""
_DASH = 12
"""Pixels of the dash that stands for originals; half of them where many runs are drawn."""
_LEAST = 110
"""Pixels of one place at least."""


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


@dataclass(frozen=True, slots=True)
class _Pairs:
    """A mark beside the originals of the same problems."""

    original: float
    """Accuracy on these originals."""
    other: float
    """Accuracy of what was made of them."""
    n: int | None = None
    """Problems with both marks; None where they are not counted."""


class _Slots(Look):
    """At each place two slots for a series: the originals of its problems, and its own mark."""

    def offset(self) -> Any:
        import altair as alt

        slots = [_slot(name, own=own) for name in self.names for own in (False, True)]
        return alt.XOffset(field="slot", type="nominal", scale=alt.Scale(domain=slots, paddingOuter=0.6))


def _slot(label: str, *, own: bool) -> str:
    return f"{label} {'mark' if own else 'originals'}"


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


def drop_picture(path: Path, runs: Mapping[str, Measured], notes: Sequence[str]) -> Path | None:
    """Draw accuracy on originals, scenarios and in Q2I into the file; None, and no file, without any. `runs`: by their
    labels. Raises UsageError when it cannot be written."""
    held = {label: run for label, run in runs.items() if run.shares}
    if not held:
        return None
    look = _Slots(list(held), model_marks(runs))
    order = [ORIGINAL, *(_place(load) for load in LOADS), Q2I]
    present = [place for place in order if any(place in run.shares for run in held.values())]
    rows = [row for label, run in held.items() for row in _rows(label, run, dashed=len(held) == 1)]
    longest = _SMALL * max(len(row["foot"]) for row in rows if "foot" in row)
    foot = 2 * _LINE if look.told else round(longest) + 8
    x = places(present)
    y = heights("accuracy", -_TOP * foot / _HEIGHT, _TOP, values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".0%")
    width = max(_LEAST, look.step_for(max(_SIGN * 4.5, longest))) * len(present)
    layers = [*_lines(look, x), *dots(look, x=x, y=y, below=True), *_figures(look, x, foot)]
    picture = panels(layers, rows, columns=1, width=width, height=_HEIGHT + foot)
    said = [*notes, *_said(look, list(held.values()), present)]
    figures = [f"{label}: {_in_words(run)}." for label, run in held.items()]
    return svg.saved(
        path,
        picture,
        words("Accuracy on originals, scenarios (Q2S) and written questions (Q2I)", said, figures, look, width + 60),
    )


def _said(look: Look, runs: Sequence[Measured], present: Sequence[str]) -> list[str]:
    said = [f"Target: {look.names[0]}."] if len(look.names) == 1 else []
    said.append("Marks: accuracy over n problems, with its 95% interval (Wilson).")
    if any(len({share.n for share in run.shares.values()}) > 1 for run in runs):
        after = "Q2S and Q2I" if Q2I in present and present[1:-1] else present[-1].partition("\n")[0]
        said.append(f"{after}: only problems whose texts passed their checks and whose answers have a mark.")
    if any(pair.n not in (None, run.shares[place].n) for run in runs for place, pair in _pairs(run).items()):
        said.append("In brackets: problems with both marks.")
    if any(map(_pairs, runs)):
        said.append(
            "Dash: accuracy on the originals of the same problems as the mark beside it; the line shows the drop."
        )
    if Q2I in present:
        said.append("Q2I: another task, a question is written to an instruction; any line to it is dotted.")
    return [" ".join(said)]


def _pairs(run: Measured) -> dict[str, _Pairs]:
    """Place → the mark there beside its originals, where there are any."""
    found = {
        _place(row.load): _Pairs(row.drop.original, row.drop.transformed, row.drop.n) for row in run.q2s if row.drop
    }
    if run.q2i is not None and run.q2i.share is not None and run.distance is not None:
        # the distance is what is to be seen; where an original is lost its dash is off by what that one counts
        found[Q2I] = _Pairs(min(1.0, run.q2i.share + run.distance), run.q2i.share)
    return found


def _rows(label: str, run: Measured, *, dashed: bool) -> list[Row]:
    """A row for each mark and for each end of the line to it. `dashed`: whether dashes have figures."""
    pairs = _pairs(run)
    rows: list[Row] = []
    for place, share in run.shares.items():
        pair = pairs.get(place)
        at: Row = {"panel": "", "series": label, "place": place}
        mark = at | {"slot": _slot(label, own=True), "value": share.share, "told": f"{share.share:.0%}"}
        rows.append(mark | ends(share.ci) | {"foot": _foot(share, pair)})
        if pair is not None:
            line = "dotted" if place == Q2I else "solid"
            start = at | {"slot": _slot(label, own=False), "dash": pair.original, line: pair.original, "order": 0}
            rows.append(start | ({"beside": f"{pair.original:.0%}"} if dashed else {}))
            rows.append(at | {"slot": _slot(label, own=True), line: pair.other, "order": 1})
    return rows


def _foot(share: Share, pair: _Pairs | None) -> str:
    """`n 37`, and with the pairs where they are fewer."""
    fewer = pair is not None and pair.n not in (None, share.n)
    return f"n {share.n:,}" + (f" ({pair.n:,})" if pair and fewer else "")


def _lines(look: Look, x: Any) -> list[Any]:
    """From the originals of the same problems to Q2S, and dotted to Q2I."""
    import altair as alt

    same: Row = {"x": x, "xOffset": look.offset(), "color": look.colour()}
    drawn: dict[str, Row] = {"solid": {}, "dotted": {"strokeDash": [2, 4]}}
    lines = [
        having(field)
        .mark_line(strokeWidth=1.5, **gaps)
        .encode(
            y=alt.Y(field=field, type="quantitative"),
            detail=alt.Detail(field="place", type="nominal"),
            order=alt.Order(field="order", type="quantitative"),
            opacity=alt.value(_FAINT),
            **same,
        )
        for field, gaps in drawn.items()
    ]
    dash, size = alt.Y(field="dash", type="quantitative"), _DASH if look.told else _DASH // 2
    return [
        *lines,
        having("dash").mark_point(shape="stroke", size=size**2, strokeWidth=3, opacity=1).encode(y=dash, **same),
    ]


def _figures(look: Look, x: Any, foot: int) -> list[Any]:
    """The accuracies of dashes, and at the foot how many problems each mark is over: upright where there is no room."""
    import altair as alt

    same: Row = {"x": x, "xOffset": look.offset()}
    turned: Row = {} if look.told else {"angle": 270, "align": "left"}
    at = alt.value(_HEIGHT + foot - (_LINE // 2 if look.told else 4))
    number = having("foot").mark_text(fontSize=11, color=svg.INK, **turned)
    beside = having("beside").mark_text(fontSize=11, dy=-8, color=svg.INK)
    return [
        number.encode(y=at, text=alt.Text(field="foot", type="nominal"), **same),
        beside.encode(
            y=alt.Y(field="dash", type="quantitative"), text=alt.Text(field="beside", type="nominal"), **same
        ),
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
