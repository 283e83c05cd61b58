"""Several DeepQuestion runs side by side: targets on the same problems, or ways of prompting (the ablation)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.text import Text

from ....state.deepquestion.items import KINDS, LOADS, Kind, Load
from ....state.deepquestion.result import DeepQuestionCell, DeepQuestionComparison, Drop, LoadRow, Share
from ...page import figures
from ...page.folding import folded
from ...page.remarks import SIMULATED, listed
from ...page.rows import STYLES
from ...page.sanitise import one_line
from ...page.tables import ROOMY, Column, stacked, table_of, under
from .labels import FEW, KIND_NAMES, TEXTS, share_words, span
from .tables import MCNEMAR, OTHER_TASK, WIDE, Line, created_line, line_table, load_line

NAME, LEAST = 30, 14
"""Cells of a run's name at most, and at least."""
NARROW = 76
"""Width below which a run's figures stand below those of the last and not beside each other."""
FIGURES, WIDE_FIGURES = 62, 71
"""Cells of the widest table without the names; on a screen that sets columns apart."""
NOT_ALIKE = (
    "The runs were not all asked the same scenarios and instructions: a difference between them may come from the texts"
    " and not from the targets."
)
COMMON = "over the {} that the runs have in common"
OWN = "each run over problems of its own"
PASSED = "n: problems with a mark; Q2S and Q2I are over those whose texts passed their checks"
THERE = "originals → Q2S: accuracy in % over the n problems with both"
SEVERAL_DROPS = "; several drops are tested, and no p is corrected for that"
GIVEN = "texts given"
"""What stands in a cell in place of a prompt where scenarios and instructions were given."""


@dataclass(frozen=True, slots=True)
class _Written:
    """One kind of one run: its prompt, and what came of it."""

    label: str
    """Empty behind the first kind of a run."""
    kind: Kind
    prompt: str
    passed: Share | None


def comparison_tables(comparison: DeepQuestionComparison, *, width: int) -> RenderableType:
    """Accuracies, drops and distances of all runs, and where their scenarios and instructions come from."""
    parts: list[RenderableType] = [Text(SIMULATED, STYLES["badge"])] if comparison.simulated else []
    cells = comparison.cells
    if not cells:
        return Group(*parts, *listed("Notes", comparison.notes))
    parts += [""] if parts else []
    parts += _below(comparison, width) if width < NARROW else _beside(comparison, width)
    parts += _written(cells, width)
    if not comparison.same_texts:
        parts += ["", Text(NOT_ALIKE)]
    return Group(*parts, *listed("Notes", comparison.notes))


def _below(comparison: DeepQuestionComparison, width: int) -> list[RenderableType]:
    """Each run's figures below those of the last, for a narrow screen."""
    parts: list[RenderableType] = []
    for cell in comparison.cells:
        created = [created_line(cell.q2i, cell.distance, cell.distance_ci)] if cell.q2i else []
        lines = [Line("original", "original", cell.original, 0), *map(load_line, cell.q2s), *created]
        parts += under(one_line(cell.label) or figures.NONE, line_table(lines, width=width))
        parts += [*_paired(cell), ""] if _differing(comparison.cells) else [""]
    said = [*_accuracy_legend(comparison), *_change_legend(comparison.cells, beside=False)]
    return [*parts, *(Text(line, "dim") for line in said)]


def _paired(cell: DeepQuestionCell) -> list[RenderableType]:
    """Accuracies on the originals and on the scenarios over the same problems, by load."""
    told = [(row.load, row.drop) for row in cell.q2s if row.drop is not None]
    said = [f"{_there(drop)} over the {figures.count(drop.n, 'problem')} with both" for _, drop in told]
    return [Text(f"original → Q2S {load}: {each}", "dim") for (load, _), each in zip(told, said, strict=True)]


def _there(drop: Drop) -> str:
    return f"{figures.whole(drop.original)} → {figures.whole(drop.transformed)}"


def _beside(comparison: DeepQuestionComparison, width: int) -> list[RenderableType]:
    """A line for each run in two tables: accuracies, and how far they are from the originals."""
    return [*_accuracy(comparison, width), *_changes(comparison.cells, width)]


def _name(width: int) -> Column[DeepQuestionCell]:
    room = _room(width)
    return Column("", lambda c: "\n".join(folded(one_line(c.label) or figures.NONE, room)), text=True, fixed=True)


def _room(width: int) -> int:
    """Cells of a name."""
    return max(LEAST, min(NAME, width - (WIDE_FIGURES if width >= ROOMY else FIGURES)))


def _rows(cell: DeepQuestionCell) -> dict[Load, LoadRow]:
    return {row.load: row for row in cell.q2s}


def _loads(cells: Sequence[DeepQuestionCell]) -> list[Load]:
    return [load for load in LOADS if any(load in _rows(cell) for cell in cells)]


def _accuracy(comparison: DeepQuestionComparison, width: int) -> list[RenderableType]:
    """Shares in per cent, each over its interval."""
    cells = comparison.cells

    def of_load(load: Load) -> Callable[[DeepQuestionCell], Share | None]:
        return lambda cell: row.accuracy if (row := _rows(cell).get(load)) else None

    told = _differing(cells)
    columns = [_name(width), _share_column("original", lambda cell: cell.original, told)]
    columns += [_share_column(f"Q2S\n{load}", of_load(load), told) for load in _loads(cells)]
    columns += [_share_column("Q2I", lambda cell: cell.q2i, told)] if any(cell.q2i for cell in cells) else []
    table = table_of(columns, cells, width=width)
    return [*under("Runs side by side", table), *(Text(line, "dim") for line in _accuracy_legend(comparison))]


