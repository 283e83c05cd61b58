"""A daily cap on what is asked of a paid service, kept across the processes of this machine."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ...state.errors import SourceFailed

_LOCK_WAIT_S = 10.0
_TABLE = """CREATE TABLE IF NOT EXISTS searches
(service TEXT, day TEXT, used INTEGER NOT NULL, PRIMARY KEY (service, day))"""


class DailyCap:
    """At most `limit` searches of one service per UTC day, counted in a small SQLite file that processes share.

    Without `ledger` the count is this object's own. A search counts when it is about to be sent, whatever comes of it:
    a cap that a crash could undo would be none. `variable` is the setting that messages name.
    """

    def __init__(
        self, service: str, variable: str, limit: int, ledger: Path | None, clock: Callable[[], datetime]
    ) -> None:
        self._service = service
        self._variable = variable
        self._limit = limit
        self._ledger = ledger
        self._clock = clock
        self._own = ("", 0)

    async def take(self) -> None:
        """Counts one search. Raises SourceFailed, kind rate_limit, when the day's searches are used up or cannot be
        counted."""
        day = self._clock().astimezone(UTC).date().isoformat()
        try:
            if self._ledger is None:
                self._own = (day, self._own[1] + 1 if self._own[0] == day else 1)
                granted = self._own[1] <= self._limit
            else:
                granted = await asyncio.to_thread(self._count, self._ledger, day)
        except (OSError, sqlite3.Error) as error:
            why = f"cannot be counted in {self._ledger} ({error}): make it writable, or unset {self._variable}."
            raise SourceFailed("rate_limit", f"Searches of {self._service} {why}") from error
        if not granted:
            raise SourceFailed(
                "rate_limit",
                f"The {self._limit} searches of {self._service} that {self._variable} permits a day are used up: raise"
                " it, or go on after midnight UTC.",
            )

    def _count(self, ledger: Path, day: str) -> bool:
        ledger.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(ledger, timeout=_LOCK_WAIT_S)) as store, store:
            store.execute("BEGIN IMMEDIATE")  # one process at a time reads and writes the count
            store.execute(_TABLE)
            row = store.execute("SELECT used FROM searches WHERE service = ? AND day = ?", (self._service, day))
            (used,) = row.fetchone() or (0,)
            if used >= self._limit:
                return False
            store.execute("DELETE FROM searches WHERE day < ?", (day,))
            store.execute("REPLACE INTO searches VALUES (?, ?, ?)", (self._service, day, used + 1))
            return True
