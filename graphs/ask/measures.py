"""What own questions measure, over rows of their answers."""

from ...state.rows import Measure
from ...stats.abstention import abstention_measures
from ...stats.correction import share_measures
from ...stats.estimates import share, values_of

BY = ("topic", "tier")
ACCURACY = Measure(
    "accuracy",
    "share",
    "higher",
    "Share of the questions that are answered rightly.",
    lambda rows: share(values_of(rows), alone=True),
    BY,
)
MEASURES = (
    ACCURACY,
    *abstention_measures(lambda rows: rows, BY),
    *share_measures(lambda rows: rows, BY),
)
