"""The figures of a DepthQA run, by hand."""

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from fathom.graphs.depthqa.discrepancy import Direction, discrepancy, discrepancy_row, gaps
from fathom.state.depthqa.result import DiscrepancyRow, ModeNumbers
from fathom.state.errors import RunFailed
from fathom.state.items import DepthQAItem
from fathom.state.question_graph import Mode, QuestionGraph
from fathom.state.records import Answer

from ...support.depthqa.items import (
    all_rated,
    answer,
    graph_of,
    lost,
    nodes_with,
    rated,
    rating,
    result_of,
    spec_of,
    tables_of,
)

TREE = {"a_d3": "a_d2 b_d2", "a_d2": "a_d1 b_d1", "b_d2": "b_d1", "a_d1": "", "b_d1": ""}
"""One tree, in which b_d1 leads to both D2."""


def numbers(
    graph: QuestionGraph, items: list[DepthQAItem], mode: Mode = "zero-shot", **changes: Any
) -> ModeNumbers:
    closed = changes.pop("closed", range(len(graph.trees)))
    found: ModeNumbers = tables_of(spec_of(mode, **changes), graph, items, closed).modes[0]
    return found


def figures(row: DiscrepancyRow) -> tuple[Any, ...]:
    return row.eligible, row.left_out, row.unscored, row.average, row.frequency, row.intensity


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_discrepancies_follow_the_vector_of_the_methods(direction: Direction) -> None:
    # (own, neighbours' mean): (3, 4.5) → 1.5/4 = .375; (5, 4) → 0; (2, 5) → 3/4 = .75; (1, 3.9) is
    # left out; (5, 5) → 0. n = 4: average (.375 + .75)/4 = .28125, frequency 2/4, intensity 1.125/2
    # = .5625. 3.9 is the mean of nine 4 and one 3
    cases = [(3, [4, 5]), (5, [4, 4]), (2, [5, 5]), (1, [4] * 9 + [3]), (5, [5])]
    edges, scores = dict[str, str](), dict[str, int | None]()
    for place, (own, around) in enumerate(cases):
        upper, lower = (
            f"n{place}_d3",
            [f"n{place}_{number}_d2" for number in range(len(around))],
        )
        if direction == "backward":
            upper, lower = (
                f"n{place}_d2",
                [f"n{place}_{number}_d3" for number in range(len(around))],
            )
            edges |= dict.fromkeys(lower, upper) | {upper: ""}
        else:
            edges |= {upper: " ".join(lower)} | dict.fromkeys(lower, "")
        scores |= {upper: own, **dict(zip(lower, around, strict=True))}
    found = getattr(numbers(graph_of(edges), all_rated(scores)).discrepancies, direction)
    assert figures(found["D2 → D3"]) == (4, 1, 0, 0.28125, 0.5, 0.5625)
    assert figures(found["overall"]) == (4, 1, 0, 0.28125, 0.5, 0.5625)
    assert figures(found["D1 → D2"]) == (0, 0, 0, None, None, None)


def test_both_pairs_are_pooled_and_no_one_is_measured_against_itself() -> None:
    # forward: a_d3 3 against (5, 4) → .375; a_d2 5 against (5, 4) → 0; b_d2 4 against 4 → 0
    # backward: the D2 against 3 are left out; a_d1 5 against 5 → 0; b_d1 4 against (5, 4) → .5/4 =
    # .125
    found = numbers(
        graph_of(TREE), all_rated({"a_d3": 3, "a_d2": 5, "b_d2": 4, "a_d1": 5, "b_d1": 4})
    ).discrepancies
    assert figures(found.forward["D2 → D3"]) == (1, 0, 0, 0.375, 1.0, 0.375)
    assert figures(found.forward["D1 → D2"]) == (2, 0, 0, 0.0, 0.0, None)
    assert figures(found.forward["overall"]) == (3, 0, 0, 0.125, pytest.approx(1 / 3), 0.375)
    assert figures(found.backward["D2 → D3"]) == (0, 2, 0, None, None, None)
    assert figures(found.backward["D1 → D2"]) == (2, 0, 0, 0.0625, 0.5, 0.125)
    assert figures(found.backward["overall"]) == (2, 2, 0, 0.0625, 0.5, 0.125)


