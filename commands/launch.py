"""Running a launch in front of a person: display on stderr, result on stdout, Ctrl-C, exit code."""

import asyncio
import gc
import os
import shlex
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from ..graphs.method import steps_of
from ..reports.live.display import (
    Display,
    DisplayKind,
    Gauge,
    TreeDisplay,
    default_display,
    make_display,
)
from ..reports.live.screen import stopping_words
from ..reports.page import figures
from ..reports.page.console import stderr_console
from ..reports.page.sanitise import one_line
from ..state.errors import UsageError
from ..state.events import Event, RunResumed, RunStarted
from ..tools.garbage import look_for_garbage_rarely
from .streams import abandon

if TYPE_CHECKING:  # heavy: what only looks at runs starts without it
    from ..graphs.run.launch import Launch, RunReport

DISPLAYS = ("tree", "lines", "events", "none")
WORST_FIRST = (130, 1, 3, 2, 5, 4, 0)
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
T = TypeVar("T")


def pick_display(name: str | None, as_json: bool) -> DisplayKind:
    """The display asked for, or what suits stderr. Raises UsageError for an unknown one or two uses
    of stdout."""
    if name is None:
        return default_display(sys.stderr, os.environ.get("TERM", ""))
    if name not in DISPLAYS:
        raise UsageError(
            f"--display {name!r} does not exist; choose one of {', '.join(DISPLAYS)}."
        )
    if name == "events" and as_json:
        raise UsageError(
            "--json and --display events both write to stdout; choose one of them."
        )
    return name  # type: ignore[return-value]  # one of DISPLAYS


class FaultTolerantDisplay:
    """A display whose stream may break. A run is not lost because nobody looks on; `stop` ends it
    where its events are all that was asked for."""

    def __init__(self, screen: Display, kind: DisplayKind, stop: Callable[[], None]) -> None:
        self._screen = screen
        self._is_events = kind == "events"
        self._stop = stop
        self.broken = False

    def start(self) -> None:
        self._try(self._screen.start)

    def handle(self, update: Any) -> None:
        if not self.broken:
            self._try(lambda: self._screen.handle(update))

    def stop(self) -> None:
        self._try(self._screen.stop)

    def _try(self, action: Callable[[], None]) -> None:
        try:
            action()
        except OSError:
            self.broken = True
            abandon(sys.stdout if self._is_events else sys.stderr)
            if self._is_events:
                self._stop()


def display_of(kind: DisplayKind, gauge: Callable[[], Gauge]) -> Display:
    """The display of this kind for the steps of any method."""
    return make_display(
        kind, console=stderr_console(), stdout=sys.stdout, gauge=gauge, steps_of=steps_of
    )


def run_launch(
    launch: "Launch[Any]",
    display: DisplayKind,
    show: "Callable[[Sequence[RunReport[Any]]], None]",
) -> int:
    """Run to the end and show what came of it. Returns the exit code: of several runs the worst."""
    reports = asyncio.run(_run(launch, display))
    gc.collect()  # what the runs have left in circles makes room for their results
    try:
        show(reports)
    finally:  # what is to be said goes to another stream, whether or not anybody reads this one
        cut = [report for report in reports if _can_go_on(report)]
        for report in reports:
            say(_how_it_ended(report))
        if cut:
            say(_how_to_go_on(launch, cut))
    codes = {report.exit_code for report in reports}
    return next(code for code in WORST_FIRST if code in codes)


async def _run(launch: "Launch[Any]", display: DisplayKind) -> "list[RunReport[Any]]":
    signals = Signals(
        launch.stop, lambda: launch.probes_in_flight, steps_of(launch.specs[0].method).unit
    )

    def gauge() -> Gauge:
        return _gauge(launch, launch.probes_in_flight if signals.is_called else None)

    shown = display_of(display, gauge)
    screen = FaultTolerantDisplay(shown, display, signals.stop)
    signals.in_footer = isinstance(shown, TreeDisplay)
    launch.listen(once_loaded)
    if display != "none":
        launch.listen(screen.handle)
    if isinstance(shown, TreeDisplay):
        for event in launch.history():  # what was finished before it was cut off
            shown.handle(event)
    return await attended(launch.run, screen, signals, display)


