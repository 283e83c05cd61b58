"""Where LangGraph keeps the state of a run between supersteps: SQLite in the run folder, or PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from langgraph.checkpoint.base import BaseCheckpointSaver

from ..state.errors import RunFailed, UsageError

DURABILITY = "async"
"""A probe's write is durable soon after it; the journal has it before, so that a kill in between loses nothing."""


@asynccontextmanager
async def sqlite_saver(path: Path) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """A checkpoint in a file. A file that is no database (any more) is set aside: the journal holds the whole run.

    Raises RunFailed when the file cannot be opened or written.
    """
    import aiosqlite
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    connection = None
    try:
        connection = await aiosqlite.connect(path)
        try:
            await connection.execute("PRAGMA journal_mode=WAL")
            await connection.execute("PRAGMA quick_check")
        except aiosqlite.OperationalError:
            raise
        except aiosqlite.DatabaseError:
            await connection.close()
            await asyncio.to_thread(path.replace, path.with_suffix(".damaged"))
            connection = await aiosqlite.connect(path)
            await connection.execute("PRAGMA journal_mode=WAL")
        await connection.execute("PRAGMA synchronous=NORMAL")
        saver = AsyncSqliteSaver(connection)
        await saver.setup()
    except (aiosqlite.Error, OSError) as error:
        if connection is not None:
            await connection.close()
        raise RunFailed(
            f"The checkpoint {path} cannot be written ({error}): free the disk, or mend the folder."
        ) from error
    try:
        yield saver
    finally:
        await connection.close()


@asynccontextmanager
async def postgres_saver(address: str) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Checkpoints in a PostgreSQL database. The address may hold a password: it stands in no message.

    Raises UsageError when the extra is missing or the database cannot be used.
    """
    try:
        import psycopg
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
    except ImportError:
        raise UsageError(
            "--checkpoint postgresql://… needs the extra: install it with pip install 'fathom-eval[postgres]'."
        ) from None
    try:
        async with AsyncPostgresSaver.from_conn_string(address) as saver:
            await saver.setup()
            yield saver
    except psycopg.Error as error:
        raise UsageError(
            f"The checkpoint database cannot be used ({type(error).__name__}): check the address of"
            " --checkpoint, and that the server is running."
        ) from None