def test_a_mean_of_four_is_four_whatever_it_is_made_of() -> None:
    # 11/3 + 3 · 37/9 = 33/9 + 111/9 = 16: a mean of 4, which floats make 3.9999999999999996
    graph = graph_of(
        {"a_d3": "a_d2 b_d2 c_d2 d_d2", "a_d2": "", "b_d2": "", "c_d2": "", "d_d2": ""}
    )
    around = {name: Fraction(37, 9) for name in ("a_d2", "b_d2", "c_d2")} | {
        "d_d2": Fraction(11, 3)
    }
    (found,) = gaps(nodes_with(graph, {"a_d3": 2, **around}), "forward")
    assert found.mean == 4
    assert found.d == 0.5
    assert discrepancy(1, Fraction(3999, 1000)) is None


def test_what_has_no_score_leaves_the_means_and_is_no_wrong_answer() -> None:
    # b_d2 has no score: a_d3 4 is measured against a_d2 5 alone → .25; b_d1 backward against a_d2 5
    # alone → 1/4. b_d2 itself counts as unscored: forward in D1 → D2, backward in D2 → D3. a_d2 5
    # against a_d3 4 → 0.
    items = all_rated({"a_d3": 4, "a_d2": 5, "a_d1": 5, "b_d1": 4}) + rated("b_d2", score=None)
    found = numbers(graph_of(TREE), items)
    assert figures(found.discrepancies.forward["D2 → D3"]) == (1, 0, 0, 0.25, 1.0, 0.25)
    assert figures(found.discrepancies.forward["D1 → D2"]) == (1, 0, 1, 0.0, 0.0, None)
    assert figures(found.discrepancies.backward["D2 → D3"]) == (1, 0, 1, 0.0, 0.0, None)
    assert figures(found.discrepancies.backward["D1 → D2"]) == (2, 0, 0, 0.125, 0.5, 0.25)
    assert (
        found.accuracy["D2"].questions,
        found.accuracy["D2"].scored,
        found.accuracy["D2"].mean,
    ) == (2, 1, 5.0)
    assert (found.accuracy["overall"].questions, found.accuracy["overall"].mean) == (5, 4.5)
    assert found.unscored == {"judge": 1}


def test_answers_and_ratings_that_came_to_nothing_are_counted_by_stage() -> None:
    items: list[DepthQAItem] = [
        answer("a_d3", fault=lost("answer")),
        answer("a_d1", fault=lost("answer")),
    ]
    items += rated("a_d2", score=None) + rated("b_d2", score=3)
    silent = answer("b_d1", answer=None)
    items += [silent, rating(silent, 1, judge="")]
    found = tables_of(spec_of(), graph_of(TREE), items, [0])
    assert found.modes[0].unscored == {"answer": 2, "judge": 1}
    assert list(found.modes[0].unscored) == ["answer", "judge"]
    assert (found.modes[0].silent, found.modes[0].refusals) == (1, 0)
    told = {row.nodes[0]: (row.score, row.unscored, row.answer) for row in found.answers}
    assert told["a_d3"] == (None, "answer: no answer within 60 s", "")
    assert told["a_d2"] == (None, "judge: no judge within 60 s", "a_d2 it is.")
    assert told["b_d1"] == (1, None, "")


def test_a_refusal_is_a_score_and_no_silence() -> None:
    refused = answer("a_d3", answer=Answer(text="", finish="stop", refusal=True))
    found = numbers(graph_of({"a_d3": ""}), [refused, rating(refused, 1, judge="")])
    assert (found.refusals, found.silent, found.accuracy["D3"].mean) == (1, 0, 1.0)


def test_a_later_item_takes_the_place_of_an_earlier_one() -> None:
    graph = graph_of({"a_d3": "", "b_d3": ""})
    again = [
        *rated("b_d3", score=5),
        answer("b_d3", fault=lost("answer")),
    ]  # the rating is of what is gone
    found = numbers(graph, [*rated("a_d3", score=2), *rated("a_d3", score=4), *again])
    assert (found.accuracy["D3"].mean, found.accuracy["D3"].scored) == (4.0, 1)
    assert found.unscored == {"answer": 1}


