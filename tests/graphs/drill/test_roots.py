"""Roots drawn by weight, and what takes the place of those without evidence."""

from collections import Counter
from fractions import Fraction
from math import ceil, floor
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from fathom.graphs.drill.roots import (
    Draw,
    draw_topics,
    replace_lost,
    share_slots,
)

NAMES = st.sampled_from([f"t{place}" for place in range(30)])
WEIGHTS = st.one_of(st.just(1.0), st.floats(1e-3, 1e3))
TOPICS = st.dictionaries(NAMES, WEIGHTS, min_size=1)


@given(topics=TOPICS, n=st.integers(1, 40), seed=st.integers())
def test_a_topic_has_its_share_of_the_roots_to_less_than_one(
    topics: dict[str, float], n: int, seed: int
) -> None:
    draw = draw_topics(topics, n, Random(seed))
    times, total = Counter(draw.roots), sum(map(Fraction, topics.values()))
    assert len(draw.roots) == n
    for name, weight in topics.items():
        due = n * Fraction(weight) / total
        assert floor(due) <= times[name] <= ceil(due)
    assert sorted({*draw.roots} ^ {*draw.rest}) == sorted(topics)
    backwards = dict(reversed(topics.items()))
    assert draw_topics(backwards, n, Random(seed)) == draw  # the order in the file says nothing


def test_roots_are_in_proportion_to_weight_on_average() -> None:
    topics = {"a": 0.5, "b": 1.0, "c": 2.0, "d": 3.5, "e": 0.25, "f": 0.75}  # 8 in all
    times, first, seeds = Counter[str](), Counter[str](), 4000
    for seed in range(seeds):
        draw = draw_topics(topics, 3, Random(seed))
        times.update(draw.roots)
        first.update(draw.rest[:1])
    for name, weight in topics.items():
        # 5 standard deviations of a mean of 0/1 draws: 5·√(.25/4000) = .04
        assert abs(times[name] / seeds - 3 * weight / 8) < 0.04
    assert first["f"] > first["a"] > first["e"]  # each undrawn about as often


@given(topics=TOPICS, n=st.integers(1, 40), seed=st.integers(), lost=st.sets(NAMES))
def test_what_is_lost_is_replaced_while_there_is_anything_left(
    topics: dict[str, float], n: int, seed: int, lost: set[str]
) -> None:
    draw = draw_topics(topics, n, Random(seed))
    roots, gone = replace_lost(draw, lost)
    there = [name for name in draw.rest if name not in lost]
    stay = [root for root in draw.roots if root not in lost]
    assert not lost & {*roots}
    assert Counter(roots) == Counter(stay) + Counter(there[: n - len(stay)])
    assert {*gone} >= lost & {*draw.roots}
    assert {*gone} <= lost
    assert len(gone) == len({*gone})
    if roots:
        slots = share_slots(roots, n, Random(seed))
        times, drawn = Counter(slots), list(dict.fromkeys(roots))
        assert len(slots) == n
        for place, root in enumerate(drawn):
            more = times[place] - roots.count(root)
            assert (n - len(roots)) // len(drawn) <= more <= -(-(n - len(roots)) // len(drawn))


def test_names_passed_over_while_replacing_are_lost_too() -> None:
    assert replace_lost(Draw(["a", "a", "b"], ["c", "d", "e", "f"]), {"a", "c", "f"}) == (
        ["d", "e", "b"],
        ["a", "c"],
    )
