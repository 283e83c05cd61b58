"""Comparisons of questions by hand: wins in both orders, and a judge that leans to a place."""

from fathom.state.deepquestion.result import Comparisons
from fathom.state.items import DeepQuestionItem
from fathom.state.problems import CRITERIA, Criterion, Preference
from fathom.stats.accuracy import wilson

from ...support.deepquestion.synthetic import (
    compared,
    lost,
    problem_set,
    q2i_steps,
    solution,
    tables,
)

Places = tuple[Preference, Preference]


def of_created(*places: Places) -> Comparisons:
    """What the judge prefers when the original stands first, and second; by all criteria alike."""
    steps: list[DeepQuestionItem] = [
        step for n, told in enumerate(places) for step in q2i_steps(n, True, told)
    ]
    made: Comparisons = tables(steps, problem_set(len(places))).q2i.comparisons
    return made


def test_a_win_takes_both_orders() -> None:
    # the original first: "second" is the written one's
    found = of_created(
        ("second", "first"),  # win
        ("second", "first"),  # win
        ("first", "second"),  # loss
        ("first", "first"),  # the first place twice: a tie, contradictory
        ("second", "second"),
        ("second", "tie"),  # a tie
        ("tie", "second"),
        ("tie", "tie"),
    )
    row = found.criteria[0]
    assert (found.pairs, found.unscored, [each.criterion for each in found.criteria]) == (
        8,
        0,
        list(CRITERIA),
    )
    assert (row.pairs, row.wins, row.losses, row.ties, row.contradictory) == (8, 2, 1, 5, 2)
    assert row.win_rate == 4.5 / 8  # (2 + 5/2)/8
    # first is preferred by the wins, the loss and twice by one contradiction: 2 + 1 + 2; second 2 +
    # 1 + 2 + 1 + 1
    clarity, every = found.position[0], found.position[-1]
    assert (clarity.comparisons, clarity.first, clarity.second, clarity.ties) == (16, 5, 7, 4)
    assert clarity.first_share == 5 / 12
    assert (every.criterion, every.comparisons, every.first, every.second) == (
        "all",
        80,
        25,
        35,
    )
    # five criteria that say the same are no more evidence than one
    plain = wilson(25, 60)
    assert every.ci is not None
    assert every.ci[0] < plain[0] < plain[1] < every.ci[1]


def test_each_criterion_counts_for_itself() -> None:
    told: dict[Criterion, Preference] = {"clarity": "second", "realism": "first"}
    back: dict[Criterion, Preference] = {"clarity": "first", "realism": "first"}
    held = tables([solution(0), *q2i_steps(0, True, (told, back))], closed=1)
    assert held.q2i is not None
    rows = {
        row.criterion: (row.wins, row.losses, row.ties, row.contradictory)
        for row in held.q2i.comparisons.criteria
    }
    assert rows["clarity"] == (1, 0, 0, 0)
    assert rows["realism"] == (0, 0, 1, 1)
    assert rows["reasoning_demand"] == (0, 0, 1, 0)
    made = held.problems[0].created
    assert made is not None
    assert made.preferences == dict.fromkeys(CRITERIA, "tie") | {"clarity": "created"}


def test_a_comparison_that_a_fault_took_leaves_no_pair() -> None:
    steps = [*q2i_steps(0)[:-1], solution(0, "created"), compared(0, True, "first")]
    for rest in ([], [compared(0, False, fault=lost("comparison"))]):
        held = tables([*steps, *rest], closed=1)
        assert held.q2i is not None
        found, row = held.q2i.comparisons, held.q2i.comparisons.criteria[0]
        assert (found.pairs, found.unscored) == (0, len(rest))
        assert (row.pairs, row.ties, row.win_rate, row.ci) == (0, 0, None, None)
        # the place that is preferred is known of the one that came about: Wilson's for 1 of 1
        assert (found.position[0].comparisons, found.position[0].first_share) == (1, 1.0)
        assert found.position[0].ci == wilson(1, 1)
        assert found.position[-1].ci is None
        assert held.problems[0].created is not None
        assert held.problems[0].created.preferences == {}


def test_nothing_preferred_has_no_leaning() -> None:
    row = of_created(("tie", "tie")).position[0]
    assert (row.comparisons, row.ties, row.first_share, row.ci) == (2, 2, None, None)
    lone = tables(q2i_steps(0), closed=1).q2i
    assert lone is not None
    empty = lone.comparisons
    assert (empty.pairs, empty.position[-1].comparisons, empty.criteria[0].win_rate) == (
        0,
        0,
        None,
    )


def test_two_originals_are_looked_at_from_the_problem_that_was_drawn() -> None:
    steps = [
        # p1 first is preferred, and p1 second is: a win of p1
        *(compared(0, True, "first", 2), compared(0, False, "second", 2)),
        # whatever stands first
        *(compared(1, True, "first", 0), compared(1, False, "first", 0)),
    ]
    held = tables([solution(0), solution(1), *steps], closed=2)
    found = held.baseline
    assert found is not None
    assert [row.criterion for row in found.position] == [
        *(row.criterion for row in found.criteria),
        "all",
    ]
    assert "instruction_following" not in [row.criterion for row in found.criteria]
    assert (found.pairs, found.criteria[0].wins, found.criteria[0].contradictory) == (2, 1, 1)
    assert (
        found.position[-1].first,
        found.position[-1].second,
        found.position[-1].comparisons,
    ) == (12, 4, 16)
    assert [
        (case.first, case.second, case.preferences["clarity"]) for case in held.baseline_cases
    ] == [
        ("p1", "p3", "first"),
        ("p3", "p1", "second"),
        ("p2", "p1", "first"),
        ("p1", "p2", "first"),
    ]
    # the pair is of p2, which is still open
    only = tables([solution(0), *steps], closed=1)
    assert only.baseline is not None
    assert (only.baseline.pairs, len(only.baseline_cases)) == (1, 2)
