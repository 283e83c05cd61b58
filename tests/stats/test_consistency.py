"""The Answer Consistency Score: its vectors and laws, and the interval of a mean over clusters."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from fathom.stats.accuracy import wilson
from fathom.stats.consistency import (
    Consistency,
    clustered_interval,
    consistency,
    mean_interval_clustered,
)


def sets(text: str) -> list[frozenset[int]]:
    """One answer per word, its letters the chosen options."""
    return [frozenset(ord(letter) for letter in word.strip("-")) for word in text.split()]


@pytest.mark.parametrize(
    ("answers", "acs", "normalised", "informative"),
    [
        ("a a a a a", 1.0, 1.0, True),  # 1 − (1 − 1)/5; (5 − 1)/(5 − 1)
        ("a a b", 2 / 3, 0.5, True),  # 1 − (2 − 1)/3; (3 − 2)/(3 − 1)
        (
            "a b c d e",
            0.2,
            0.0,
            True,
        ),  # 1 − (5 − 1)/5 = 1/|A|, the lowest there is; (5 − 5)/(5 − 1)
        ("a b", 0.5, 0.0, True),
        ("a", 1.0, 1.0, False),  # agrees with itself
        ("ac ca ac", 1.0, 1.0, True),  # sets know no order
        ("ac a c", 1 / 3, 0.0, True),  # and a part is not the whole
        ("- - a", 2 / 3, 0.5, True),  # "none of them" is an answer too: the empty set
    ],
)
def test_vectors(answers: str, acs: float, normalised: float, informative: bool) -> None:
    found = consistency(sets(answers))
    assert found is not None
    assert (found.acs, found.normalised) == pytest.approx((acs, normalised))
    assert found.informative is informative


def test_without_answers_there_is_no_score() -> None:
    assert consistency([]) is None


answer_lists = st.lists(st.frozensets(st.integers(0, 3), max_size=3), min_size=1, max_size=9)


def score(answers: Sequence[frozenset[int]]) -> Consistency:
    found = consistency(answers)
    assert found is not None
    return found


@given(answer_lists, st.randoms(use_true_random=False))
def test_laws(answers: list[frozenset[int]], random: Random) -> None:
    n, found = len(answers), score(answers)
    assert 1 / n <= found.acs <= 1
    assert 0 <= found.normalised <= 1
    if n > 1:
        assert found.normalised == pytest.approx((found.acs * n - 1) / (n - 1))
    assert (found.acs == 1) == (len(set(answers)) == 1)
    assert score(random.sample(answers, n)) == found
    renamed = [frozenset(7 - option for option in answer) for answer in answers]
    assert score(renamed) == found


@given(answer_lists)
def test_one_more_of_the_same_never_lowers_and_a_new_one_never_raises(
    answers: list[frozenset[int]],
) -> None:
    found, again, new = (
        score(answers),
        score([*answers, answers[0]]),
        score([*answers, frozenset({99})]),
    )
    assert again.acs >= found.acs
    assert again.normalised >= found.normalised
    assert new.acs < found.acs
    assert new.normalised <= found.normalised


def test_interval_of_independent_values() -> None:
    # 15 of 30 singletons at 0 and 15 at 1: V = 30/29·30·.25/900 = .25/29 either way, so n_eff = 29;
    # t at 29 degrees of freedom for z makes it 29·(1.95996/2.04523)² = 26.63
    values = [(place, float(place < 15)) for place in range(30)]
    n = 29 * (1.959964 / 2.045230) ** 2
    assert mean_interval_clustered(values) == pytest.approx(wilson(n / 2, n), abs=1e-6)


def test_clusters_that_agree_with_themselves_count_once() -> None:
    # six clusters of five equal values, three at .25 and three at 1: with y = (x − .25)/.75 these
    # are 0 and 1, the sums over clusters ±2.5, V_y = 6/5·6·6.25/900 = .05, n_eff = .25/.05 = 5
    values = [(cluster, 1.0 if cluster < 3 else 0.25) for cluster in range(6) for _ in range(5)]
    n = 5 * (1.959964 / float(stdtrit(5, 0.975))) ** 2
    lower, upper = wilson(n / 2, n)
    assert mean_interval_clustered(values, low=0.25) == pytest.approx(
        (0.25 + 0.75 * lower, 0.25 + 0.75 * upper)
    )


@pytest.mark.parametrize(
    ("value", "low", "expected"),
    [
        # Wilson, none of ten: the upper end is z²/(10 + z²) = .2775
        (1.0, 0.25, (1 - 0.2775 * 0.75, 1.0)),
        (0.25, 0.25, (0.25, 0.25 + 0.2775 * 0.75)),
        (0.5, 0.25, (0.5 - 0.2775 * 0.25, 0.5 + 0.2775 * 0.5)),
        (1.0, 0.0, (0.7225, 1.0)),  # of a share: ten of ten
    ],
)
def test_values_that_are_all_the_same_are_not_exact(
    value: float, low: float, expected: tuple[float, float]
) -> None:
    assert mean_interval_clustered([(c, value) for c in range(10)] * 4, low) == pytest.approx(
        expected, abs=5e-5
    )


def test_clusters_of_unequal_size_count_as_fewer() -> None:
    # (Σn)²/Σn² = 12²/(10² + 1 + 1) = 144/102
    values = [*[("large", 1.0)] * 10, ("small", 1.0), ("other", 1.0)]
    assert mean_interval_clustered(values) == pytest.approx((1 - wilson(0, 144 / 102)[1], 1.0))


@pytest.mark.parametrize("values", [[], [(1, 0.5)], [(1, 0.5), (1, 1.0)]])
def test_one_cluster_has_no_interval(values: list[tuple[int, float]]) -> None:
    assert mean_interval_clustered(values) is None


@pytest.mark.parametrize("value", [0.2, 1.1, float("nan")])
def test_a_value_outside_the_range_is_an_error(value: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        mean_interval_clustered([(1, 1.0), (2, value)], low=0.25)


lattice = st.integers(0, 3).map(lambda u: 1 - u / 4)
clustered_values = st.lists(st.tuples(st.integers(0, 5), lattice), min_size=2, max_size=60)


@given(clustered_values, st.randoms(use_true_random=False))
def test_interval_holds_the_mean_within_the_range(
    values: list[tuple[int, float]], random: Random
) -> None:
    found = mean_interval_clustered(values, low=0.25)
    if found is None:
        assert len({cluster for cluster, _ in values}) == 1
        return
    lower, upper = found
    mean = sum(value for _, value in values) / len(values)
    assert 0.25 - 1e-12 <= lower <= mean + 1e-12
    assert mean - 1e-12 <= upper <= 1 + 1e-12
    assert upper - lower > 1e-3
    assert mean_interval_clustered(
        random.sample(values, len(values)), low=0.25
    ) == pytest.approx(found)
    # told from the other end, it is the mirror image
    mirrored = mean_interval_clustered([(c, 1.25 - x) for c, x in values], low=0.25)
    assert mirrored == pytest.approx((1.25 - upper, 1.25 - lower))


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=60))
def test_interval_of_a_share_is_never_narrower_than_wilson(
    answers: list[tuple[int, bool]],
) -> None:
    found = mean_interval_clustered([(cluster, float(right)) for cluster, right in answers])
    if found is not None:
        lower, upper = wilson(sum(right for _, right in answers), len(answers))
        assert found[0] <= lower + 1e-12
        assert found[1] >= upper - 1e-12


@given(st.lists(st.integers(0, 5), min_size=2, max_size=30), lattice)
def test_more_of_the_same_within_each_cluster_tells_no_more(
    clusters: list[int], value: float
) -> None:
    values = [(cluster, value) for cluster in clusters]
    assert mean_interval_clustered(values * 3, low=0.25) == pytest.approx(
        mean_interval_clustered(values, low=0.25)
    )


def test_a_share_of_roots_that_agree_with_themselves_counts_them_once() -> None:
    """Six roots of five, each all right or all wrong: n_eff = 5, of which t at 5 degrees of freedom
    leaves 5·(1.960/2.571)² = 2.907."""
    found = clustered_interval([(5, 5)] * 3 + [(0, 5)] * 3)
    assert found == pytest.approx(wilson(2.907 / 2, 2.907), abs=1e-4)
    assert clustered_interval([(10, 30), (0, 0)]) is None
