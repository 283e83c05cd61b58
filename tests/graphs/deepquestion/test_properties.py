"""Properties of the figures of a DeepQuestion run, whatever came of its steps."""

from random import Random
from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.graphs.deepquestion.measures import drop, newcombe
from fathom.state.deepquestion.result import Comparisons, Share
from fathom.state.items import DeepQuestionItem
from fathom.state.problems import Preference

from ...support.deepquestion.synthetic import (
    compared,
    instruction,
    instruction_check,
    lost,
    met,
    problem_set,
    q2i_steps,
    q2s_steps,
    scenario,
    scenario_check,
    solution,
    solved,
    spec_of,
    tables,
)

COUNT = 4
SPEC = spec_of(problem_set(COUNT), distractors=("none", "some"))
mark = st.sampled_from([True, False, None])
place = st.sampled_from(get_args(Preference))


@st.composite
def problems(draw: st.DrawFn, index: int) -> list[DeepQuestionItem]:
    """What came of one problem: anything."""
    steps: list[DeepQuestionItem] = [solved(index, "original", draw(mark))]
    way = draw(st.sampled_from(["passes", "rejected", "lost", "not reached"]))
    if way == "passes":
        steps += q2s_steps(index, SPEC, {load: draw(mark) for load in SPEC.distractors})
    elif way != "not reached":
        steps.append(scenario(index, **({"fault": lost("scenario")} if way == "lost" else {})))
        steps.append(scenario_check(index, bare=True))
    if draw(st.booleans()):
        told = (draw(place), draw(place)) if draw(st.booleans()) else None
        steps += [step for step in q2i_steps(index, draw(mark), told) if step.type != "met"]
        steps.append(met(index, draw(mark)))
    else:
        steps += [instruction(index), instruction_check(index, complete=False)]
    if draw(st.booleans()):
        steps += [compared(index, True, draw(place), (index + 1) % COUNT)]
        steps += (
            [compared(index, False, draw(place), (index + 1) % COUNT)]
            if draw(st.booleans())
            else []
        )
    return steps


runs = st.tuples(*(problems(index) for index in range(COUNT)))


def found(steps: list[DeepQuestionItem], closed: int = COUNT) -> Any:
    return tables(steps, problem_set(COUNT), closed, distractors=SPEC.distractors)


@given(runs, st.randoms(use_true_random=False), st.integers(0, COUNT))
@settings(max_examples=12)
def test_the_order_of_the_items_and_open_problems_change_nothing(
    run: tuple[list[DeepQuestionItem], ...], random: Random, closed: int
) -> None:
    items = [item for own in run for item in own]
    shuffled = [*items]
    random.shuffle(shuffled)
    held = found(items, closed)
    assert found(shuffled, closed) == held
    # items of open problems count nowhere but in the history of the prompts
    finished = found([item for own in run[:closed] for item in own], closed)
    assert vars(held) | {"prompts": ()} == vars(finished) | {"prompts": ()}


@given(runs)
@settings(max_examples=20)
def test_every_count_adds_up(run: tuple[list[DeepQuestionItem], ...]) -> None:
    held = found([item for own in run for item in own])
    assert held.original.n + held.original_unscored == len(held.problems) == COUNT
    rejected = {kind: sum(each.kind == kind for each in held.rejected) for kind in SPEC.kinds}
    reached = sum(any(item.type == "scenario" for item in own) for own in run)
    for row in held.q2s:
        assert row.accuracy.n + row.unscored == row.scenarios
        assert row.scenarios + rejected["q2s"] + held.unwritten.get("q2s", 0) == reached
        if row.drop is not None:
            assert row.drop.n == sum(
                (
                    row.drop.both,
                    row.drop.only_original,
                    row.drop.only_transformed,
                    row.drop.neither,
                )
            )
            assert row.drop.n <= min(held.original.n, row.accuracy.n)
    if held.q2i is not None:
        assert held.q2i.instructions + rejected["q2i"] == COUNT
        assert held.q2i.accuracy.n + held.q2i.unscored == held.q2i.instructions
        assert sum(held.q2i.invalid.values()) == held.q2i.accuracy.n - held.q2i.accuracy.count
        check_comparisons(held.q2i.comparisons)
    if held.baseline is not None:
        check_comparisons(held.baseline)


def check_comparisons(held: Comparisons) -> None:
    for row in held.criteria:
        assert row.wins + row.losses + row.ties == row.pairs == held.pairs
        assert row.contradictory <= row.ties
        if row.win_rate is not None and row.ci is not None:
            assert 0 <= row.ci[0] <= row.win_rate <= row.ci[1] <= 1
            assert row.ci[1] > row.ci[0]
    for place_row in held.position:
        assert place_row.first + place_row.second + place_row.ties == place_row.comparisons
        if place_row.ci is not None and place_row.first_share is not None:
            assert -1e-12 <= place_row.ci[0] <= place_row.first_share + 1e-12
            assert place_row.first_share - 1e-12 <= place_row.ci[1] <= 1 + 1e-12


@given(runs)
@settings(max_examples=12)
def test_leaving_out_what_is_unscored_changes_no_share(
    run: tuple[list[DeepQuestionItem], ...],
) -> None:
    items = [item for own in run for item in own]
    scored = [
        item for item in items if not (item.type == "solution" and item.fault is not None)
    ]
    one, other = found(items), found(scored)
    assert unbounded(one.original) == unbounded(other.original)
    shares = (
        [(unbounded(row.accuracy), row.drop) for row in each.q2s] for each in (one, other)
    )
    assert next(shares) == next(shares)
    assert (one.q2i is None) == (other.q2i is None)
    if one.q2i is not None and other.q2i is not None:
        assert unbounded(one.q2i.accuracy) == unbounded(other.q2i.accuracy)
        assert one.q2i.distance_ci == other.q2i.distance_ci


def unbounded(share: Share) -> Share:
    """Without what lost answers could do to it."""
    return share.model_copy(update={"bounds": None})


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
@settings(max_examples=30)
def test_the_drop_is_the_difference_of_both_accuracies_and_mirrors(
    pairs: list[tuple[bool, bool]],
) -> None:
    here, there = drop(pairs), drop([(other, one) for one, other in pairs])
    assert (here is None) == (there is None) == (not pairs)
    if here is not None and there is not None:
        assert abs(here.drop - (here.original - here.transformed)) < 1e-12
        assert -1 - 2e-9 <= here.ci[0] - 1e-9 <= here.drop <= here.ci[1] + 1e-9 <= 1 + 2e-9
        assert abs(here.ci[0] + there.ci[1]) < 1e-9
        assert here.drop == -there.drop
        assert 0 < here.mcnemar_mid_p <= here.mcnemar_p == there.mcnemar_p <= 1


shares = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(shares, shares)
def test_newcombes_interval_holds_the_difference_and_mirrors(
    one: tuple[int, int], other: tuple[int, int]
) -> None:
    low, high = newcombe(*one, *other)
    assert -1 - 1e-12 <= low <= one[0] / one[1] - other[0] / other[1] <= high <= 1 + 1e-12
    assert newcombe(*other, *one) == (-high, -low)


def test_a_step_that_was_done_again_counts_as_it_came_out_last() -> None:
    again: list[DeepQuestionItem] = [
        solved(0, "original", None),
        solution(0, right=False),
        solution(0),
    ]
    assert tables(again, closed=1).original.count == 1
    assert tables([*again, solved(0, "original", None)], closed=1).original_unscored == 1
