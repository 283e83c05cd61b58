"""A folder's index kept in step with the folder: only what changed is read again. Synchronous; runs in a thread."""

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from filelock import FileLock

from ....state.tiers import Tier
from ..base import FactQuery
from .document import Unreadable
from .reading import Stop, read, reader_version
from .store import Found, Known, Store, discard, is_damage
from .walk import Census, Entry, read_bytes, walk

_FILES_PER_COMMIT = 100
"""A process that dies while indexing loses at most so many files' work."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """What a folder holds, after `refresh`. `read`: files read just now; `removed`: those that have gone since."""

    documents: int
    passages: int
    read: int
    removed: int
    skipped: Mapping[str, str]
    """Path below the folder → why the file is not used."""
    served: frozenset[Tier]
    fingerprint: str
    remark: str | None = None
    """Why the index could not be kept on disk, when that was wanted."""


class Index:
    """The index of one folder in one language, in `file` or in memory. Calls from several threads take turns."""

    def __init__(self, root: Path, file: Path | None, *, language: str, clock: Callable[[], datetime]) -> None:
        self._root = os.path.realpath(root)
        self._file = file
        self._language = language
        self._clock = clock
        self._store: Store | None = None
        # a look-up that nobody waits for any more goes on in its thread, and must end before the file is closed
        self._guard = threading.RLock()

    def refresh(self, stop: Stop) -> Holdings:
        """Brings the index into step with the folder. A damaged index is made anew, one that cannot be written is
        kept in memory. `stop` is called often and may raise to call it off. Raises OSError when the folder itself
        cannot be listed."""
        with self._guard:
            census = walk(self._root)
            try:
                return self._anywhere(census, stop)
            except BaseException:
                self.close()
                raise

    def search(self, query: FactQuery, choose: Callable[[Iterator[Found]], list[Found]]) -> list[Found]:
        """What `choose` takes of the candidates for a query, best first. Raises sqlite3.Error."""
        with self._guard:
            assert self._store is not None, "refresh comes first"
            with self._store.reading():
                return choose(self._store.search(query))

    def titles(self) -> list[str]:
        """Of the documents that were read, each once. Raises sqlite3.Error."""
        with self._guard:
            assert self._store is not None, "refresh comes first"
            return self._store.titles()

    def close(self) -> None:
        with self._guard:
            if self._store is not None:
                self._store.close()
            self._store = None

    def throw_away(self) -> None:
        """Forgets a damaged index; `refresh` makes it anew."""
        self.close()
        if self._file is not None:
            with _locked(self._file, _go_on):
                discard(self._file)

    def _anywhere(self, census: Census, stop: Stop) -> Holdings:
        remark = None
        if self._file is not None:
            try:
                with _locked(self._file, stop):
                    return self._on_disk(self._file, census, stop)
            except (OSError, sqlite3.Error) as error:
                self.close()
                remark = str(error)
        self._store = self._store or Store(None)
        return replace(self._update(self._store, census, stop), remark=remark)

    def _on_disk(self, file: Path, census: Census, stop: Stop) -> Holdings:
        self.close()
        try:
            self._store = Store(file)
            return self._update(self._store, census, stop)
        except sqlite3.Error as error:
            self.close()
            if not is_damage(error):
                raise
        discard(file)
        self._store = Store(file)
        return self._update(self._store, census, stop)

    def _update(self, store: Store, census: Census, stop: Stop) -> Holdings:
        known = store.known()
        gone = sorted(known.keys() - census.entries.keys())
        for path in gone:
            store.remove(path)
        read_now = 0
        for count, path in enumerate(sorted(census.entries), 1):
            stop()
            read_now += self._visit(store, census.entries[path], known.get(path), stop)
            if count % _FILES_PER_COMMIT == 0:
                store.commit()
        store.commit()
        documents, passages = store.counts()
        return Holdings(
            documents=documents,
            passages=passages,
            read=read_now,
            removed=len(gone),
            skipped=dict(sorted({**census.skipped, **store.problems()}.items())),
            served=store.served(),
            fingerprint=_fingerprint(store),
        )

    def _visit(self, store: Store, entry: Entry, known: Known | None, stop: Stop) -> bool:
        """Whether the file had to be read."""
        reader = reader_version(entry.kind)
        if known and (known.stamp, known.reader) == (entry.stamp, reader):
            return False
        digest, reading, problem = "", None, None
        try:
            data = read_bytes(entry.real)
            digest = hashlib.sha256(data).hexdigest()
            if known and (known.hash, known.reader) == (digest, reader):
                store.touch(entry.path, entry.stamp)
                return False
            reading = read(data, entry.path, entry.kind, self._language, stop)
        except Unreadable as error:
            problem = str(error)
        store.put(entry.path, Known(entry.stamp, reader, digest, problem), self._clock(), reading)
        return True


def _fingerprint(store: Store) -> str:
    lines = (f"{path}\0{digest}\0{reader}\n" for path, digest, reader in store.contents())
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


@contextmanager
def _locked(file: Path, stop: Stop) -> Iterator[None]:
    """One process at a time; the others wait for it, because its work is theirs too."""

    def asked() -> bool:
        stop()
        return False

    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with FileLock(file.with_suffix(".lock"), poll_interval=0.05).acquire(cancel_check=asked):
        yield


def _go_on() -> None:
    return None