def test_an_answer_that_several_nodes_share_is_one_question_and_several_nodes() -> None:
    same = {"question": "What is it?"}
    graph = graph_of(
        {
            "a_d3": "a_d2",
            "a_d2": "a_d1",
            "a_d1": "",
            "b_d3": "b_d2",
            "b_d2": "b_d1",
            "b_d1": "",
        },
        a_d1=same,
        b_d1=same,
    )
    items = all_rated({"a_d3": 5, "b_d3": 5, "a_d2": 5, "b_d2": 5}) + rated(
        "a_d1", "b_d1", score=1
    )
    found = numbers(graph, items)
    # (4 · 5 + 1)/5 questions; backward, both D1 nodes fall short by 4/4
    assert (found.accuracy["overall"].questions, found.accuracy["overall"].mean) == (5, 4.2)
    assert figures(found.discrepancies.backward["D1 → D2"]) == (2, 0, 0, 1.0, 1.0, 1.0)
    # the answer belongs to the first tree; a node counts as soon as its own tree is finished
    second = numbers(graph, items, closed=[1])
    assert (second.accuracy["D1"].questions, second.accuracy["D1"].mean) == (1, 1.0)
    assert second.accuracy["overall"].questions == 3
    # nodes with one text that were asked one by one are two questions
    apart = numbers(
        graph,
        all_rated({"a_d3": 4, "a_d2": 4, "b_d3": 5, "b_d2": 5}, "prompt-gold"),
        "prompt-gold",
    )
    assert (apart.accuracy["D2"].questions, apart.accuracy["D2"].mean) == (2, 4.5)


def test_prompt_modes_have_no_first_depth() -> None:
    found = numbers(
        graph_of(TREE),
        all_rated({"a_d3": 3, "a_d2": 5, "b_d2": 5}, "prompt-pred"),
        "prompt-pred",
    )
    assert list(found.accuracy) == ["D2", "D3", "overall"]
    assert found.accuracy["overall"].questions == 3
    assert figures(found.discrepancies.forward["D2 → D3"]) == (1, 0, 0, 0.5, 1.0, 0.5)
    # D1 is not asked: it is nobody's neighbour here, and no D2 is unscored for want of it
    assert figures(found.discrepancies.forward["D1 → D2"]) == (0, 0, 0, None, None, None)
    assert figures(found.discrepancies.backward["D1 → D2"]) == (0, 0, 0, None, None, None)


def test_given_answers_to_what_quotes_nothing_are_in_no_number_of_a_prompt_mode() -> None:
    graph = graph_of(TREE | {"c_d2": "", "d_d3": ""})
    asked = all_rated({"a_d3": 3, "a_d2": 5, "b_d2": 5}, "prompt-gold")
    given = all_rated({"a_d1": 1, "b_d1": None, "c_d2": 1, "d_d3": 1}, "prompt-gold")
    alone, both = (
        tables_of(spec_of("prompt-gold"), graph, items, [0, 1, 2])
        for items in (asked, [*asked, *given])
    )
    assert both == alone
    assert both.modes[0].accuracy["overall"].questions == 3


def test_several_conversations_about_a_node_are_averaged_first() -> None:
    # b_d1 has 2 in one conversation and 5 in the other: 3.5. backward against (5, 4): (4.5 − 3.5)/4
    # = .25
    items = rated("a_d1", score=5, mode="multi-turn", leading_to="a_d2")
    items += rated("b_d1", score=2, mode="multi-turn", leading_to="a_d2")
    items += rated("b_d1", score=5, mode="multi-turn", leading_to="b_d2")
    items += rated("a_d2", score=5, mode="multi-turn", leading_to="a_d3")
    items += rated("b_d2", score=4, mode="multi-turn", leading_to="a_d3")
    items += rated("a_d3", score=4, mode="multi-turn", leading_to="a_d3")
    graph = graph_of(TREE | {"alone_d1": ""})
    found = tables_of(spec_of("multi-turn"), graph, items, [0, 1])
    own = found.modes[0]
    # what was never asked is in no number
    assert (own.accuracy["D1"].questions, own.accuracy["D1"].mean) == (2, 4.25)
    assert figures(own.discrepancies.backward["D1 → D2"]) == (2, 0, 0, 0.125, 0.5, 0.25)
    case = found.cases[0]
    assert (case.own.node, case.own.score) == ("b_d1", 3.5)
    assert case.own.answer.count("b_d1 it is.") == 2
    assert [row.id.removeprefix("7f3a9c01/") for row in found.answers] == [
        *("a_d3@multi-turn@a_d2", "a_d3@multi-turn@b_d2", "a_d3@multi-turn@a_d3"),
        *("a_d2@multi-turn@a_d1", "a_d2@multi-turn@b_d1", "b_d2@multi-turn@b_d1"),
    ]


def test_a_tree_that_is_open_is_in_nothing() -> None:
    graph = graph_of({"a_d3": "a_d2 b_d2", "a_d2": "", "b_d2": "", "b_d3": "b_d2", "c_d3": ""})
    items = all_rated({"a_d3": 3, "a_d2": 5, "b_d2": 5, "b_d3": 3, "c_d3": 1})
    tables = tables_of(spec_of(), graph, items, [1, 2])
    found = tables.modes[0]
    # b_d2 counts in the first tree, which is open: b_d3 has no neighbour left
    assert figures(found.discrepancies.forward["overall"]) == (0, 0, 0, None, None, None)
    assert (found.accuracy["overall"].questions, found.accuracy["overall"].mean) == (2, 2.0)
    assert [row.nodes for row in tables.answers] == [("b_d3",), ("c_d3",)]
    assert (tables.graph.trees, tables.graph.nodes, tables.graph.edges) == (3, 5, 3)


