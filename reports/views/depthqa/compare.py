"""Several targets of DepthQA side by side, and how far people agree with the judge."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from ....state.depthqa.items import Mode
from ....state.depthqa.result import Agreement, AgreementRow, DepthQACell, DepthQAComparison, Pair
from ....state.result import Interval
from ...page import figures
from ...page.folding import folded
from ...page.remarks import SIMULATED, listed
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...page.tables import Column, table_of, under
from .figures import gap, gap_span, target_words
from .tables import LEVELS

PAIRS: tuple[Pair, ...] = ("D2 → D3", "D1 → D2", "overall")
WHOLE = 132
"""Width from which all ten numbers stand in one table."""
SPANS_SINCE = 60
"""Width from which the interval stands under each number."""
NAME, NARROW_NAME = 24, 14
"""Cells of a target's name at most; on a screen without room for intervals."""
LEGEND = (
    "mean scores 1 … 5, higher is better · discrepancies 0 … 1, lower is better · under each number its 95% CI,"
    " clustered by tree"
)
BEST = "* best point estimate in the column (ties all marked); see the intervals for certainty"


@dataclass(frozen=True, slots=True)
class Number:
    """One number of the comparison: how it is found, and whether more of it is better."""

    head: str
    value: Callable[[DepthQACell], float | None]
    interval: Callable[[DepthQACell], Interval | None]
    score: bool

    def shown(self, cell: DepthQACell) -> float | None:
        """The number as it is written: two decimals of a score, three of a discrepancy."""
        value = self.value(cell)
        return None if value is None else round(value, 2 if self.score else 3)

    def best(self, cells: Sequence[DepthQACell]) -> float | None:
        """What is best among the cells as it is written; None where fewer than two have it."""
        held = [value for cell in cells if (value := self.shown(cell)) is not None]
        return None if len(held) < 2 else max(held) if self.score else min(held)


def _score(level: str) -> Number:
    def row(cell: DepthQACell) -> tuple[float | None, Interval | None]:
        held = {str(name): each for name, each in cell.numbers.accuracy.items()}.get(level)
        return (held.mean, held.ci) if held else (None, None)

    return Number("all" if level == "overall" else level, lambda c: row(c)[0], lambda c: row(c)[1], score=True)


def _gap(pair: Pair, *, forward: bool) -> Number:
    def row(cell: DepthQACell) -> tuple[float | None, Interval | None]:
        found = cell.numbers.discrepancies
        held = (found.forward if forward else found.backward).get(pair)
        return (held.average, held.average_ci) if held else (None, None)

    head = f"{'forw.' if forward else 'backw.'}\n{'all' if pair == 'overall' else pair.replace(' ', '')}"
    return Number(head, lambda c: row(c)[0], lambda c: row(c)[1], score=False)


SCORES = tuple(_score(level) for level in LEVELS)
FORWARD = tuple(_gap(pair, forward=True) for pair in PAIRS)
BACKWARD = tuple(_gap(pair, forward=False) for pair in PAIRS)


def comparison_tables(comparison: DepthQAComparison, *, width: int) -> RenderableType:
    """Targets by mean scores and discrepancies, mode by mode (the paper's table 3), with the best marked."""
    parts: list[RenderableType] = [Text(SIMULATED, STYLES["badge"])] if comparison.simulated else []
    for mode in dict.fromkeys(cell.numbers.mode for cell in comparison.cells):
        cells = [cell for cell in comparison.cells if cell.numbers.mode == mode]
        parts += [*([""] if parts else []), *_mode(cells, mode, width)]
    if comparison.cells:
        parts.append(Text(LEGEND if width >= SPANS_SINCE else LEGEND.partition(" · under")[0], "dim"))
    if len(comparison.targets) > 1:
        parts.append(Text(BEST, "dim"))
    if comparison.left_out:
        trees = figures.count(comparison.left_out, "tree")
        parts.append(Text(f"Only trees that every target has finished count; {trees} left out."))
    return Group(*parts, *listed("Notes", comparison.notes))


def _mode(cells: Sequence[DepthQACell], mode: Mode, width: int) -> list[RenderableType]:
    blocks = [(*SCORES, *FORWARD, *BACKWARD)] if width >= WHOLE else [SCORES, FORWARD, BACKWARD]
    names = [""] if len(blocks) == 1 else ["mean scores", "forward discrepancy", "backward discrepancy"]
    parts: list[RenderableType] = []
    for name, numbers in zip(names, blocks, strict=True):
        shown = [number for number in numbers if any(number.value(cell) is not None for cell in cells)]
        if not shown:  # no discrepancies without edges
            continue
        title = figures.joined([f"Targets side by side, {mode}", name], ": ")
        columns = [_target(width), *(_column(number, cells, width) for number in shown)]
        parts += [*([""] if parts else []), *under(title, table_of(columns, cells, width=width))]
    return parts


def _target(width: int) -> Column[DepthQACell]:
    room = NAME if width >= SPANS_SINCE else NARROW_NAME
    return Column("target", lambda c: "\n".join(folded(target_words(c.target), room)), text=True, fixed=True)


def _column(number: Number, cells: Sequence[DepthQACell], width: int) -> Column[DepthQACell]:
    best = number.best(cells)

    def cell(each: DepthQACell) -> Text:
        value = number.value(each)
        is_best = best is not None and number.shown(each) == best
        words = figures.number(value) if number.score else gap(value)
        text = Text(f"*{words}" if is_best else words, "bold" if is_best else "")
        if width >= SPANS_SINCE:
            interval = number.interval(each)
            text.append("\n").append(figures.span(interval) if number.score else gap_span(interval), "dim")
        return text

    return Column(number.head, cell)


AGREEMENT_COLUMNS: tuple[Column[AgreementRow], ...] = (
    Column("depth", lambda r: r.level, text=True, fixed=True),
    Column("people α", lambda r: Text(figures.score(r.human_human), "bold")),
    Column("n", lambda r: f"{r.human_human_n:,}"),
    Column("judge α", lambda r: Text(figures.score(r.human_judge), "bold")),
    Column("n", lambda r: f"{r.human_judge_n:,}"),
)


def agreement_table(agreement: Agreement, *, width: int) -> RenderableType:
    """How far people agree with each other and with the judge, by depth (the paper's table 14)."""
    raters = agreement.raters
    title = f"Agreement of {figures.count(len(raters), 'rater')} with each other and with {model_name(agreement.judge)}"
    parts: list[RenderableType] = [Text(title, "bold")]
    parts.append(table_of(AGREEMENT_COLUMNS, agreement.rows, width=width))
    parts.append(
        Text(
            "people α: Krippendorff's α (ordinal) between people, over n answers that at least two have rated · judge"
            " α: between the mean of the people's scores and the judge's, over n answers · 1 full agreement, 0 chance",
            "dim",
        )
    )
    notes = [f"{row.level}: {row.note}" for row in agreement.rows if row.note]
    if agreement.unmatched:
        shown = ", ".join(one_line(name) for name in agreement.unmatched[:5])
        more = len(agreement.unmatched) - 5
        out = figures.count(len(agreement.unmatched), "id")
        notes.append(f"{out} in the file without a score in this run: {shown}{f' and {more:,} more' * (more > 0)}")
    return Group(*parts, *listed("Notes", notes))
