"""A run for one process at a time: by its folder's lock on one machine, by the database's across
machines."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from ...state.campaign import CellState
from ...state.errors import UsageError
from ...state.spec import Spec
from ...tools.runs.folders import entry_of, is_run
from ...tools.runs.postgres import PostgresRuns
from ..run.folder import Busy, RunFolder

RECONNECT_S = (0, 1, 2, 4, 8, 15, 30)
"""Waits before each try to reach the database."""
BUSY_S = 0.5
"""Time between two looks at a run that another process holds."""
PATIENCE_S = 150.0
"""Longest wait for it: a process that is only thought dead lets go when its calls have timed out.
"""
KEPT = ("launch.json", "result.json")


class Database:
    """The database of a campaign, if it has one; reached anew where its connection was lost."""

    def __init__(self, address: str | None) -> None:
        self._address, self._one_at_a_time = address, asyncio.Lock()
        self._runs: PostgresRuns | None = None

    async def reached(self) -> PostgresRuns | None:
        """None without one. Raises UsageError when it stays away."""
        if self._address is None:
            return None
        async with self._one_at_a_time:
            for wait_s in RECONNECT_S:
                if self._runs is not None and not self._runs.broken:
                    return self._runs
                await asyncio.sleep(wait_s)
                with suppress(UsageError):
                    self._runs = await PostgresRuns.open(self._address)
            if self._runs is None or self._runs.broken:
                self._runs = await PostgresRuns.open(self._address)
            return self._runs

    async def aclose(self) -> None:
        if self._runs is not None:
            await self._runs.aclose()


async def bring(states: Iterable[CellState], runs: Path, address: str) -> None:
    """Copy the runs that have ended from the database, as far as they are not here. Raises
    UsageError and RunFailed when it cannot be used."""
    missing = [
        state
        for state in states
        if state.run and state.over and _status(runs / state.run) != state.status
    ]
    database = Database(address)
    try:
        for state in missing:
            if (held_there := await database.reached()) is not None:
                (runs / state.run).mkdir(parents=True, exist_ok=True)
                await held_there.fetch(state.run, runs / state.run)
    finally:
        await database.aclose()


def _status(path: Path) -> str:
    return entry_of(path).status if is_run(path) else ""


@asynccontextmanager
async def held(
    path: Path, spec: Spec, database: PostgresRuns | None, stopped: Callable[[], bool]
) -> AsyncIterator[RunFolder]:
    """The run's folder, once nobody else has it; with a database as that has it, and what comes of
    it goes there.

    Raises Busy when another process holds the run all the time, UsageError when the folder cannot
    be written, and RunFailed when the database is lost.
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
                        await database.keep(
                            path.name, name, (path / name).read_text(encoding="utf-8")
                        )
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
    raise Busy(
        f"The run {run} is being worked on by another process: wait for it, or stop it first."
    )


async def _fetch(database: PostgresRuns, folder: RunFolder, spec: Spec) -> None:
    """What the folder holds of the run is only a copy."""
    if not await database.fetch(folder.run_id, folder.path):
        await database.keep(folder.run_id, "spec.json", spec.model_dump_json(indent=2) + "\n")
