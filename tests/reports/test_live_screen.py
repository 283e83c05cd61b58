"""What holds of the live screen, and of the lines in its place, while a run of any method goes
on."""

import re
from collections import deque
from dataclasses import fields, replace

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from fathom.graphs.method import steps_of
from fathom.reports.live.display import TreeDisplay
from fathom.reports.live.screen import progress_of
from fathom.state.events import Notice, RunResumed

from ..contracts.recordings import METHODS
from ..support.reports import (
    GAUGE,
    events_of,
    fits,
    framed,
    hostile,
    interleaved,
    lined,
)
from ..support.screen import active_characters, screen, written

by_method = pytest.mark.parametrize("method", METHODS)
PROBES = dict.fromkeys(("drill", "replay", "rejudge"), "probe")
"""What runs of these methods consist of; of the others it is steps."""


@by_method
def test_what_is_known_of_a_run_does_not_grow_with_it(method: str) -> None:
    (run,) = progress_of(events_of(method), steps_of).runs.values()
    values = [getattr(run, field.name) for field in fields(run)]
    assert [value.maxlen in range(1, 100) for value in values if isinstance(value, deque)] == [
        True,
        True,
    ]
    assert not any([*view.fields()] for view in run.newest), "no text in full"
    assert not run.waiting, "nothing is asked any more"


@pytest.mark.parametrize("several", [False, True])
@by_method
def test_the_screen_fits_at_every_moment(method: str, several: bool) -> None:
    one = events_of(method, "faults", change=hostile)
    events = interleaved(one, events_of(method, run="b1b1b1b1")) if several else one

    @settings(max_examples=5)
    @given(st.integers(20, 210), st.integers(4, 70), st.integers(1, len(events)))
    def check(width: int, height: int, cut: int) -> None:
        text = framed(events[:cut], width, height)
        fits(text, width)
        lines = text.splitlines()
        assert 0 < len(lines) < height
        assert cell_len(lines[-1].rstrip()) <= max(1, width - len("^C^C")), (
            "what a terminal echoes there breaks no line"
        )

    check()


@by_method
def test_each_frame_replaces_the_one_before(method: str) -> None:
    """On an emulated terminal, of two runs: nothing is pushed off the top."""
    width, height = 80, 24
    events = interleaved(events_of(method), events_of(method, "faults", change=hostile))
    console = screen(width, height, colour=True)
    display = TreeDisplay(console, lambda: GAUGE, steps_of, lambda: events[-1].at)
    display.start()
    for number, event in enumerate(events):
        display.handle(event)
        if number % 25 == 0:
            display.refresh()
    display.stop()
    terminal = pyte.HistoryScreen(width, height, history=1000)
    terminal.set_mode(
        pyte.modes.LNM
    )  # a terminal driver adds the carriage return to each line feed
    pyte.Stream(terminal).feed(written(console))
    assert not terminal.history.top
    assert sum(row.startswith("  run ") for row in terminal.display) == 1
    assert any(row.startswith("calls in flight 3 of 8") for row in terminal.display)
    assert not terminal.cursor.hidden


@by_method
def test_a_stop_is_said_first_and_not_when_all_is_over(method: str) -> None:
    events = events_of(method)
    for width in (60, 200):
        *_, meaning, last = framed(
            events[:-1], width, 24, replace(GAUGE, stopping=7)
        ).splitlines()
        unit = PROBES.get(method, "step")
        assert last.startswith(f"stopping: 7 {unit}s in flight, Ctrl-C again to leave now")
        assert meaning.startswith("✓ "), "what the signs mean is always there"
    assert "stopping" not in framed(events, 120, 24, replace(GAUGE, stopping=0))


@by_method
def test_a_stream_without_its_start_and_a_run_that_has_not_begun(method: str) -> None:
    assert framed(events_of(method)[5:30])
    events = [*events_of(method)[:30], Notice(run_id="x-c1", level="info", message="waits")]
    row = next(
        line for line in framed(events, 100, 30).splitlines() if line.startswith("▸ c1 ")
    )
    assert "–" in row


@by_method
def test_many_runs_are_counted_where_they_do_not_fit(method: str) -> None:
    whole = [events_of(method, run=f"{number:08}") for number in range(6)]
    begun = [events_of(method, run=f"{number:08}")[:8] for number in range(6, 30)]
    text = framed(interleaved(*whole, *begun), 100, 31)
    assert re.search(r"… \d+ more runs", text)
    assert " 6 of 30 runs finished · " in text.splitlines()[0]
    assert len(text.splitlines()) <= 30


@by_method
def test_the_newest_notices_stand_where_there_is_room(method: str) -> None:
    events = events_of(method)[:-1]
    told = [
        Notice(run_id=events[0].run_id, level="warning", message=f"notice {n}")
        for n in range(9)
    ]
    text = framed([*events, *told], 100, 40)
    assert re.findall(r"^warning: notice (\d)", text, re.MULTILINE) == ["7", "8"]


def test_nothing_yet() -> None:
    assert "waiting for the first run" in framed([], 80, 24)


# plain lines


@by_method
def test_each_milestone_is_one_line_whatever_others_have_written(method: str) -> None:
    events = events_of(method, "faults", change=hostile)
    lines = lined(events)
    assert not active_characters("\n".join(lines))
    assert all(re.match(r"\d\d:\d\d:\d\d \w{8} ", line) for line in lines)
    again = RunResumed(
        run_id=events[0].run_id, spec=events[0].spec, version="0.1.0", probes=120
    )
    assert lined([again])[0].endswith(
        f"resumed with 120 finished {PROBES.get(method, 'step')}s"
    )
