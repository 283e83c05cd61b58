"""What the fifth method measures."""

from collections.abc import Sequence

from fathom.state.rows import AnswerRow, Estimate, Measure
from fathom.stats.estimates import share, values_of


def answered(rows: Sequence[AnswerRow]) -> Estimate:
    return share(values_of(rows))


MEASURES = (
    Measure(
        "accuracy", "share", "higher", "Share of topics with an answer.", answered, ("topic",)
    ),
)
