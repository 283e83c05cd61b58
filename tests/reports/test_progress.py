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
from ..support.reports import changed, events_of, framed, result_of

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
    new = changed(
        failed, failure=None, cost_usd=0.5, usage=Usage(input_tokens=7, output_tokens=3)
    )
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


def test_only_what_is_finished_is_known() -> None:
    """A step without a run that has begun is passed over."""
    (first, *_, last) = [event for event in EQT if isinstance(event, ItemFinished)]
    run = known([first, last])
    assert (run.steps, run.scene, run.spend.calls > 0) == (0, None, True)
