"""Rows that are drawn again in place, a few times a second, from a thread of their own."""

import threading
from abc import ABC, abstractmethod

from rich.console import Console, ConsoleOptions, RenderResult
from rich.control import Control
from rich.live import Live

from ..page.rows import Row, segments

FRAMES_PER_SECOND = 5


def can_redraw(console: Console) -> bool:
    """Whether it is a terminal on which rows can be drawn again in place."""
    return console.is_terminal and not console.is_dumb_terminal


class Redrawn(ABC):
    """A live screen. What it is told only changes what is known, under `_lock`; frames are drawn on
    their own."""

    def __init__(self, console: Console, frames_per_second: float = FRAMES_PER_SECOND) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._size = console.size
        self._started = False
        self._live = Live(
            self,
            console=console,
            refresh_per_second=frames_per_second,
            vertical_overflow="crop",
            get_renderable=self._next_frame,
            redirect_stdout=False,  # rich would send it to stderr, and stdout carries the result
        )

    @abstractmethod
    def rows(self, width: int, height: int) -> list[Row]:
        """The frame now, in at most so many cells and rows. Called with `_lock` held."""

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
        width, height = console.size
        with self._lock:
            rows = self.rows(width, max(1, height - 1))
        yield from segments(rows)
