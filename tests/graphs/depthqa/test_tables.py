"""Labels, changes, cases and Min-K% of a DepthQA run, by hand."""

from math import inf, nan

import pytest

from fathom.graphs.depthqa.min_k import min_k
from fathom.state.depthqa.result import ModeNumbers
from fathom.state.items import DepthQAItem
from fathom.state.question_graph import Mode

from ...support.depthqa.items import (
    all_rated,
    answer,
    graph_of,
    logprobs,
    lost,
    rated,
    rating,
    spec_of,
    tables_of,
)

TREE = {"a_d3": "a_d2 b_d2", "a_d2": "a_d1", "b_d2": "b_d1", "a_d1": "", "b_d1": ""}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([-0.1, -0.2, -0.3, -0.4, -5, -0.6, -0.7, -3, -0.9, -1], 4.0),  # m = 2: (5 + 3)/2
        ([-2.0, -1.0, -1.0, -1.0], 2.0),  # ⌊.8⌋ = 0, at least one
        ([-1.0] * 14 + [-4.0], 2.0),  # m = 3: (4 + 1 + 1)/3
        ([-1.0] * 128 + [-50.0] * 100, 1.0),  # later tokens do not count
        ([-1.0] * 128 + [-9999.0], 1.0),
        ([0.0], 0.0),
        ([1e-6], 0.0),
        ([], None),
        ([-1.0, -9999.0], None),
        ([-1.0, -inf], None),
        ([-1.0, nan], None),
        ([-1.0, 0.5], None),
    ],
)
def test_min_k(values: list[float], expected: float | None) -> None:
    assert min_k(values) == (
        expected if expected is None else pytest.approx(expected, abs=1e-12)
    )


def test_labels_count_nodes_under_each_of_them() -> None:
    graph = graph_of(
        TREE,
        a_d3={"reasoning": ("home-made", "causal"), "domain": "physics"},
        a_d2={"reasoning": ("causal",), "domain": "physics"},
        b_d2={"reasoning": ("comparative",), "domain": "art"},
        b_d1={"domain": "art"},
    )
    tables = tables_of(
        spec_of(),
        graph,
        all_rated({"a_d3": 3, "a_d2": 5, "b_d2": 4, "a_d1": 4, "b_d1": 5}),
        [0],
    )
    assert [row.label for row in tables.by_reasoning] == ["home-made", "causal", "comparative"]
    assert [row.label for row in tables.by_domain] == ["physics", "art"]
    causal = tables.by_reasoning[1]
    assert {level: (row.questions, row.mean) for level, row in causal.accuracy.items()} == {
        "D2": (1, 5.0),
        "D3": (1, 3.0),
        "overall": (2, 4.0),
    }
    # a_d3 against (5, 4), whatever their labels → .375; a_d2 5 against 4 → 0. a_d2 backward against
    # 3: left out
    assert (causal.forward.eligible, causal.forward.average) == (2, 0.1875)
    assert (causal.backward.eligible, causal.backward.left_out) == (0, 1)
    art = tables.by_domain[1]
    assert {level: row.mean for level, row in art.accuracy.items()} == {
        "D1": 5.0,
        "D2": 4.0,
        "overall": 4.5,
    }
    plain = tables_of(spec_of(), graph_of(TREE), [], [0])
    assert (plain.by_domain, plain.by_reasoning) == ((), ())


