"""A DeepQuestion run while it goes on, over the recorded journals: what is known of it, its steps
in words, its screen and its lines, what there is of it when it is cut off, and what a list shows of
it."""

from typing import Any

import pytest

from fathom.state.events import ItemFinished, ProblemClosed
from fathom.tools.runs.journal import RunMemory, is_repeated, note

from ...support.reports import changed, events_of, flat, fragment

EVENTS, FAULTS = events_of("deepquestion"), events_of("deepquestion", "faults")


def item(place: str, **changes: Any) -> Any:
    """A recorded step, with these fields changed."""
    found = next(
        e.item
        for e in EVENTS
        if isinstance(e, ItemFinished) and e.item.id.partition("/")[2] == place
    )
    return changed(found, **changes)


def step(done: Any) -> ItemFinished:
    return ItemFinished(run_id=EVENTS[0].run_id, item=done)


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (EVENTS[:4], "So far: 0 of 3 problems closed · "),
        (
            [*EVENTS[:58], EVENTS[-1]],
            "NO RESULT: complete: every problem was asked. So far: 1 of 3 problems closed",
        ),
        (FAULTS[:-1], "1 lost to faults"),
    ],
)
def test_what_there_is_of_a_run_that_was_cut_off(events: list[Any], said: str) -> None:
    assert said in flat(fragment(events))


def test_a_closed_problem_is_remembered() -> None:
    memory, (first, second, _) = (
        RunMemory(),
        [event for event in EVENTS if isinstance(event, ProblemClosed)],
    )
    assert not is_repeated(memory, second)
    note(memory, second)
    assert (is_repeated(memory, second), is_repeated(memory, first), memory.reportable) == (
        True,
        False,
        True,
    )
    memory.reopened.add(1)
    assert not is_repeated(memory, second), "it will close again"
    again = second.model_copy(update={"marks": {"original": "right"}})
    note(memory, again)
    assert memory.parts[1] == again
    assert not memory.reopened
