"""Whether a model knows what it does not know, as measures of any method."""

from collections.abc import Callable, Sequence
from functools import partial

from ..state.rows import AnswerRow, Estimate, Measure
from ..stats.abstention import SAYS, abstention
from ..stats.confidence import SAYS as OF_CONFIDENCE
from ..stats.confidence import Answers, Stated


def abstention_measures(
    counted: Callable[[Sequence[AnswerRow]], Sequence[AnswerRow]], by: tuple[str, ...]
) -> tuple[Measure, ...]:
    """The measures of `SAYS` over a method's own answers. `counted`: which of its rows count."""
    return tuple(
        Measure(name, unit, better, says, partial(_estimate, counted, name), by)
        for name, (unit, better, says) in SAYS.items()
    )


def _estimate(
    counted: Callable[[Sequence[AnswerRow]], Sequence[AnswerRow]],
    name: str,
    rows: Sequence[AnswerRow],
) -> Estimate:
    key = name.removesuffix("_when_answering")
    return abstention([((row.domain, row.group), row.verdict) for row in counted(rows)])[key]


def confidence_measures(
    counted: Callable[[Sequence[AnswerRow]], Sequence[AnswerRow]],
) -> tuple[Measure, ...]:
    """What stated confidence is worth, over a method's own answers that were asked for it."""
    return tuple(
        Measure(name, unit, better, says, partial(_of_stated, counted, figure), ("tier",))
        for name, (figure, unit, better, says) in OF_CONFIDENCE.items()
    )


def _of_stated(
    counted: Callable[[Sequence[AnswerRow]], Sequence[AnswerRow]],
    figure: Callable[[Answers], Estimate],
    rows: Sequence[AnswerRow],
) -> Estimate:
    answers: list[Stated] = []
    for row in counted(rows):
        confidence = row.tags.get("confidence")
        if confidence is not None:
            answers.append(Stated((row.domain, row.group), float(confidence), row.score == 1))
    return figure(answers)
