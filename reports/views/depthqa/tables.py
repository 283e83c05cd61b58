"""DepthQA's numbers as tables: mean scores, discrepancies, what a way of asking changes, the published code's rules."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.console import RenderableType
from rich.text import Text

from ....state.depthqa.items import SCALE
from ....state.depthqa.result import Change, DiscrepancyRow, Level, ModeNumbers, ScoreRow
from ....state.result import Interval
from ...page import figures
from ...page.rows import STYLES
from ...page.tables import Column, stacked, table_of, under
from .figures import gap, gap_span, share

T = TypeVar("T")
LEVELS: tuple[Level, ...] = ("D1", "D2", "D3", "overall")
BAR = 16
"""Cells of a mean score's bar."""
BARS_SINCE = 78
STACKED = 88
"""Width below which an interval stands under its number and not beside it."""
TIGHT = 50
"""Width below which the interval of a discrepancy has two decimals, and every cell counts."""
LEFT_OUT_SINCE = 58
"""Width from which columns count the nodes that do not count."""


@dataclass(frozen=True, slots=True)
class Line(Generic[T]):
    """A line of a table with parts: `row` is None for the heading of a part."""

    label: str
    row: T | None


def parts_of(parts: Iterable[tuple[str, Mapping[str, T]]]) -> list[Line[T]]:
    """The rows of all parts, each part under its name where they are several."""
    held = [(name, rows) for name, rows in parts if rows]
    if len(held) == 1:
        return [Line(label, row) for label, row in held[0][1].items()]
    lines: list[Line[T]] = []
    for name, rows in held:
        lines += [Line(name, None), *(Line(f"  {label}", row) for label, row in rows.items())]
    return lines


def titled(title: str, modes: Sequence[ModeNumbers]) -> str:
    """The title; with the mode where there is only one, since no heading within the table says it then."""
    return f"{title}, {modes[0].mode}" if len(modes) == 1 else title


def column(head: str, cell: Callable[[T], str | Text], *, since: int = 0, until: int | None = None) -> Column[Line[T]]:
    """A column of numbers, empty on the headings of parts."""
    return Column(head, lambda line: "" if line.row is None else cell(line.row), since=since, until=until)


def label_column(head: str) -> Column[Line[T]]:
    """The column of labels, with the headings of parts in bold."""
    return Column(head, lambda line: Text(line.label, "bold" if line.row is None else ""), text=True, fixed=True)


def score_bar(value: float | None, interval: Interval | None) -> Text:
    """A bar over 1 … 5; see `figures.BAR_LEGEND`."""
    if value is None:
        return Text()
    low, high = interval or (value, value)
    of = [(end - 1) / SCALE for end in (low, value, high)]
    return Text(figures.bar(of[1], (of[0], of[2]), BAR), STYLES["accuracy"])


def score_part(modes: Sequence[ModeNumbers], *, width: int) -> list[RenderableType]:
    """Mean scores by depth and overall, for each mode (the paper's table 3, left)."""
    columns: tuple[Column[Line[ScoreRow]], ...] = (
        label_column(""),
        column("questions", lambda r: f"{r.questions:,}", since=60),
        column("scored", lambda r: f"{r.scored:,}"),
        column("mean", lambda r: Text(figures.number(r.mean), "bold")),
        column("95% CI", lambda r: figures.span(r.ci)),
        Column(
            "1 … 5",
            lambda line: "" if line.row is None else score_bar(line.row.mean, line.row.ci),
            since=BARS_SINCE,
            text=True,
            fixed=True,
        ),
    )
    rows = parts_of((each.mode, _levels(each.accuracy)) for each in modes)
    return under(titled("Mean scores", modes), table_of(columns, rows, width=width))


def _levels(rows: Mapping[Level, T]) -> dict[str, T]:
    return {level: rows[level] for level in LEVELS if level in rows}


def discrepancy_part(modes: Sequence[ModeNumbers], *, forward: bool, width: int) -> list[RenderableType]:
    """Average, intensity and frequency by pair and overall, for each mode (the paper's tables 12 and 13)."""
    name = "Forward discrepancy" if forward else "Backward discrepancy"
    rows = parts_of((each.mode, {**_discrepancies(each, forward=forward)}) for each in modes)
    return under(titled(name, modes), table_of(discrepancy_columns(), rows, width=width))


def _discrepancies(numbers: ModeNumbers, *, forward: bool) -> Mapping[str, DiscrepancyRow]:
    rows = numbers.discrepancies.forward if forward else numbers.discrepancies.backward
    return dict(rows.items())


