"""What a model does where it is not right."""

import pytest

from fathom.state.rows import RowVerdict
from fathom.stats.abstention import Answers, abstention, first_bluff

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
    found = abstention(ANSWERS)
    values = {name: estimate.value for name, estimate in found.items()}
    assert values == pytest.approx(
        {
            "right": 0.6,
            "wrong": 0.2,
            "abstained": 0.1,
            "precision": 6 / 8,
            "hallucination_rate": 2 / 3,
            "index": 40.0,
        }
    )
    assert (found["right"].n, found["right"].groups) == (10, 4)
    for estimate in found.values():
        low, high = estimate.interval or (0, 0)
        assert low <= (estimate.value or 0) <= high != low


def test_one_group_has_no_interval_and_nothing_scored_has_no_value() -> None:
    assert abstention([("a", "right"), ("a", "wrong")])["right"].interval is None
    assert abstention([("a", "right")])["hallucination_rate"].value is None
    assert abstention([])["index"].value is None


def test_a_fifth_is_not_more_than_a_fifth() -> None:
    def answers(*verdicts: RowVerdict) -> Answers:
        return [*enumerate(verdicts)]

    fifth = answers("right", "right", "right", "right", "wrong")
    more = answers("abstained", "abstained", "abstained", "wrong")
    assert first_bluff({2: more, 1: fifth}) == 2
    assert first_bluff({1: fifth, 2: answers("abstained")}) is None
