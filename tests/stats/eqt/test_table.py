"""Several Explain-Query-Tests side by side."""

import json

import pytest

from fathom.state.eqt.items import EqtItem
from fathom.state.eqt.result import BenchmarkScore, EqtComparison, EqtResult
from fathom.stats.consistency import mean_interval_clustered
from fathom.stats.eqt.common import figures_over
from fathom.stats.eqt.table import (
    APART,
    NOTHING_SHARED,
    OWN_EXAMS,
    PAIRS_ALIKE,
    Absent,
    compare_eqt,
    has_own_exams,
)

from ...support.eqt.items import asked, result_of, run, run_as, spec_of


def accuracies(table: EqtComparison) -> dict[tuple[str, str], float | None]:
    return {(cell.category, cell.target): cell.accuracy for cell in table.cells}


def test_cells_are_category_major_with_all_at_the_end() -> None:
    one, two = run("openai:a", law=1, history=3), run("openai:b", history=4, law=0, physics=2)
    table = compare_eqt([one, two])
    assert table.targets == ("openai:a", "openai:b")
    assert table.categories == ("law", "history", "physics")
    assert list(accuracies(table).items()) == [
        (("law", "openai:a"), 0.25),
        (("law", "openai:b"), 0.0),
        (("history", "openai:a"), 0.75),
        (("history", "openai:b"), 1.0),
        (("physics", "openai:a"), None),
        (("physics", "openai:b"), 0.5),
        (("all", "openai:a"), 0.5),
        (("all", "openai:b"), 0.5),
    ]
    assert not any(cell.best_accuracy or cell.best_acs for cell in table.cells), (
        "over concepts of their own"
    )
    assert table.benchmark is None
    assert not table.simulated
    assert table.notes == (OWN_EXAMS, NOTHING_SHARED)
    assert (table.concepts, table.left_out) == (None, 0)
    overall = table.cells[-1]
    assert overall.ci == two.numbers.all.ci_clustered
    assert overall.ci == mean_interval_clustered(
        [(n // 4, x) for n, x in enumerate([1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0])]
    )


def cut_off(result: EqtResult, done: int) -> EqtResult:
    """The run as it would be had it ended after so many concepts."""
    items: list[EqtItem] = []
    for place, row in enumerate(result.concepts[:done]):
        right = row.numbers.all.correct
        answers: list[list[str | None]] = [
            ["a"] if number < right else ["b"] for number in range(4)
        ]
        items += asked(place, *answers)
    held = result_of(result.spec, items, closed=range(done), run_id=result.run_id)
    return held.model_copy(
        update={"status": "partial", "stop_reason": "budget", "stop_detail": "USD 1 is used up."}
    )


def test_cells_are_over_the_concepts_that_all_have_finished() -> None:
    whole, cut = (
        run("openai:a", law=1, history=4, physics=4),
        cut_off(run("openai:b", law=2, history=3, physics=0), 2),
    )
    table = compare_eqt([whole, cut])
    assert list(accuracies(table).items()) == [
        (("law", "openai:a"), 0.25),
        (("law", "openai:b"), 0.5),
        (("history", "openai:a"), 1.0),
        (("history", "openai:b"), 0.75),
        (("physics", "openai:a"), None),
        (("physics", "openai:b"), None),
        (("all", "openai:a"), 5 / 8),
        (("all", "openai:b"), 5 / 8),
    ]
    assert [cell.best_accuracy for cell in table.cells] == [
        False,
        True,
        True,
        False,
        False,
        False,
        True,
        True,
    ]
    assert (table.concepts, table.left_out) == (2, 1)
    assert table.notes[1:] == (
        "all figures are over the 2 concepts that all targets with any finished concept have "
        "finished;"
        " 1 that only some have finished is left out",
    )
    assert whole.numbers.all.accuracy == 9 / 12, "its own figures stay as they are"
    assert table.cells[-1].ci == cut.numbers.all.ci_clustered
    assert table.cells[-2].ci == cut_off(whole, 2).numbers.all.ci_clustered


def test_figures_over_all_concepts_are_those_of_the_result() -> None:
    answers: list[list[list[str | None]]] = [
        [["a", "b", "a"], ["a", "a", None], ["b", None, None]],
        [["-", "b", "a"], ["c", "c", "c"]],
        [[None, None, None]],
    ]
    items = [item for place, own in enumerate(answers) for item in asked(place, *own)]
    result = result_of(spec_of("x", "x", "y"), items)
    for rows, numbers in (
        (result.concepts, result.numbers),
        (result.concepts[:2], result.by_category["x"]),
        (result.concepts[2:], result.by_category["y"]),
        *(((row,), row.numbers) for row in result.concepts),
    ):
        found = figures_over(rows)
        assert (found.accuracy, found.acs, found.acs_ci) == (
            numbers.all.accuracy,
            numbers.consistency.acs,
            numbers.consistency.acs_ci,
        )
        assert found.ci == (
            (numbers.all.ci_clustered or numbers.all.ci) if numbers.all.scored else None
        )


def test_a_target_without_a_finished_concept_has_an_empty_column() -> None:
    one, two = run("openai:a", law=1, history=3), cut_off(run("openai:b", law=2, history=2), 0)
    gone = Absent("run-c", spec_of("law", "history", target="openai:c"), "failed: no key.")
    table = compare_eqt([one, two], absent=[gone, gone])
    assert table.targets == ("openai:a", "openai:b", "openai:c")
    assert [cell.accuracy for cell in table.cells if cell.target == "openai:a"] == [0.25, 0.75, 0.5]
    others = [cell for cell in table.cells if cell.target != "openai:a"]
    assert len(others) == 6
    assert {(cell.accuracy, cell.ci, cell.acs, cell.acs_ci) for cell in others} == {(None,) * 4}
    assert not any(cell.best_accuracy or cell.best_acs for cell in table.cells), (
        "the only one is not the best"
    )
    assert table.cells[-1].run_id == "run-c"
    assert (table.concepts, table.left_out) == (2, 0)
    assert table.notes == (
        "openai:b has no finished concept and so no figures (partial: USD 1 is used up)",
        "openai:c has no finished concept and so no figures (failed: no key)",
    )
    again = Absent(one.run_id, one.spec, "nothing")
    assert compare_eqt([one], absent=[again]).targets == ("openai:a",), "it has a result after all"
    namesake = Absent("run-x", one.spec, "failed")
    assert compare_eqt([one], absent=[namesake]).targets == (
        "openai:a (openai:a)",
        "openai:a (run-x)",
    )


def test_a_single_target_is_not_the_best_of_one() -> None:
    table = compare_eqt([run("openai:a", law=1)])
    assert not any(cell.best_accuracy or cell.best_acs for cell in table.cells)
    assert table.notes == ()


def test_consistency_has_its_own_best() -> None:
    spec = spec_of(target="openai:a"), spec_of(target="openai:b")
    right_but_fickle = result_of(spec[0], asked(0, ["a", "b", "c"], ["a", "a", "b"]), run_id="1")
    wrong_but_firm = result_of(spec[1], asked(0, ["b", "b", "b"], ["c", "c", "c"]), run_id="2")
    table = compare_eqt([right_but_fickle, wrong_but_firm])
    assert table.categories == ()
    assert [(c.best_accuracy, c.best_acs) for c in table.cells] == [(True, False), (False, True)]
    assert [c.acs for c in table.cells] == [pytest.approx((1 / 3 + 2 / 3) / 2), 1.0]
    assert [c.acs_ci for c in table.cells] == [
        r.numbers.consistency.acs_ci for r in (right_but_fickle, wrong_but_firm)
    ]


def test_one_answer_has_wilsons_interval() -> None:
    result = result_of(spec_of(), asked(0, ["a"]))
    assert compare_eqt([result]).cells[0].ci == result.numbers.all.ci
    nothing = compare_eqt([result_of(spec_of(), asked(0))]).cells[0]
    assert (nothing.accuracy, nothing.ci, nothing.acs) == (None, None, None)


def labels(*changes: dict[str, object]) -> tuple[str, ...]:
    results = [
        run_as(
            str(change.pop("target", "openai:a")),
            str(change.pop("run_id", place)),
            {"law": 2},
            **change,
        )
        for place, change in enumerate(changes)
    ]
    return compare_eqt(results).targets


def test_runs_of_one_target_are_told_apart_by_what_differs() -> None:
    assert labels({}, {"target": "openai:b"}) == ("openai:a", "openai:b")
    assert labels({"seed": 1}, {"seed": 2}, {"target": "openai:b", "seed": 3}) == (
        "openai:a (seed 1)",
        "openai:a (seed 2)",
        "openai:b",
    )
    assert labels({}, {"shuffle_options": False}) == (
        "openai:a (shuffled order)",
        "openai:a (fixed order)",
    )
    assert labels({}, {"examiner": "openai:b", "shuffle_options": False}) == (
        "openai:a (examiner openai:a, shuffled order)",
        "openai:a (examiner openai:b, fixed order)",
    )
    assert labels({"run_id": "x"}, {"run_id": "y"}, {"seed": 7}) == (
        "openai:a (seed 42, x)",
        "openai:a (seed 42, y)",
        "openai:a (seed 7)",
    )
    assert labels({"run_id": "x"}, {"run_id": "y"}) == ("openai:a (x)", "openai:a (y)")


def test_a_run_given_twice_counts_once() -> None:
    one = run("openai:a", law=1)
    table = compare_eqt([one, one])
    assert table.targets == ("openai:a",)
    assert table.notes == ("run openai:a is given more than once and counts once",)


def test_targets_that_were_asked_in_different_ways() -> None:
    table = compare_eqt(
        [run_as("openai:a", "1", {"law": 1}), run_as("openai:b", "2", {"law": 1}, paraphrases=5)]
    )
    assert table.notes == (
        OWN_EXAMS,
        "the targets were not asked alike: their specs differ in paraphrases",
    )


def test_targets_that_sat_different_exams() -> None:
    def compared(*pairs: tuple[str, str]) -> EqtComparison:
        runs = [
            run_as(f"openai:{t}", str(n), {"law": 2 + n}, examiner=f"openai:{e}")
            for n, (t, e) in enumerate(pairs)
        ]
        return compare_eqt(runs)

    own = compared(("a", "a"), ("b", "b"))
    assert own.concepts == 1
    assert own.notes == (OWN_EXAMS,)
    assert "name one --examiner for all targets" in json.loads(own.model_dump_json())["notes"][0]
    assert has_own_exams(own)
    assert [cell.best_accuracy for cell in own.cells] == [False, True, False, True], (
        "the stars stay"
    )
    for apart in (compared(("a", "a"), ("b", "a"), ("c", "c")), compared(("a", "b"), ("a", "c"))):
        assert apart.notes == (APART,)
        assert has_own_exams(apart)
    for alike in (
        compared(("a", "c"), ("b", "c")),
        compared(("a", "a"), ("b", "a")),
        compared(("a", "a")),
    ):
        assert alike.notes == ()
        assert not has_own_exams(alike)


def test_p_values_that_take_pairs_for_independent_are_pointed_out() -> None:
    results = [run("openai:a", law=1, history=3), run("openai:b", history=4, law=0)]
    lines = [("a", "law", 0.3), ("a", "history", 0.6), ("b", "law", 0.2), ("b", "history", 0.9)]
    scores = [
        BenchmarkScore(model=model, category=name, score=score) for model, name, score in lines
    ]
    assert PAIRS_ALIKE in compare_eqt(results, scores).notes
    for without in (scores[:2], ()):
        assert PAIRS_ALIKE not in compare_eqt(results, without).notes, "there is no p-value"


def test_an_interval_where_all_but_one_concept_were_lost() -> None:
    held = asked(0, ["a", "b"], ["b", "b"])
    (cell,) = compare_eqt([result_of(spec_of("", ""), [*held, *asked(1, [None, None])])]).cells
    (alone,) = compare_eqt([result_of(spec_of(), held)]).cells
    assert (cell.ci, cell.acs_ci) == (alone.ci, alone.acs_ci)
    assert cell.acs_ci is not None


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one result"):
        compare_eqt([])