def discrepancy_columns() -> tuple[Column[Line[DiscrepancyRow]], ...]:
    """The pair, how many count, and the three figures with their intervals."""
    return (
        label_column(""),
        column("n", lambda r: f"{r.eligible}", until=TIGHT),
        column("n", lambda r: f"{r.eligible:,}", since=TIGHT),
        column("avg.", lambda r: stacked(gap(r.average), figures.score_span(r.average_ci)), until=TIGHT),
        column("int.", lambda r: stacked(gap(r.intensity), figures.score_span(r.intensity_ci)), until=TIGHT),
        column("avg.", lambda r: stacked(gap(r.average), gap_span(r.average_ci)), since=TIGHT, until=STACKED),
        column("int.", lambda r: stacked(gap(r.intensity), gap_span(r.intensity_ci)), since=TIGHT, until=STACKED),
        column("% > 0", lambda r: stacked(share(r.frequency), figures.percent_span(r.frequency_ci)), until=STACKED),
        column("average", lambda r: Text(gap(r.average), "bold"), since=STACKED),
        column("95% CI", lambda r: gap_span(r.average_ci), since=STACKED),
        column("intensity", lambda r: Text(gap(r.intensity), "bold"), since=STACKED),
        column("95% CI", lambda r: gap_span(r.intensity_ci), since=STACKED),
        column("freq. %", lambda r: Text(share(r.frequency), "bold"), since=STACKED),
        column("95% CI", lambda r: figures.percent_span(r.frequency_ci), since=STACKED),
        column("left out", lambda r: f"{r.left_out:,}", since=LEFT_OUT_SINCE),
        column("?", lambda r: f"{r.unscored:,}", since=LEFT_OUT_SINCE),
    )


Pair = tuple[float | None, float | None]


def reference_part(modes: Sequence[ModeNumbers], *, width: int, edges: bool = True) -> list[RenderableType]:
    """The figures beside those by the rules of the published code. `edges`: whether the graph has any, without which
    there are no discrepancies."""

    def written(pair: Pair, place: int, *, score: bool) -> str:
        return figures.number(pair[place]) if score else gap(pair[place])

    rows = parts_of((each.mode, _beside(each, edges=edges)) for each in modes)
    columns: tuple[Column[Line[tuple[bool, Pair]]], ...] = (
        label_column(""),
        column("here", lambda r: Text(written(r[1], 0, score=r[0]), "bold")),
        column("published code", lambda r: written(r[1], 1, score=r[0])),
    )
    return under(titled("Beside the published code's rules", modes), table_of(columns, rows, width=width))


def _beside(numbers: ModeNumbers, *, edges: bool) -> dict[str, tuple[bool, Pair]]:
    """Figure → whether it is a score, and (here, by the published code)."""
    found: dict[str, tuple[bool, Pair]] = {}
    for level, row in _levels(numbers.accuracy).items():
        there = {str(name): value for name, value in numbers.reference.accuracy.items()}
        found[f"mean {level}"] = (True, (row.mean, there.get(level)))
    if not edges:
        return found
    for way, rows, theirs in (
        ("forward", numbers.discrepancies.forward, numbers.reference.forward),
        ("backward", numbers.discrepancies.backward, numbers.reference.backward),
    ):
        found |= {f"{way} {pair}": (False, (row.average, theirs.get(pair))) for pair, row in rows.items()}
    return found


CHANGE_COLUMNS: tuple[Column[Line[Change]], ...] = (
    label_column(""),
    column("nodes", lambda r: f"{r.nodes:,}", since=64),
    column("zero-shot", lambda r: figures.number(r.zero_shot), since=56),
    column("this way", lambda r: figures.number(r.score), since=56),
    column("change", lambda r: Text(figures.difference(r.difference), "bold")),
    column("95% CI", lambda r: figures.difference_span(r.ci)),
)


def change_part(changes: Sequence[Change], *, width: int) -> list[RenderableType]:
    """What each way of asking changes against zero-shot (the paper's figure 4); nothing without any."""
    if not changes:
        return []
    lines: list[Line[Change]] = []
    for mode in dict.fromkeys(change.mode for change in changes):
        own = [change for change in changes if change.mode == mode]
        lines += [Line(mode, None), *(Line(f"  {change.level}", change) for change in own)]
    table = table_of(CHANGE_COLUMNS, lines, width=width)
    return ["", *under("Change against zero-shot, over nodes with both scores", table)]
