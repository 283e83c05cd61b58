"""Min-K% by depth, and the gap between neighbouring scores by its quartiles."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from .....state.depthqa.items import Mode
from .....state.depthqa.result import DepthQAResult, MinK, Spread5
from .....state.result import Interval
from ....page.chart import svg
from ....page.chart.panels import (
    SIGNED,
    Look,
    Row,
    Runs,
    by_target,
    data,
    ends,
    figure,
    having,
    heading,
    heights,
    interval,
    line_at,
    only,
    panels,
    places,
    words,
)
from .scores import LEVELS, signed

_HEIGHT = 230
"""Of a panel, in pixels."""
_WIDEST = 1000
"""Of all panels in a row, in pixels."""
_LOWEST, _HIGHEST = "1\nlowest", "4\nhighest"
_QUARTILES = {1: _LOWEST, 2: "2", 3: "3", 4: _HIGHEST}


@dataclass(frozen=True, slots=True)
class _Picture:
    """What tells the two pictures apart."""

    title: str
    said: Sequence[str]
    names: Sequence[str]
    """Places of the horizontal axis."""
    across: str
    """Its title."""
    rows: Callable[[MinK], list[Row]]
    """The boxes of a series."""
    upwards: str
    """Title of the vertical axis."""
    labels: Row
    """What its labels look like."""
    reach: tuple[float, float]
    """Its ends."""
    in_words: Callable[[MinK], str]
    below: Sequence[Any] = ()
    """Layers that lie under the boxes."""
    aside: bool = False
    """Whether it is of gaps: the mean, which has an interval, stands beside its box, and the sides of 0 have names."""


def min_k_picture(path: Path, runs: Runs, notes: Sequence[str]) -> Path | None:
    """Draw the distribution of Min-K% by depth into the file; None, and no file, where no answer has it. Raises
    UsageError when it cannot be written."""
    held = _held(runs, lambda min_k: any(min_k.by_depth.values()))
    spreads = [s for own in held.values() for min_k in own.values() for s in min_k.by_depth.values() if s is not None]
    said = (
        "Min-K%: mean negative log-likelihood, in nats, of the least likely fifth of an answer's first 128 tokens. "
        "Low: more likely to be recalled from training. To be compared within a target only.",
        "Boxes: the middle half of the answers, with the median; lines: from lowest to highest; dots: the mean.",
    )
    picture = _Picture(
        title="Min-K% by depth",
        said=said,
        names=LEVELS,
        across="depth",
        rows=_depth_rows,
        upwards="Min-K%, nats",
        labels={"format": ".1f"},
        reach=(0.0, max((spread.maximum for spread in spreads), default=1.0) * 1.05 + 0.01),
        in_words=_depths_in_words,
    )
    return _drawn(path, held, notes, picture) if held else None


def quartile_gaps_picture(path: Path, runs: Runs, notes: Sequence[str]) -> Path | None:
    """Draw the gaps between the scores of neighbouring D3 and D2 by quartile of the D3's Min-K% into the file; None,
    and no file, where there are no quartiles. Raises UsageError when it cannot be written."""
    held = _held(runs, lambda min_k: any(row.gaps is not None for row in min_k.quartiles))
    said = (
        "Score of a D3 minus that of a D2 that leads to it, as a share of the 4 points between best and worst score. "
        "Above 0: backward, the deeper question is answered better; below 0: forward. By quartile of the D3's Min-K%: "
        "the lowest is the most likely to be recalled from training.",
        "Boxes: the middle half of the pairs, with the median; coloured lines: from lowest to highest; dots and "
        "black lines: the mean with its 95% interval, clustered by tree.",
    )
    picture = _Picture(
        title="Gap between D3 and D2 by quartile of Min-K%",
        said=said,
        names=list(_QUARTILES.values()),
        across="quartile of the D3's Min-K%",
        rows=_gap_rows,
        upwards="(score of D3 − score of D2) / 4",
        labels=SIGNED,
        reach=(-1.08, 1.08),
        in_words=_gaps_in_words,
        below=(line_at(0),),
        aside=True,
    )
    return _drawn(path, held, notes, picture) if held else None


def _held(runs: Runs, present: Callable[[MinK], bool]) -> dict[str, dict[Mode, MinK]]:
    found = {label: _min_k(result, present) for label, result in runs.items()}
    return {label: own for label, own in found.items() if own}


def _min_k(result: DepthQAResult, present: Callable[[MinK], bool]) -> dict[Mode, MinK]:
    return {n.mode: n.min_k for n in result.modes if n.min_k is not None and present(n.min_k)}


def _drawn(path: Path, held: Mapping[str, Mapping[Mode, MinK]], notes: Sequence[str], picture: _Picture) -> Path:
    shown, look = by_target(held)
    width = max(50, (21 if picture.aside else 15) * len(look.names) + 14) * len(picture.names)
    most = max(1, _WIDEST // (width + 24))
    columns = ceil(len(shown) / ceil(len(shown) / most))
    rows = [
        {"panel": heading(each.title, width), "series": name, "beside": f"{name}, mean", **row}
        for each in shown
        for name, min_k in each.series.items()
        for row in picture.rows(min_k)
    ]
    y = heights(picture.upwards, *picture.reach, field="minimum", **picture.labels)
    layers = [
        *picture.below,
        *([_sides(width)] if picture.aside else []),
        *_boxes(look, x=places(picture.names, title=picture.across), y=y, aside=picture.aside),
    ]
    said = [*notes, *only(shown, look, headed=True), *picture.said]
    figures = [f"{label}, {mode}: {picture.in_words(own)}." for label, o in held.items() for mode, own in o.items()]
    about = words(picture.title, said, figures, look, columns * (width + 24) + 50)
    return svg.saved(path, panels(layers, rows, columns=columns, width=width, height=_HEIGHT), about)


def _boxes(look: Look, *, x: Any, y: Any, aside: bool) -> list[Any]:
    """Layers of boxes side by side at each `place`, with the mean and, where there is one, its interval: `aside`, or
    within them."""
    import altair as alt

    size = (8 if aside else 11) if len(look.names) > 1 else 22
    # of the three places a series has then, the box takes the first, the mean the second, and the third is empty
    order = [place for name in look.names for place in (name, *([f"{name}, mean", f"{name}, gap"] if aside else []))]
    scale = alt.Scale(domain=order, paddingOuter=0.6)
    base: Row = {"x": x, "xOffset": alt.XOffset(field="series", type="nominal", scale=scale)}
    mean = base | {"xOffset": alt.XOffset(field="beside" if aside else "series", type="nominal", scale=scale)}
    colour = look.colour(points=False)

    def at(field: str) -> Any:
        return alt.Y(field=field, type="quantitative")

    return [
        having("minimum").mark_rule(strokeWidth=1).encode(y=y, y2="maximum", color=colour, **base),
        having("q1")
        .mark_bar(size=size, fillOpacity=1, strokeWidth=1.2, fill="white")
        .encode(y=at("q1"), y2="q3", stroke=colour, **base),
        having("median").mark_tick(size=size, thickness=2.5, opacity=1).encode(y=at("median"), color=colour, **base),
        having("low").mark_rule(strokeWidth=1.5, color=svg.INK).encode(y=at("low"), y2="high", **mean),
        having("mean")
        .mark_point(filled=True, size=28, opacity=1, color=svg.INK, stroke="white", strokeWidth=0.8)
        .encode(y=at("mean"), **mean),
    ]


def _box(spread: Spread5) -> Row:
    return spread.model_dump(exclude={"n"})


def _depth_rows(min_k: MinK) -> list[Row]:
    return [{"place": level, **_box(spread)} for level, spread in min_k.by_depth.items() if spread is not None]


def _gap_rows(min_k: MinK) -> list[Row]:
    return [
        {"place": _QUARTILES[row.quartile], **_box(row.gaps), "mean": row.mean, **ends(row.ci)}
        for row in min_k.quartiles
        if row.gaps is not None
    ]


def _sides(width: int) -> Any:
    """Which side of 0 is which, to the right of a panel."""
    import altair as alt

    told = [{"at": 0.5, "told": "backward"}, {"at": -0.5, "told": "forward"}]
    return (
        data(told)
        .mark_text(angle=270, x=width + 10, fontSize=11, color=svg.FAINT, fontStyle="italic")
        .encode(y=alt.Y(field="at", type="quantitative"), text=alt.Text(field="told", type="nominal"))
    )


def _depths_in_words(min_k: MinK) -> str:
    told = [
        f"{level} median {figure(spread.median)}, quartiles {_between((spread.q1, spread.q3))}, mean "
        f"{figure(spread.mean)}, all {_between((spread.minimum, spread.maximum))} over {spread.n}"
        for level, spread in min_k.by_depth.items()
        if spread is not None
    ]
    return "; ".join([*told, f"{min_k.missing} answers lack it"])


def _gaps_in_words(min_k: MinK) -> str:
    return "; ".join(
        f"quartile {row.quartile}, Min-K% {_between(row.min_k)}: mean {signed(row.mean)}{interval(row.ci)} over "
        f"{row.pairs} pairs"
        for row in min_k.quartiles
    )


def _between(ends: Interval) -> str:
    return f"{figure(ends[0])} to {figure(ends[1])}"
