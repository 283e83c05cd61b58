"""Knowing what it does not know: what a model does where it is not right, and how sure it says it
is."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...state.rows import AnswerRow, Measure
from ...state.tiers import tier_name
from ..page.blocks import Block, Column, Table
from .by_tag import by_tag, by_tier, parts_of

CONFIDENCE = ("brier", "calibration_error")
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
        of_confidence = [measure for measure in measures if measure.name in CONFIDENCE]
        yield by_tier("Stated confidence", rows, of_confidence)


def errors_table(rows: Sequence[AnswerRow]) -> Iterator[Block]:
    """What is wrong with the answers that are not right, by tier and by topic; nothing where that
    was not asked."""
    wrong = [row for row in rows if row.score is not None and "error" in row.tags]
    if not wrong:
        return
    lines: list[str | Mapping[str, Any]] = []
    for tier, of_tier in parts_of(wrong, "tier").items():
        nominal = any(row.tag("nominal") for row in of_tier)
        name = tier_name(str(tier), nominal=nominal)
        lines.append(_line(name, of_tier))
    lines.append(_line("all", wrong))
    topics = sorted(parts_of(wrong, "group").items(), key=lambda topic: -len(topic[1]))
    some = f", {TOPICS} of {len(topics):,}" if len(topics) > TOPICS else ""
    lines.append(f"by topic{some}")
    lines += [_line(str(topic), of_topic) for topic, of_topic in topics[:TOPICS]]
    columns = [Column("", "part")]
    for kind, _ in _kinds(wrong).most_common():
        columns.append(Column(kind, kind, "count"))
    yield Table("Why answers are not right", columns, lines)


def _line(name: str, rows: Sequence[AnswerRow]) -> dict[str, Any]:
    return {"part": name, **_kinds(rows)}


def _kinds(rows: Sequence[AnswerRow]) -> Counter[str]:
    return Counter(str(row.tags["error"]) for row in rows)
