"""A journal with a copy: each line goes there once, in order, and is safe there when `emit`
returns."""

import asyncio
import errno
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.run.deps import utc_now
from fathom.state.errors import RunFailed
from fathom.state.events import RunResumed
from fathom.tools.runs.journal import Journal

from ...support.reports import events_of


class Copy:
    """Keeps lines when the test opens the gate."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.begun: list[tuple[str, bytes]] = []
        self.broken = False

    async def __call__(self, run_id: str, line: bytes) -> None:
        self.begun.append((run_id, line))
        await self.gate.wait()
        if self.broken:
            raise RunFailed("The copy failed.")


async def test_lines_are_copied_in_order_and_awaited(tmp_path: Path) -> None:
    copy, path, events = Copy(), tmp_path / "events.jsonl", events_of("drill")[:-1]
    journal = Journal(path, utc_now, copy=copy)
    emitting = asyncio.gather(*map(journal.emit, events))
    for _ in range(5):
        await asyncio.sleep(0)
    assert [
        (events[0].run_id, line) for line in path.read_bytes().splitlines(keepends=True)
    ] == copy.begun
    assert len(copy.begun) == len(events)
    assert not emitting.done()
    copy.gate.set()
    assert None not in await emitting

    copy.broken = True
    with pytest.raises(RunFailed, match="The copy failed"):
        await journal.emit(events[-1])
    journal.close()


async def test_what_a_resumed_run_tells_again_is_not_copied(tmp_path: Path) -> None:
    path, events = tmp_path / "events.jsonl", events_of("drill")[:-1]
    before = Journal(path, utc_now)
    for event in events:
        await before.emit(event)
    before.close()
    copy, size = Copy(), path.stat().st_size
    copy.gate.set()
    journal = Journal(path, utc_now, copy=copy)
    journal.reload()
    resumed = RunResumed(run_id=events[0].run_id, spec=events[0].spec, version="1", probes=9)
    told = [await journal.emit(event) for event in (resumed, *events)]
    journal.close()
    assert told.count(None) > 10
    assert b"".join(line for _, line in copy.begun) == path.read_bytes()[size:]


class Full:
    """A file whose disk is full after half a line, and that cannot be cut."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, line: bytes) -> int:
        if len(line) < 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        return int(self._file.write(line[: len(line) // 2]))

    def truncate(self, size: int) -> int:
        raise OSError(errno.EIO, "Input/output error")


async def test_a_journal_that_ends_within_a_line_takes_nothing_more(tmp_path: Path) -> None:
    path, (first, second, *_) = tmp_path / "events.jsonl", events_of("drill")
    journal = Journal(path, utc_now)
    whole = journal._file
    setattr(journal, "_file", Full(whole))  # noqa: B010
    with pytest.raises(RunFailed, match="cannot be written"):
        await journal.emit(first)
    setattr(journal, "_file", whole)  # noqa: B010
    size = path.stat().st_size
    with pytest.raises(RunFailed, match="ends within a line"):
        await journal.emit(second)
    assert path.stat().st_size == size > 0
    journal.close()
