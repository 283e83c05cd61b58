"""What own questions measure, over rows of their answers."""

from ...state.rows import Measure
from ...stats.estimates import share, values_of
from ..abstention import abstention_measures
from ..reviewed import share_measures

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
