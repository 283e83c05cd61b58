"""An Explain-Query-Test's concepts as tables: each of them, or the weakest and the strongest."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from ....state.eqt.result import ConceptRow, EqtResult
from ...page import figures
from ...page.rows import clip
from ...page.sanitise import one_line
from ...page.tables import Column, table_of
from .tables import CATEGORY, LOST, span_words

FEW = 12
"""Concepts up to which each has a line; of more only the weakest and the strongest have one."""
ENDS = 5
"""How many of the weakest and of the strongest."""
DROPPED_SINCE = 90
"""Width from which columns count what was dropped of a concept."""
LOST_SINCE = 70
"""Width from which a column counts steps that were lost."""


def _concept_columns(categories: bool, paraphrased: bool) -> tuple[Column[ConceptRow], ...]:
    columns: list[Column[ConceptRow]] = [
        Column("id", lambda r: one_line(figures.place(r.id)), text=True, fixed=True),
        Column("concept", lambda r: one_line(r.concept), text=True),
        Column("category", _category, since=100 if categories else 10_000, text=True, fixed=True),
        Column("answers", lambda r: str(r.numbers.all.scored)),
        Column("✓", lambda r: str(r.numbers.all.correct)),
        Column("acc. %", lambda r: Text(figures.whole(r.numbers.all.accuracy), "bold")),
        Column("95% CI", lambda r: span_words(r.numbers.all), since=70),
        Column("dropped", lambda r: str(r.numbers.dropped), since=DROPPED_SINCE),
        Column("?", lambda r: str(sum(r.numbers.unscored.values())), since=LOST_SINCE),
    ]
    if paraphrased:
        columns.insert(7, Column("ACS", lambda r: Text(figures.score(r.numbers.consistency.acs), "bold")))
        columns.insert(-1, Column("para.", lambda r: str(r.numbers.paraphrases_dropped), since=DROPPED_SINCE))
    return tuple(columns)


def _category(row: ConceptRow) -> str:
    return clip(one_line(row.category), CATEGORY)


def concept_tables(result: EqtResult, *, width: int) -> list[RenderableType]:
    """Each concept when they are few; otherwise the weakest and the strongest."""
    columns = _concept_columns(bool(result.by_category), result.spec.paraphrases > 0)
    rows, paraphrased = result.concepts, result.spec.paraphrases > 0
    if len(rows) <= FEW:
        table = table_of(columns, rows, width=width, title="By concept")
        return ["", table, _marks(width, paraphrased=paraphrased)] if rows else []
    measured = sorted((row for row in rows if row.numbers.all.scored), key=_strength)
    without = len(rows) - len(measured)
    bare = f"{figures.count(without, 'concept')} without a scored answer"
    kept_out = [f"{bare} in neither table"] if without else []
    if len({_strength(row) for row in measured}) == 1:
        alike = figures.percent(measured[0].numbers.all.accuracy or 0.0)
        said = f"All {len(measured):,} concepts with answers are alike: {alike} right"
        return ["", Text(figures.joined([said, bare if without else ""]))]
    number = min(ENDS, len(measured))
    ends = [
        (f"The weakest {number} of {len(measured):,} concepts", measured),
        (f"The strongest {number}", list(reversed(measured))),
    ]
    tables: list[RenderableType] = []
    for title, ranked in ends if number else []:
        tables += ["", table_of(columns, ranked[:number], width=width, title=title), *_tied(ranked, number)]
    return [*tables, _marks(width, kept_out, paraphrased=paraphrased)]


def _tied(ranked: Sequence[ConceptRow], number: int) -> list[RenderableType]:
    """How many more do as well as the last one that is listed."""
    last = ranked[number - 1].numbers.all.accuracy
    more = sum(row.numbers.all.accuracy == last for row in ranked[number:])
    return [Text(f"and {more:,} more at {figures.percent(last or 0.0)}", "dim")] if more else []


def _marks(width: int, more: Sequence[str] = (), *, paraphrased: bool) -> Text:
    """What the columns of concepts mean."""
    parts = ["answers closed book, scored", "✓ right"]
    if width >= DROPPED_SINCE:
        parts += ["dropped: malformed questions", *(["para.: paraphrases dropped"] if paraphrased else [])]
    parts += [f"? {LOST}"] if width >= LOST_SINCE else []
    return Text(" · ".join([*parts, *more]), "dim")


def _strength(row: ConceptRow) -> tuple[float, float]:
    return row.numbers.all.accuracy or 0.0, row.numbers.consistency.acs or 0.0
