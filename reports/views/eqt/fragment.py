"""What there is so far of an Explain-Query-Test without a result."""

from collections import Counter
from typing import NamedTuple

from rich.console import RenderableType
from rich.text import Text

from ...page import figures
from ...page.sanitise import model_name, one_line
from ...page.tables import Column, table_of, underline
from .lines import size_words
from .progress import EqtProgress, Tally, phase_of
from .tables import ALL, LOST

OPEN_SHOWN = 12
"""Concepts that were begun and are shown; more of them are counted."""


class _Row(NamedTuple):
    category: str
    tally: Tally
    planned: int


COLUMNS: tuple[Column[_Row], ...] = (
    Column("category", lambda r: one_line(r.category) or "–", text=True),
    Column("closed", lambda r: f"{r.tally.concepts:,} of {r.planned:,}"),
    Column("answers", lambda r: f"{r.tally.scored:,}"),
    Column("✓", lambda r: f"{r.tally.correct:,}"),
    Column("?", lambda r: f"{r.tally.lost:,}"),
    Column("acc. %", lambda r: Text(figures.whole(r.tally.accuracy), "bold")),
    Column("ACS", lambda r: Text(figures.score(r.tally.acs), "bold")),
)


def fragment_heading(progress: EqtProgress) -> Text:
    """What the run is about and who takes part."""
    spec = progress.spec
    parts = [model_name(spec.target), f"examiner {model_name(spec.examiner)}", size_words(spec)]
    return Text.assemble((one_line(spec.domain), "bold"), " · ", " · ".join(parts))


def fragment_state(progress: EqtProgress) -> str:
    """What is measured so far, as one sentence; empty when nothing is."""
    closed = f"{progress.totals.concepts:,} of {figures.count(len(progress.spec.concepts), 'concept')} closed"
    if progress.totals.accuracy is None:
        return f" Nothing measured so far, {closed}."
    acs = "" if progress.totals.acs is None else f", ACS {figures.score(progress.totals.acs)}"
    return f" So far accuracy {figures.percent(progress.totals.accuracy)}{acs}, {closed}."


def fragment_parts(progress: EqtProgress, *, width: int) -> list[RenderableType]:
    """Closed concepts by category, and those that were begun or not even that."""
    planned = Counter(concept.category for concept in progress.spec.concepts)
    parts: list[RenderableType] = []
    if progress.closed:
        known = [_Row(name, progress.by_category.get(name, Tally()), number) for name, number in planned.items()]
        rows = [*(known if len(known) > 1 else []), _Row(ALL, progress.totals, len(progress.spec.concepts))]
        table = table_of(COLUMNS, rows, width=width, title="Closed concepts, closed book")
        underline(table, len(rows) - 2)
        parts += ["", table, Text(f"answers scored · ✓ right · ? {LOST}", "dim")]
    return [*parts, *_open(progress)]


def _open(progress: EqtProgress) -> list[RenderableType]:
    begun = [c for c in progress.open.values() if c.index not in progress.closed]
    lines: list[RenderableType] = [
        Text(f"c{concept.index + 1:03d} {one_line(concept.name)}: {phase_of(progress.spec, concept)}")
        for concept in begun[:OPEN_SHOWN]
    ]
    if len(begun) > OPEN_SHOWN:
        lines.append(Text(f"and {len(begun) - OPEN_SHOWN:,} more that were begun"))
    unbegun = len(progress.unbegun)
    if unbegun:
        lines.append(Text(f"Of {figures.count(unbegun, 'concept')} nothing is finished."))
    title = "Not closed, and in none of the numbers above" if progress.closed else "Not closed"
    return ["", Text(title, "bold"), *lines] if lines else []
