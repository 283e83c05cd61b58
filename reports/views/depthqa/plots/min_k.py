"""Min-K% by depth, and the gap between neighbouring scores by its quartiles."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

from .....state.depthqa.result import MinK
from ....page.chart.axes import FAINT, PAGE, PLUS, Axis, Channels, Row, data, text
from ....page.chart.draw import chart, heading, interval
from ....page.chart.picture import Picture
from ....page.chart.runs import by_run, only
from ....page.figures import difference, number, span_words
from .scores import LEVELS, Runs

MIN_K, QUARTILE_GAPS = "min_k", "quartile_gaps"
QUARTILES = {1: "1\nlowest", 2: "2", 3: "3", 4: "4\nhighest"}
HEIGHT = 230
"""Of a panel, in pixels."""
Held = Mapping[str, Mapping[str, MinK]]


def min_k_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """The distribution of Min-K% by depth; None where no answer has it."""
    held = _held(runs, lambda min_k: any(min_k.by_depth.values()))
    spreads = [s for own in held.values() for min_k in own.values() for s in min_k.by_depth.values() if s is not None]
    said = (
        "Min-K%: mean negative log-likelihood, in nats, of the least likely fifth of an answer's first 128 tokens. "
        "Low: more likely to be recalled from training. To be compared within a target only.",
        "Boxes: the middle half of the answers, with the median; lines: from lowest to highest; dots: the mean.",
    )
    top = max((spread.maximum for spread in spreads), default=1.0) * 1.05 + 0.01
    axes = Axis("depth", LEVELS), Axis("Min-K%, nats", high=top, labels=".1f")
    return _picture(MIN_K, "Min-K% by depth", (held, _depth_rows, _depths_in_words), (told, said), axes)


def quartile_gaps_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """The gaps between the scores of neighbouring D3 and D2 by quartile of the D3's Min-K%; None without quartiles."""
    held = _held(runs, lambda min_k: any(row.gaps is not None for row in min_k.quartiles))
    said = (
        "Score of a D3 minus that of a D2 that leads to it, as a share of the 4 points between best and worst score. "
        "Above 0: backward, the deeper question is answered better; below 0: forward. By quartile of the D3's Min-K%: "
        "the lowest is the most likely to be recalled from training.",
        "Boxes: the middle half of the pairs, with the median; coloured lines: from lowest to highest; dots and "
        "dark lines: the mean with its 95% interval, clustered by tree.",
    )
    y = Axis("(score of D3 − score of D2) / 4", low=-1.08, high=1.08, labels=PLUS)
    axes = Axis("quartile of the D3's Min-K%", [*QUARTILES.values()]), y
    title = "Gap between D3 and D2 by quartile of Min-K%"
    return _picture(QUARTILE_GAPS, title, (held, _gap_rows, _gaps_in_words), (told, said), axes, 0.0)


def _held(runs: Runs, present: Callable[[MinK], bool]) -> Held:
    found: dict[str, dict[str, MinK]] = {
        label: {n.mode: n.min_k for n in result.modes if n.min_k is not None and present(n.min_k)}
        for label, result in runs.items()
    }
    return {label: own for label, own in found.items() if own}


def _picture(
    name: str,
    title: str,
    of: tuple[Held, Callable[[MinK], list[Row]], Callable[[MinK], str]],
    told: tuple[Sequence[str], Sequence[str]],
    axes: tuple[Axis, Axis],
    *lines: float,
) -> Picture | None:
    """`of`: the figures, their rows and their words. `lines`: those of gaps, whose mean stands beside its box."""
    held, rows_of, in_words = of
    if not held:
        return None
    shown, series = by_run(held, filled=True)
    width = max(50, (21 if lines else 15) * len(series.names) + 14) * len(axes[0].names)
    most = max(1, (PAGE - 80) // (width + 24))
    columns = ceil(len(shown) / ceil(len(shown) / most))
    rows = [
        {"panel": heading(each.title, width), "series": mode, "beside": f"{mode}, mean", **row}
        for each in shown
        for mode, min_k in each.held.items()
        for row in rows_of(min_k)
    ]
    # of the three slots that a series of gaps has, the box takes the first, the mean the second, and the third is empty
    slots = [slot for mode in series.names for slot in (mode, f"{mode}, mean", f"{mode}, gap")] if lines else []
    said = [*told[0], *only(shown, series, headed=True), *told[1]]
    words = [f"{label}, {mode}: {in_words(own)}." for label, o in held.items() for mode, own in o.items()]
    sizes: Row = {"width": width, "height": HEIGHT, "columns": columns}

    def draw() -> Any:
        return chart(rows, *axes, series, kind="box", lines=lines, over=_sides if lines else None, slots=slots, **sizes)

    return Picture(name, title, said, words, columns * (width + 24) + 50, draw, series.legend)


def _depth_rows(min_k: MinK) -> list[Row]:
    return [{"x": level, **spread.model_dump(exclude={"n"})} for level, spread in min_k.by_depth.items() if spread]


def _gap_rows(min_k: MinK) -> list[Row]:
    return [
        {"x": QUARTILES[row.quartile], **row.gaps.model_dump(exclude={"n"}), "mean": row.mean, **interval(row.ci)}
        for row in min_k.quartiles
        if row.gaps is not None
    ]


def _sides(at: Channels) -> list[Any]:
    """Which side of 0 is which, to the right of a panel."""
    told = [{"at": 0.5, "told": "backward"}, {"at": -0.5, "told": "forward"}]
    words = data(told).mark_text(fill=FAINT, angle=270, x=at.width + 10, fontStyle="italic")
    return [words.encode(y=at.y("at"), text=text("told"))]


def _depths_in_words(min_k: MinK) -> str:
    told = [
        f"{level} median {number(spread.median)}, quartiles {_between((spread.q1, spread.q3))}, mean "
        f"{number(spread.mean)}, all {_between((spread.minimum, spread.maximum))} over {spread.n}"
        for level, spread in min_k.by_depth.items()
        if spread is not None
    ]
    return "; ".join([*told, f"{min_k.missing} answers lack it"])


def _gaps_in_words(min_k: MinK) -> str:
    return "; ".join(
        f"quartile {row.quartile}, Min-K% {_between(row.min_k)}: mean {difference(row.mean)}{span_words(row.ci)} over "
        f"{row.pairs} pairs"
        for row in min_k.quartiles
    )


def _between(ends: tuple[float, float]) -> str:
    return f"{number(ends[0])} to {number(ends[1])}"
