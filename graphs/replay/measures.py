"""What a replay measures, over rows of its answers."""

from collections import defaultdict
from collections.abc import Hashable, Sequence

from ...state.rows import AnswerRow, Estimate, Measure
from ...stats.estimates import share, values_of
from ...stats.paired import Pair, paired
from ..abstention import abstention_measures
from .rows import DRILLED

BY = ("tier", "depth", "root")


def own(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The scored answers of the model that was asked."""
    return [row for row in rows if row.score is not None and row.condition != DRILLED]


def _difference(rows: Sequence[AnswerRow]) -> Estimate:
    pairs: dict[Hashable, list[AnswerRow]] = defaultdict(list)
    for row in sorted(rows, key=lambda row: row.condition != DRILLED):
        if row.score is not None:
            pairs[row.run, row.item].append(row)
    both = [(old, new) for old, new in (pair for pair in pairs.values() if len(pair) == 2)]
    if not both:
        return Estimate(None)
    found = paired([Pair(new.group, old.score == 1, new.score == 1) for old, new in both])
    low, high = found.interval or (None, None)
    return Estimate(found.difference, low, high, found.n, len({new.group for _, new in both}))


MEASURES = (
    Measure(
        "accuracy",
        "share",
        "higher",
        "Share of the drill's questions that are answered rightly.",
        lambda rows: share(values_of(own(rows))),
        BY,
    ),
    Measure(
        "difference",
        "share",
        "higher",
        "By how much that exceeds the share of the model that was drilled.",
        _difference,
        BY,
    ),
    *abstention_measures(own, BY),
)