@dataclass(slots=True)
class Signals:
    """What Ctrl-C does: the first lets what is in flight come to its end, and says so. `in_flight`
    counts `unit`s."""

    stop: Callable[[], None]
    in_flight: Callable[[], int]
    unit: str
    in_footer: bool = False
    """Whether the screen says so itself."""
    is_called: bool = False

    def __call__(self) -> None:
        self.stop()
        if not self.is_called and not self.in_footer:
            say(stopping_words(self.in_flight(), self.unit))
        self.is_called = True


async def attended(
    work: Callable[[], Awaitable[T]],
    screen: "FaultTolerantDisplay",
    signals: Signals,
    display: DisplayKind,
) -> T:
    """What the work comes to, with its screen, and with signals heard while it goes on."""
    loop = asyncio.get_running_loop()
    for number in STOPPING:
        loop.add_signal_handler(number, signals)
    screen.start()
    try:
        return await work()
    finally:
        screen.stop()
        if screen.broken and display == "events" and signals.unit:
            say(
                f"The events can no longer be written to stdout, so no further {signals.unit} "
                "was begun."
            )
        for number in STOPPING:
            loop.remove_signal_handler(number)


def once_loaded(event: Event) -> None:
    """A listener: with a run's first event everything is loaded."""
    if isinstance(event, RunStarted | RunResumed):
        look_for_garbage_rarely()


def _gauge(launch: "Launch[Any]", stopping: int | None) -> Gauge:
    clients = launch.clients
    if clients is None:
        return Gauge(0, 0, 0, launch.options.limits.connections(), stopping)
    meter = clients.meter
    return Gauge(meter.in_flight, meter.peak, meter.queued, clients.capacity, stopping)


def _how_it_ended(report: "RunReport[Any]") -> str | None:
    """One line for a run that was interrupted or failed; None for one that is complete."""
    if report.status == "complete":
        return None
    lead = "Error" if report.status == "failed" else "Cut off"
    words = f"{lead}: {report.error}"
    if report.status == "interrupted":
        unit = steps_of(report.spec.method).unit
        words = f"Interrupted: {figures.count(report.probes, f'finished {unit}')}."
    return f"{words} What is finished is saved in {report.folder}." if report.folder else words


def _can_go_on(report: "RunReport[Any]") -> bool:
    """Whether there is something that `fathom resume` would not have to begin anew."""
    from ..graphs.run.resume_check import is_over

    if report.folder is None or report.status == "complete":
        return False
    has_begun = report.status in ("interrupted", "partial") or report.probes > 0
    return has_begun and not is_over(report.folder)


def _how_to_go_on(launch: "Launch[Any]", cut: "Sequence[RunReport[Any]]") -> str:
    """The command that goes on with what was not finished."""
    name = launch.id if len(cut) > 1 else cut[0].run_id.rpartition("-")[2]
    runs = launch.options.runs
    option = "" if runs in (None, Path("runs")) else f" --runs {shlex.quote(str(runs))}"
    larger = " --budget USD" if launch.options.budget_usd is not None else " --max-calls CALLS"
    more = larger if any(report.status == "partial" for report in cut) else ""
    return f"Resume: fathom resume {name}{option}{more}"


def say(sentence: str | None) -> None:
    """Tell the person who looks on, if there still is one. Foreign text in it is made harmless."""
    try:
        if sentence is not None:
            stderr_console().print(one_line(sentence), soft_wrap=True)
    except OSError:
        abandon(sys.stderr)


def tell(notices: Sequence[str], display: DisplayKind) -> None:
    """Say on stderr what is to be known beforehand."""
    if display != "none":
        for notice in notices:
            typer.echo(one_line(notice), err=True)
