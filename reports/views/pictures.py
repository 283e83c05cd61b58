"""From rows to a picture, the same for all methods. The words for those who cannot see it are those
of the rows."""

from collections.abc import Iterable, Sequence
from typing import Any

from ..page.chart.axes import Axis, Row, Series
from ..page.chart.draw import chart
from ..page.chart.picture import Picture

QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
SHARES = Axis("accuracy", high=1.09, values=QUARTERS)
"""Shares upwards, with room for a mark at the top."""


def picture(
    name: str,
    title: str,
    said: Sequence[str],
    rows: Sequence[Row],
    axes: tuple[Axis, Axis],
    series: Series,
    *,
    width: int,
    height: int,
    columns: int = 1,
    **layout: Any,
) -> Picture:
    """A chart of the rows with its words. `width`, `height`: of a panel. `layout`: as of `chart`.
    Of a row `words` is what it shows.
    """
    charted = [{name: value for name, value in row.items() if name != "words"} for row in rows]
    return Picture(
        name,
        title,
        said,
        in_words(rows),
        columns * (width + 24) + 50,
        chart(
            charted,
            *axes,
            series,
            width=width,
            height=height,
            columns=columns,
            **layout,
        ),
        series.legend,
    )


def in_words(rows: Iterable[Row]) -> list[str]:
    """A sentence for each series of a panel: `zero-shot, sim:student: D1 4.20 (3.90 to 4.50), D2
    …`."""
    by_series: dict[str, list[str]] = {}
    for row in rows:
        if "words" in row:
            name = ", ".join(filter(None, [row["panel"].replace("\n", " "), row["series"]]))
            by_series.setdefault(name, []).append(row["words"])
    return [f"{name}: {', '.join(words)}." for name, words in by_series.items()]


def target_of(series: Series) -> list[str]:
    """Whose figures they are where that stands in no legend."""
    return [f"Target: {series.names[0]}."] if len(series.names) == 1 else []
