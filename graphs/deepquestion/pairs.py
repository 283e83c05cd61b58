"""Pairwise comparisons of questions, each pair in both orders: who wins, and whether the judge
leans to a place."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...state.deepquestion.items import Compared
from ...state.deepquestion.result import Comparisons, CriterionRow, PositionRow
from ...state.problems import CRITERIA, Criterion, Preference
from ...stats.estimates import mean, share
from .checks import Items

Outcome = Literal["win", "loss", "tie"]
"""What a pair says of the question that is looked at."""
BASELINE_CRITERIA: tuple[Criterion, ...] = tuple(
    criterion for criterion in CRITERIA if criterion != "instruction_following"
)
"""Of two originals: neither was written by an instruction."""
_OUTCOMES: dict[tuple[Preference, ...], Outcome] = {
    ("first", "second"): "win",
    ("second", "first"): "loss",
}
"""What is preferred when the question that is looked at stands first, and when it stands second."""
_POINTS: dict[Outcome, float] = {"win": 1.0, "tie": 0.5, "loss": 0.0}


@dataclass(frozen=True)
class Pair:
    """Two questions, one of which is looked at: the comparisons in which it stands first, and
    second. None: there is no such comparison."""

    first: Compared | None
    second: Compared | None

    @property
    def items(self) -> tuple[Compared, ...]:
        return tuple(item for item in (self.first, self.second) if item is not None)

    def preferences(self, criterion: Criterion) -> tuple[Preference, ...]:
        """One for each comparison that came about."""
        items = [item for item in self.items if criterion in item.preferences]
        return tuple(item.preferences[criterion] for item in items)

    def outcome(self, criterion: Criterion) -> Outcome | None:
        """A win needs both orders, and so does a loss; None where an order is missing."""
        both = self.preferences(criterion)
        return _OUTCOMES.get(both, "tie") if len(both) == 2 else None


def created_pair(items: Items) -> Pair:
    """What the target wrote, beside the original."""
    return Pair(items.get("q2i@second"), items.get("q2i@first"))


def baseline_pair(items: Items) -> Pair:
    """The problem's question, beside that of another problem."""
    return Pair(items.get("baseline@first"), items.get("baseline@second"))


def comparisons(pairs: Sequence[Pair], criteria: Sequence[Criterion] = CRITERIA) -> Comparisons:
    """All figures over pairs. Wins are over those with both comparisons, leanings over every
    comparison there is."""
    faults = [[item.fault is not None for item in pair.items] for pair in pairs]
    positions = [_position_row(pairs, [criterion], criterion) for criterion in criteria]
    return Comparisons(
        pairs=faults.count([False, False]),
        unscored=sum(map(sum, faults)),
        criteria=tuple(_criterion_row(pairs, criterion) for criterion in criteria),
        position=(*positions, _position_row(pairs, criteria, "all")),
    )


def _criterion_row(pairs: Sequence[Pair], criterion: Criterion) -> CriterionRow:
    """Wins, losses and the win rate by one criterion: the mean of pair scores (1, ½, 0), each pair
    for itself."""
    outcomes = dict[int, Outcome]()
    contradictory = 0
    for index, pair in enumerate(pairs):
        outcome = pair.outcome(criterion)
        if outcome is not None:
            outcomes[index] = outcome
            contradictory += pair.preferences(criterion) in (("first",) * 2, ("second",) * 2)
    counts = Counter(outcomes.values())
    rate = mean([(index, _POINTS[outcome]) for index, outcome in outcomes.items()])
    return CriterionRow(
        criterion=criterion,
        pairs=len(outcomes),
        wins=counts["win"],
        losses=counts["loss"],
        ties=counts["tie"],
        contradictory=contradictory,
        win_rate=rate.value,
        ci=rate.interval,
    )


def _position_row(
    pairs: Sequence[Pair], criteria: Sequence[Criterion], name: Criterion | Literal["all"]
) -> PositionRow:
    """How often what stands first is preferred.

    The interval is clustered by pair, because a judge that leans in one comparison of a pair
    leans in the other: as if all comparisons were independent, it would hold in .90 of runs by one
    criterion, in .60 by all of them together (bench/coverage/deepquestion.py). With a single pair
    it is Wilson's by one criterion, and None by all of them."""
    preferences = list[tuple[int, Preference]]()
    for criterion in criteria:
        for index, pair in enumerate(pairs):
            preferences += [(index, preference) for preference in pair.preferences(criterion)]
    counts = Counter(preference for _, preference in preferences)
    firsts = [(index, float(first == "first")) for index, first in preferences if first != "tie"]
    leaning = share(firsts) if len(criteria) == 1 else mean(firsts)
    return PositionRow(
        criterion=name,
        comparisons=len(preferences),
        first=counts["first"],
        second=counts["second"],
        ties=counts["tie"],
        first_share=leaning.value,
        ci=leaning.interval,
    )
