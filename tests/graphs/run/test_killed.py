"""Killed on the way and resumed, a run of any method ends as if nothing had happened, and asks for
nothing it had."""

import os
import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fathom.sim.server import RunningWorld, Served
from fathom.state.events import (
    ConceptClosed,
    DepthClosed,
    Event,
    ItemFinished,
    ProbeJudged,
    ProblemClosed,
    TreeClosed,
)
from fathom.tools.runs.folders import read_events

from ...support.command_line import on_a_thread
from ...support.killed import (
    IN_FLIGHT,
    METHODS,
    environment,
    faulty_world,
    go_on,
    picture,
    sent_by,
)
from ...support.programs import Programs

pytestmark = pytest.mark.slow

KILLED_AT = {
    "drill": (10, 25),
    "eqt": (15,),
    "depthqa build": (12,),
    "depthqa ask": (20,),
    "deepquestion": (10,),
    "replay": (6,),
}
"""The reply, counted from the start of each session, that the program does not live to see. A
DeepQuestion's first is one of the cycle of drafts."""


class Sessions:
    """The program in a folder of its own, killed at some replies of the world."""

    def __init__(
        self,
        programs: Programs,
        served: RunningWorld,
        folder: Path,
        killed_at: tuple[int, ...] = (),
    ) -> None:
        self._programs, self._served, self._folder = programs, served, folder
        self._killed_at = list(killed_at)
        folder.mkdir()

    def __call__(self, words: list[str]) -> int:
        replies, kill_at = 0, self._killed_at.pop(0) if self._killed_at else 0

        def kill(_: Served) -> None:
            nonlocal replies
            replies += 1
            if replies == kill_at:
                os.kill(program.pid, signal.SIGKILL)

        self._served.on_served = kill
        with (self._folder / "said.txt").open("a") as said:
            program = self._programs.start(
                *words, stdout=said, stderr=said, env=environment(self._folder)
            )
        code = program.wait()
        while (
            self._served.in_flight
        ):  # a reply to a program that is dead counts as lost with it, not as sent later
            time.sleep(0.001)
        return code


def ended(run: Path, base: str) -> tuple[Any, set[Any]]:
    """What a run came to: its result, and what was finished and closed, by name."""
    events = list(read_events(run))
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    names = [name for event in events if (name := name_of(event))]
    assert len(names) == len(set(names)), "nothing that was finished was done again"
    return picture(run, base), set(names)


def name_of(event: Event) -> str:
    match event:
        case ProbeJudged(added=None, carried=False):
            return event.probe.id.partition("/")[2]
        case ItemFinished():
            return event.item.id.partition("/")[2]
        case DepthClosed():
            return f"depth {event.row.depth}"
        case ConceptClosed() | TreeClosed() | ProblemClosed():
            return f"part {event.index}"
    return ""


@pytest.mark.parametrize("method", METHODS)
def test_a_run_that_is_killed_ends_like_one_that_is_not(
    method: str, programs: Programs, tmp_path: Path
) -> None:
    words, whole, cut = METHODS[method], tmp_path / "whole", tmp_path / "cut"
    with on_a_thread(partial(faulty_world, method)) as served:
        sit = Sessions(programs, served, whole)
        done = go_on(words(served.base_url, whole), whole, sit, partial(sent_by, served))
        expected = ended(done.run, served.base_url)
    with on_a_thread(partial(faulty_world, method, 0.01)) as served:
        sit = Sessions(programs, served, cut, KILLED_AT[method])
        done = go_on(words(served.base_url, cut), cut, sit, partial(sent_by, served))
        assert ended(done.run, served.base_url) == expected
    assert sum(event.type == "run_resumed" for event in read_events(done.run)) == len(
        KILLED_AT[method]
    )
    assert done.again == 0, "nothing that was kept is asked for again"
    assert len(done.lost) == len(KILLED_AT[method])
    assert max(done.lost) <= IN_FLIGHT, "a kill costs what was in flight, no more"
