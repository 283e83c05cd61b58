"""The cache's file: where it is, who may read it, which ones are refused, and trouble with it under
a run."""

import asyncio
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from fathom.state.errors import UsageError
from fathom.tools.cache.store import Store, cache_info, cache_path, connect
from fathom.tools.models.model import reply_key

from ...support.cached import PlacedChat, ask, cached, noon


@pytest.mark.parametrize(
    ("env", "path"),
    [
        ({"FATHOM_CACHE": "/data/c.db", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/data/c.db"),
        ({"FATHOM_CACHE": "/", "HOME": "/h"}, "/cache.sqlite"),
        ({"FATHOM_CACHE": "/data/new/", "HOME": "/h"}, "/data/new/cache.sqlite"),
        ({"FATHOM_CACHE": " ", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/fathom/cache.sqlite"),
        ({"XDG_CACHE_HOME": "not/absolute", "HOME": "/h"}, "/h/.cache/fathom/cache.sqlite"),
        ({"HOME": "/h"}, "/h/.cache/fathom/cache.sqlite"),
    ],
)
def test_where_the_cache_is(env: dict[str, str], path: str) -> None:
    assert cache_path(env) == Path(path)


async def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "fathom" / "cache.sqlite"
    store = await Store.open(path, now=noon)
    await cached(PlacedChat(), store).complete(ask())
    rights = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    await store.aclose()
    assert rights == {
        "cache.sqlite": 0o600,
        "cache.sqlite-wal": 0o600,
        "cache.sqlite-shm": 0o600,
    }
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def refused(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        await Store.open(path, now=noon)
    return str(caught.value)


async def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    path.write_bytes(
        b"this was never a database, and is longer than a header of one hundred bytes" * 20
    )
    before = path.read_bytes()
    said = await refused(path)
    assert f"{path} is damaged" in said
    assert "remove it, or set FATHOM_CACHE" in said
    assert path.read_bytes() == before


async def test_a_torn_file_is_refused_or_read_as_empty_but_never_fails_a_run(
    tmp_path: Path,
) -> None:
    path = tmp_path / "cache.sqlite"
    store = await Store.open(path, now=noon)
    for n in range(300):
        await cached(PlacedChat(), store).complete(ask(str(n)))
    await store.aclose()
    whole = path.read_bytes()
    assert len(whole) > 50_000
    path.write_bytes(whole[:8192] + os.urandom(len(whole) - 8192))
    torn = await Store.open(path, now=noon)
    replies = [
        await cached(PlacedChat(), torn, "run-b").complete(ask(str(n))) for n in range(300)
    ]
    await torn.aclose()
    assert {reply.text for reply in replies} == {"Neon."}
    assert torn.trouble is not None
    assert "malformed" in torn.trouble


FIRST_FORMAT = """
CREATE TABLE replies (key TEXT PRIMARY KEY, place TEXT, model TEXT, purpose TEXT, reply TEXT,
  input_tokens INTEGER, output_tokens INTEGER, cost_usd REAL, created_at TEXT, run_id TEXT);
CREATE INDEX replies_of_run ON replies (run_id);
CREATE TABLE lookups (key TEXT PRIMARY KEY, source TEXT, place TEXT, tier TEXT, concept TEXT,
  found TEXT, retrieved_at TEXT);
PRAGMA application_id=1178686536; PRAGMA user_version=1
"""


async def test_a_file_of_the_first_format_keeps_its_replies(tmp_path: Path) -> None:
    new, old = tmp_path / "new.sqlite", tmp_path / "old.sqlite"
    store = await Store.open(new, now=noon)
    await cached(PlacedChat(), store).complete(ask())
    await store.aclose()
    with closing(sqlite3.connect(new)) as connection:
        ((key, value),) = connection.execute("SELECT key, value FROM entries").fetchall()
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.executescript(FIRST_FORMAT)
        row = (key, "p", "m", "answer", value, 1, 1, 0.0, "2026-01-01", "run-a")
        connection.execute(f"INSERT INTO replies VALUES ({', '.join('?' * 10)})", row)
    for _ in range(2):
        store, chat = await Store.open(old, now=noon), PlacedChat()
        assert (await cached(chat, store, "run-b").complete(ask())).cached
        await store.aclose()
        assert store.trouble is None


async def test_a_file_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA user_version=99")
    said = await refused(path)
    assert "is of a newer Fathom (format 99" in said
    assert "update Fathom" in said


OLD = """
CREATE TABLE replies (key TEXT PRIMARY KEY, place TEXT, model TEXT, purpose TEXT, reply TEXT, input_tokens INTEGER,
  output_tokens INTEGER, cost_usd REAL, created_at TEXT, run_id TEXT);
CREATE INDEX replies_of_run ON replies (run_id);
CREATE TABLE lookups (key TEXT PRIMARY KEY, source TEXT, place TEXT, tier TEXT, concept TEXT, found TEXT,
  retrieved_at TEXT);
INSERT INTO lookups VALUES ('k', 'wikipedia', 'w', 'COMMON', 'Neon', '[]', '2026-11-20T12:00:00+00:00');
PRAGMA application_id=1178686536;
"""


async def test_a_file_of_the_first_format_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    key = reply_key("https://host/v1", "openai:m", ask())
    text = (
        '{"text": "Neon.", "finish": "stop", "refusal": null, "usage": {"input_tokens": 11, "output_tokens": 7},'
        ' "cost_usd": 0.002, "attempts": 3, "logprobs": [-0.1]}'
    )
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD)
        row = (
            key,
            "p",
            "m",
            "answer",
            text,
            11,
            7,
            0.002,
            "2026-11-20T12:00:00+00:00",
            "run-a",
        )
        connection.execute("INSERT INTO replies VALUES (?,?,?,?,?,?,?,?,?,?)", row)
        connection.commit()
    store = await Store.open(path, now=noon)
    assert store.spent("run-a") == (1, 0.002)
    inner = PlacedChat()
    hit = await cached(inner, store, "run-b").complete(ask())
    await store.aclose()
    assert (hit.text, hit.cached, hit.logprobs, inner.calls) == ("Neon.", True, (-0.1,), 0)
    assert (cache_info(path).replies, cache_info(path).lookups) == (1, 1)


async def test_another_programs_database_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "mail.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mail (body TEXT)")
    before = path.read_bytes()
    assert "is a database of another program" in await refused(path)
    assert path.read_bytes() == before


async def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    said = await refused(tmp_path / "file" / "fathom" / "cache.sqlite")
    assert "cannot be written (Not a directory)" in said
    assert "cannot be written" in await refused(tmp_path)


async def test_a_read_only_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cache.sqlite"
    connect(path).close()
    # what SQLite does by itself for a user without the right to write; the superuser always has it
    real = sqlite3.connect
    monkeypatch.setattr(
        sqlite3,
        "connect",
        lambda name, **options: real(f"file:{name}?mode=ro", uri=True, **options),
    )
    assert "cannot be written (attempt to write a readonly database)" in await refused(path)


async def test_a_file_that_others_keep_locked_is_refused_after_all_patience(
    tmp_path: Path,
) -> None:
    path = tmp_path / "cache.sqlite"
    with closing(connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UsageError, match=r"locked by another program for 0\.01 s"):
            connect(path, patience_s=0.01)


async def test_a_full_disk_loses_no_reply(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "cache.sqlite"
    store = await Store.open(path, now=noon)
    assert store.trouble is None
    await cached(PlacedChat(), store).complete(ask())
    writer = store._writer
    assert writer is not None
    pages = writer._connection.execute("PRAGMA page_count").fetchall()[0][0]
    writer._connection.execute(f"PRAGMA max_page_count={pages}")
    inner = PlacedChat()
    replies = [
        await cached(inner, store).complete(ask(f"{n} " + "x" * 500)) for n in range(100)
    ]
    hit = await cached(PlacedChat(), store, "run-b").complete(ask())
    await store.aclose()
    assert {reply.text for reply in replies} == {"Neon."}
    assert hit.cached  # what was kept before is still found
    assert store.trouble is not None
    assert "database or disk is full; " in store.trouble
    assert (
        len([record for record in caplog.records if "the cache failed" in record.message]) == 1
    )


async def test_a_cancelled_caller_does_not_take_its_reply_with_it(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "cache.sqlite", now=noon)
    with closing(connect(tmp_path / "cache.sqlite")) as other:
        other.execute(
            "BEGIN IMMEDIATE"
        )  # so that the reply is still on its way when the caller goes
        inner = PlacedChat()
        first = asyncio.ensure_future(cached(inner, store).complete(ask()))
        await inner.under_way.wait()
        for _ in range(5):
            await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        # it was paid for, and is in nobody's figures yet
        again = await cached(inner, store).complete(ask())
        assert (inner.calls, again.cached, again.cost_usd) == (1, False, 0.002)
        other.execute("ROLLBACK")
    await store.aclose()
    assert store.trouble is None