def test_a_conversation_of_an_open_tree_is_in_nothing() -> None:
    # b_d1 counts in the first tree, and is a turn of a conversation in that of c_d3 too
    graph = graph_of(
        {"a_d3": "a_d2", "a_d2": "b_d1", "b_d1": "", "c_d3": "c_d2", "c_d2": "b_d1"}
    )
    items = rated("b_d1", score=5, mode="multi-turn", leading_to="a_d2")
    items += rated("b_d1", score=1, mode="multi-turn", leading_to="c_d2")
    found = tables_of(spec_of("multi-turn"), graph, items, [0])
    assert [row.conversation for row in found.answers] == ["a_d2"]
    assert found.modes[0].accuracy["D1"].mean == 5
    both = tables_of(spec_of("multi-turn"), graph, items, [0, 1])
    assert both.modes[0].accuracy["D1"].mean == 3


def test_a_rating_of_nothing_is_refused() -> None:
    with pytest.raises(RunFailed, match=r"lacks the item 7f3a9c01/a_d3@zero-shot, to which"):
        tables_of(spec_of(), graph_of({"a_d3": ""}), [rating(answer("a_d3"), 3)], [0])


def test_the_figures_are_those_of_a_result_in_whatever_order_the_items_came() -> None:
    labels = {"domain": "physics", "reasoning": ("causal", "made up")}
    graph = graph_of(TREE | {"c_d3": "b_d2"}, a_d2=labels, c_d3={"domain": "art"})
    names = [node.id for node in graph.nodes]
    items = [
        item
        for mode, shift in (("zero-shot", 0), ("prompt-gold", 1))
        for scores in [{n: 1 + (7 * place + shift) % 5 for place, n in enumerate(names)}]
        for item in all_rated(scores, mode)  # type: ignore[arg-type]
        if mode == "zero-shot" or item.nodes[0][-1] != "1"
    ]
    spec = spec_of("prompt-gold", "zero-shot")
    tables = tables_of(spec, graph, items, [0, 1])
    assert [each.mode for each in tables.modes] == ["prompt-gold", "zero-shot"]
    assert result_of(spec, tables).modes == tables.modes
    shuffled = Random(1).sample(items, len(items))
    assert tables_of(spec, graph, shuffled, [1, 0]) == tables


def test_intervals_need_two_trees() -> None:
    one = graph_of({"a_d3": "a_d2", "a_d2": ""})
    two = graph_of({"a_d3": "a_d2", "a_d2": "", "b_d3": "b_d2", "b_d2": ""})
    scores = {"a_d3": 4, "a_d2": 5, "b_d3": 3, "b_d2": 5}

    def forward(graph: QuestionGraph, scores: Mapping[str, int]) -> DiscrepancyRow:
        return discrepancy_row(gaps(nodes_with(graph, scores), "forward"))

    alone = forward(one, {n: s for n, s in scores.items() if n[0] == "a"})
    assert (alone.average, alone.average_ci, alone.frequency_ci, alone.intensity_ci) == (
        0.25,
        None,
        None,
        None,
    )
    both = forward(two, scores)
    for value, ci in (
        (both.average, both.average_ci),
        (both.frequency, both.frequency_ci),
        (both.intensity, both.intensity_ci),
    ):
        assert value is not None
        assert ci is not None
        assert 0 <= ci[0] <= value <= ci[1] <= 1
    # of two trees only one has any discrepancy: no interval for the intensity
    assert forward(two, scores | {"b_d3": 5}).intensity_ci is None


def test_the_interval_of_a_mean_score_stays_on_the_scale() -> None:
    graph = graph_of({f"{name}_d3": "" for name in "abcd"})
    worst = numbers(graph, all_rated({f"{name}_d3": 1 for name in "abcd"})).accuracy["D3"]
    best = numbers(graph, all_rated({f"{name}_d3": 5 for name in "abcd"})).accuracy["D3"]
    assert worst.ci is not None
    assert best.ci is not None
    # the same, seen from either end
    assert (worst.ci[0], best.ci[1]) == (1.0, 5.0)
    assert worst.ci[1] == pytest.approx(6 - best.ci[0])
