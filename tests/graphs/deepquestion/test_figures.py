"""The figures of a DeepQuestion run, by hand."""

from typing import Any

import pytest

from fathom.graphs.deepquestion.measures import distance, drop, newcombe
from fathom.graphs.deepquestion.prompts import goes_ahead, prompt_history
from fathom.state.deepquestion.result import DeepQuestionResult, Drop
from fathom.state.deepquestion.spec import DeepQuestionSpec
from fathom.state.items import DeepQuestionItem
from fathom.state.problems import Transformed

from ...support.deepquestion.synthetic import (
    compared,
    draft,
    instruction,
    instruction_check,
    loop,
    lost,
    problem_set,
    q2i_steps,
    q2s_steps,
    same,
    scenario,
    scenario_check,
    score,
    solution,
    solved,
    spec_of,
    tables,
)

LOADS = ("none", "some")


def run() -> list[DeepQuestionItem]:
    """Six problems; the last is not finished. R right, W wrong, ? unscored:

    problem             1   2   3   4         5        6
    original            R   R   W   R         ?        R
    Q2S none            R   R   R   rejected  R        R
    Q2S some            W   R   W   rejected  ?        R
    Q2I                 R   W   ?   rejected  a fault  R
    """
    spec = spec_of(distractors=LOADS)
    words = solution(4, right=None)
    return [
        solution(0),
        *q2s_steps(0, spec, {"none": True, "some": False}),
        *q2i_steps(0),
        solution(1),
        *q2s_steps(1, spec),
        *q2i_steps(1, right=False),
        solution(2, right=False),
        *q2s_steps(2, spec, {"none": True, "some": False}),
        *q2i_steps(2, right=None),
        solution(3),
        scenario(3),
        scenario_check(3, missing=("the 7",)),
        instruction(3),
        instruction_check(3, complete=False, reason="no answer in it"),
        words,
        same(words, None),
        *q2s_steps(4, spec, {"none": True, "some": None}),
        instruction(4, fault=lost("instruction")),
        *(step for step in (solution(5), *q2s_steps(5, spec), *q2i_steps(5))),
    ]


def found() -> Any:
    return tables(run(), problem_set(6), closed=5, distractors=LOADS)


def test_accuracy_on_the_originals_is_over_those_with_a_mark() -> None:
    held = found()
    assert (held.original.n, held.original.count, held.original.share) == (4, 3, 0.75)
    assert held.original_unscored == 1
    # Wilson for 3 of 4, z² = 3.8415: (.75 + .48018 ± 1.96·√(.046875 + .060023))/1.96037
    assert held.original.ci == pytest.approx((0.3006, 0.9544), abs=1e-4)
    assert [row.id for row in held.problems] == ["p1", "p2", "p3", "p4", "p5"]
    assert [row.answer_kind for row in held.problems] == [
        "number",
        "number",
        "number",
        "choice",
        "text",
    ]
    last = held.problems[4].original
    assert last is not None
    assert (last.mark, last.said, last.read, last.reason) == (
        *("unscored", "It comes to helium.\nAnswer: helium", "helium"),
        "judge: no judge within 60 s",
    )


def test_q2s_by_load_and_the_drop_from_the_same_problems() -> None:
    none, some = found().q2s
    assert [
        (row.load, row.distractors, row.scenarios, row.unscored) for row in (none, some)
    ] == [
        ("none", 0, 4, 0),
        ("some", 2, 4, 1),
    ]
    assert [(row.accuracy.count, row.accuracy.n) for row in (none, some)] == [(4, 4), (1, 3)]
    # 4 + 6 + 5 words of story; 10 of the question, and 5 in problem 5: (3·25 + 20)/4; each
    # distractor has 8 more
    assert [row.words for row in (none, some)] == [23.75, 39.75]
    assert none.drop is not None
    assert some.drop is not None
    # problem 5 has no mark of its original: 1, 2 and 3. Without distractors only 3 differs, and is
    # gained
    assert told(none.drop) == (3, 2, 0, 1, 0)
    assert (none.drop.original, none.drop.transformed, none.drop.drop) == pytest.approx(
        (2 / 3, 1, -1 / 3)
    )
    # with some: 1 is lost, 2 right twice, 3 wrong twice
    assert told(some.drop) == (3, 1, 1, 0, 1)
    assert (some.drop.original, some.drop.transformed, some.drop.drop) == pytest.approx(
        (2 / 3, 1 / 3, 1 / 3)
    )
    # one differs: 2·½ = 1, without half of the point ½
    assert (some.drop.mcnemar_p, some.drop.mcnemar_mid_p) == (1.0, 0.5)


def told(row: Drop) -> tuple[int, ...]:
    return row.n, row.both, row.only_original, row.only_transformed, row.neither


