"""Where LangGraph keeps the state of a run between supersteps: SQLite in the run folder, or
PostgreSQL."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, closing
from functools import wraps
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from ...state.errors import RunFailed
from ...tools.postgres import extra_missing, patient, reason, unusable
from ...tools.runs.log import get_logger

DURABILITY = "async"
"""A probe's write is durable soon after it; the journal has it before, so that a kill in between
loses nothing."""
READ_KIB = 128
"""Of a file that is held in memory: it is read when a run is resumed, and else only written."""


def safe_serializer() -> JsonPlusSerializer:
    """For a checkpoint that somebody else may have written: plain data comes back, and the few
    types that LangGraph knows to be harmless. Its default imports and calls whatever a checkpoint
    names."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


class Checkpoint(SqliteSaver):
    """Writes where it is called, which takes less than the way to a thread and back; what LangGraph
    began is written then, even for a task that was cancelled and that it does not wait for."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self.get_tuple(config)

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        for found in self.list(config, **options):
            yield found

    async def aput(self, *state: Any) -> RunnableConfig:
        return self.put(*state)

    def aput_writes(self, *writes: Any) -> Coroutine[Any, Any, None]:
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        try:
            self.put_writes(*writes)
            written.set_result(None)
        except Exception as error:  # noqa: BLE001 - whoever awaits the writing gets it: it may be an error that is saved
            written.set_exception(error)
        return _done(written)

    async def adelete_thread(self, thread_id: str) -> None:
        self.delete_thread(thread_id)


@asynccontextmanager
async def sqlite_saver(path: Path) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """A checkpoint in a file. One that is no sound database (any more) is set aside: the journal
    holds the whole run.

    Raises RunFailed when the file cannot be opened or written.
    """
    try:
        if await asyncio.to_thread(_damaged, path):
            get_logger().warning("the checkpoint is damaged and was set aside", path=str(path))
            await asyncio.to_thread(_set_aside, path)
        saver = await asyncio.to_thread(_opened, path)
    except (sqlite3.Error, OSError) as error:
        raise RunFailed(
            f"The checkpoint {path} cannot be written ({error}): free the disk, or fix the "
            "permissions of the folder."
        ) from error
    with closing(saver.conn):
        yield saver


def _opened(path: Path) -> Checkpoint:
    connection = sqlite3.connect(path, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        # nothing waits for the disk: what a power cut damages is set aside
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute(f"PRAGMA cache_size=-{READ_KIB}")
        saver = Checkpoint(connection, serde=safe_serializer())
        saver.setup()
    except BaseException:
        connection.close()
        raise
    return saver


def _settling(saver: BaseCheckpointSaver[str]) -> Callable[[], Awaitable[None]]:
    """Returns what waits for the saver's last writes: LangGraph begins one for each task that is
    cancelled, waits for none of them, and a connection that is closed in the middle of a write may
    hold its lock."""
    put, under_way = saver.aput_writes, set[asyncio.Future[None]]()

    @wraps(put)
    def put_writes(*args: Any, **options: Any) -> Coroutine[Any, Any, None]:
        writing = asyncio.ensure_future(
            put(*args, **options)
        )  # from now on, not when LangGraph's task comes to it
        under_way.add(writing)
        writing.add_done_callback(under_way.discard)
        return _done(writing)

    async def settled() -> None:
        if under_way:
            await asyncio.wait(under_way)

    saver.aput_writes = put_writes  # type: ignore[method-assign]  # one saver, and all that LangGraph calls
    return settled


async def _done(work: Awaitable[None]) -> None:
    await work


def _damaged(path: Path) -> bool:
    """Whether the file is there and no sound database. Raises sqlite3.OperationalError when it
    cannot be opened."""
    if not path.exists():
        return False
    with closing(sqlite3.connect(path)) as connection:
        try:
            return connection.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            return True


def _set_aside(path: Path) -> None:
    path.replace(path.with_suffix(".damaged"))
    for suffix in ("-wal", "-shm"):  # they belong to the file that is gone
        path.with_name(path.name + suffix).unlink(missing_ok=True)


async def prepare_postgres(address: str) -> None:
    """Make the tables in the database, for all runs of a launch. The address may hold a password:
    it is in no message.

    Raises UsageError when the extra is missing or the database cannot be used.
    """
    try:
        import psycopg
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    except ImportError:
        raise extra_missing("--checkpoint") from None
    try:
        async with AsyncPostgresSaver.from_conn_string(patient(address)) as saver:
            await saver.setup()
    except psycopg.Error as error:
        raise unusable("checkpoint database", "--checkpoint", error) from None


@asynccontextmanager
async def postgres_saver(address: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Checkpoints in a PostgreSQL database that was prepared. Raises RunFailed when it can no
    longer be used."""
    import psycopg
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

    try:
        async with AsyncPostgresSaver.from_conn_string(
            patient(address), serde=safe_serializer()
        ) as saver:
            settled = _settling(saver)
            try:
                yield saver
            finally:
                await settled()
    except psycopg.Error as error:
        raise RunFailed(
            f"The checkpoint database failed ({reason(error)}): see that the server is "
            "running, then resume the run."
        ) from None
