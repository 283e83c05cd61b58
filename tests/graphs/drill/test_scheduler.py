"""The depth scheduler: exactly N probes, as evenly as they go, and no path favoured by its
place."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.graphs.drill.scheduler import allocate


def paths(count: int) -> list[str]:
    return [f"p{i:02}" for i in range(count)]


@pytest.mark.parametrize(
    ("survivors", "shares"),
    [
        (4, {8: 2, 7: 2}),  # 30 = 4·7 + 2: two paths get one more
        (7, {5: 2, 4: 5}),  # 30 = 7·4 + 2
        (23, {2: 7, 1: 16}),  # 30 = 23·1 + 7
        (27, {2: 3, 1: 24}),  # 30 = 27·1 + 3
        (30, {1: 30}),
        (1, {30: 1}),
        (0, {}),  # nothing survives: the drill stops
    ],
)
def test_thirty_probes_over_survivors(survivors: int, shares: dict[int, int]) -> None:
    dealt = allocate(30, paths(survivors), Random("1"))
    assert Counter(dealt.values()) == shares
    assert list(dealt) == paths(survivors)


def test_more_survivors_than_probes_are_sampled() -> None:
    draws = [allocate(10, paths(40), Random(seed)) for seed in range(200)]
    for dealt in draws:
        assert list(dealt.values()) == [1] * 10
        assert list(dealt) == sorted(dealt)
    taken = Counter(path for dealt in draws for path in dealt)
    # each path is taken with chance 1/4 in 200 draws: mean 50, sd 6.1; five sd either way
    assert set(taken) == set(paths(40))
    assert all(19 < times < 81 for times in taken.values())


@given(n=st.integers(1, 80), count=st.integers(0, 120), seed=st.integers())
def test_every_allocation_is_full_even_and_in_order(n: int, count: int, seed: int) -> None:
    dealt = allocate(n, paths(count), Random(seed))
    assert sum(dealt.values()) == (n if count else 0)
    assert len(dealt) == min(n, count)
    assert not dealt or max(dealt.values()) - min(dealt.values()) <= 1
    assert min(dealt.values(), default=1) >= 1
    assert list(dealt) == [path for path in paths(count) if path in dealt]
    assert dealt == allocate(n, paths(count), Random(seed))


def test_the_remainder_falls_on_any_place() -> None:
    more = Counter(
        p
        for seed in range(600)
        for p, k in allocate(30, paths(7), Random(seed)).items()
        if k == 5
    )
    # two of seven per draw: chance 2/7 each, mean 171, sd 11; five sd either way
    assert set(more) == set(paths(7))
    assert all(116 < times < 226 for times in more.values())


def test_refusals() -> None:
    with pytest.raises(ValueError, match="at least one probe"):
        allocate(0, paths(3), Random(1))
    with pytest.raises(ValueError, match="twice"):
        allocate(3, ["a", "a"], Random(1))
