"""Agreement of people with each other and with the judge, by hand."""

import tracemalloc

import krippendorff
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.state.depthqa.items import Mode
from fathom.state.depthqa.result import HumanScore
from fathom.stats.depthqa.agreement import agreement, judged, ordinal_alpha
from fathom.stats.depthqa.figures import tables_of

from ...support.depthqa.items import all_rated, graph_of, rated, spec_of

GRAPH = graph_of(
    {"a_d3": "a_d2", "b_d3": "b_d2", "a_d2": "a_d1", "b_d2": "b_d1", "a_d1": "", "b_d1": ""}
)


def said(node: str, rater: str, score: float, mode: Mode = "zero-shot") -> HumanScore:
    return HumanScore(node=node, rater=rater, score=score, mode=mode)


def test_ordinal_alpha_by_hand() -> None:
    # answers (1, 2), (2, 3), (3, 3): n = 6 values; n₁ = 1, n₂ = 2, n₃ = 3
    # δ²(c, k) = (n_c + … + n_k − (n_c + n_k)/2)²: δ²(1,2) = (3 − 1.5)² = 2.25; δ²(2,3) = (5 − 2.5)²
    # = 6.25; δ²(1,3) = (6 − 2)² = 16 observed, each ordered pair of an answer weighted by 1/(2 −
    # 1): 2 · (2.25 + 6.25 + 0)/6 = 17/6 expected: 2 · (1·2·2.25 + 2·3·6.25 + 1·3·16)/(6 · 5) = 2 ·
    # 90/30 = 6 α = 1 − 17/36 = 19/36
    found, why = ordinal_alpha([[1, 2], [2, 3], [3, 3]])
    assert found == pytest.approx(19 / 36)
    assert why == ""


def test_three_raters_weigh_their_pairs_less() -> None:
    # answers (1, 1, 2), (2, 2): n = 5; n₁ = 2, n₂ = 3; δ²(1,2) = (5 − 2.5)² = 6.25
    # observed: the first answer has 4 ordered pairs that differ, weighted 1/2: 2 · 6.25/5 = 2.5
    # expected: 2 · 2 · 3 · 6.25/(5 · 4) = 3.75; α = 1 − 2.5/3.75 = 1/3
    assert ordinal_alpha([[1, 1, 2], [2, 2]])[0] == pytest.approx(1 / 3)
    assert ordinal_alpha([[1, 1], [5, 5]])[0] == 1.0


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(st.sampled_from([1.0, 1.5, 2.25, 3.7, 5.0]), min_size=2, max_size=4),
        min_size=2,
        max_size=8,
    )
)
def test_alpha_is_that_of_the_package(units: list[list[float]]) -> None:
    domain = sorted({value for unit in units for value in unit})
    if len(domain) > 1:
        counts = [[unit.count(value) for value in domain] for unit in units]
        known = krippendorff.alpha(value_counts=counts, level_of_measurement="ordinal")
        assert ordinal_alpha(units)[0] == pytest.approx(known, abs=1e-9)


def test_alpha_of_many_different_values_takes_little_room() -> None:
    tracemalloc.start()
    try:
        # the second values are the first ones in another order: every value twice, and far apart in
        # rank
        found, _ = ordinal_alpha([[1 + k / 500, 1 + (k * 7 % 2000) / 500] for k in range(2_000)])
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found is not None
    assert abs(found) < 0.2
    assert peak_bytes < 2_000**2  # a byte for each pair of values


@pytest.mark.parametrize(
    ("units", "why"),
    [
        ([], "no answer"),
        ([[1, 5]], "a single answer"),
        ([[3, 3], [3, 3]], "all scores are the same"),
    ],
)
def test_alpha_is_not_made_up(units: list[list[float]], why: str) -> None:
    assert ordinal_alpha(units) == (None, why)


