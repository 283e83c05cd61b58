"""Pairwise comparisons of questions, each pair in both orders: who wins, and whether the judge
leans to a place."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from ...state.deepquestion.items import CRITERIA, Compared, Criterion, Preference
from ...state.deepquestion.result import Comparisons, CriterionRow, PositionRow
from ...state.result import Interval
from ..accuracy import wilson
from ..consistency import mean_interval_clustered
from .items import ProblemItems

Outcome = Literal["win", "loss", "tie"]
"""What a pair says of the question that is looked at."""
BASELINE_CRITERIA: tuple[Criterion, ...] = tuple(
    each for each in CRITERIA if each != "instruction_following"
)
"""Of two originals: neither was written by an instruction."""
_OUTCOMES: dict[tuple[Preference, Preference], Outcome] = {
    ("first", "second"): "win",
    ("second", "first"): "loss",
}
"""What is preferred when the question that is looked at stands first, and when it stands second."""
_POINTS: dict[Outcome, float] = {"win": 1.0, "tie": 0.5, "loss": 0.0}


@dataclass(frozen=True)
class Pair:
    """Two questions, one of which is looked at. None: there is no such comparison."""

    ahead: Compared | None
    """The question that is looked at stands first."""
    behind: Compared | None

    @property
    def items(self) -> tuple[Compared, ...]:
        return tuple(item for item in (self.ahead, self.behind) if item is not None)

    @property
    def complete(self) -> bool:
        return sum(item.fault is None for item in self.items) == 2

    def preferences(self, criterion: Criterion) -> list[Preference]:
        """One for each comparison that came about."""
        held = (item.preferences.get(criterion) for item in self.items)
        return [each for each in held if each is not None]

    def outcome(self, criterion: Criterion) -> Outcome | None:
        """A win needs both orders, and so does a loss; None where an order is missing."""
        told = self.preferences(criterion)
        return _OUTCOMES.get((told[0], told[1]), "tie") if len(told) == 2 else None

    def contradictory(self, criterion: Criterion) -> bool:
        """Whether the same place is preferred in both orders, whoever stands there."""
        return self.preferences(criterion) in (["first"] * 2, ["second"] * 2)


def created_pair(own: ProblemItems) -> Pair:
    """What the target wrote, beside the original."""
    return Pair(ahead=own.compared.get(False), behind=own.compared.get(True))


def baseline_pair(own: ProblemItems) -> Pair:
    """The problem's question, beside that of another problem."""
    return Pair(ahead=own.baseline.get(True), behind=own.baseline.get(False))


def comparisons(pairs: Sequence[Pair], criteria: Sequence[Criterion] = CRITERIA) -> Comparisons:
    """All figures over pairs. Wins are over those with both comparisons, leanings over every
    comparison there is."""
    items = [item for pair in pairs for item in pair.items]
    return Comparisons(
        pairs=sum(pair.complete for pair in pairs),
        unscored=sum(item.fault is not None for item in items),
        criteria=tuple(criterion_row(pairs, criterion) for criterion in criteria),
        position=(
            *(position_row(pairs, criterion) for criterion in criteria),
            _position(pairs, criteria, "all"),
        ),
    )


def criterion_row(pairs: Sequence[Pair], criterion: Criterion) -> CriterionRow:
    """Wins, losses and the win rate by one criterion."""
    held = [(pair, outcome) for pair in pairs if (outcome := pair.outcome(criterion)) is not None]
    counts = Counter(outcome for _, outcome in held)
    points = [_POINTS[outcome] for _, outcome in held]
    return CriterionRow(
        criterion=criterion,
        pairs=len(held),
        wins=counts["win"],
        losses=counts["loss"],
        ties=counts["tie"],
        contradictory=sum(pair.contradictory(criterion) for pair, _ in held),
        win_rate=fmean(points) if points else None,
        ci=win_rate_interval(points),
    )


def win_rate_interval(points: Sequence[float]) -> Interval | None:
    """95% interval of the mean of pair scores (1, ½, 0); None with fewer than two.

    `mean_interval_clustered` with each pair for itself: the scatter of the scores and Student's t,
    put into Wilson's form, so that it stays within 0 … 1 and holds near its ends. Scores that are
    all alike do not make the rate exact: then it is Wilson's bound for none of so many pairs being
    otherwise, by as much as the range allows.
    """
    return mean_interval_clustered(list(enumerate(points)))


def position_row(pairs: Sequence[Pair], criterion: Criterion) -> PositionRow:
    """How often what stands first is preferred by one criterion."""
    return _position(pairs, [criterion], criterion)


def _position(
    pairs: Sequence[Pair], criteria: Sequence[Criterion], name: Criterion | Literal["all"]
) -> PositionRow:
    """The interval is clustered by pair, because a judge that leans in one comparison of a pair
    leans in the other: as if all comparisons were independent, it would hold in .90 of runs by one
    criterion, in .60 by all of them together (bench/deepquestion_coverage.py). With a single pair
    it is Wilson's by one criterion, and None by all of them."""
    told = [
        (place, each)
        for place, pair in enumerate(pairs)
        for one in criteria
        for each in pair.preferences(one)
    ]
    counts = Counter(each for _, each in told)
    first, preferred = counts["first"], counts["first"] + counts["second"]
    clustered = mean_interval_clustered(
        [(place, float(each == "first")) for place, each in told if each != "tie"]
    )
    alone = wilson(first, preferred) if preferred and len(criteria) == 1 else None
    return PositionRow(
        criterion=name,
        comparisons=len(told),
        first=first,
        second=counts["second"],
        ties=counts["tie"],
        first_share=first / preferred if preferred else None,
        ci=clustered or alone,
    )