def test_changes_are_over_the_nodes_that_both_have() -> None:
    modes: tuple[Mode, ...] = ("zero-shot", "prompt-gold", "multi-turn")
    items = all_rated({"a_d3": 3, "a_d2": 5, "b_d2": 2, "a_d1": 4, "b_d1": 5})
    items += all_rated({"a_d3": 4, "a_d2": 4, "b_d2": None}, "prompt-gold")
    changes = tables_of(spec_of(*modes), graph_of(TREE), items, [0]).changes
    told = [
        (c.mode, c.level, c.nodes, c.zero_shot, c.score, c.difference, c.ci) for c in changes
    ]
    assert told[:3] == [
        ("prompt-gold", "D2", 1, 5.0, 4.0, -1.0, None),
        ("prompt-gold", "D3", 1, 3.0, 4.0, 1.0, None),
        ("prompt-gold", "overall", 2, 4.0, 4.0, 0.0, None),
    ]
    assert [each[:2] for each in told[3:]] == [
        ("multi-turn", level) for level in ("D1", "D2", "D3", "overall")
    ]
    assert {each[2:] for each in told[3:]} == {(0, None, None, None, None)}
    assert (
        tables_of(spec_of("prompt-gold", "multi-turn"), graph_of(TREE), items, [0]).changes
        == ()
    )


def test_the_interval_of_a_change_is_by_tree() -> None:
    led = graph_of({"a_d3": "a_d2", "b_d3": "b_d2", "a_d2": "", "b_d2": ""})
    items = all_rated({"a_d3": 2, "b_d3": 4}) + all_rated({"a_d3": 5, "b_d3": 4}, "prompt-gold")
    top = tables_of(spec_of("zero-shot", "prompt-gold"), led, items, [0, 1]).changes[1]
    assert (top.level, top.nodes, top.zero_shot, top.score, top.difference) == (
        "D3",
        2,
        3.0,
        4.5,
        1.5,
    )
    assert top.ci is not None
    assert -4 <= top.ci[0] < 1.5 < top.ci[1] <= 4


def test_cases_are_the_worst_of_each_direction_with_what_was_said() -> None:
    edges = {f"{n}_d3": f"{n}_d2" for n in "abcd"} | {f"{n}_d2": "" for n in "abcd"}
    # forward: a 0, b 1, c .5, d 1
    scores = {"a_d3": 5, "b_d3": 1, "c_d3": 3, "d_d3": 1} | {f"{n}_d2": 5 for n in "abcd"}
    graph = graph_of(edges)
    found = tables_of(spec_of(), graph, all_rated(scores), range(4)).cases
    assert [(c.direction, c.own.node, c.discrepancy) for c in found] == [
        ("forward", "b_d3", 1.0),
        ("forward", "d_d3", 1.0),
        ("forward", "c_d3", 0.5),
    ]
    (below,) = found[0].neighbours
    assert (below.node, below.depth, below.score, below.answer, below.reason) == (
        *("b_d2", 2, 5.0, "b_d2 it is.", "worth 5"),
    )
    assert (below.question, below.reference) == ("What is b_d2?", "It is b_d2.")
    both = tables_of(spec_of(), graph, all_rated(scores | {"a_d2": 4}), range(4)).cases
    assert [c.direction for c in both] == ["backward", *["forward"] * 3]
    many = {f"n{n}_d3": f"n{n}_d2" for n in range(12)} | {f"n{n}_d2": "" for n in range(12)}
    wide = all_rated({name: 1 if "d3" in name else 5 for name in many})
    assert [
        c.own.node for c in tables_of(spec_of(), graph_of(many), wide, range(12)).cases
    ] == [f"n{n}_d3" for n in range(10)]


def test_cases_leave_out_neighbours_without_a_score() -> None:
    graph = graph_of({"a_d3": "a_d2 b_d2", "a_d2": "", "b_d2": ""})
    items = all_rated({"a_d3": 1, "a_d2": 5, "b_d2": None})
    (case,) = tables_of(spec_of(), graph, items, [0]).cases
    assert [each.node for each in case.neighbours] == ["a_d2"]


def with_min_k(name: str, value: float, score: int) -> list[DepthQAItem]:
    said = answer(name, answer=logprobs(-value))
    return [said, rating(said, score)]


