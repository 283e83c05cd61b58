"""A run for one process at a time: by its folder's lock on one machine, by the database's across machines."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from ...state.spec import Spec
from ...tools.runs.postgres import PostgresRuns
from ..run.folder import Busy, RunFolder

BUSY_S = 0.5
"""Time between two looks at a run that another process holds."""
PATIENCE_S = 150.0
"""Longest wait for it: a process that is only thought dead lets go when its calls have timed out."""
KEPT = ("launch.json", "result.json")


@asynccontextmanager
async def held(
    path: Path, spec: Spec, database: PostgresRuns | None, stopped: Callable[[], bool]
) -> AsyncIterator[RunFolder]:
    """The run's folder, once nobody else has it; with a database as that has it, and what comes of it goes there.

    Raises Busy when another process holds the run all the time, UsageError when the folder cannot be written, and
    RunFailed when the database is lost.
    """
    if database is not None:
        await _until(database, path.name, stopped)
    try:
        folder = await _folder(path, spec, stopped)
        try:
            if database is not None:
                await _fetch(database, folder, spec)
            yield folder
            if database is not None:
                for name in KEPT:
                    if (path / name).is_file():
                        await database.keep(path.name, name, (path / name).read_text(encoding="utf-8"))
        finally:
            folder.release()
    finally:
        if database is not None and not database.broken:
            await database.release(path.name)


async def _folder(path: Path, spec: Spec, stopped: Callable[[], bool]) -> RunFolder:
    for _ in range(int(PATIENCE_S / BUSY_S)):
        try:
            return RunFolder.at(path, spec)
        except Busy:
            if stopped():
                raise
            await asyncio.sleep(BUSY_S)
    return RunFolder.at(path, spec)


async def _until(database: PostgresRuns, run: str, stopped: Callable[[], bool]) -> None:
    for _ in range(int(PATIENCE_S / BUSY_S)):
        if await database.hold(run):
            return
        if stopped():
            break
        await asyncio.sleep(BUSY_S)
    raise Busy(f"The run {run} is being worked on by another process: wait for it, or stop it first.")


async def _fetch(database: PostgresRuns, folder: RunFolder, spec: Spec) -> None:
    """What the folder holds of the run is only a copy. A checkpoint here may be ahead of the journal there."""
    folder.drop_checkpoint()
    if not await database.fetch(folder.run_id, folder.path):
        await database.keep(folder.run_id, "spec.json", spec.model_dump_json(indent=2) + "\n")
