"""Pairwise comparisons of questions, each pair in both orders: who wins, and whether the judge
leans to a place."""

from collections import Counter
from collections.abc import Sequence
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
POINTS: dict[Outcome, float] = {"win": 1.0, "tie": 0.5, "loss": 0.0}
Pair = tuple[Compared | None, Compared | None]
"""Two questions, one of which is looked at: the comparison in which it stands first, and the one in
which it stands second. None: there is no such comparison."""


def preferences(pair: Pair, criterion: Criterion) -> list[Preference]:
    """One for each comparison that came about."""
    made = [item for item in pair if item is not None and criterion in item.preferences]
    return [item.preferences[criterion] for item in made]


def outcome_of(pair: Pair, criterion: Criterion) -> Outcome | None:
    """A win needs both orders, and so does a loss; None where an order is missing."""
    both = preferences(pair, criterion)
    if len(both) < 2:
        return None
    if both == ["first", "second"]:
        return "win"
    return "loss" if both == ["second", "first"] else "tie"


def created_pair(items: Items) -> Pair:
    """What the target wrote, beside the original."""
    return items.get("q2i@second"), items.get("q2i@first")


def baseline_pair(items: Items) -> Pair:
    """The problem's question, beside that of another problem."""
    return items.get("baseline@first"), items.get("baseline@second")


def comparisons(pairs: Sequence[Pair], criteria: Sequence[Criterion] = CRITERIA) -> Comparisons:
    """All figures over pairs. Wins are over those with both comparisons, leanings over every
    comparison there is."""
    lost = [[item.fault is not None for item in pair if item is not None] for pair in pairs]
    positions = [_position_row(pairs, [criterion], criterion) for criterion in criteria]
    return Comparisons(
        pairs=lost.count([False, False]),
        unscored=sum(map(sum, lost)),
        criteria=tuple(_criterion_row(pairs, criterion) for criterion in criteria),
        position=(*positions, _position_row(pairs, criteria, "all")),
    )


def _criterion_row(pairs: Sequence[Pair], criterion: Criterion) -> CriterionRow:
    """Wins, losses and the win rate by one criterion: the mean of pair scores (1, ½, 0), each pair
    for itself."""
    outcomes = list[Outcome]()
    contradictory = 0
    for pair in pairs:
        outcome = outcome_of(pair, criterion)
        if outcome is not None:
            outcomes.append(outcome)
            contradictory += preferences(pair, criterion) in (["first"] * 2, ["second"] * 2)
    rate = mean([(index, POINTS[outcome]) for index, outcome in enumerate(outcomes)])
    return CriterionRow(
        criterion=criterion,
        pairs=len(outcomes),
        wins=outcomes.count("win"),
        losses=outcomes.count("loss"),
        ties=outcomes.count("tie"),
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
    choices = list[tuple[int, Preference]]()
    for criterion in criteria:
        for index, pair in enumerate(pairs):
            choices += [(index, choice) for choice in preferences(pair, criterion)]
    counts = Counter(choice for _, choice in choices)
    firsts = [(index, float(choice == "first")) for index, choice in choices if choice != "tie"]
    leaning = share(firsts) if len(criteria) == 1 else mean(firsts)
    return PositionRow(
        criterion=name,
        comparisons=len(choices),
        first=counts["first"],
        second=counts["second"],
        ties=counts["tie"],
        first_share=leaning.value,
        ci=leaning.interval,
    )
