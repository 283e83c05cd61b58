"""Properties of the discrepancies over any graph and any scores."""

from collections.abc import Mapping
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.graphs.depthqa.discrepancy import (
    Direction,
    discrepancy,
    discrepancy_row,
    gaps,
)
from fathom.state.depthqa.result import DiscrepancyRow
from fathom.state.question_graph import QuestionGraph

from ...support.depthqa.items import graph_of, nodes_with

NAMES = ("a_d3", "b_d3", "c_d2", "d_d2", "e_d2", "f_d1", "g_d1", "h_d1")
DIRECTIONS: tuple[Direction, ...] = ("forward", "backward")
Scores = Mapping[str, Fraction | int]


@st.composite
def graphs(draw: st.DrawFn) -> QuestionGraph:
    """Eight nodes with any edges that depths allow."""
    edges = {}
    for name in NAMES:
        below = [other for other in NAMES if int(other[-1]) == int(name[-1]) - 1]
        edges[name] = " ".join(
            draw(st.lists(st.sampled_from(below), unique=True)) if below else []
        )
    return graph_of(edges)


scored = st.dictionaries(
    st.sampled_from(NAMES),
    st.one_of(st.integers(1, 5), st.fractions(min_value=1, max_value=5, max_denominator=6)),
    min_size=5,
)


def measured(
    graph: QuestionGraph, scores: Scores, direction: Direction
) -> dict[str, float | None]:
    """Node → d, of all that have neighbours."""
    return {gap.node.name: gap.d for gap in gaps(nodes_with(graph, scores), direction)}


def row_of(graph: QuestionGraph, scores: Scores, direction: Direction) -> DiscrepancyRow:
    return discrepancy_row(gaps(nodes_with(graph, scores), direction))


def around(graph: QuestionGraph, scores: Scores, name: str, direction: Direction) -> list[str]:
    nodes = nodes_with(graph, scores)
    (node,) = [node for node in nodes.values() if node.name == name]
    return [nodes[key].name for key in node.neighbours[direction]]


@given(graphs(), scored)
@settings(max_examples=20)
def test_shares_and_means_stay_in_their_ranges(graph: QuestionGraph, scores: Scores) -> None:
    for direction in DIRECTIONS:
        row = row_of(graph, scores, direction)
        assert (row.average is None) == (row.frequency is None) == (row.eligible == 0)
        assert (row.intensity is None) == (not row.frequency)
        if row.average is not None and row.frequency is not None:
            assert 0 <= row.average <= row.frequency <= 1
            assert row.average == pytest.approx(row.frequency * (row.intensity or 0.0))
        for value, ci in (
            (row.average, row.average_ci),
            (row.frequency, row.frequency_ci),
            (row.intensity, row.intensity_ci),
        ):
            if ci is not None and value is not None:
                assert -1e-12 <= ci[0] <= value + 1e-12
                assert value - 1e-12 <= ci[1] <= 1 + 1e-12


@given(graphs(), scored)
@settings(max_examples=25)
def test_every_node_with_neighbours_is_in_one_count(
    graph: QuestionGraph, scores: Scores
) -> None:
    for direction in DIRECTIONS:
        those = sum(bool(around(graph, scores, name, direction)) for name in NAMES)
        row = row_of(graph, scores, direction)
        assert row.eligible + row.left_out + row.unscored == those


@given(st.fractions(1, 5), st.fractions(1, 5), st.fractions(1, 5))
def test_a_higher_score_never_has_a_larger_discrepancy(
    one: Fraction, other: Fraction, mean: Fraction
) -> None:
    low, high = discrepancy(min(one, other), mean), discrepancy(max(one, other), mean)
    assert (low is None) == (high is None) == (mean < 4)
    if low is not None and high is not None:
        assert 0 <= high <= low <= 1


@given(graphs(), scored, st.sampled_from(NAMES), st.integers(1, 5))
@settings(max_examples=20)
def test_a_nodes_own_score_moves_its_own_d_the_other_way(
    graph: QuestionGraph, scores: Scores, name: str, score: int
) -> None:
    for direction in DIRECTIONS:
        before = measured(graph, scores, direction).get(name)
        after = measured(graph, {**scores, name: score}, direction).get(name)
        if name in scores and before is not None:
            assert after is not None
            assert (after <= before) if score >= scores[name] else (after >= before)


@given(graphs(), scored, st.sampled_from(NAMES))
@settings(max_examples=20)
def test_a_lost_score_moves_no_other_node_but_by_leaving_the_mean(
    graph: QuestionGraph, scores: Scores, gone: str
) -> None:
    left = {name: score for name, score in scores.items() if name != gone}
    for direction in DIRECTIONS:
        before, after = measured(graph, scores, direction), measured(graph, left, direction)
        assert after.get(gone) is None
        for name in before:
            beside = around(graph, left, name, direction)
            if gone not in beside and name != gone:
                assert after[name] == before[name]
            held = [Fraction(left[each]) for each in beside if each in left]
            if name in left and held:
                assert after[name] == discrepancy(
                    Fraction(left[name]), sum(held, Fraction(0)) / len(held)
                )


@given(graphs(), scored, st.randoms(use_true_random=False))
@settings(max_examples=10)
def test_the_order_of_the_nodes_changes_nothing(
    graph: QuestionGraph, scores: Scores, random: Random
) -> None:
    nodes = list(graph.nodes)
    random.shuffle(nodes)
    shuffled = QuestionGraph(nodes=tuple(nodes))
    for direction in DIRECTIONS:
        assert measured(shuffled, scores, direction) == measured(graph, scores, direction)
        one, other = (row_of(each, scores, direction) for each in (graph, shuffled))
        assert (one.average, one.intensity) == (other.average, other.intensity)