def test_min_k_by_depth_and_the_gaps_by_quartile() -> None:
    # five D3 by Min-K%: c 1, a 2, e 2, b 4, d 6 → quartiles of 1, 1, 1, 2 after places 1, 2, 3
    # (⌊5/4⌋, ⌊10/4⌋, ⌊15/4⌋)
    edges = {f"{n}_d3": f"{n}_d2 {n}2_d2" for n in "abcde"} | {f"{n}_d2": "" for n in "abcde"}
    edges |= {f"{n}2_d2": "" for n in "abcde"}
    items = [
        item
        for name, value, score in zip(
            "abcde", (2.0, 4.0, 1.0, 6.0, 2.0), (3, 5, 5, 1, 4), strict=True
        )
        for item in with_min_k(f"{name}_d3", value, score)
    ]
    items += all_rated({f"{n}_d2": 3 for n in "abcde"}) + all_rated(
        {f"{n}2_d2": 5 for n in "abcd"}
    )
    items += [answer("e2_d2", fault=lost("answer"))]
    found = tables_of(spec_of(logprobs=True), graph_of(edges), items, range(5)).modes[0]
    assert found.min_k is not None
    assert found.min_k_missing is None
    # e2_d2 said nothing: it lacks no Min-K%
    assert (found.min_k.answers, found.min_k.missing) == (5, 9)
    top = found.min_k.by_depth["D3"]
    assert top is not None
    # 1, 2, 2, 4, 6: places 2, 3, 4
    assert (top.n, top.minimum, top.q1, top.median, top.q3, top.maximum, top.mean) == (
        5,
        1.0,
        2.0,
        2.0,
        4.0,
        6.0,
        3.0,
    )
    assert found.min_k.by_depth["D2"] is None
    assert found.min_k.by_depth["overall"] == top
    quartiles = found.min_k.quartiles
    assert [(q.quartile, q.min_k, q.questions, q.pairs) for q in quartiles] == [
        *(
            (1, (1.0, 1.0), 1, 2),
            (2, (2.0, 2.0), 1, 2),
            (3, (2.0, 2.0), 1, 1),
            (4, (4.0, 6.0), 2, 4),
        ),
    ]
    # c 5 against 3, 5: .5, 0; a 3: 0, −.5; e 4 against 3 alone: .25; b 5: .5, 0 and d 1: −.5, −1
    assert [q.mean for q in quartiles] == [0.25, -0.25, 0.25, -0.25]
    assert [q.ci is None for q in quartiles] == [True, True, True, False]
    last = quartiles[3].gaps
    assert last is not None
    # −1, −.5, 0, .5: q1 at place 1.75 → −1 + .75 · .5 = −.625
    assert (last.q1, last.median, last.q3) == (-0.625, -0.25, 0.125)


def test_fewer_than_four_answers_of_depth_three_have_no_quartiles() -> None:
    graph = graph_of({f"{n}_d3": "" for n in "abc"})
    items = [item for n in "abc" for item in with_min_k(f"{n}_d3", 1.0, 3)]
    found = tables_of(spec_of(logprobs=True), graph, items, range(3)).modes[0].min_k
    assert found is not None
    assert found.quartiles == ()


def test_why_there_is_no_min_k() -> None:
    graph = graph_of({"a_d3": ""})
    items = with_min_k("a_d3", 9999.0, 3)

    def missing(**changes: object) -> str | None:
        found: ModeNumbers = tables_of(spec_of(**changes), graph, items, [0]).modes[0]
        assert found.min_k is None
        return found.min_k_missing

    assert "--logprobs" in (missing() or "")
    assert "--logprobs" not in (missing(logprobs=True) or "--logprobs")


def test_quoted_answers_that_nobody_rates_are_kept_and_count_nowhere() -> None:
    items = [answer("a_d2", scored=False), *rated("a_d3", score=3, mode="prompt-pred")]
    tables = tables_of(
        spec_of("prompt-pred"), graph_of({"a_d3": "a_d2", "a_d2": ""}), items, [0]
    )
    assert [(row.mode, row.score, row.unscored) for row in tables.answers] == [
        ("zero-shot", None, None),
        ("prompt-pred", 3, None),
    ]
    assert [(each.mode, each.unscored) for each in tables.modes] == [("prompt-pred", {})]
    assert (tables.modes[0].accuracy["overall"].questions, tables.modes[0].silent) == (1, 0)
