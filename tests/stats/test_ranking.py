"""Orders made of pairwise tests: rank intervals and letters, by hand and as properties."""

from functools import partial
from itertools import combinations
from statistics import NormalDist

from hypothesis import given
from hypothesis import strategies as st

from fathom.state.comparison import ComparedModel, ComparedPair, Comparison
from fathom.state.result import Interval
from fathom.stats.ranking import TestedPair, assembled, groups

NORMAL = NormalDist()


def compared(
    estimates: dict[str, float | None], p: dict[tuple[str, str], float | None]
) -> Comparison:
    models = [
        ComparedModel(label=m, run_ids=(), estimate=e, interval=None)
        for m, e in estimates.items()
    ]
    tested: list[TestedPair] = []
    for (a, b), value in p.items():
        pair = ComparedPair(one=a, other=b, difference=1.0, p=value)
        tested.append((pair, None if value is None else partial(normal_interval, value)))
    return assembled("drill", "EVD", "paired_t", models, tested, simulated=True)


def normal_interval(p: float, alpha: float) -> Interval:
    """Of a difference of 1 that a normal test gives this p."""
    ratio = NORMAL.inv_cdf(alpha / 2) / NORMAL.inv_cdf(min(p, 1 - 1e-9) / 2)
    return 1 - ratio, 1 + ratio


def test_ranks_and_letters_by_hand() -> None:
    found = compared(
        {"a": 3.0, "b": 2.0, "c": 1.0}, {("a", "b"): 0.4, ("a", "c"): 0.001, ("b", "c"): 0.2}
    )
    assert [(m.label, m.rank, m.group) for m in found.models] == [
        ("a", (1, 2), "a"),
        ("b", (1, 3), "ab"),
        ("c", (2, 3), "b"),
    ]
    assert found.decisive is False
    assert [pair.p_adjusted for pair in found.pairs] == [0.4, 0.003, 0.4]


@given(st.lists(st.floats(1e-6, 1), min_size=3, max_size=3))
def test_an_interval_leaves_zero_out_exactly_where_two_are_told_apart(p: list[float]) -> None:
    sides = [("a", "b"), ("a", "c"), ("b", "c")]
    found = compared({"a": 3.0, "b": 2.0, "c": 1.0}, dict(zip(sides, p, strict=True)))
    for pair in found.pairs:
        low, high = pair.interval or (0, 0)
        assert (low > 0 or high < 0) == pair.separated


def test_a_decisive_ranking_and_one_without_a_test() -> None:
    assert compared({"a": 2.0, "b": 1.0}, {("a", "b"): 0.01}).decisive is True
    untested = compared({"a": 2.0, "b": None}, {("a", "b"): None})
    assert untested.decisive is None
    assert [(m.label, m.rank, m.group) for m in untested.models] == [
        ("a", (1, 1), "a"),
        ("b", None, ""),
    ]


@given(st.integers(1, 6), st.sets(st.sampled_from([*combinations(range(6), 2)])))
def test_two_share_a_letter_exactly_where_they_are_not_apart(
    number: int, pairs: set[tuple[int, int]]
) -> None:
    labels = [str(place) for place in range(number)]
    apart = {(str(a), str(b)) for a, b in pairs if b < number}
    letters = groups(labels, apart)
    assert all(letters.values())
    for a, b in combinations(labels, 2):
        assert bool(set(letters[a]) & set(letters[b])) == ((a, b) not in apart)


def test_each_of_many_groups_has_a_letter_of_its_own() -> None:
    labels = [str(place) for place in range(40)]
    letters = groups(labels, set(combinations(labels, 2)))
    assert len(set(letters.values())) == 40
    assert all(len(own) == 1 for own in letters.values())