def test_q2i_is_another_task_and_has_a_distance() -> None:
    row = found().q2i
    assert row is not None
    assert (row.instructions, row.unscored, row.accuracy.n, row.accuracy.count) == (3, 1, 2, 1)
    assert row.invalid == {"another answer": 1}
    assert row.distance == 0.5  # of problems 1 and 2, which have both marks: 2/2 − 1/2
    # Wilson: .3424 … 1 and .0945 … .9055; .5 − √(.6576² + .4055²), .5 + √(0² + .4055²)
    assert row.distance_ci == pytest.approx((-0.2726, 0.9055), abs=1e-4)


def test_what_did_not_pass_and_what_a_fault_took_are_apart() -> None:
    held = found()
    assert [(each.problem, each.kind, each.check, each.reason) for each in held.rejected] == [
        ("p4", "q2s", "quantity lost", "missing: the 7 (Everything is there.)"),
        ("p4", "q2i", "incomplete", "no answer in it"),
    ]
    assert held.unwritten == {"q2i": 1}
    assert held.problems[4].unwritten == {"q2i": "instruction: no instruction within 60 s"}
    assert [
        (each.problem, [*each.scenarios], bool(each.instruction)) for each in held.transformed
    ] == [
        *((name, ["none", "some"], True) for name in ("p1", "p2", "p3")),
        ("p5", ["none", "some"], False),
    ]
    assert held.transformed[0].scenarios == held.problems[0].scenarios
    made = held.problems[1].created
    assert made is not None
    assert (made.mark, made.invalid, made.instruction) == (
        "wrong",
        "another answer",
        instruction(1).text,
    )
    assert set(vars(held)) <= set(DeepQuestionResult.model_fields)


def test_a_check_that_is_missing_leaves_nothing_to_ask() -> None:
    held = tables([solution(0), scenario(0), solution(0, "scenario", load="some")], closed=1)
    assert held.problems[0].unwritten == {"q2s": "check: it is missing"}
    assert (held.unwritten, held.problems[0].solved, held.q2s[0].scenarios) == (
        {"q2s": 1},
        {},
        0,
    )


def test_an_attempt_by_an_instruction_that_is_not_used_counts_nowhere() -> None:
    held = tables([solution(0), *q2i_steps(0), instruction_check(0, gives_away=True)], closed=1)
    assert held.problems[0].created is None
    assert held.q2i is not None
    assert (held.q2i.instructions, held.q2i.accuracy.n, held.q2i.comparisons.pairs) == (0, 0, 0)


def test_given_texts_need_neither_prompts_nor_checks() -> None:
    texts = (
        Transformed(
            problem="p1",
            scenarios={"some": "A b c?", "many": "A b c d?"},
            instruction="Ask for 7.",
        ),
        Transformed(problem="p3", scenarios={"many": "Only here?"}),
    )
    over = problem_set(3, transformed=texts)
    steps = [
        solution(0),
        solution(0, "scenario", load="some"),
        *q2i_steps(0)[2:],
        solution(1),
        solution(2),
    ]
    held = tables(steps, over)
    assert (held.prompts, held.rejected, held.unwritten, held.transformed) == (
        (),
        (),
        {},
        texts,
    )
    (row,) = held.q2s
    assert (row.load, row.scenarios, row.accuracy.count, row.words) == ("some", 1, 1, 3.0)
    assert held.q2i is not None
    assert (held.q2i.instructions, held.q2i.accuracy.count) == (1, 1)
    # nothing that was to be written is there: the row says that none was asked
    assert tables(steps[:1], problem_set(3, transformed=())).q2s[0].scenarios == 0


def test_a_run_without_finished_problems_and_one_without_marks() -> None:
    empty = tables(loop("q2s", 4), closed=0)
    assert (empty.original.n, empty.original.share, empty.original.ci) == (0, None, (0.0, 1.0))
    assert (empty.q2s, empty.q2i, empty.baseline, empty.problems, empty.original_unscored) == (
        (),
        None,
        None,
        (),
        0,
    )
    assert [each.kind for each in empty.prompts] == ["q2s", "q2i"]
    spec = spec_of()
    alone = tables([solution(0), *q2s_steps(0, spec), *q2i_steps(0)], closed=1)
    assert alone.q2s[0].drop is not None
    assert alone.q2s[0].drop.ci == pytest.approx(
        (-0.7935, 0.7935), abs=1e-4
    )  # z²/(1 + z²): nothing differs
    lost_steps = [
        solved(0, "original", None),
        *q2s_steps(0, spec, {"some": None}),
        *q2i_steps(0, None),
    ]
    none = tables(
        [*lost_steps, compared(0, True, "tie", 1, fault=lost("comparison"))], closed=1
    )
    assert (none.original.share, none.original_unscored) == (None, 1)
    assert (none.q2s[0].accuracy.share, none.q2s[0].unscored, none.q2s[0].drop) == (
        None,
        1,
        None,
    )
    assert none.q2i is not None
    assert (
        none.q2i.accuracy.share,
        none.q2i.unscored,
        none.q2i.distance,
        none.q2i.distance_ci,
    ) == (
        None,
        1,
        None,
        None,
    )
    assert none.baseline is not None
    assert (none.baseline.pairs, none.baseline.unscored, none.baseline_cases) == (0, 1, ())


