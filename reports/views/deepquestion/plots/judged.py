"""What the judge says of written questions: wins, ties and losses by criterion, and which place it prefers."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .....state.deepquestion.result import Comparisons, CriterionRow, DeepQuestionResult, PositionRow
from ....page.chart import svg
from ....page.chart.names import sentences, widest
from ....page.chart.panels import Look, Row, ends, having, heading, line_at, panels
from ....page.figures import count, percent, whole
from ....page.palette import in_turn
from ..labels import CRITERION_NAMES, span

Runs = Mapping[str, DeepQuestionResult]
"""Label → run."""

FILLS = {"original preferred": "#e8a66b", "tie": "#d9d9d9", "written question preferred": "#86b9de"}
"""From left to right; light enough for figures in dark ink, and told apart with any kind of colour blindness."""
BASES = ("written question and original", "two originals")
ALL = "all criteria"
_WIDTH, _ROW, _TALL, _COLUMNS = 360, 30, 42, 2
"""Of a panel in pixels with the figures at its right; of a criterion, and with two marks; panels side by side."""
_LEAST = 0.08
"""Share of the pairs from which a bar has room for its figure."""
_BESIDE = 1.06
"""Where the figures at the right begin."""


def wins_picture(path: Path, runs: Runs, notes: Sequence[str]) -> Path | None:
    """Draw wins, ties and losses by criterion into the file, a panel for each run; None, and no file, without a pair.
    Raises UsageError when it cannot be written."""
    held = {label: rows for label, result in runs.items() if (rows := _criteria(result))}
    if not held:
        return None
    titles = _titles(held)
    bars = [bar for label, own in held.items() for row in own for bar in _bars(titles[label], row)]
    present = {row.criterion for own in held.values() for row in own}
    names = [name for criterion, name in CRITERION_NAMES.items() if criterion in present]
    ticks = "format(abs(datum.value), '.0%')"
    x = _across(field="start", low=-1.0, high=1.72, values=[-1, -0.5, 0, 0.5, 1], labelExpr=ticks)
    y = _criteria_axis(names)
    said = [
        *notes,
        *_only(held),
        "Bars: share of the pairs, each judged in both orders. Preferred: in both of them; all others are ties, and"
        " stand in the middle.",
        "The numbers in the bars count pairs; the axis has their share.",
        "At the right the win rate, (wins + ties/2)/pairs in %, with its 95% interval (Student's t over pairs); 50"
        " where neither is better.",
    ]
    figures = [f"{label}: {'; '.join(map(_wins_in_words, rows))}." for label, rows in held.items()]
    return _saved(
        path, "Written questions against the originals", (said, figures), (_win_layers(x, y), bars), (names, _ROW)
    )


def _criteria(result: DeepQuestionResult) -> list[CriterionRow]:
    row = result.q2i
    return [each for each in row.comparisons.criteria if each.pairs] if row else []


def _titles(held: Mapping[str, Any]) -> dict[str, str]:
    """The headings of the panels; a single one needs none."""
    return {label: heading(label, _WIDTH) if len(held) > 1 else "" for label in held}


def _only(held: Mapping[str, Any]) -> list[str]:
    return [f"Target: {next(iter(held))}."] if len(held) == 1 else []


def _bars(panel: str, row: CriterionRow) -> list[Row]:
    """Losses, ties and wins, end to end; the ties around 0."""
    start = -(row.ties / 2 + row.losses) / row.pairs
    told = f"{whole(row.win_rate)}" + (f" ({span(row.win_rate, row.ci)})" if row.ci else "")
    made: list[Row] = []
    for kind, number in zip(FILLS, (row.losses, row.ties, row.wins), strict=True):
        end = start + number / row.pairs
        bar: Row = {"panel": panel, "criterion": CRITERION_NAMES[row.criterion], "kind": kind}
        bar |= {"start": start, "end": end, "middle": (start + end) / 2}
        bar |= {"number": str(number)} if end - start >= _LEAST else {}
        bar |= {"told": told} if not made else {}
        made.append(bar)
        start = end
    return made


def _win_layers(x: Any, y: Any) -> list[Any]:
    import altair as alt

    fill = alt.Color(
        field="kind",
        type="nominal",
        scale=alt.Scale(domain=list(FILLS), range=list(FILLS.values())),
        legend=alt.Legend(orient="bottom", title=None, columnPadding=18),
    )
    middle = alt.X(field="middle", type="quantitative")
    number = alt.Text(field="number", type="nominal")
    return [
        line_at(0, upright=True),  # below the bars, since it would strike out their figures
        having("start").mark_bar(stroke="white", strokeWidth=0.5).encode(x=x, x2="end", y=y, color=fill),
        having("number").mark_text(fontSize=11, color=svg.INK).encode(x=middle, y=y, text=number),
        _figures_beside(y),
    ]


def _wins_in_words(row: CriterionRow) -> str:
    outcome = f"{count(row.wins, 'win')}, {count(row.ties, 'tie')}, {count(row.losses, 'loss', 'losses')}"
    interval = f" ({span(row.win_rate, row.ci)})" if row.ci else ""
    return f"{CRITERION_NAMES[row.criterion]} {outcome}, win rate {percent(row.win_rate)}{interval}"


def places_picture(path: Path, runs: Runs, notes: Sequence[str]) -> Path | None:
    """Draw the share of preferences that go to the first place into the file, a panel for each run; None, and no file,
    where nothing was preferred. Raises UsageError when it cannot be written."""
    held = {label: rows for label, result in runs.items() if (rows := _leanings(result))}
    if not held:
        return None
    titles = _titles(held)
    marks: list[Row] = [
        {"panel": titles[label], "criterion": _name(row), "series": base, "value": row.first_share}
        | ends(row.ci)
        | {"told": f"{percent(row.first_share)} of {row.first + row.second:,}"}
        for label, own in held.items()
        for base, row in own
    ]
    present = {mark["criterion"] for mark in marks}
    names = [name for name in [*CRITERION_NAMES.values(), ALL] if name in present]
    bases = [base for base in BASES if any(mark["series"] == base for mark in marks)]
    x = _across(field="value", low=0.0, high=1.4, values=[0, 0.25, 0.5, 0.75, 1], format=".0%")
    said = [
        *notes,
        *_only(held),
        "Share of the judge's preferences for the question in first position: 50% without bias. Ties are left out.",
        "Lines: 95% intervals. Right: % first-place preferences (n).",
        *([f"Compared: {bases[0]}."] if len(bases) == 1 else []),
    ]
    figures = [f"{label}: {'; '.join(_place_in_words(*each) for each in own)}." for label, own in held.items()]
    drawn = _place_layers(x, _criteria_axis(names), bases), marks
    down = names, _ROW if len(bases) == 1 else _TALL
    return _saved(path, "Judge position bias", (said, figures), drawn, down)


def _leanings(result: DeepQuestionResult) -> list[tuple[str, PositionRow]]:
    """What was compared, and one criterion of it; those with a preference."""
    compared: list[Comparisons | None] = [result.q2i.comparisons if result.q2i else None, result.baseline]
    return [
        (base, row)
        for base, own in zip(BASES, compared, strict=True)
        if own is not None
        for row in own.position
        if row.first_share is not None
    ]


def _name(row: PositionRow) -> str:
    return ALL if row.criterion == "all" else CRITERION_NAMES[row.criterion]


def _place_layers(x: Any, y: Any, bases: Sequence[str]) -> list[Any]:
    import altair as alt

    look = Look(bases, in_turn(BASES), across=True)
    offset = alt.YOffset(field="series", type="nominal", scale=alt.Scale(domain=list(bases), paddingOuter=0.3))
    same: Row = {"y": y, "yOffset": offset, "color": look.colour()}
    low = alt.X(field="low", type="quantitative")
    return [
        line_at(0.5, upright=True),
        having("low").mark_rule(strokeWidth=1.5, opacity=0.8).encode(x=low, x2="high", **same),
        having("value").mark_point(size=50, strokeWidth=2, opacity=1).encode(x=x, shape=look.shape(), **same),
        _figures_beside(y, offset=offset),
    ]


def _place_in_words(base: str, row: PositionRow) -> str:
    interval = f" ({span(row.first_share, row.ci)})" if row.ci else ""
    of = count(row.first + row.second, "preference")
    return f"{base}, {_name(row)} {percent(row.first_share)}{interval} of {of}"


def _criteria_axis(names: Sequence[str]) -> Any:
    import altair as alt

    scale = alt.Scale(domain=list(names), paddingInner=0.25, paddingOuter=0.15)
    axis = alt.Axis(title=None, ticks=False, labelPadding=6, labelOverlap=False, minExtent=widest(names))
    return alt.Y(field="criterion", type="nominal", scale=scale, axis=axis)


def _across(*, field: str, low: float, high: float, **axis: Any) -> Any:
    import altair as alt

    scale = alt.Scale(domain=[low, high], nice=False, zero=False)
    return alt.X(field=field, type="quantitative", scale=scale, axis=alt.Axis(title=None, **axis))


def _figures_beside(y: Any, **offset: Any) -> Any:
    """The figures at the right of a panel; `offset`: channels of the marks they belong to."""
    import altair as alt

    at = having("told").transform_calculate(beside=str(_BESIDE)).mark_text(align="left", fontSize=11, color=svg.INK)
    encoded = {"x": alt.X(field="beside", type="quantitative"), "text": alt.Text(field="told", type="nominal")}
    return at.encode(y=y, **encoded, **({"yOffset": offset["offset"]} if offset else {}))


def _saved(
    path: Path,
    title: str,
    told: tuple[Sequence[str], Sequence[str]],
    drawn: tuple[Sequence[Any], Sequence[Row]],
    down: tuple[Sequence[str], int],
) -> Path:
    """`told`: under the title, and to those who cannot see the picture. `drawn`: layers and rows. `down`: the criteria,
    and the pixels that each takes."""
    (said, figures), (names, tall) = told, down
    columns = min(_COLUMNS, len({row["panel"] for row in drawn[1]}))
    picture = panels(*drawn, columns=columns, width=_WIDTH, height=tall * len(names))
    width = columns * (_WIDTH + 24) + widest(names)
    words = svg.Words(title=title, subtitle=sentences(said, max(480, width)), description=" ".join([*said, *figures]))
    return svg.saved(path, picture, words)
