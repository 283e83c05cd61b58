"""What is known of a run from its events: how far it is, what its figures come to, and what is done
again."""

import re
from itertools import pairwise
from typing import Any

import pytest

from fathom.graphs.method import steps_of
from fathom.reports.live.screen import progress_of
from fathom.reports.progress import RunProgress
from fathom.state.events import ItemFinished, RunResumed
from fathom.state.records import Usage

from ..contracts.recordings import METHODS
from ..support.reports import changed, events_of, flat, fragment, framed, result_of

by_method = pytest.mark.parametrize("method", METHODS)
both = pytest.mark.parametrize("kind", ["complete", "faults"])
EQT = events_of("eqt", "faults")
LOST = "c003.q1.a1"
"""An asking that a fault took in the Explain-Query-Test with faults."""


def known(events: list[Any]) -> RunProgress:
    (run,) = progress_of(events, steps_of).runs.values()
    return run


def place(events: list[Any], name: str) -> int:
    """Of the event by which the step finished."""
    return next(
        n
        for n, e in enumerate(events)
        if e.type == "item_finished" and e.item.id.endswith(f"/{name}")
    )


@both
@by_method
def test_a_run_gets_on_to_its_end(method: str, kind: str) -> None:
    """Its share does not go back, but for a drill, whose depths nobody knows; it is whole only at
    the end."""
    run, seen = RunProgress("x", steps_of), list[float]()
    for event in events_of(method, kind):
        run.apply(event)
        seen.append(run.share)
    assert seen[-1] == 1.0
    assert max(seen[:-1]) < 1.0
    assert max(seen[:-1]) > 0.4
    assert method == "drill" or all(before <= after for before, after in pairwise(seen))
    assert run.elapsed_s(run.last) == result_of(method, kind).wall_s  # type: ignore[arg-type]
    assert all(
        part.index in run.closed or part.index < 0 or method not in ("eqt", "depthqa")
        for part in run.open.values()
    )


def figures(run: RunProgress) -> dict[str, str]:
    """What stands in the row of a run among several."""
    return {each.head: each.value for each in steps_of(run.method).figures(run) if each.head}


@both
def test_the_figures_at_the_end_are_those_of_the_result(kind: str) -> None:
    held: dict[str, tuple[RunProgress, Any]] = {
        m: (known(events_of(m, kind)), result_of(m, kind)) for m in METHODS
    }
    run, result = held["eqt"]
    whole = result.numbers
    assert figures(run)["acc."] == f"{whole.all.accuracy * 100:.0f}%"
    assert figures(run)["ACS"] == f"{whole.consistency.acs:.2f}".removeprefix("0")
    run, result = held["depthqa"]
    for mode in result.modes:
        for level, row in mode.accuracy.items():
            tally = run.tallies[f"{mode.mode} {level.replace('overall', 'all')}"]
            assert tally.mean == pytest.approx(row.mean)
    run, result = held["deepquestion"]
    assert run.tallies["original"].accuracy == pytest.approx(result.original.share)
    for load in result.q2s:
        assert run.tallies[f"q2s-{load.load}"].accuracy == pytest.approx(load.accuracy.share)
    run, result = held["drill"]
    assert run.evd == result.evd
    run, result = held["replay"]
    assert run.tallies["probes"].accuracy == pytest.approx(result.target_tally.accuracy)


# what a fault took and is done again


def again(name: str = LOST, **changes: Any) -> list[Any]:
    """The run goes on, and the step is done once more, with these changes."""
    event = EQT[place(EQT, name)]
    answer = {
        "item__fault": None,
        "item__reading": "none",
        "item__correct": False,
        "item__chosen": (),
    }
    resumed = RunResumed(run_id=event.run_id, spec=EQT[0].spec, version="0.1.0", probes=9)
    return [
        resumed,
        changed(event, **(answer | {f"item__{key}": value for key, value in changes.items()})),
    ]


def marks(events: list[Any]) -> list[int]:
    held = known(events).tallies["answers"].marks
    return [held[mark] for mark in ("correct", "wrong", "unscored")]


