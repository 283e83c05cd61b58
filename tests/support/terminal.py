"""A program on a real pseudo-terminal, and the screen a person would see, cell by cell."""

import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType

import pexpect
import pyte


class Terminal:
    """Runs a program on a pseudo-terminal of that size and keeps the screen it draws."""

    def __init__(self, argv: Sequence[str], *, width: int, height: int, env: dict[str, str]) -> None:
        self.screen = pyte.HistoryScreen(width, height, history=5000)
        self._stream = pyte.Stream(self.screen)
        self.raw = ""
        self.child = pexpect.spawn(argv[0], list(argv[1:]), dimensions=(height, width), env=env, encoding="utf-8")

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.child.close(force=True)

    @property
    def rows(self) -> list[str]:
        """What stands on the screen, one text per row."""
        return [row.rstrip() for row in self.screen.display]

    @property
    def scrolled(self) -> list[str]:
        """Rows that were pushed off the top."""
        width = self.screen.columns
        return ["".join(row[column].data for column in range(width)).rstrip() for row in self.screen.history.top]

    def until(self, seen: Callable[[list[str]], bool], *, timeout_s: float = 60.0) -> list[str]:
        """Read until the rows satisfy `seen`; returns them. Fails with the screen when they never do."""
        deadline = time.monotonic() + timeout_s
        while not seen(self.rows):
            assert time.monotonic() < deadline, "never seen:\n" + "\n".join(self.rows)
            if not self._read():
                assert seen(self.rows), "the program ended; never seen:\n" + "\n".join(self.scrolled + self.rows)
        return self.rows

    def end(self, *, timeout_s: float = 60.0) -> int | None:
        """Read to the end of the program; returns its exit code."""
        deadline = time.monotonic() + timeout_s
        while self._read():
            assert time.monotonic() < deadline, "still running:\n" + "\n".join(self.rows)
        self.child.close()
        return self.child.exitstatus

    def resize(self, width: int, height: int) -> None:
        """Change the size as a person does who drags the window's corner; what was on the screen is reflowed away."""
        self.screen.resize(height, width)
        self.screen.reset()
        self.child.setwinsize(height, width)

    def _read(self) -> bool:
        try:
            text = self.child.read_nonblocking(65536, timeout=0.2)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += text
        self._stream.feed(text)
        return True


def python(*words: str) -> list[str]:
    """The command that runs this interpreter with these words."""
    return [sys.executable, *words]
