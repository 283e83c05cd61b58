"""What a model does where it is not right."""

import pytest

from fathom.state.rows import RowVerdict
from fathom.stats.abstention import INDEX, SHARES, Answers, abstention, first_bluff
from fathom.stats.decide import condition_state, parse_condition

# 6 right, 2 wrong, 1 abstained, 1 unreadable over four groups; the unscored one counts nowhere
ANSWERS: Answers = [
    *[(group, "right") for group in "aabbcd"],
    ("a", "wrong"),
    ("c", "wrong"),
    ("d", "abstained"),
    ("d", "unreadable"),
    ("e", "unscored"),
]


def test_shares_are_of_what_was_scored() -> None:
    found = {name: abstention(name, ANSWERS) for name in (*SHARES, INDEX)}
    values = {name: estimate.value for name, estimate in found.items()}
    assert values == pytest.approx(
        {
            "right": 0.6,
            "wrong": 0.2,
            "abstained": 0.1,
            "precision_when_answering": 6 / 8,
            "hallucination_rate": 2 / 3,
            "index": 40.0,
        }
    )
    assert (found["right"].n, found["right"].groups) == (10, 4)
    for estimate in found.values():
        low, high = estimate.interval or (0, 0)
        assert low <= (estimate.value or 0) <= high != low


def test_one_group_has_no_interval_and_nothing_scored_has_no_value() -> None:
    assert abstention("right", [("a", "right"), ("a", "wrong")]).interval is None
    assert abstention("hallucination_rate", [("a", "right")]).value is None
    assert abstention(INDEX, []).value is None


def answers(*counts: int) -> Answers:
    """(right, wrong, abstained), each answer of a group of its own."""
    verdicts: tuple[RowVerdict, ...] = ("right", "wrong", "abstained")
    each = [verdict for verdict, n in zip(verdicts, counts, strict=True) for _ in range(n)]
    return [*enumerate(each)]


def test_a_fifth_is_not_more_than_a_fifth() -> None:
    assert first_bluff({2: answers(0, 1, 3), 1: answers(4, 1, 0)}, 9).value == 2


def test_the_first_bluffing_depth_has_the_interval_of_the_shares() -> None:
    """Wrong of 30: 0 (upper end .12), 4 (.31), 9 (.15 to .50), 15 (lower end .32)."""
    by_depth = {1: answers(30, 0, 0), 2: answers(26, 4, 0), 3: answers(21, 9, 0)}
    found = first_bluff(by_depth, 9)
    assert (found.value, found.interval, found.at_least) == (3, (2, 10), False)
    found = first_bluff({**by_depth, 4: answers(0, 15, 15)}, 9)
    assert (found.value, found.interval) == (3, (2, 4))


def test_what_never_bluffed_bluffs_deeper_than_it_was_asked() -> None:
    found = first_bluff({1: answers(30, 0, 0), 2: answers(0, 0, 30)}, 9)
    assert (found.value, found.interval, found.at_least) == (3, (3, 10), True)
    bound = parse_condition("first_bluffing_depth >= 3")
    assert condition_state(bound, "a", found).state == "met"
    assert (
        condition_state(parse_condition("first_bluffing_depth >= 4"), "a", found).state
        == "open"
    )
    assert first_bluff({}, 9).value is None
