"""Knowing what it does not know: what a model does where it is not right, and how sure it says it
is."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...state.rows import AnswerRow, Measure
from ...state.tiers import tier_name
from ...stats.confidence import SAYS
from ..page.blocks import Block, Column, Table
from .by_tag import NAME, by_tag, by_tier, parts_of

SHOWN = ("precision_when_answering", "hallucination_rate", "index")
TOPICS = 10
"""Topics that are listed with what is wrong there, those with the most first."""


def abstention_table(
    rows: Sequence[AnswerRow], measures: Sequence[Measure], by: str
) -> Iterator[Block]:
    """By a tag and over all answers; nothing where no answer abstains."""
    if any(row.verdict == "abstained" for row in rows):
        shown = [measure for measure in measures if measure.name in SHOWN]
        yield by_tag("Knowing that it does not know", rows, shown, by)


def confidence_table(rows: Sequence[AnswerRow], measures: Sequence[Measure]) -> Iterator[Block]:
    """What stated confidence is worth, by tier; nothing where nobody was asked for it."""
    if any("confidence" in row.tags for row in rows):
        shown = [measure for measure in measures if measure.name in SAYS]
        yield by_tier("Stated confidence", rows, shown)


def errors_table(rows: Sequence[AnswerRow]) -> Iterator[Block]:
    """What is wrong with the answers that are not right, by tier and by topic; nothing where that
    was not asked."""
    wrong = [row for row in rows if row.score is not None and "error" in row.tags]
    if not wrong:
        return
    kinds = Counter(str(row.tags["error"]) for row in wrong)
    order = [kind for kind, _ in kinds.most_common()]
    lines: list[str | Mapping[str, Any]] = []
    for tier, of_tier in parts_of(wrong, "tier").items():
        nominal = any(row.tag("nominal") for row in of_tier)
        lines.append(_line(tier_name(str(tier), nominal=nominal), of_tier))
    lines.append(_line("all", wrong))
    topics = sorted(parts_of(wrong, "group").items(), key=lambda topic: -len(topic[1]))
    shown = min(TOPICS, len(topics))
    lines.append("by topic" if shown == len(topics) else f"by topic, {shown} of {len(topics):,}")
    lines += [_line(str(topic), of_topic) for topic, of_topic in topics[:TOPICS]]
    columns = [Column("", "part", fold=True, room=NAME)]
    columns += [Column(kind, kind, "count") for kind in order]
    yield Table("Why answers are not right", columns, lines, wide=True)


def _line(name: str, rows: Sequence[AnswerRow]) -> dict[str, Any]:
    return {"part": name, **Counter(str(row.tags["error"]) for row in rows)}
