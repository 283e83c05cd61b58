"""Whether a model knows that it does not know, as measures of any method."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal

from ..state.rows import AnswerRow, Estimate, Measure
from ..stats.abstention import abstention

SAYS: Mapping[str, tuple[Literal["share", "index"], Literal["higher", "lower"], str]] = {
    "right": ("share", "higher", "Share of answers that are right."),
    "wrong": ("share", "lower", "Share of answers that are wrong."),
    "abstained": ("share", "lower", "Share of answers that say they do not know."),
    "precision_when_answering": (
        "share",
        "higher",
        "Share that is right of the answers that do not abstain.",
    ),
    "hallucination_rate": (
        "share",
        "lower",
        'Of the questions that are not answered rightly, the share answered wrongly in place of "I do not know".',
    ),
    "index": ("index", "higher", "Right minus wrong answers, per 100."),
}
"""Name → unit, which is better, and what it tells."""


def abstention_measures(
    own: Callable[[Sequence[AnswerRow]], Sequence[AnswerRow]], by: tuple[str, ...]
) -> tuple[Measure, ...]:
    """The measures of `SAYS` over a method's own answers. `own`: which of its rows count."""
    return tuple(
        Measure(name, unit, better, says, partial(_estimate, own, name), by)
        for name, (unit, better, says) in SAYS.items()
    )


def _estimate(
    own: Callable[[Sequence[AnswerRow]], Sequence[AnswerRow]],
    name: str,
    rows: Sequence[AnswerRow],
) -> Estimate:
    key = name.removesuffix("_when_answering")
    return abstention([((row.domain, row.group), row.verdict) for row in own(rows)])[key]
