"""Runs in PostgreSQL: held by one session at a time, journals in order, and nothing written by
whoever was cut off."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.graphs.run.deps import utc_now
from fathom.state.errors import RunFailed, UsageError
from fathom.state.events import Notice
from fathom.tools.runs.folders import EVENTS, LAUNCH, RESULT, SPEC
from fathom.tools.runs.journal import Journal
from fathom.tools.runs.postgres import PostgresRuns

from ...support.postgres import Server, nowhere
from ...support.programs import PIPE, Programs
from ...support.store_child import cell

pytestmark = pytest.mark.xdist_group("postgres")  # one worker starts the server
Open = Callable[[], Awaitable[PostgresRuns]]


@pytest.fixture
async def opened(server: Server) -> AsyncIterator[Open]:
    address, sessions = server.new_database(), list[PostgresRuns]()

    async def open_one() -> PostgresRuns:
        sessions.append(await PostgresRuns.open(address))
        return sessions[-1]

    yield open_one
    for session in sessions:
        await session.aclose()


async def lines_of(runs: PostgresRuns, run_id: str, folder: Path) -> list[str]:
    await runs.fetch(run_id, folder / run_id)
    events = folder / run_id / EVENTS
    return events.read_text().splitlines() if events.exists() else []


async def test_a_run_is_held_by_one_session(opened: Open) -> None:
    one, other = await opened(), await opened()
    assert [
        await one.hold("run"),
        await one.hold("run"),
        await other.hold("run"),
        await other.hold("else"),
    ] == [*(True, True, False, True)]
    await one.release("run")
    await one.release("run")
    assert await other.hold("run")
    assert not await one.hold("run")
    await other.aclose()
    assert await one.hold("run"), "who leaves holds nothing"


async def test_a_hold_that_nobody_waits_for_any_more_is_given_back(opened: Open) -> None:
    one, other = await opened(), await opened()
    assert await one.hold("mine")
    for run in ("run", "mine"):
        holding = asyncio.create_task(one.hold(run))
        await asyncio.sleep(0)
        holding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holding
    await one.read([])  # what was begun is done first
    assert [await other.hold("run"), await other.hold("mine")] == [True, False]


@given(
    steps=st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.booleans()),
        min_size=1,
        max_size=40,
    )
)
def test_whatever_the_interleaving_each_run_has_its_order(
    server: Server, tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, bool]]
) -> None:
    """Appends begin one after the other, with some turns of the loop between; some lose
    patience."""
    folder = tmp_path_factory.mktemp("fetched")

    async def play() -> None:
        runs = await PostgresRuns.open(server.address)
        await asyncio.gather(*map(runs.clear, "abc"))
        appending = []
        for number, (run, turns, cancelled) in enumerate(steps):
            appending.append(asyncio.create_task(runs.append(run, b"%d\n" % number)))
            for _ in range(turns + 1):
                await asyncio.sleep(0)
            if cancelled:
                appending[-1].cancel()
        await asyncio.gather(*appending, return_exceptions=True)
        for run in "abc":
            want = [str(number) for number, step in enumerate(steps) if step[0] == run]
            assert await lines_of(runs, run, folder) == want
        await runs.aclose()

    asyncio.run(play())


async def test_lines_that_wait_go_out_together(
    opened: Open, server: Server, tmp_path: Path
) -> None:
    runs = await opened()
    await asyncio.gather(*(runs.append(f"run-{n % 10}", b"%d\n" % n) for n in range(500)))
    await asyncio.gather(*(runs.append("large", b"x" * 3_000_000 + b"\n") for _ in range(5)))
    query = (
        "SELECT count(DISTINCT xmin::text) FROM fathom_journals GROUP BY run = 'large' ORDER BY "
        "run = 'large'"
    )
    ((small,), (large,)) = await (await runs._connection.execute(query)).fetchall()
    assert small <= 2, "so many writes, not lines"
    assert large > 1, "no more than is good for one write"
    assert [len(line) for line in await lines_of(runs, "large", tmp_path)] == [3_000_000] * 5


async def test_a_connection_that_is_cut_writes_nothing_more(
    opened: Open, server: Server, tmp_path: Path
) -> None:
    runs, safe = await opened(), dict[str, int]()
    names = [f"run-{n}" for n in range(50)]
    assert all([await runs.hold(name) for name in names])
    failures: list[str] = []

    async def play(name: str) -> None:
        for number in range(100_000):
            try:
                await runs.append(name, b"%d\n" % number)
            except RunFailed as error:
                failures.append(str(error))
                return
            safe[name] = number
            if sum(safe.values()) == 5_000:
                cutting.set()

    cutting = asyncio.Event()
    playing = asyncio.gather(*map(play, names))
    await cutting.wait()
    await asyncio.to_thread(server.cut_off)
    await playing
    said = (
        "The database of the runs failed (the connection was closed): see that the server is "
        "running, then run the"
    )
    assert set(failures) == {f"{said} study again."}
    assert runs.broken == "the connection was closed"
    other = await opened()
    while not await other.hold(names[-1]):  # the server tells us before it gives the runs back
        pass
    for name in names:
        assert await other.hold(name)
        lines = await lines_of(other, name, tmp_path)
        assert lines == [str(number) for number in range(len(lines))]
        assert len(lines) > safe[name], "what was called safe is there"
    for late in (
        *(
            lambda: runs.append("run-1", b"late\n"),
            lambda: runs.hold("new"),
            lambda: runs.release("run-1"),
        ),
        *(
            lambda: runs.keep("run-1", RESULT, ""),
            lambda: runs.clear("run-1"),
            lambda: runs.fetch("run-1", tmp_path),
        ),
        *(
            lambda: runs.write([cell(1)]),
            lambda: runs.read([]),
            lambda: runs.began("s", date(2026, 1, 1)),
        ),
    ):
        with pytest.raises(RunFailed, match="the connection was closed"):
            await late()
    await runs.aclose()


async def test_a_session_that_is_closed_first_writes_what_was_begun(
    opened: Open, tmp_path: Path
) -> None:
    runs = await opened()
    waiting = [asyncio.create_task(runs.append("run", b"%d\n" % number)) for number in range(5)]
    await asyncio.sleep(0)
    await runs.aclose()
    await asyncio.gather(*waiting)
    assert len(await lines_of(await opened(), "run", tmp_path)) == 5
    with pytest.raises(RunFailed, match="it was closed"):
        await runs.append("run", b"late\n")


async def test_a_killed_process_leaves_its_lines_and_its_run(
    programs: Programs, server: Server, tmp_path: Path
) -> None:
    address = server.new_database()
    words = (address, "run", "0", "100000")
    process = programs.start(
        *words, function="tests.support.store_child:main", stdout=PIPE, stderr=PIPE
    )
    assert process.stdout is not None
    for _ in range(50):
        process.stdout.readline()
    runs = await PostgresRuns.open(address)
    assert not await runs.hold("run")
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    while not await runs.hold("run"):  # the server notices
        pass
    lines = await lines_of(runs, "run", tmp_path)
    assert lines == [str(number) for number in range(len(lines))]
    assert len(lines) > max([48, *map(int, rest.split()[:-1])])
    await runs.aclose()


async def test_a_folder_becomes_what_the_database_has(opened: Open, tmp_path: Path) -> None:
    one, other, stale = await opened(), await opened(), tmp_path / "stale"
    texts = {SPEC: '{"a": "π \0 🧪"}\n', LAUNCH: "{}\n", RESULT: "old"}
    for name, text in texts.items():
        await one.keep("run", name, text)
    await one.append("run", b"gone\n")
    await one.clear("run")
    await one.append("run", '{"text":"½\\u0000\'%s"}\n'.encode())
    await one.append("run", b"\0\xff{}\n")
    await one.keep("run", RESULT, "new")
    stale.mkdir()
    for name in (SPEC, EVENTS, "log.jsonl"):
        (stale / name).write_text("stale")
    assert await other.fetch("run", stale)
    assert await other.fetch("run", tmp_path / "new" / "run")
    want = {name: text.encode() for name, text in texts.items()} | {
        RESULT: b"new",
        EVENTS: '{"text":"½\\u0000\'%s"}\n'.encode() + b"\0\xff{}\n",
    }
    assert {
        path.name: path.read_bytes() for path in (tmp_path / "new" / "run").iterdir()
    } == want
    assert {path.name: path.read_bytes() for path in stale.iterdir()} == want | {
        "log.jsonl": b"stale"
    }

    await one.keep("begun", SPEC, "half \udcff")
    assert await other.fetch("begun", stale)
    assert {path.name: path.read_text() for path in stale.iterdir()} == {
        SPEC: "half ?",
        "log.jsonl": "stale",
    }
    assert not await other.fetch("unknown", stale)
    assert not await other.fetch("unknown", tmp_path / "none")
    assert len(list(stale.iterdir())) == 2
    assert not (tmp_path / "none").exists()
    with pytest.raises(
        UsageError, match=r"The run folder .* cannot be written \(Not a directory\)"
    ):
        await other.fetch("run", stale / SPEC / "below")
    with pytest.raises(ValueError, match="none of spec"):
        await one.keep("run", EVENTS, "")


async def test_no_line_outlives_the_journal_it_was_meant_for(
    opened: Open, tmp_path: Path
) -> None:
    runs = await opened()
    lost = asyncio.create_task(runs.append("run", b"old\n"))
    await asyncio.sleep(0)
    lost.cancel()
    await runs.clear("run")
    assert await lines_of(runs, "run", tmp_path) == []
    old = [runs.append("run", b"old\n") for _ in range(3)]
    await asyncio.gather(
        *old[:2],
        runs.append("other", b"1\n"),
        old[2],
        runs.clear("run"),
        runs.append("run", b"new\n"),
    )
    assert await lines_of(runs, "run", tmp_path) == ["new"]


async def test_a_journal_and_its_copy_are_the_same(
    opened: Open, server: Server, tmp_path: Path
) -> None:
    runs, path = await opened(), tmp_path / EVENTS
    journal = Journal(path, utc_now, copy=runs.append)
    await asyncio.gather(
        *(
            journal.emit(Notice(run_id="run", level="info", message=f"{n}\0π"))
            for n in range(50)
        )
    )
    lines = path.read_text().splitlines()
    assert len(lines) == 50
    assert await lines_of(runs, "run", tmp_path) == lines
    await asyncio.to_thread(server.cut_off)
    with pytest.raises(RunFailed, match="the connection was closed"):
        await journal.emit(Notice(run_id="run", level="info", message="late"))
    assert len(await lines_of(await opened(), "run", tmp_path / "other")) == 50
    journal.close()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((":{port}/", ":1/"), "nobody listens at its address"),
        (("fathom:canary", "fathom:other-canary"), "it refuses the user or the password"),
        (("{port}/fathom", "{port}/elsewhere"), "it has no such user or database"),
        (("%2F", "/"), "its address cannot be read"),
    ],
    ids=["port", "password", "database", "slash"],
)
async def test_an_address_that_is_wrong(
    server: Server, change: tuple[str, str], reason: str
) -> None:
    old, new = (part.format(port=server.port) for part in change)
    address = server.address.replace(old, new)
    assert address != server.address
    with pytest.raises(
        UsageError, match=f"The database of the runs cannot be used: {reason}.*Check .*--store"
    ) as said:
        await PostgresRuns.open(address)
    nowhere(f"{said.value!r} {said.value.__cause__!r}")


async def test_a_database_that_cannot_hold_every_text(server: Server) -> None:
    address = server.new_database("ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(UsageError, match="is in LATIN1: make one with ENCODING 'UTF8'"):
        await PostgresRuns.open(address)


async def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(
        UsageError, match=r"^--store postgresql://… needs the extra: .*\[postgres\]"
    ):
        await PostgresRuns.open("postgresql:///runs")


async def test_what_a_database_names_stays_in_the_folder_of_the_runs(
    opened: Open, tmp_path: Path
) -> None:
    """Others write there too: a file that no run has is not written, and a run that is a path is
    not read."""
    runs, row = await opened(), ("run", "../../x", b"theirs")
    await runs.write([cell(1, run="run")])
    await runs._ask("INSERT INTO fathom_files VALUES (%s, %s, %s)", row)
    with pytest.raises(UsageError, match=r"has a file '\.\./\.\./x' for the run run"):
        await runs.fetch("run", tmp_path / "a" / "b")
    assert not (tmp_path / "a").exists()
    await runs._ask(
        'UPDATE fathom_cells SET record = replace(record, \'"run":"run"\', \'"run":"../run"\')',
        (),
    )
    with pytest.raises(UsageError, match="named by one folder"):
        await runs.read([cell(1).cell])