def _accuracy_legend(comparison: DeepQuestionComparison) -> list[str]:
    cells = comparison.cells
    over = COMMON.format(figures.count(comparison.problems, "problem")) if comparison.problems else OWN
    differing = _differing(cells)
    said = [f"accuracy in %, under it its 95% interval; {'originals ' * differing}{over}"]
    said += [PASSED] if differing else []
    said += ["Q2S none, some, many: how many distractors the scenarios hold"] if _loads(cells) else []
    return said + ([WIDE] if any(0 < cell.original.n < FEW for cell in cells) else [])


def _differing(cells: Sequence[DeepQuestionCell]) -> bool:
    """Whether the figures are not all over the same number of problems, so that each needs its own."""
    shares = [each for cell in cells for each in (cell.original, cell.q2i, *(row.accuracy for row in cell.q2s)) if each]
    return len({share.n for share in shares}) > 1


def _share_column(head: str, share: Callable[[DeepQuestionCell], Share | None], told: bool) -> Column[DeepQuestionCell]:
    """`told`: with the number of problems."""

    def cell(each: DeepQuestionCell) -> Text:
        held = share(each)
        if held is None:
            return Text(figures.NONE)
        return _over(stacked(figures.whole(held.share), span(held.share, held.ci)), held.n if told else None)

    return Column(head, cell)


def _over(told: Text, n: int | None, there: str = "") -> Text:
    """Figures with what they are over in the lines below; as they are without `n`."""
    more = [] if n is None else [*([there] if there else []), f"n {n:,}"]
    return told.append("".join(f"\n{line}" for line in more), "dim")


def _changes(cells: Sequence[DeepQuestionCell], width: int) -> list[RenderableType]:
    """Drops and distances in points, each over its interval, with McNemar's p."""
    loads, distances = _loads(cells), any(cell.distance is not None for cell in cells)
    if not loads and not distances:
        return []
    columns = [_name(width)]
    for load in loads:
        columns += _drop_columns(load, _differing(cells))
    if distances:
        columns.append(
            Column("Q2I\ndistance", lambda c: stacked(figures.points(c.distance), figures.points_span(c.distance_ci)))
        )
    title = "Drop from the originals" if loads else "Distance from the originals"
    table = table_of(columns, cells, width=width)
    return ["", *under(title, table), *(Text(line, "dim") for line in _change_legend(cells, beside=True))]


def _change_legend(cells: Sequence[DeepQuestionCell], *, beside: bool) -> list[str]:
    said = []
    if _loads(cells):
        said.append("drop: original minus Q2S in points, over problems with both; positive: scenarios are harder")
        said += [f"under the interval {THERE}"] if beside and _differing(cells) else []
        tests = sum(row.drop is not None for cell in cells for row in cell.q2s)
        said.append(f"{MCNEMAR}{SEVERAL_DROPS if tests > 1 else ''}")
    return said + ([OTHER_TASK] if any(cell.distance is not None for cell in cells) else [])


def _drop_columns(load: Load, told: bool) -> list[Column[DeepQuestionCell]]:
    """`told`: with both accuracies over the same problems, and how many these are."""

    def drop(cell: DeepQuestionCell) -> Text:
        row = _rows(cell).get(load)
        held = row.drop if row else None
        if held is None:
            return Text(figures.NONE)
        return _over(
            stacked(figures.points(held.drop), figures.points_span(held.ci)), held.n if told else None, _there(held)
        )

    def p(cell: DeepQuestionCell) -> str:
        row = _rows(cell).get(load)
        return figures.p_value(row.drop.mcnemar_p if row and row.drop else None)

    return [Column(f"Q2S\n{load}", drop), Column("\np", p)]


def _written(cells: Sequence[DeepQuestionCell], width: int) -> list[RenderableType]:
    """The prompts of each run, and what passed of what was written by them; nothing where all texts were given."""
    if all(prompt == GIVEN for cell in cells for prompt in cell.prompts.values()):
        return []
    rows = []
    for cell in cells:
        kinds = [kind for kind in KINDS if kind in cell.prompts or kind in cell.written]
        for place, kind in enumerate(kinds):
            label = one_line(cell.label) if place == 0 else ""
            rows.append(_Written(label, kind, one_line(cell.prompts.get(kind, figures.NONE)), cell.written.get(kind)))
    if not rows:
        return []
    room = _room(width)
    columns: tuple[Column[_Written], ...] = (
        Column("", lambda r: "\n".join(folded(r.label, room)), text=True, fixed=True),
        Column("", lambda r: KIND_NAMES[r.kind], text=True, fixed=True),
        Column("prompt", lambda r: r.prompt, text=True),
        Column(
            "passed",
            lambda r: f"{r.passed.count:,} of {r.passed.n:,}" if r.passed and r.passed.n else figures.NONE,
            since=50,
        ),
        Column("% (95% CI)", lambda r: share_words(r.passed).replace("%", "") if r.passed else figures.NONE),
    )
    legend = f"passed: {TEXTS['q2s']}s and {TEXTS['q2i']}s that passed every check, of those that were to be written"
    table = table_of(columns, rows, width=width)
    return ["", *under("How scenarios and instructions were written", table), Text(legend, "dim")]
