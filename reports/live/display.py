"""Four readers of the event stream while it flows: a live tree, lines, JSON lines, nothing."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Literal, Protocol, TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.control import Control
from rich.live import Live
from rich.text import Text

from ...state.events import EVENT, Event
from ..page.rows import Fitted
from ..page.sanitise import inert_json
from ..views.steps import Steps
from .lines import line_for
from .screen import Gauge, Progress, frame

__all__ = ["DisplayKind", "Display", "Gauge", "default_display", "make_display"]  # noqa: RUF022 - reading order

DisplayKind = Literal["tree", "lines", "events", "none"]


class Display(Protocol):
    """Shows runs while they go on, by their events, or a campaign, by the newest states of its
    cells. `handle` may be called before `start` and after `stop`; both may be repeated."""

    def start(self) -> None: ...

    def handle(self, told: Any, /) -> None: ...

    def stop(self) -> None: ...


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


def default_display(stream: TextIO, term: str) -> DisplayKind:
    """What a reader of `stream` gets unasked: a terminal the tree, a pipe or a dumb terminal
    (`$TERM`) lines."""
    return "tree" if stream.isatty() and term not in ("dumb", "unknown", "") else "lines"


def make_display(
    kind: DisplayKind,
    *,
    console: Console,
    stdout: TextIO,
    gauge: Callable[[], Gauge],
    steps_of: Callable[[str], Steps],
    now: Callable[[], datetime] = utc_now,
) -> Display:
    """A display of that kind. `console` writes to stderr; `stdout` takes the JSON lines of
    `events`; `steps_of`: by method, how the steps of its runs are shown.

    A tree needs a terminal that can be redrawn: on any other it becomes lines.
    """
    if kind == "none":
        return NoDisplay()
    if kind == "events":
        return EventsDisplay(stdout)
    return (
        TreeDisplay(console, gauge, steps_of, now)
        if kind == "tree" and can_redraw(console)
        else LinesDisplay(console, steps_of)
    )


class NoDisplay:
    """Shows nothing."""

    def start(self) -> None: ...

    def handle(self, told: object, /) -> None: ...

    def stop(self) -> None: ...


class EventsDisplay:
    """Each event as one line of JSON, flushed, so that a reader of the pipe is never behind."""

    def __init__(self, stdout: TextIO) -> None:
        self._stdout = stdout

    def start(self) -> None: ...

    def handle(self, event: Event) -> None:
        self._stdout.write(inert_json(EVENT.dump_json(event, by_alias=True).decode()) + "\n")
        self._stdout.flush()

    def stop(self) -> None:
        self._stdout.flush()


def print_line(console: Console, line: Text) -> None:
    """Never wrapped, so that a line stays a line in a log."""
    console.print(line, soft_wrap=True, highlight=False)


class LinesDisplay:
    """One line per finished step and milestone."""

    def __init__(self, console: Console, steps_of: Callable[[str], Steps]) -> None:
        self._console = console
        self._progress = Progress(steps_of)

    def start(self) -> None: ...

    def handle(self, event: Event) -> None:
        line = line_for(event, self._progress.apply(event))
        if line is not None:
            print_line(self._console, line)

    def stop(self) -> None: ...


FRAMES_PER_SECOND = 5


def can_redraw(console: Console) -> bool:
    """Whether it is a terminal on which rows can be drawn again in place."""
    return console.is_terminal and not console.is_dumb_terminal


class Redrawn(ABC):
    """A live screen. What it is told only changes what is known, under `_lock`; frames are drawn on
    their own."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._size = console.size
        self._started = False
        self._live = Live(
            self,
            console=console,
            refresh_per_second=FRAMES_PER_SECOND,
            vertical_overflow="crop",
            get_renderable=self._next_frame,
            redirect_stdout=False,  # rich would send it to stderr, and stdout carries the result
        )

    @abstractmethod
    def frame(self, height: int) -> Fitted:
        """The frame now, in at most so many lines. Called with `_lock` held."""

    def start(self) -> None:
        self._started = True
        self._live.start(refresh=True)

    def refresh(self) -> None:
        """Draw a frame now."""
        self._live.refresh()

    def stop(self) -> None:
        self._live.stop()
        self._started = False

    def _next_frame(self) -> "Redrawn":
        # A terminal that was resized has reflowed the old frame: its lines can no longer be counted
        # and rewritten.
        if self._started and self._console.size != self._size:
            self._console.control(Control.home(), Control.clear())
        self._size = self._console.size
        return self

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        with self._lock:
            screen = self.frame(max(1, console.height - 1))
        yield screen


class TreeDisplay(Redrawn):
    """The live screen of runs. Events only change the board."""

    def __init__(
        self,
        console: Console,
        gauge: Callable[[], Gauge],
        steps_of: Callable[[str], Steps],
        now: Callable[[], datetime],
    ) -> None:
        super().__init__(console)
        self._gauge = gauge
        self._now = now
        self._progress = Progress(steps_of)

    def handle(self, event: Event) -> None:
        with self._lock:
            self._progress.apply(event)

    def frame(self, height: int) -> Fitted:
        return frame(self._progress, self._gauge(), self._now(), height)