def test_a_step_that_is_done_again_counts_once_as_it_came_out_last() -> None:
    right, wrong, lost = marks(EQT)
    assert marks([*EQT, *again()]) == [right, wrong + 1, lost - 1]
    assert (known(EQT).steps, known(EQT).lost) == (
        known([*EQT, *again()]).steps,
        known([*EQT, *again()]).lost + 1,
    )
    failed = EQT[place(EQT, LOST)].item
    once_more = again(fault=failed.fault, reading=None, correct=None)
    assert marks([*EQT, *once_more, *once_more]) == [right, wrong, lost]
    text = framed([*EQT, *again()])
    assert text.count(LOST) == 1, "it stands once among the newest"
    assert "✗ c003.q1.a1 " in text
    closed = next(e for e in EQT if e.type == "concept_closed" and e.index == 2)
    end = known([*EQT, *again(), closed])
    assert (len(end.closed), list(end.open)) == (3, [-1]), (
        "a concept that is closed twice counts once"
    )
    assert figures(end)["ACS"] == figures(known(EQT))["ACS"]
    part = known([*EQT[: place(EQT, LOST) + 1], *again()]).open[2]
    assert part.marks["unscored"] == 0, "of an open concept too"


def test_a_step_that_is_done_again_costs_its_new_calls_only() -> None:
    (failed, *_) = EQT[place(EQT, LOST)].item.calls
    new = changed(failed, failure=None, cost_usd=0.5, usage=Usage(input_tokens=7, output_tokens=3))
    told = again(calls=(failed, new))
    before, after = known(EQT), known([*EQT, told[0], changed(told[1], added=1)])
    assert after.spend.calls == before.spend.calls + 1
    assert after.spend.tokens == before.spend.tokens + 10
    assert (after.spend.usd, before.spend.usd) == (0.5, 0.0)


def test_a_problem_that_closes_again_counts_as_it_closed_last() -> None:
    events = events_of("deepquestion", "faults")
    closed = next(e for e in events if e.type == "problem_closed" and e.problem == "chem-04")
    other = closed.model_copy(update={"marks": {**closed.marks, "q2s-many": "right"}})
    assert known(events).tallies["q2s-many"].accuracy == 0.5
    assert known([*events, other]).tallies["q2s-many"].accuracy == pytest.approx(2 / 3)


def test_a_turn_of_several_conversations_counts_with_its_mean() -> None:
    events = events_of("depthqa")
    event = next(e for e in events if e.type == "item_finished" and e.item.id.endswith("@score")
                 and e.item.mode == "multi-turn" and e.item.score == 5)  # fmt: skip
    more = changed(event, item=changed(event.item, id=f"{event.item.id}x", score=2))
    before, after = (known(each).tallies["multi-turn all"] for each in (events, [*events, more]))
    assert after.number == before.number
    assert after.total == pytest.approx(before.total - 1.5)


# how long it takes


@pytest.mark.parametrize("method", ["eqt", "depthqa", "deepquestion"])
def test_what_is_left_is_told_by_the_pace_of_this_session(method: str) -> None:
    events = events_of(method, "cut")
    assert "left" not in framed(events[:1]).splitlines()[0]
    assert re.search(r" about [\d.:]+( s)? left · USD 0 · ", framed(events).splitlines()[0])
    resumed = RunResumed(
        run_id=events[0].run_id, spec=events[0].spec, version="0", probes=9, at=events[-1].at
    )
    assert "left" not in framed([*events, resumed]).splitlines()[0], "nothing was done yet"


# lines, and what there is without a result


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (EQT[:1], ("INTERRUPTED: resume with", "So far: 0 of 3 concepts closed")),
        (EQT[:2], ("1 concept begun and not closed, 2 not begun.",)),
        (
            [changed(EQT[0], spec__concepts=EQT[0].spec.concepts * 9), *EQT[1:9]],
            ("24 not begun.",),
        ),
        (events_of("depthqa", "faults")[:-1], ("lost to faults", "2 of 2 trees closed")),
        (events_of("depthqa_build", "faults")[:-1], ("lost to faults", "questions written")),
    ],
)
def test_what_there_is_of_a_run_that_was_cut_off(events: list[Any], said: tuple[str, ...]) -> None:
    text = flat(fragment(events, 100))
    assert [each for each in said if each not in text] == []


def test_only_what_is_finished_is_known() -> None:
    """A step without a run that has begun is passed over."""
    (first, *_, last) = [event for event in EQT if isinstance(event, ItemFinished)]
    run = known([first, last])
    assert (run.steps, run.scene, run.spend.calls > 0) == (0, None, True)
