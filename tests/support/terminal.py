"""A program on a real pseudo-terminal, and the screen a person would see, cell by cell."""

import os
import select
import termios
import time
from collections.abc import Callable
from typing import Any

import pyte

from .programs import Programs

CTRL_C = b"\x03"


class Terminal:
    """Runs a program on a pseudo-terminal of that size and keeps the screen it draws."""

    def __init__(
        self, programs: Programs, *words: str, width: int, height: int, **options: Any
    ) -> None:
        self.screen = pyte.HistoryScreen(width, height, history=5000)
        self._stream = pyte.ByteStream(self.screen)
        self._said = b""
        self._ours, theirs = os.openpty()
        termios.tcsetwinsize(theirs, (height, width))
        self._program = programs.start(
            *words, stdin=theirs, stdout=theirs, stderr=theirs, **options
        )
        os.close(theirs)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self._program.__exit__()
        os.close(self._ours)

    @property
    def raw(self) -> str:
        """All it wrote."""
        return self._said.decode()

    @property
    def rows(self) -> list[str]:
        """What stands on the screen, one text per row."""
        return [row.rstrip() for row in self.screen.display]

    @property
    def scrolled(self) -> list[str]:
        """Rows that were pushed off the top."""
        width = self.screen.columns
        return [
            "".join(row[column].data for column in range(width)).rstrip()
            for row in self.screen.history.top
        ]

    def until(self, seen: Callable[[list[str]], bool], *, timeout_s: float = 60.0) -> list[str]:
        """Read until the rows satisfy `seen`; returns them. Fails with the screen when they never
        do."""
        deadline = time.monotonic() + timeout_s
        while not seen(self.rows):
            assert time.monotonic() < deadline, "never seen:\n" + "\n".join(self.rows)
            if not self._read():
                assert seen(self.rows), "the program ended; never seen:\n" + "\n".join(
                    self.scrolled + self.rows
                )
        return self.rows

    def end(self, *, timeout_s: float = 60.0) -> int:
        """Read to the end of the program; returns its exit code."""
        deadline = time.monotonic() + timeout_s
        while self._read():
            assert time.monotonic() < deadline, "still running:\n" + "\n".join(self.rows)
        return self._program.wait()

    def press(self, key: bytes) -> None:
        os.write(self._ours, key)

    def resize(self, width: int, height: int) -> None:
        """Change the size as a person does who drags the window's corner; what was on the screen is
        reflowed away."""
        self.screen.resize(height, width)
        self.screen.reset()
        termios.tcsetwinsize(self._ours, (height, width))

    def _read(self) -> bool:
        if not select.select([self._ours], [], [], 0.2)[0]:
            return True
        try:
            said = os.read(self._ours, 65536)
        except OSError:  # the other end was closed
            return False
        self._said += said
        self._stream.feed(said)
        return bool(said)
