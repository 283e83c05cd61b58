"""Knowing that it does not know: what a model does where it is not right."""

from collections.abc import Iterator, Sequence

from ...graphs.answers import estimate, measures_of
from ...state.records import tier_name
from ...state.rows import AnswerRow, Tag
from ..page.blocks import Block
from .by_tag import by_tag

SHOWN = ("precision_when_answering", "hallucination_rate", "index")


def abstention_table(rows: Sequence[AnswerRow], by: str) -> Iterator[Block]:
    """By a tag and over all answers; but for drills nothing where no answer abstains."""
    drilled = any(row.method == "drill" for row in rows)
    if not drilled and not any(row.verdict == "abstained" for row in rows):
        return
    measures = [measure for measure in measures_of(rows[0].method) if measure.name in SHOWN]
    nominal = {row.tag(by) for row in rows if row.tag("nominal")}
    notes = [_bluff(rows)] if drilled else []
    title = "Knowing that it does not know"

    def name(tag: Tag) -> str:
        return tier_name(str(tag), nominal=tag in nominal)

    yield by_tag(title, rows, measures, by, notes=notes, name=name)


def _bluff(rows: Sequence[AnswerRow]) -> str:
    found = estimate(rows, "first_bluffing_depth")[None]
    if found.value is None or found.at_least:
        return "At no depth are more than a fifth of the answers wrong and not abstained."
    depth = f"depth {found.value:g} (95% interval {found.low:g} to {found.high:g})"
    return f"It first bluffs at {depth}: more than a fifth of the answers there are wrong."
