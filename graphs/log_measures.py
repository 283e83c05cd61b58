"""What is measured over the rows of other programs' logs."""

from collections.abc import Sequence

from ..state.rows import AnswerRow, Estimate, Measure
from ..stats.estimates import mean, values_of


def score(rows: Sequence[AnswerRow]) -> Estimate:
    """The mean; of scores beyond 0 … 1 within the range that they have."""
    values = values_of(rows)
    scores = [0.0, 1.0, *(value for _, value in values)]
    return mean(values, min(scores), max(scores))


MEASURES = (Measure("score", "score", "higher", "Mean score of the items.", score, ("domain",)),)