def test_people_and_judge_are_compared_answer_by_answer() -> None:
    tables = tables_of(
        spec_of(), GRAPH, all_rated({"a_d3": 1, "b_d3": 5, "a_d2": 4, "b_d2": 2, "a_d1": 5}), [0, 1]
    )
    human = [
        said("a_d3", "Ada", 1),
        said("a_d3", "Bo", 5),
        said("b_d3", "Ada", 4),
        said("b_d3", "Bo", 4),
    ]
    human += [
        said("a_d2", "ada", 4),
        said("b_d2", "Ada", 1),
        said("b_d1", "Cy", 3),
        said("a_d3", "Bo", 2, "multi-turn"),
    ]
    found = agreement("the judge", human, judged(GRAPH, tables.answers))
    assert (found.judge, found.raters, found.unmatched) == (
        "the judge",
        ("Ada", "Bo", "Cy"),
        ("b_d1", "a_d3@multi-turn"),
    )
    rows = {row.level: row for row in found.rows}
    assert list(rows) == ["D3", "D2", "D1", "overall"]
    # D3, people: (1, 5), (4, 4): n₁ = n₅ = 1, n₄ = 2; δ²(1,4) = (3 − 1.5)² = 2.25, δ²(4,5) the
    # same, δ²(1,5) = (4 − 1)² = 9; observed 2 · 9/4 = 4.5; expected 2 · (2 · 2.25 + 2 · 2.25 +
    # 9)/(4 · 3) = 3; α = 1 − 1.5
    assert rows["D3"].human_human == pytest.approx(-0.5)
    # beside the judge: (3, 1), (4, 5): four values, once each; neighbours in rank: δ² = (2 − 1)² =
    # 1, two apart 4, three apart 9; observed 2 · (1 + 1)/4 = 1; expected 2 · (3 · 1 + 2 · 4 + 9)/12
    # = 10/3; α = .7
    assert rows["D3"].human_judge == pytest.approx(0.7)
    assert (rows["D3"].human_human_n, rows["D3"].human_judge_n, rows["D3"].note) == (2, 2, "")
    assert (rows["D2"].human_human, rows["D2"].human_human_n) == (None, 0)
    assert rows["D2"].human_judge is not None
    assert rows["D2"].note == "human–human: no answer"
    assert rows["D1"].note == "human–human: no answer; human–judge: no answer"
    assert (rows["overall"].human_human_n, rows["overall"].human_judge_n) == (2, 4)
    assert rows["overall"].human_human == rows["D3"].human_human


def test_an_answer_is_known_by_its_nodes_and_by_its_published_question() -> None:
    same = {"question": "What is it?", "question_id": "d1_q7"}
    graph = graph_of({"a_d2": "a_d1", "b_d2": "b_d1", "a_d1": "", "b_d1": ""}, a_d1=same, b_d1=same)
    items = all_rated({"a_d2": 4, "b_d2": 3}) + rated("a_d1", "b_d1", score=2)
    items += rated("a_d1", score=1, mode="multi-turn", leading_to="a_d2")
    items += rated("b_d1", score=5, mode="multi-turn", leading_to="b_d2")
    known = judged(
        graph, tables_of(spec_of("zero-shot", "multi-turn"), graph, items, [0, 1]).answers
    )
    # one answer under three names: three people have rated it, of whom one twice
    human = [
        said("d1_q7", "Ada", 1),
        said("a_d1", "Bo", 2),
        said("b_d1", "Cy", 2),
        said("b_d1", "Ada", 2),
    ]
    human += [said("a_d2", "Ada", 3), said("a_d2", "Bo", 3), said("d1_q7", "Ada", 5, "multi-turn")]
    found = agreement("judge", human, known)
    assert found.rows[2].human_judge_n == 1
    # (2, 2, 2), (3, 3): perfect, since Ada's first score was replaced
    assert (found.rows[3].human_human, found.rows[3].human_human_n) == (1.0, 2)
    # in multi-turn the question has two answers: its id names neither
    assert found.unmatched == ("d1_q7@multi-turn",)
