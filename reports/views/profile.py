"""Profiles: all figures of a model in a domain, and what in them does not go together."""

from collections.abc import Callable, Iterator
from itertools import groupby

from ...state.profile import Contradiction, ProfileDocument, ProfileRow
from ..page import figures
from ..page.blocks import Block, Figure, Figures, Line, Text, bulleted
from ..page.forms import span_written, written
from ..page.remarks import SIMULATED, sentence
from ..page.sanitise import model_name
from .by_tag import FORMS

NONE = "No contradictions beyond the 95% intervals."
WHOLE = "The whole 95% interval of each figure lies on or beyond the limit named with it."


def profile_blocks(
    document: ProfileDocument, title_of: Callable[[str], str]
) -> Iterator[Block]:
    """All profiles, then the notes. `title_of`: what a method is called."""
    for profile in document.profiles:
        badge = [Line(SIMULATED, "badge")] if profile.simulated else []
        model = f"{model_name(profile.model)} · "
        yield Text([Line(profile.domain, lead=model, lead_style="bold"), *badge])
        for _, group in groupby(profile.rows, key=lambda row: row.run_ids):
            rows = [*group]
            yield Figures(
                [_figure(row) for row in rows], _source(rows[0], title_of(rows[0].method))
            )
        if len({row.method for row in profile.rows}) > 1:
            cost = figures.money(profile.cost_usd)
            yield Text(
                [f"All of it: {cost}."] + [NONE] * (not profile.contradictions), style="dim"
            )
        if profile.contradictions:
            lines = [Line(WHOLE, "dim")]
            lines += map(_contradiction, profile.contradictions)
            yield Text(lines, "Contradictions")
    yield from bulleted("Notes", document.notes)


def _source(row: ProfileRow, title: str) -> str:
    """What stands over the figures of a run. `title`: of its method."""
    day = f"{row.started:%Y-%m-%d}" if row.started else "date unknown"
    runs = ", ".join(map(figures.short_id, row.run_ids))
    status = row.status if row.status != "complete" else ""
    badge = "SIMULATED" if row.simulated else ""
    cost = figures.money(row.cost_usd)
    parts = [
        title,
        row.label,
        row.domain,
        runs,
        day,
        cost,
        status,
        badge,
    ]
    return figures.joined(parts)


def _figure(row: ProfileRow) -> Figure:
    form = FORMS[row.unit]
    value = f"{'≥' * row.at_least}{written(row.value, form)}"
    return Figure(
        f"{row.measure.replace('_', ' ')} (n {row.n:,})",
        value,
        form,
        row.interval,
    )


def _contradiction(contradiction: Contradiction) -> Line:
    """`Deep but inconsistent: evd 8.10 (7.02–9.40, at least 6.00), …`, and what it means."""
    lines = []
    for ground in contradiction.grounds:
        figure = _figure(ground.row)
        span = span_written(figure.interval, figure.form)
        limit = f"{ground.side} {written(ground.limit, figure.form)}"
        lines.append(f"{figure.label} {figure.value} ({span}, {limit})")
    claim = sentence(f"{contradiction.says}: {', '.join(lines)}")
    return Line(contradiction.means, lead=f"· {claim} ", lead_style="warning")
