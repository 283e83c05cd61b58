"""A daily cap on what is asked of a paid service, kept across the processes of this machine."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ...state.errors import SourceFailed

_LOCK_WAIT_S = 10.0


class DailyCap:
    """At most `limit` searches of one service per UTC day, counted in a small SQLite file that processes share.

    Without `ledger` the count is this object's own. A search counts when it is about to be sent, whatever comes of it:
    a cap that a crash could undo would be none.
    """

    def __init__(
        self, service: str, variable: str, limit: int, ledger: Path | None, clock: Callable[[], datetime]
    ) -> None:
        """`variable`: the setting that the message names. Opens nothing yet."""
        self._service = service
        self._variable = variable
        self._limit = limit
        self._ledger = ledger
        self._clock = clock
        self._own: dict[str, int] = {}

    async def take(self) -> None:
        """Counts one search. Raises SourceFailed, kind rate_limit, when the day's searches are used up or cannot be
        counted."""
        day = self._clock().astimezone(UTC).date().isoformat()
        try:
            granted = await asyncio.to_thread(self._count, day) if self._ledger else self._count_here(day)
        except (OSError, sqlite3.Error) as error:
            raise SourceFailed(
                "rate_limit",
                f"Searches of {self._service} cannot be counted in {self._ledger} ({error}): make it writable, or unset"
                f" {self._variable}.",
            ) from error
        if not granted:
            raise SourceFailed(
                "rate_limit",
                f"The {self._limit} searches of {self._service} that {self._variable} permits a day are used up: raise"
                " it, or go on after midnight UTC.",
            )

    def _count_here(self, day: str) -> bool:
        used = self._own.get(day, 0)
        if used >= self._limit:
            return False
        self._own = {day: used + 1}
        return True

    def _count(self, day: str) -> bool:
        assert self._ledger is not None
        self._ledger.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(self._ledger, timeout=_LOCK_WAIT_S)) as store, store:
            store.execute("BEGIN IMMEDIATE")  # one process at a time reads and writes the count
            store.execute(
                "CREATE TABLE IF NOT EXISTS searches"
                " (service TEXT, day TEXT, used INTEGER NOT NULL, PRIMARY KEY (service, day))"
            )
            row = store.execute("SELECT used FROM searches WHERE service = ? AND day = ?", (self._service, day))
            (used,) = row.fetchone() or (0,)
            if used >= self._limit:
                return False
            store.execute("DELETE FROM searches WHERE day < ?", (day,))
            store.execute("REPLACE INTO searches VALUES (?, ?, ?)", (self._service, day, used + 1))
            return True
