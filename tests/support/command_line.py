"""The command line for tests: called in this process, or as the installed program; servers on a
thread beside it."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import pytest

from fathom.cli import main
from fathom.sim.server import RunningWorld, Timing, start
from fathom.state.spec import WorldSpec

from .screen import active_characters

T = TypeVar("T")
PROGRAM = str(Path(sys.executable).with_name("fathom"))
STUDENT = ["--target", "sim:student", "--evaluator", "sim:evaluator"]
SMALL = ["-n", "3", "--max-depth", "2"]


@dataclass(frozen=True)
class Said:
    """What a command left behind."""

    code: int
    out: str
    err: str


class Caller:
    """Calls the command line in this process, from an empty working folder and with no settings
    from outside."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        for name in os.environ:
            if (name.startswith("FATHOM_") and name != "FATHOM_CACHE") or name.endswith(
                ("_API_KEY", "_BASE_URL")
            ):
                monkeypatch.delenv(name)
        monkeypatch.setenv("COLUMNS", "120")
        monkeypatch.chdir(folder)

    def __call__(self, *words: str) -> Said:
        self._monkeypatch.setattr(sys, "argv", ["fathom", *words])
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        said = self._capsys.readouterr()
        code = end.value.code
        return Said(code if isinstance(code, int) else 0, said.out, said.err)

    @property
    def runs(self) -> list[Path]:
        """The run folders in the working folder's `runs`, by name."""
        return sorted(path for path in (self.folder / "runs").glob("*") if path.is_dir())


@contextmanager
def on_a_thread(make: Callable[[], AbstractAsyncContextManager[T]]) -> Iterator[T]:
    """An async context manager kept open on an event loop of its own, while the program runs on
    this thread's."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def wait_for(coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result(20)

    try:
        manager = make()
        value: T = wait_for(manager.__aenter__())
        try:
            yield value
        finally:
            wait_for(manager.__aexit__(None, None, None))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(20)
        loop.close()


@asynccontextmanager
async def world(timing: Timing = Timing(), port: int = 0) -> Any:  # noqa: B008  # frozen
    """The simulated world as `fathom sim` serves it."""
    running: RunningWorld = await start(WorldSpec(), timing, port=port)
    try:
        yield running
    finally:
        await running.aclose()


def assert_refused(call: Caller, words: list[str], *parts: str) -> None:
    """The words are refused in one sentence that has the parts, and leave nothing behind."""
    before = sorted(call.folder.rglob("*"))
    said = call(*words)
    assert (said.code, said.out) == (2, ""), said
    assert said.err.count("\n") == 1, said.err
    assert said.err.startswith("Error: ")
    assert said.err.endswith((".\n", "?\n"))
    assert not active_characters(said.err)
    for part in parts:
        assert part in said.err, said.err
    assert sorted(call.folder.rglob("*")) == before
