"""Min-K% by depth, and the gap between neighbouring scores by its quartiles."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from .....state.depthqa.result import MinK
from ....page.chart.axes import FAINT, PAGE, PLUS, Axis, Channels, Row, Spec, layer, nominal
from ....page.chart.draw import heading, interval
from ....page.chart.picture import Picture
from ....page.chart.runs import by_run, only
from ....page.figures import difference, number, span_words
from ...pictures import picture
from .scores import LEVELS, Runs, present

QUARTILES = {1: "1\nlowest", 2: "2", 3: "3", 4: "4\nhighest"}


def min_k_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """The distribution of Min-K% by depth; None where no answer has it."""
    held = _rows(runs, _depths)
    said = [
        "Min-K%: mean negative log-likelihood, in nats, of the least likely fifth of an answer's "
        "first 128 tokens. "
        "Low: more likely to be recalled from training. To be compared within a target only.",
        (
            "Boxes: the middle half of the answers, with the median; lines: from lowest to "
            "highest; dots: the mean."
        ),
    ]
    highest = max(
        (row["maximum"] for own in held.values() for rows in own.values() for row in rows),
        default=1.0,
    )
    axes = Axis("depth", LEVELS), Axis("Min-K%, nats", high=highest * 1.05 + 0.01, labels=".1f")
    return _picture("min_k", "Min-K% by depth", held, told, said, axes)


def _depths(min_k: MinK) -> list[Row]:
    return [
        {"x": level, **spread.model_dump(exclude={"n"})}
        | {
            "words": f"{level} median {number(spread.median)}, quartiles {_between(spread.q1, spread.q3)}, mean"
            f" {number(spread.mean)}, all {_between(spread.minimum, spread.maximum)} over "
            f"{spread.n}"
        }
        for level, spread in min_k.by_depth.items()
        if spread is not None
    ]


def quartile_gaps_picture(runs: Runs, told: Sequence[str]) -> Picture | None:
    """The gaps between the scores of neighbouring D3 and D2 by quartile of the D3's Min-K%; None
    without quartiles."""
    said = [
        "Score of a D3 minus that of a D2 that leads to it, as a share of the 4 points between "
        "best and worst score. "
        "Above 0: backward, the deeper question is answered better; below 0: forward. By quartile "
        "of the D3's Min-K%: "
        "the lowest is the most likely to be recalled from training.",
        "Boxes: the middle half of the pairs, with the median; coloured lines: from lowest to "
        "highest; dots and "
        "their lines: the mean with its 95% interval, clustered by tree.",
    ]
    y = Axis("(score of D3 − score of D2) / 4", low=-1.08, high=1.08, labels=PLUS)
    axes = Axis("quartile of the D3's Min-K%", [*QUARTILES.values()]), y
    title = "Gap between D3 and D2 by quartile of Min-K%"
    return _picture(
        "quartile_gaps", title, _rows(runs, _gaps), told, said, axes, lines=(0.0,), over=_sides
    )


def _gaps(min_k: MinK) -> list[Row]:
    return [
        {
            "x": QUARTILES[row.quartile],
            **row.gaps.model_dump(exclude={"n"}),
            "mean": row.mean,
            **interval(row.ci),
        }
        | {
            "words": f"quartile {row.quartile}, Min-K% {_between(*row.min_k)}: mean {difference(row.mean)}"
            f"{span_words(row.ci)} over {row.pairs} pairs"
        }
        for row in min_k.quartiles
        if row.gaps is not None
    ]


def _between(low: float, high: float) -> str:
    return f"{number(low)} to {number(high)}"


Held = Mapping[str, Mapping[str, list[Row]]]
"""Label → mode → rows."""


def _rows(runs: Runs, of: Any) -> Held:
    return present(
        runs,
        lambda run: {
            n.mode: rows for n in run.modes if n.min_k is not None and (rows := of(n.min_k))
        },
    )


def _picture(
    name: str,
    title: str,
    held: Held,
    told: Sequence[str],
    said: Sequence[str],
    axes: tuple[Axis, Axis],
    **layout: Any,
) -> Picture | None:
    """Boxes, a panel for each run."""
    if not held:
        return None
    shown, series = by_run(held, filled=True)
    width = max(50, 15 * len(series.names) + 14) * len(axes[0].names)
    most = max(1, (PAGE - 80) // (width + 24))
    columns = ceil(len(shown) / ceil(len(shown) / most))
    rows = [
        {"panel": heading(each.title, width), "series": mode, **row}
        for each in shown
        for mode, own in each.held.items()
        for row in own
    ]
    said = [*told, *only(shown, series, headed=True), *said]
    size = {"width": width, "height": 230, "columns": columns}
    return picture(name, title, said, rows, axes, series, kind="box", **size, **layout)


def _sides(at: Channels) -> list[Spec]:
    """Which side of 0 is which, to the right of a panel."""
    told = [{"at": 0.5, "told": "backward"}, {"at": -0.5, "told": "forward"}]
    same = {"y": at.y("at"), "text": nominal("told")}
    return [
        layer("text", same, rows=told, fill=FAINT, angle=270, x=at.width + 10, fontStyle="italic")
    ]
