"""The concepts that several Explain-Query-Tests have in common, and the figures of each over some
of its concepts."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from ...state.eqt.result import ConceptRow, EqtResult, QuestionRow
from ...state.result import Interval
from ..accuracy import wilson
from ..consistency import mean_interval_clustered
from .items import READABLE

Name = tuple[str, str]
"""(category, concept)."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Closed-book figures over some concepts, as `Numbers` has them over all; None where nothing
    was scored."""

    accuracy: float | None
    ci: Interval | None
    """Clustered by concept, or by question where only one concept has answers; Wilson's where that
    is not possible."""
    acs: float | None
    acs_ci: Interval | None


def finished(result: EqtResult) -> set[Name]:
    """The concepts that count in a result."""
    return {name_of(row) for row in result.concepts}


def name_of(row: ConceptRow) -> Name:
    """What a concept is the same by in several runs."""
    return row.category, row.concept


def figures_over(rows: Sequence[ConceptRow]) -> Figures:
    """The figures over these concepts of one result."""
    questions = [(place, question) for place, row in enumerate(rows) for question in row.questions]
    right = [
        (place, question.id, float(answer.correct))
        for place, question in questions
        for answer in question.answers
        if answer.correct is not None
    ]
    values = [value for _, _, value in right]
    scores = [
        (place, question.id, question.acs) for place, question in questions if question.informative
    ]
    known = [(place, name, acs) for place, name, acs in scores if acs is not None]
    most = max((_read(question) for _, question in questions), default=2)
    return Figures(
        accuracy=sum(values) / len(values) if values else None,
        ci=_interval(right) or wilson(round(sum(values)), len(values)) if values else None,
        acs=fmean(acs for _, _, acs in known) if known else None,
        acs_ci=_interval(known, 1 / max(2, most)),
    )


def _read(question: QuestionRow) -> int:
    return sum(answer.reading in READABLE for answer in question.answers)


def _interval(values: Sequence[tuple[int, str, float]], low: float = 0.0) -> Interval | None:
    """Of (concept, question, value): by concept, or by question where only one concept has
    values."""
    single = len({concept for concept, _, _ in values}) == 1
    return mean_interval_clustered(
        [(name if single else concept, value) for concept, name, value in values], low=low
    )
