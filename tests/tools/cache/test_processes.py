"""One cache under several processes, and under a process that is killed in the middle of
writing."""

import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from fathom.tools.cache.store import Store, cache_info

from ...support.cached import PlacedChat, ask, cached, noon
from ...support.programs import PIPE, Program, Programs

COUNT = 400


Child = Callable[..., Program]


@pytest.fixture
def child(programs: Programs) -> Child:
    def start(path: Path, run_id: str, first: int = 0, count: int = COUNT) -> Program:
        words = [str(path), run_id, str(first), str(count)]
        return programs.start(
            *words, function="tests.support.cache_child:main", stdout=PIPE, stderr=PIPE
        )

    return start


def ended(process: Program) -> list[str]:
    with process:
        out, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    return out.splitlines()


def rows(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        found: list[tuple[str, str]] = connection.execute(
            "SELECT key, run_id FROM entries"
        ).fetchall()
        return found


def test_processes_that_begin_with_one_new_file_at_once_write_it_together(
    child: Child, tmp_path: Path
) -> None:
    path = tmp_path / "fathom" / "cache.sqlite"
    # the second half of the first one's questions is the first half of the other's
    said = [
        ended(process)
        for process in [child(path, "a"), child(path, "b", COUNT // 2), child(path, "c")]
    ]
    keys = {
        line.split()[0] for lines in said for line in lines if line.endswith(("True", "False"))
    }
    assert [lines[-1] for lines in said] == ["trouble None"] * 3
    kept = rows(path)
    assert len(kept) == len(keys) == COUNT + COUNT // 2
    assert {key for key, _ in kept} == keys
    assert len({run for _, run in kept}) >= 2


async def test_what_a_killed_process_called_safe_is_there(child: Child, tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    process = child(path, "killed", count=100_000)
    assert process.stdout is not None
    safe = [process.stdout.readline().split()[0] for _ in range(300)][1:]
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    # the first line may lack what had been read ahead of it
    safe += [
        line.split()[0]
        for line in rest.splitlines()
        if line.endswith("False") and len(line.split()[0]) == 64
    ]
    assert process.returncode == -signal.SIGKILL
    assert set(safe) <= {key for key, _ in rows(path)}

    store, inner = await Store.open(path, now=noon), PlacedChat()
    resumed = await cached(inner, store, "killed").complete(ask("question 0"))
    await store.aclose()
    assert (inner.calls, resumed.cached, resumed.cost_usd) == (0, False, 0.002)


def test_clearing_does_not_disturb_a_process_that_writes(child: Child, tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    process = child(path, "a", count=2000)
    assert process.stdout is not None
    for _ in range(100):
        process.stdout.readline()
    removed = cache_info(path, clear=True)
    lines = ended(process)
    assert (
        0 < removed.replies < 2000
    )  # it was not finished: what it says fills the pipe until somebody reads
    assert lines[-1] == "trouble None"
    assert len(rows(path)) == 2000 - removed.replies


async def test_a_process_that_ends_does_not_take_the_log_of_the_others_with_it(
    child: Child, tmp_path: Path
) -> None:
    path = tmp_path / "cache.sqlite"
    store = await Store.open(path, now=noon)
    assert ended(child(path, "b", count=5))[-1] == "trouble None"
    log = path.with_name("cache.sqlite-wal")
    assert log.exists(), "this process still has the file open"
    await cached(PlacedChat(), store, "a").complete(ask("after the other ended"))
    assert len(rows(path)) == 6
    await store.aclose()
    assert len(rows(path)) == 6
