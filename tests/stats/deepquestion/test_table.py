"""Several DeepQuestion runs side by side: over the problems that all have finished, under names of
their own."""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom.state.deepquestion.items import Transformed
from fathom.state.deepquestion.result import DeepQuestionResult
from fathom.state.deepquestion.spec import DeepQuestionSpec
from fathom.state.items import DeepQuestionItem
from fathom.stats.deepquestion.figures import tables_of
from fathom.stats.deepquestion.table import NOTHING_SHARED, compare_deepquestion

from ...support.deepquestion.synthetic import (
    distractors,
    instruction,
    instruction_check,
    kinds_of,
    loop,
    lost,
    problem_set,
    q2i_steps,
    q2s_steps,
    scenario,
    scenario_check,
    solution,
    spec_of,
)
from ...support.reports import changed
from ...support.reports import result_of as recorded

CHANGED, LOST_SCENARIO, GIVES_AWAY = 2, 5, 6
"""Problems, by index from 0: a scenario whose distractors change the answer; one that a fault took;
an instruction that holds the question."""


def steps_of(spec: DeepQuestionSpec, index: int) -> Iterator[DeepQuestionItem]:
    """All that came of a problem."""
    yield solution(index, right=index % 4 != 1)
    if "q2s" in spec.kinds and index == LOST_SCENARIO:
        yield scenario(index, fault=lost("scenario"))
    elif "q2s" in spec.kinds and index == CHANGED:
        yield from (scenario(index), scenario_check(index), distractors(index))
        yield from (solution(index, "check", load == "none", load) for load in spec.distractors)
    elif "q2s" in spec.kinds:
        yield from q2s_steps(index, spec, index % 3 != 1)
    if "q2i" in spec.kinds and index == GIVES_AWAY:
        yield from (instruction(index), instruction_check(index, gives_away=True))
    elif "q2i" in spec.kinds:
        yield from q2i_steps(index, index % 2 == 0, ("first", "tie"))


def result(
    target: str = "sim:student", *, problems: int = 12, **changes: Any
) -> DeepQuestionResult:
    """A run over so many problems. `changes`: fields of the spec or of the result."""
    over = problem_set(problems)
    own = {name: changes.pop(name) for name in [*changes] if name in DeepQuestionSpec.model_fields}
    roles = {role: f"sim:{role}" for role in ("generator", "evaluator", "judge")}
    spec = spec_of(
        over, **{"target": target, "distractors": ("none", "some", "many"), **roles, **own}
    )
    items = [
        step
        for kind in spec.drafted
        for step in loop(kind, *((4,) if spec.single_pass else (5, 6, 9)))
    ]
    items += [step for index in range(problems) for step in steps_of(spec, index)]
    fields = tables_of(spec, over, items, range(problems), kinds_of(over)).fields()
    about = {"run_id": f"run-{spec.digest}", "spec": spec, "simulated": spec.simulated}
    made: DeepQuestionResult = changed(recorded("deepquestion"), **{**about, **fields, **changes})
    return made


def test_figures_are_over_the_problems_that_all_have_finished() -> None:
    whole, half = result("sim:a", problems=12), result("sim:b", problems=12)
    open_problems = tuple(row.id for row in half.problems[6:])
    half = half.model_copy(update={"problems": half.problems[:6], "open_problems": open_problems})
    found = compare_deepquestion([whole, half])
    assert (found.problems, found.same_texts, found.simulated) == (6, True, True)
    assert [cell.label for cell in found.cells] == ["sim:a", "sim:b"]
    (note,) = found.notes
    assert "over the 6 problems" in note
    assert "6 that only some have finished are left out" in note
    # the same as of a run over the first six
    expected = result("sim:a", problems=6)
    cell = found.cells[0]
    assert (cell.original, cell.q2s) == (expected.original, expected.q2s)
    assert expected.q2i is not None
    assert (cell.q2i, cell.distance, cell.distance_ci) == (
        *(expected.q2i.accuracy, expected.q2i.distance),
        expected.q2i.distance_ci,
    )
    # of the first six, the scenario of p3 was rejected and that of p6 lost
    assert {kind: (row.count, row.n) for kind, row in cell.written.items()} == {
        "q2s": (4, 5),
        "q2i": (6, 6),
    }
    # p7's instruction is the rejected one
    alone = compare_deepquestion([whole]).cells[0].written["q2i"]
    assert (alone.count, alone.n) == (11, 12)


def made(steps: list[DeepQuestionItem], **changes: Any) -> DeepQuestionResult:
    """The run's frame around other steps, of which the first two problems are finished."""
    over = problem_set(2)
    spec = spec_of(over, **{name: value for name, value in changes.items() if name != "run_id"})
    fields = tables_of(spec, over, steps, range(2), kinds_of(over)).fields()
    return result(run_id=changes.get("run_id", "r1")).model_copy(
        update={"spec": spec, "simulated": False, **fields}
    )


def whole_steps(*, right: bool = True, **other: Any) -> list[DeepQuestionItem]:
    spec = spec_of()
    steps = [
        solution(0, right=right),
        *q2s_steps(0, spec, right),
        solution(1),
        *q2s_steps(1, spec),
        *q2i_steps(1),
    ]
    return [
        scenario(0, **other) if other and item.id.endswith("p1@scenario") else item
        for item in steps
    ]


