"""The index of a campaign in a file and in PostgreSQL: what it keeps, for several processes, and
what it says when it cannot."""

import asyncio
import signal
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from fathom.state.errors import RunFailed, UsageError
from fathom.tools.runs.index import NAME, FileIndex, Index, open_index

from ...support.postgres import Server
from ...support.programs import PIPE, Program, Programs
from ...support.store_child import cell

pytestmark = pytest.mark.xdist_group("postgres")  # one worker starts the server
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
Open = Callable[[], Awaitable[Index]]


@pytest.fixture(params=["file", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A folder, or the address of an empty database."""
    if request.param == "file":
        return str(tmp_path / "new" / "runs")
    server: Server = request.getfixturevalue("server")
    return server.new_database()


@pytest.fixture
async def opened(where: str) -> AsyncIterator[Open]:
    """Opens the index, as another process would."""
    indexes: list[Index] = []

    async def open_one() -> Index:
        place = (None, where) if where.startswith("postgresql:") else (Path(where), None)
        indexes.append(await open_index(*place))
        return indexes[-1]

    yield open_one
    for index in indexes:
        await index.aclose()


async def test_what_is_written_replaces_what_was_there_and_is_read_anywhere(
    opened: Open,
) -> None:
    here, elsewhere = await opened(), await opened()
    first = [
        cell(number, status="failed", error="It failed.", changed=NOON) for number in range(300)
    ]
    for _ in range(3):  # in opposite orders, and neither waits for ever
        await asyncio.gather(here.write(first), elsewhere.write(reversed(first)))
    # the last one of a call counts
    changed = cell(
        7,
        status="complete",
        figure=3.5,
        interval=(2.0, 5.0),
        usd=None,
        seed=-1,
        run="r",
        attempts=2,
    )
    await elsewhere.write(iter([cell(7, status="waiting"), changed]))
    await elsewhere.write([])
    found = await here.read([state.cell for state in first] + ["unknown"])
    assert found == {state.cell: state for state in first} | {changed.cell: changed}
    assert await here.read([]) == {}
    await here.write(
        [cell(7, run="another"), cell(8, run="another")]
    )  # one that begins it in the same moment
    found = await elsewhere.read([changed.cell, cell(8).cell])
    assert {state.run: state.figure for state in found.values()} == {"r": 3.5, "another": None}


HOSTILE = [
    "NUL \0 in it",
    'it\'s "quoted", {1}, \\N, %s and ?',
    "π 🧪 \u202e",
    "x" * 2**20,
    "'; DROP TABLE fathom_cells; --",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
async def test_any_text_is_kept_as_it_is(opened: Open, text: str) -> None:
    index, state = (
        await opened(),
        cell(1, domain=text, target=text, error=text, figure=float("inf")),
    )
    await index.write([state])
    assert await index.read([state.cell]) == {state.cell: state}
    assert [await index.began(text[:200], date(year, 1, 1)) for year in (2026, 2027)] == [
        date(2026, 1, 1)
    ] * 2


async def test_half_a_surrogate_pair_costs_a_sign_and_not_the_cell(opened: Open) -> None:
    index = await opened()
    await index.write([cell(1, error="no file b\udcffd.csv")])
    assert (await index.read(["00000001"]))["00000001"].error == "no file b?d.csv"


async def test_a_study_keeps_the_date_of_its_first_run(opened: Open) -> None:
    here, elsewhere = await opened(), await opened()
    dates = [date(2026, 1, day) for day in range(1, 9)]
    said = await asyncio.gather(
        *(index.began("a", day) for index in (here, elsewhere) for day in dates)
    )
    assert len(set(said)) == 1
    assert await elsewhere.began("a", date(2030, 1, 1)) == said[0]
    assert await elsewhere.began("b", date(2030, 1, 1)) == date(2030, 1, 1)


@pytest.fixture
def child(programs: Programs, where: str) -> Callable[..., Program]:
    def start(name: str, first: int, count: int) -> Program:
        words = [where, name, str(first), str(count)]
        return programs.start(
            *words, function="tests.support.store_child:main", stdout=PIPE, stderr=PIPE
        )

    return start


async def test_processes_write_one_new_index_together(
    child: Callable[..., Program], opened: Open
) -> None:
    began = set()
    for process in [
        child(name, first, 40) for name, first in (("a", 0), ("bb", 20), ("ccc", 20))
    ]:
        with process:
            out, err = process.communicate()
        assert (process.returncode, err) == (0, "")
        began.add(out.split()[0])
    assert len(began) == 1, "they agree on when the study began"
    found = await (await opened()).read([cell(number).cell for number in range(61)])
    assert len(found) == 61
    assert {state.run for state in found.values()} <= {"a", "bb", "ccc"}


async def test_what_a_killed_process_called_safe_is_there(
    child: Callable[..., Program], opened: Open
) -> None:
    process = child("killed", 0, 100_000)
    assert process.stdout is not None
    for _ in range(100):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    rest, _ = process.communicate()
    assert process.wait() == -signal.SIGKILL
    last = max([98, *map(int, rest.split()[:-1])])
    found = await (await opened()).read([cell(number).cell for number in range(last + 1)])
    assert len(found) == last + 1


async def test_somebody_can_look_with_sql(tmp_path: Path) -> None:
    index = await FileIndex.open(tmp_path)
    await index.write(
        [
            cell(1, status="failed", error="No \0 key.", attempts=2, run="r", changed=NOON),
            cell(2),
        ]
    )
    with closing(sqlite3.connect(tmp_path / NAME)) as connection:
        query = (
            "SELECT cell, status, run, attempts, error, changed FROM fathom_cells WHERE status = "
            "'failed'"
        )
        assert connection.execute(query).fetchall() == [
            ("00000001", "failed", "r", 2, "No ␀ key.", "2026-11-20T12:00:00+00:00")
        ]
        connection.execute(
            """UPDATE fathom_cells SET record = '{"cell": "00000002", "novel": 1}' WHERE run = ''"""
        )
        connection.commit()
    with pytest.raises(
        UsageError,
        match=r"not of this version of Fathom \(method: it is missing\): update Fathom",
    ):
        await index.read(["00000002"])
    await index.aclose()


def garbage(path: Path) -> None:
    path.write_bytes(
        b"this was never a database, and is longer than a header of one hundred bytes" * 20
    )


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mail (body TEXT)")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            garbage,
            (
                r"The index of cells .*cells\.sqlite is damaged .*: remove it, or choose another "
                r"folder with --runs\.$"
            ),
        ),
        (
            foreign,
            (
                r"cells\.sqlite is a database of another program, not a Fathom index of cells: "
                r"choose another folder"
            ),
        ),
        (
            Path.mkdir,
            r"The index of cells .* cannot be written \(unable to open database file\)",
        ),
    ],
)
async def test_a_file_that_is_no_index_is_refused(
    tmp_path: Path, make: Callable[[Path], None], said: str
) -> None:
    make(tmp_path / NAME)
    with pytest.raises(UsageError, match=said):
        await open_index(tmp_path, None)
    with pytest.raises(UsageError, match="No place for the cells is named"):
        await open_index(None, None)


async def test_trouble_with_the_file_is_one_sentence(tmp_path: Path) -> None:
    index = await FileIndex.open(tmp_path)
    await index.write([cell(1)])
    pages = index._connection.execute("PRAGMA page_count").fetchall()[0][0]
    index._connection.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(RunFailed, match=r"cannot be written \(database or disk is full\): fix"):
        await index.write(
            [cell(1, attempts=9), *(cell(number, error="x" * 900) for number in range(2, 200))]
        )
    assert await index.read(["00000001", "00000002"]) == {"00000001": cell(1)}, "all or none"
    (tmp_path / NAME).unlink()
    with pytest.raises(RunFailed, match=r"cannot be written \(No such file or directory\)"):
        await index.write([cell(1)])
    await index.aclose()
