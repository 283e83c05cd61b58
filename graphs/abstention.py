"""Whether a model knows that it does not know, as measures of any method."""

from collections.abc import Callable, Sequence
from functools import partial

from ..state.rows import AnswerRow, Estimate, Measure
from ..stats.abstention import SAYS, abstention


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