def test_the_drop_is_original_minus_transformed() -> None:
    # Fagerland, Lydersen and Laake: 7 and 1 discordant of 21, mid-p .0391, Tango's .0260 … .5172
    kept, gained, missed = [(True, True)], [(False, True)], [(False, False)] * 12
    found = drop([*kept, *[(True, False)] * 7, *gained, *missed])
    assert found is not None
    assert told(found) == (21, 1, 7, 1, 12)
    assert (found.original, found.transformed, found.drop) == pytest.approx(
        (8 / 21, 2 / 21, 6 / 21)
    )
    assert found.ci == pytest.approx((0.0260, 0.5172), abs=1e-4)
    # 2·(1 + 8)/2⁸, and without half of the point twice: (2·9 − 8)/2⁸
    assert (found.mcnemar_p, found.mcnemar_mid_p) == (18 / 256, 10 / 256)
    assert drop([]) is None


@pytest.mark.parametrize(
    ("counts", "ends"),
    [
        # Newcombe 1998, table II, method 10
        ((56, 70, 48, 80), (0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.1705, 0.8090)),
        ((6, 7, 2, 7), (0.0582, 0.8062)),
        ((5, 56, 0, 29), (-0.0381, 0.1926)),
        ((0, 10, 0, 20), (-0.1611, 0.2775)),
        ((0, 10, 0, 10), (-0.2775, 0.2775)),
        ((10, 10, 0, 20), (0.6791, 1.0)),
        ((10, 10, 0, 10), (0.6075, 1.0)),
    ],
)
def test_newcombes_vectors(
    counts: tuple[int, int, int, int], ends: tuple[float, float]
) -> None:
    assert newcombe(*counts) == pytest.approx(ends, abs=5e-5)


def test_nothing_is_no_share() -> None:
    assert distance([]).value is None
    with pytest.raises(ValueError, match="two shares"):
        newcombe(0, 0, 1, 2)


def test_how_a_prompt_came_about() -> None:
    spec = spec_of()
    cases: list[tuple[list[DeepQuestionItem], DeepQuestionSpec, tuple[object, ...]]] = [
        # steps → converged, best round, its score, the prompt that is used, whether it goes ahead
        (loop("q2s", 5, 6, 9), spec, (True, 3, 9, "q2s draft 3", True)),
        (loop("q2s", 8), spec, (True, 1, 8, "q2s draft 1", True)),
        (loop("q2s", 5, 7, 7, 6), spec, (False, 2, 7, "q2s draft 2", False)),
        (loop("q2s", 5, 7, 6), spec_of(use_best=True), (False, 2, 7, "q2s draft 2", True)),
        (
            loop("q2s", None, None),
            spec_of(use_best=True),
            (False, None, None, "q2s draft 1", False),
        ),
        (loop("q2s", 3), spec_of(single_pass=True), (False, 1, 3, "q2s draft 1", True)),
        (
            loop("q2s", None),
            spec_of(single_pass=True),
            (False, None, None, "q2s draft 1", True),
        ),
        (
            [draft("q2s", 1, fault=lost("prompt"))],
            spec_of(single_pass=True),
            (False, None, None, "", False),
        ),
        (loop("q2i", 9), spec, (False, None, None, "", False)),
        ([], spec_of(guides={"q2s": "Write."}), (None, None, None, "Write.", True)),
    ]
    for steps, own, (converged, best, value, guide, ahead) in cases:
        held = prompt_history(own, "q2s", steps)
        assert (held.converged, held.best, held.score, held.guide) == (
            converged,
            best,
            value,
            guide,
        )
        assert (goes_ahead(own, held), held.used) == (ahead, False)
    whole = prompt_history(spec, "q2s", [*loop("q2s", 5, 9), scenario(0)])
    assert [(each.round, each.draft, each.score, each.feedback) for each in whole.rounds] == [
        (1, "q2s draft 1", 5, "worth 5"),
        (2, "q2s draft 2", 9, "worth 9"),
    ]
    assert (whole.source, whole.used) == ("optimised", True)
    assert not prompt_history(spec, "q2i", [scenario(0)]).used
    faulty = prompt_history(spec, "q2s", [draft("q2s", 1), score("q2s", 1, None)])
    assert [(each.score, each.feedback) for each in faulty.rounds] == [
        (None, "prompt: no prompt within 60 s")
    ]
