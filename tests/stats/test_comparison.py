"""Runs set against each other: pairing, direction, levels of noise, and errorbars as a witness of
another author."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pytest
from errorbars.compare import mcnemar_exact, paired_compare
from errorbars.leaderboard import holm_correction
from hypothesis import given
from hypothesis import strategies as st

from fathom.graphs.drill.comparison import (
    LIMIT,
    RESTRICTED,
    THRESHOLDS,
    UNPAIRED,
    compare_drills,
)
from fathom.graphs.drill.summary import price_of_answers
from fathom.reports.views.comparison import verdict
from fathom.state.question_graph import Depth, QuestionGraph, QuestionNode
from fathom.state.records import Call
from fathom.state.result import DrillResult
from fathom.stats.comparison import compare
from fathom.stats.consistency import mean_interval_clustered, t_quantile
from fathom.stats.items import Scored, compare_items, swap_test
from fathom.stats.ranking import holm

from ..graphs.test_answers import answers_by_run
from ..support.eqt.items import run as eqt_run
from ..support.reports import changed, result_of

P = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(P)
def test_holm_is_that_of_errorbars(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(holm_correction(p_values))


def test_ungrouped_right_and_wrong_is_mcnemars_exact_test() -> None:
    one, other = (
        np.array([1] * 9 + [0] * 2 + [1] * 5, float),
        np.array([0] * 9 + [1] * 2 + [1] * 5, float),
    )
    theirs = mcnemar_exact(one, other).p_value
    made = swap_test([*enumerate(map(float, one - other))])
    assert made is not None
    assert made.p == pytest.approx(theirs)


def test_the_clustered_interval_of_a_difference_rests_on_the_standard_error_of_errorbars() -> (
    None
):
    """In the middle of a wide range Wilson's interval is m ± t·√V: V is theirs, with its own
    small-sample factors."""
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(40), 5)
    one, other = (
        (rng.random(200) < np.repeat(rng.beta(7, 3, 40), 5)).astype(float) for _ in range(2)
    )
    theirs = paired_compare(one, other, clusters=groups)
    assert theirs.se_clustered is not None
    low, high = mean_interval_clustered(
        [*zip(map(int, groups), map(float, one - other), strict=True)], -1, 1
    ) or (0, 0)
    assert (high - low) / 2 == pytest.approx(t_quantile(39) * theirs.se_clustered, rel=0.06)
    assert (high + low) / 2 == pytest.approx(theirs.mean_diff, abs=0.01)


def scored(label: str, values: Sequence[float], ended: str | None = None) -> Scored:
    held: dict[Hashable, tuple[Hashable, float]] = {}
    held |= {place: (place, value) for place, value in enumerate(values) if value >= 0}
    return Scored(label, (label,), held, ended)


def test_ahead_is_who_is_ahead_on_what_both_were_asked() -> None:
    """`x` has the better figure over everything, from twenty questions that `y` was not asked."""
    x, y = scored("x", [0.0] * 10 + [1.0] * 20), scored("y", [1.0] * 10 + [-1.0] * 20)
    found = compare_items("eqt", "accuracy", [x, y], simulated=False)
    (pair,) = found.pairs
    assert (pair.one, pair.other, pair.difference, pair.separated) == ("y", "x", 1.0, True)
    assert [(m.label, m.rank) for m in found.models] == [("y", (1, 1)), ("x", (2, 2))]


def test_a_model_whose_run_failed_is_named_and_not_ranked() -> None:
    found = compare_items(
        "eqt",
        "accuracy",
        [scored("x", [1.0] * 9), scored("y", [0.0] * 9), scored("z", [], "failed")],
        simulated=False,
    )
    assert [(m.label, m.ended, m.rank) for m in found.models][2] == ("z", "failed", None)
    assert len(found.pairs) == 1
    assert found.decisive


def drill(target: str, seed: int, domain: str = "X", **changes: Any) -> DrillResult:
    about: dict[str, Any] = {
        "run_id": f"run-{target}-{domain}-{seed}",
        "spec__target": target,
        "spec__seed": seed,
    }
    made: DrillResult = result_of(
        "drill", **about | {"spec__domain": domain, "censored": None} | changes
    )
    return made


def test_drills_are_paired_by_seed() -> None:
    """Two drills of one seed share their roots."""
    runs = [*(drill("a", seed) for seed in (1, 2)), *(drill("b", seed) for seed in (2, 3, 4))]
    found = compare_drills(runs)
    assert found.pairs[0].over == 2
    assert UNPAIRED in found.notes
    assert [len(m.run_ids) for m in found.models] == [2, 3]


def test_of_two_thresholds_the_higher_one_is_for_both() -> None:
    """The recorded drill twice, once with a threshold that it reaches at depth 1: nothing may tell
    it from itself."""
    found = compare_drills([drill("a", 1), drill("b", 1, spec__threshold=0.999)])
    assert THRESHOLDS in found.notes
    assert (found.pairs[0].difference, found.pairs[0].p) == (0.0, 1.0)


def test_another_day_is_the_same_model_and_another_name_of_it_is_not() -> None:
    day = {"spec__as_of": "2026-01-02"}
    same = compare_drills(
        [drill("a", 1), drill("a", 1, "Y", **day), drill("b", 1), drill("b", 1, "Y")]
    )
    assert [m.label for m in same.models] == ["a", "b"]
    renamed = drill("a", 2, provenance={"models": {"target": ["a-2026-02-01"]}})
    assert len(compare_drills([drill("a", 1), renamed, drill("b", 1)]).models) == 3


def test_two_launches_of_the_same_models_are_repeats_of_two_models() -> None:
    """Of one seed or of two; so are runs of other methods, whose questions count by their mean."""
    later = {"spec__as_of": "2026-01-02"}
    drills = [
        drill(target, seed, run_id=f"{target}{seed}{day}", **change)
        for target in "ab"
        for seed, day, change in ((1, 1, {}), (1, 2, later), (2, 2, later))
    ]
    found = compare_drills(drills)
    assert [(m.label, len(m.run_ids)) for m in found.models] == [("a", 3), ("b", 3)]
    assert found.pairs[0].over == 3
    runs = [eqt_run("p:a", history=4, law=0), eqt_run("p:b", history=2, law=1)]
    runs += [changed(run, run_id=f"{run.run_id}2", spec__seed=7) for run in runs]
    found = compare("eqt", runs, answers_by_run(runs))
    assert {m.label: (len(m.run_ids), m.estimate) for m in found.models} == {
        "p:a": (2, 0.5),
        "p:b": (2, 0.375),
    }


def cut_at(run: DrillResult, depth: int) -> DrillResult:
    """The same drill, whose sources had nothing more after this depth."""
    ended = {"stop_reason": "no_source", "censored": "no_source", "depth_reached": depth}
    rows = run.depths[:depth]
    return run.model_copy(
        update={**ended, "depths": rows, "evd": sum(row.survival for row in rows)}
    )


def test_a_lower_limit_is_not_behind_for_what_it_was_not_asked() -> None:
    """The recorded drill against itself cut at depth 2: on the depths that both have they are the
    same."""
    whole = drill("a", 1)
    found = compare_drills([whole, cut_at(drill("b", 1), 2)])
    (pair,) = found.pairs
    assert (pair.depth, pair.difference, pair.p, pair.separated) == (2, 0.0, 1.0, False)
    assert pair.interval is not None
    assert pair.interval[0] < 0 < pair.interval[1]
    assert RESTRICTED in found.notes
    assert [m.at_least for m in found.models] == [False, True]


@pytest.mark.parametrize("cut_one", [False, True])
def test_a_lower_limit_is_never_behind(cut_one: bool) -> None:
    """`b` has every answer wrong; that it was cut short leaves nothing to be said of the two."""
    run = drill("b", 1)
    wrong = [
        changed(p, outcome__verdict="wrong") if p.outcome.status == "scored" else p
        for p in run.probes
        if p.depth == 1
    ]
    lost = {"wrong": run.depths[0].scored, "correct": 0, "abstained": 0, "survival": 0.0}
    rows = (run.depths[0].model_copy(update=lost),)
    none_right = run.model_copy(update={"depths": rows, "probes": tuple(wrong), "evd": 0.0})
    found = compare_drills([drill("a", 1), cut_at(none_right, 1) if cut_one else none_right])
    (pair,) = found.pairs
    assert (pair.one, pair.difference is not None and pair.difference > 0) == ("a", True)
    assert (pair.separated, pair.note, pair.se is None) == (
        (False, LIMIT, True) if cut_one else (True, None, False)
    )


def test_the_depth_of_a_pair_is_its_own_and_order_is_by_what_pairs_say() -> None:
    """A drill cut at depth 2 with all right stands before two that are not, whose pair rests on
    their whole EVDs."""
    run = drill("x", 1)
    probes = [p for p in run.probes if p.depth <= 2]
    right = [
        changed(p, outcome__verdict="correct") if p.outcome.status == "scored" else p
        for p in probes
    ]
    none_lost = {"wrong": 0, "abstained": 0, "survival": 1.0}
    rows = tuple(
        row.model_copy(update={"correct": row.scored, **none_lost}) for row in run.depths[:2]
    )
    expert = cut_at(run.model_copy(update={"depths": rows, "probes": tuple(right)}), 2)
    found = compare_drills([drill("a", 1), drill("b", 1), expert])
    assert [m.label for m in found.models] == ["x", "a", "b"]
    assert {(p.one, p.other): p.depth for p in found.pairs} == {
        ("a", "b"): None,
        ("x", "a"): 2,
        ("x", "b"): 2,
    }


def test_repeats_are_compared_on_the_depths_that_all_have() -> None:
    runs = [drill("a", seed) for seed in (1, 2, 3)] + [drill("b", seed) for seed in (1, 2)]
    found = compare_drills([*runs, cut_at(drill("b", 3), 2)])
    assert (found.test, found.pairs[0].depth, found.pairs[0].difference) == ("paired_t", 2, 0.0)
    assert found.repeats_needed is None


def test_reaching_the_deepest_depth_allowed_is_no_lower_limit() -> None:
    """So says the result of today; one that was written when it was a lower limit reads as one of
    today."""
    run = drill("a", 1)
    written = run.model_copy(
        update={"stop_reason": "max_depth", "censored": "max_depth"}
    ).model_dump(mode="json")
    assert DrillResult.model_validate(written).censored is None
    written["censored"] = "evidence_exhausted"
    assert DrillResult.model_validate(written).censored == "evidence_exhausted"


def test_where_less_is_better_the_least_is_ahead() -> None:
    x, y = scored("x", [3.0, 4.0, 2.0] * 9), scored("y", [1.0, 2.0, 1.0] * 9)
    found = compare_items(
        "lm-eval", "wer", [x, y], simulated=False, span=(0.0, 4.0), less_is_better=True
    )
    (pair,) = found.pairs
    assert (pair.one, pair.separated) == ("y", True)
    assert pair.difference == pytest.approx(5 / 3)
    assert pair.interval is not None
    assert pair.interval[0] > 0
    assert [(m.label, m.rank) for m in found.models] == [("y", (1, 1)), ("x", (2, 2))]
    assert "y is ahead of x by" in verdict(found)


def test_forty_models_can_be_told_apart() -> None:
    weak = [scored(f"w{number}", [0.0] * 60) for number in range(39)]
    found = compare_items(
        "eqt", "accuracy", [*weak, scored("best", [1.0] * 60)], simulated=False
    )
    assert (found.models[0].label, found.models[0].rank) == ("best", (1, 1))


def test_what_answers_cost_is_the_targets_own_and_of_a_hundred() -> None:
    """Two answers: .01 paid, .02 saved by the cache; a failure that used nothing, and the judge, do
    not count."""
    calls = [
        Call(role="target", purpose="answer", model="m", cost_usd=0.01, latency_s=2.0),
        Call(
            role="target",
            purpose="answer",
            model="m",
            cost_usd=0.0,
            saved_usd=0.02,
            cached=True,
            latency_s=4.0,
        ),
        Call(role="target", purpose="answer", model="m", failure="timeout", latency_s=60.0),
        Call(role="judge", purpose="verdict", model="j", cost_usd=5.0, latency_s=9.0),
    ]
    run = drill("a", 1)
    answered = [probe for probe in run.probes if probe.answer is not None][:2]
    probes = (
        answered[0].model_copy(update={"calls": calls}),
        answered[1].model_copy(update={"calls": ()}),
    )
    price = price_of_answers([run.model_copy(update={"probes": probes})])
    assert price.usd_per_100 == pytest.approx(1.5)
    assert price.latency_s == 3.0


def test_explain_query_tests_have_a_cell_per_category() -> None:
    one, two = eqt_run("p:a", history=4, law=0), eqt_run("p:b", history=2, law=1)
    found = compare("eqt", [one, two], answers_by_run([one, two]))
    assert {(cell.domain, cell.label): cell.estimate for cell in found.cells} == {
        ("history", "p:a"): 1.0,
        ("history", "p:b"): 0.5,
        ("law", "p:a"): 0.0,
        ("law", "p:b"): 0.25,
    }


def test_trees_that_share_a_question_are_one_group() -> None:
    """Trees a and b by a node, c by the text of a node of b; d stands alone."""

    def node(name: str, depth: Depth, *below: str, text: str = "") -> QuestionNode:
        return QuestionNode(
            id=name, depth=depth, question=text or name, reference="r", predecessors=below
        )

    nodes = (
        *(node("x", 1), node("y", 1, text="same"), node("z", 1, text="same"), node("w", 1)),
        *(node("a", 2, "x"), node("b", 2, "x", "y"), node("c", 2, "z"), node("d", 2, "w")),
    )
    component = QuestionGraph(nodes=nodes).component_of
    assert len({component[name] for name in "abcxyz"}) == 1
    assert component["d"] == component["w"] != component["a"]