def test_the_loop_beside_a_single_pass_of_the_same_target() -> None:
    loops = made([*loop("q2s", 5, 9), *loop("q2i", 3, 7), *whole_steps()])
    once = made(
        [*loop("q2s", 4), *loop("q2i", 6), *whole_steps(question="How many jars are there?")],
        single_pass=True,
        run_id="r2",
    )
    found = compare_deepquestion([loops, once])
    assert [cell.label for cell in found.cells] == [
        "openai:gpt-5 (loop)",
        "openai:gpt-5 (single pass)",
    ]
    assert [cell.prompts for cell in found.cells] == [
        {
            "q2s": "loop, 9/10 in round 2",
            "q2i": "loop not converged, 7/10 in round 2 at best and used",
        },
        {"q2s": "single pass, 4/10", "q2i": "single pass, 6/10"},
    ]
    assert (found.problems, found.same_texts, found.notes) == (2, False, ())
    assert [cell.q2s[0].words for cell in found.cells] == [41.0, 38.5]


def test_two_targets_on_the_same_given_texts() -> None:
    texts = tuple(
        Transformed(problem=f"p{n}", scenarios={"some": f"Tell {n}?"}, instruction=f"Ask {n}.")
        for n in (1, 2)
    )
    over = problem_set(2, transformed=texts)

    def of(target: str, **changes: Any) -> DeepQuestionResult:
        run = result(target, problems=2)
        spec = spec_of(over, **{"target": target} | changes)
        rows = [
            row.model_copy(
                update={"scenarios": texts[place].scenarios, "solved": {"some": row.solved["some"]}}
            )
            for place, row in enumerate(run.problems)
        ]
        update = {
            "spec": spec,
            "prompts": (),
            "transformed": texts,
            "problems": tuple(rows),
            "rejected": (),
        }
        return run.model_copy(
            update={**update, "q2s": tuple(row for row in run.q2s if row.load == "some")}
        )

    found = compare_deepquestion([of("sim:a"), of("sim:b")])
    assert found.same_texts
    assert found.cells[0].prompts == {"q2s": "texts given", "q2i": "texts given"}
    assert {kind: (row.n, row.share) for kind, row in found.cells[0].written.items()} == {
        "q2s": (0, None),
        "q2i": (0, None),
    }
    seeds = compare_deepquestion(
        [of("sim:a"), of("sim:a", seed=1).model_copy(update={"run_id": "other"})]
    )
    assert [cell.label for cell in seeds.cells] == ["sim:a (seed 42)", "sim:a (seed 1)"]


def test_runs_without_anything_in_common_keep_their_own_figures() -> None:
    here = result("sim:a", problems=6)
    there = here.model_copy(
        update={
            "run_id": "else",
            "problems": tuple(
                row.model_copy(update={"answer": "another"}) for row in here.problems
            ),
        }
    )
    found = compare_deepquestion([here, there])
    assert (found.problems, found.notes) == (None, (NOTHING_SHARED,))
    assert [cell.original.n for cell in found.cells] == [6, 6]
    # all that could tell them apart is the run
    assert [cell.label for cell in found.cells] == [f"sim:a [{here.run_id}]", "sim:a [else]"]


def test_a_run_without_problems_a_run_twice_and_different_judges() -> None:
    run = result("sim:a", problems=4)
    none = result("sim:b", problems=4).model_copy(
        update={
            "problems": (),
            "q2s": (),
            "q2i": None,
            "stop_reason": "not_converged",
            "stop_detail": "no draft did.",
        }
    )
    other = result("sim:a", problems=4, judge="sim:other", evaluator="sim:strict", run_id="j")
    found = compare_deepquestion([run, none, run, other])
    assert (found.problems, found.same_texts) == (4, True)
    assert [cell.label for cell in found.cells] == [
        "sim:a (evaluator sim:evaluator, judge sim:judge)",
        "sim:b",
        "sim:a (evaluator sim:strict, judge sim:other)",
    ]
    assert found.notes == (
        f"run {run.run_id} is given more than once and counts once",
        "sim:b has no finished problem and so no figures (complete: no draft did)",
        "the runs were not asked and judged alike: their specs differ in evaluator, judge",
    )
    empty = found.cells[1]
    assert (empty.original.share, empty.q2s, empty.q2i, empty.distance) == (None, (), None, None)
    assert compare_deepquestion([none]).problems is None
    assert compare_deepquestion([none]).notes == found.notes[1:2]
    with pytest.raises(ValueError, match="at least one"):
        compare_deepquestion([])


def test_runs_asked_other_loads_are_held_together_by_those_that_both_have() -> None:
    wide, narrow = result("sim:a", problems=4), result("sim:b", problems=4, distractors=("some",))
    assert compare_deepquestion([wide, narrow]).same_texts
    scenarios = result("sim:a", problems=4, distractors=("many",), kinds=("q2s",))
    assert not compare_deepquestion([scenarios, narrow]).same_texts


def test_what_a_fault_took_is_neither_passed_nor_rejected() -> None:
    steps = [
        *(
            solution(0),
            scenario(0, fault=lost("scenario")),
            instruction(0),
            instruction_check(0, gives_away=True),
        ),
        *(
            solution(1),
            *q2s_steps(1, spec_of()),
            instruction(1, fault=lost("instruction", "parse")),
        ),
    ]
    cell = compare_deepquestion([made(steps)]).cells[0]
    assert {kind: (row.count, row.n) for kind, row in cell.written.items()} == {
        "q2s": (1, 1),
        "q2i": (0, 2),
    }
