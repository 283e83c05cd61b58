"""DeepQuestion's accuracies as tables: from the original to Q2S and Q2I."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ....state.deepquestion.result import DeepQuestionResult, Drop, InstructionRow, LoadRow, Share
from ....state.result import Interval
from ...page import figures
from ...page.rows import STYLES
from ...page.tables import Column, stacked, table_of, under
from .labels import FEW, INVALID, load_words, span

BAR = 16
"""Cells of an accuracy's bar."""
STACKED = 62
"""Width below which an interval stands under its number and not beside it."""
LONG = 72
"""Width from which the rows have their whole names."""
BARS, PAIRED, BOTH = 108, 118, 138
"""Width from which there is room for bars, for the paired counts instead, and for both."""
OTHER_TASK = (
    "Q2I is another task, a question to be written: its distance is over problems with both marks, with an interval of"
    " two independent shares"
)
MCNEMAR = "p: McNemar's exact test of the drop, two-sided"
SEVERAL = "; several loads are tested, and no p is corrected for that"
WIDE = f"an interval over fewer than {FEW} problems is wide: so few say little of what others would show"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the main table."""

    name: str
    short: str
    accuracy: Share
    unscored: int
    change: float | None = None
    """Accuracy on the originals minus this one."""
    change_ci: Interval | None = None
    drop: Drop | None = None
    """The paired figures behind the change; None of another task."""
    words: float | None = None


def lines_of(result: DeepQuestionResult) -> list[Line]:
    """The originals, Q2S at each load and Q2I, as far as there are any."""
    row = result.q2i
    created = [created_line(row.accuracy, row.distance, row.distance_ci, row.unscored)] if row else []
    first = Line("original", "original", result.original, result.original_unscored)
    return [first, *(load_line(each) for each in result.q2s), *created]


def created_line(accuracy: Share, distance: float | None, interval: Interval | None, unscored: int = 0) -> Line:
    """The line of Q2I."""
    return Line("Q2I, another task", "Q2I", accuracy, unscored, distance, interval)


def load_line(row: LoadRow) -> Line:
    """The line of Q2S at one load."""
    drop = row.drop
    name, short = f"Q2S, {load_words(row.load)}", f"Q2S {row.load}"
    change, interval = (drop.drop, drop.ci) if drop else (None, None)
    return Line(name, short, row.accuracy, row.unscored, change, interval, drop, row.words)


def _paired(line: Line) -> tuple[str, str, str]:
    """Pairs, those only right in the original, those only right in the scenario."""
    drop = line.drop
    return (f"{drop.n:,}", f"{drop.only_original:,}", f"{drop.only_transformed:,}") if drop else (figures.NONE,) * 3


def _bar(line: Line) -> Text:
    share = line.accuracy.share
    return Text() if share is None else Text(figures.bar(share, line.accuracy.ci, BAR), STYLES["accuracy"])


def line_table(lines: Sequence[Line], *, width: int) -> Table:
    """Accuracies with their intervals and, where there is any, how far they are from the originals."""
    columns = list(_ACCURACY)
    if any(line.change is not None for line in lines):
        columns += _change_columns("drop" if any(line.drop for line in lines) else "distance")
    columns += _PAIRED if any(line.drop for line in lines) else ()
    return table_of([*columns, *_REST], lines, width=width)


_ACCURACY: tuple[Column[Line], ...] = (
    Column("", lambda r: r.short, text=True, fixed=True, until=LONG),
    Column("", lambda r: r.name, text=True, fixed=True, since=LONG),
    Column("n", lambda r: f"{r.accuracy.n:,}"),
    Column("right", lambda r: f"{r.accuracy.count:,}", since=50),
    Column(
        "acc. %",
        lambda r: stacked(figures.whole(r.accuracy.share), span(r.accuracy.share, r.accuracy.ci)),
        until=STACKED,
    ),
    Column("acc. %", lambda r: Text(figures.whole(r.accuracy.share), "bold"), since=STACKED),
    Column("95% CI", lambda r: span(r.accuracy.share, r.accuracy.ci), since=STACKED),
    Column("0 … 100%", _bar, since=BARS, until=PAIRED, text=True, fixed=True),
    Column("0 … 100%", _bar, since=BOTH, text=True, fixed=True),
)
_PAIRED: tuple[Column[Line], ...] = (
    Column("p", lambda r: figures.p_value(r.drop.mcnemar_p if r.drop else None)),
    Column("pairs", lambda r: _paired(r)[0], since=PAIRED),
    Column("only orig.", lambda r: _paired(r)[1], since=PAIRED),
    Column("only Q2S", lambda r: _paired(r)[2], since=PAIRED),
    Column("words", lambda r: figures.NONE if r.words is None else f"{r.words:.0f}", since=90),
)
_REST: tuple[Column[Line], ...] = (Column("?", lambda r: f"{r.unscored:,}", since=78),)


def _change_columns(head: str) -> tuple[Column[Line], ...]:
    return (
        Column(head, lambda r: stacked(figures.points(r.change), figures.points_span(r.change_ci)), until=STACKED),
        Column(head, lambda r: Text(figures.points(r.change), "bold"), since=STACKED),
        Column("95% CI", lambda r: figures.points_span(r.change_ci), since=STACKED),
    )


def accuracy_part(result: DeepQuestionResult, *, width: int) -> list[RenderableType]:
    """Accuracy on the originals, on the scenarios by load and in Q2I, with how far each is from the first."""
    lines = lines_of(result)
    title = " → ".join(["Original", *(["Q2S"] if result.q2s else []), *(["Q2I"] if result.q2i else [])])
    return [
        *under(title, line_table(lines, width=width)),
        *(Text(line, "dim") for line in _legend(result, lines, width)),
    ]


def _legend(result: DeepQuestionResult, lines: Sequence[Line], width: int) -> list[str]:
    said = []
    if any(line.drop for line in lines):
        said.append(
            "drop: accuracy on the originals minus on the scenarios, in points, over problems with both; positive:"
            " scenarios are harder"
        )
        said.append(f"{MCNEMAR}{SEVERAL if len(result.q2s) > 1 else ''}")
    if result.q2i is not None:
        said.append(f"{OTHER_TASK} (Newcombe) and no p")
    if any(line.drop for line in lines) and width >= PAIRED:
        said.append("only orig., only Q2S: problems with only one of the two right; all that p rests on")
    if any(line.words is not None for line in lines) and width >= 90:
        said.append("words: mean length of the scenarios")
    if width >= 78 and any(line.unscored for line in lines):
        said.append("?: lost to faults, neither right nor wrong")
    if any(0 < line.accuracy.n < FEW for line in lines):
        said.append(WIDE)
    return said


def invalid_part(row: InstructionRow | None, *, width: int) -> list[RenderableType]:
    """Attempts at Q2I that are not valid, by reason; nothing without any."""
    if row is None or not row.accuracy.n:
        return []
    missed = row.accuracy.n - row.accuracy.count
    attempts = figures.count(row.accuracy.n, "attempt")
    if not missed:
        return ["", Text(f"All of {attempts} at Q2I are valid.")]
    rows = [(words, number) for why, words in INVALID.items() if (number := row.invalid.get(why, 0))]
    columns: tuple[Column[tuple[str, int]], ...] = (
        Column("the first reason that applies", lambda r: r[0], text=True),
        Column("n", lambda r: f"{r[1]:,}"),
        Column("%", lambda r: figures.whole(r[1] / row.accuracy.n)),
    )
    return ["", *under(f"Q2I: {missed:,} of {attempts} not valid", table_of(columns, rows, width=width))]
