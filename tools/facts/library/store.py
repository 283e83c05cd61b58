"""The index file: documents, their passages, and an FTS5 table over them. One connection, one caller at a time."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from ....state.tiers import TIERS, Tier
from ..base import FactQuery
from ..dates import two_years_before
from ..relevance import bare
from .reading import Reading
from .terms import match, terms

SCHEMA = 1
"""To be raised with every change of the tables: an index of another schema is thrown away."""

_TABLES = """
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, reader TEXT NOT NULL, hash TEXT NOT NULL,
    read_at TEXT NOT NULL, problem TEXT, title TEXT, tiers TEXT, published TEXT, retracted INTEGER, preprint INTEGER
);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL, position INTEGER NOT NULL, lead INTEGER NOT NULL,
    section TEXT, place TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX by_document ON passages (document);
CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, tokenize = "unicode61 remove_diacritics 2");
"""
_ADD_DOCUMENT = f"INSERT INTO documents VALUES (NULL, {', '.join('?' * 11)})"
_RANK = "bm25(words, 4.0, 2.0, 1.0) * min(1.0, 0.5 + length(p.text) / 250.0)"
"""A passage of less than 125 signs is worth less: a caption or a menu entry carries no question."""
"""Title above heading above text. Rounded in the query: the last digits must not decide the order of a tie."""
_CANDIDATES = 5_000
_BUSY_S = 60.0
_SURROUNDINGS = frozenset(
    (
        sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_NOLFS,
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Known:
    """What the index knows of a file. `problem`: why it could not be read, None when it was."""

    stamp: str
    reader: str
    hash: str
    problem: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """A passage as the index holds it, with what its document says."""

    text: str
    section: str | None
    place: str
    position: int
    path: str
    title: str
    published: date | None
    hash: str
    read_at: datetime
    marked: bool
    """Whether the document's tier was given."""


class Store:
    """Raises sqlite3.Error; `is_damage` tells a broken file from a full disk or a missing permission."""

    def __init__(self, file: Path | None) -> None:
        """Opens or makes the index; None keeps it in memory. A file of another schema is replaced."""
        if file is not None and not file.exists():
            # documents may be private, so their copy is; an existing file stays shut, to keep another reader's locks
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
        self._db = _connect(file)
        try:
            self._prepare()
        except BaseException:
            self._db.close()
            raise

    def _prepare(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        tables = {row[0] for row in self._db.execute("SELECT name FROM sqlite_master")}
        if version != SCHEMA or not {"documents", "passages", "words"} <= tables:
            if tables:
                raise sqlite3.DatabaseError("another schema")
            self._db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;")

    def close(self) -> None:
        self._db.close()

    def commit(self) -> None:
        self._db.commit()

    def known(self) -> dict[str, Known]:
        rows = self._db.execute("SELECT path, stamp, reader, hash, problem FROM documents")
        return {path: Known(*rest) for path, *rest in rows}

    def touch(self, path: str, stamp: str) -> None:
        """The file has a new date and its old content."""
        self._db.execute("UPDATE documents SET stamp = ? WHERE path = ?", (stamp, path))

    def remove(self, path: str) -> None:
        mine = "(SELECT p.id FROM passages p JOIN documents d ON d.id = p.document WHERE d.path = ?)"
        self._db.execute(f"DELETE FROM words WHERE rowid IN {mine}", (path,))
        self._db.execute(f"DELETE FROM passages WHERE id IN {mine}", (path,))
        self._db.execute("DELETE FROM documents WHERE path = ?", (path,))

    def put(self, path: str, known: Known, read_at: datetime, reading: Reading | None) -> None:
        """Replaces what is known of a file; `reading` is None when it could not be read."""
        self.remove(path)
        state = (path, known.stamp, known.reader, known.hash, read_at.isoformat(), known.problem)
        added = self._db.execute(_ADD_DOCUMENT, (*state, *(_labels(reading) if reading else [None] * 5)))
        if reading is not None and added.lastrowid is not None:
            self._put_pieces(added.lastrowid, reading)

    def _put_pieces(self, document: int, reading: Reading) -> None:
        first = self._db.execute("SELECT coalesce(max(id), 0) + 1 FROM passages").fetchone()[0]
        title = terms(bare(reading.title))
        numbered = list(enumerate(reading.pieces))
        self._db.executemany(
            "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((first + n, document, n, p.lead, p.section, p.place, p.text) for n, p in numbered),
        )
        self._db.executemany(
            "INSERT INTO words (rowid, title, heading, body) VALUES (?, ?, ?, ?)",
            ((first + n, title, terms(p.section or ""), terms(p.text)) for n, p in numbered),
        )

    def served(self) -> frozenset[Tier]:
        """Tiers for which at least one passage can be found, whatever the day."""
        return frozenset(tier for tier in TIERS if self._db.execute(*_any_at(tier)).fetchone())

    def counts(self) -> tuple[int, int]:
        """(documents read, passages)."""
        documents = self._db.execute("SELECT count(*) FROM documents WHERE problem IS NULL").fetchone()[0]
        return documents, self._db.execute("SELECT count(*) FROM passages").fetchone()[0]

    def problems(self) -> dict[str, str]:
        return dict(self._db.execute("SELECT path, problem FROM documents WHERE problem IS NOT NULL"))

    def contents(self) -> list[tuple[str, str, str]]:
        """(path, hash, reader) of every document read, by path."""
        asked = "SELECT path, hash, reader FROM documents WHERE problem IS NULL ORDER BY path"
        return [(path, digest, reader) for path, digest, reader in self._db.execute(asked)]

    def titles(self) -> list[str]:
        asked = "SELECT DISTINCT title FROM documents WHERE problem IS NULL AND title IS NOT NULL ORDER BY title"
        return [title for (title,) in self._db.execute(asked)]

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One view of the index, whatever another process writes meanwhile."""
        self._db.execute("BEGIN")
        try:
            yield
        finally:
            self._db.rollback()

    def search(self, query: FactQuery) -> Iterator[Found]:
        """Candidates at the query's tier: documents of this tier before those of none, best first; equals by path and
        position. At most 5,000."""
        wanted = match(query)
        if wanted is None:
            return
        condition, values = _at(query)
        ranked = self._db.execute(
            f"SELECT p.id FROM words JOIN passages p ON p.id = words.rowid JOIN documents d ON d.id = p.document "
            f"WHERE words MATCH ? AND {condition} "
            f"ORDER BY d.tiers = '', round({_RANK}, 6), d.path, p.position LIMIT {_CANDIDATES}",
            (wanted, *values),
        ).fetchall()
        yield from (self._found(number) for (number,) in ranked)

    def _found(self, number: int) -> Found:
        row = self._db.execute(
            "SELECT text, section, place, position, path, title, published, hash, read_at, tiers "
            "FROM passages JOIN documents ON documents.id = document WHERE passages.id = ?",
            (number,),
        ).fetchone()
        text, section, place, position, path, title, published, digest, read_at, tiers = row
        day = date.fromisoformat(published) if published else None
        read = datetime.fromisoformat(read_at)
        return Found(text, section, place, position, path, title, day, digest, read, bool(tiers))


def _labels(reading: Reading) -> tuple[object, ...]:
    labels = reading.labels
    published = labels.published.isoformat() if labels.published else None
    return reading.title, " ".join(labels.tiers), published, bool(labels.retracted), bool(labels.preprint)


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the file's content is at fault rather than the disk, a permission or another process."""
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(error, sqlite3.DatabaseError) and (code is None or code & 0xFF not in _SURROUNDINGS)


def discard(file: Path) -> None:
    """Removes an index file and what SQLite keeps beside it."""
    for name in (file, *(file.with_name(file.name + end) for end in ("-journal", "-wal", "-shm"))):
        name.unlink(missing_ok=True)


def _connect(file: Path | None) -> sqlite3.Connection:
    # calls are made one at a time, but not always from the same thread
    db = sqlite3.connect(file or ":memory:", timeout=_BUSY_S, check_same_thread=False)
    # no write-ahead log: another process may throw a damaged index away while this one still reads it
    for setting in ("synchronous = NORMAL", "cache_size = -16000", "temp_store = MEMORY"):
        with closing(db.execute(f"PRAGMA {setting}")):
            pass
    return db


def _at(query: FactQuery) -> tuple[str, Sequence[object]]:
    condition = _TIER[query.tier]
    if query.tier is Tier.CUTTING_EDGE:
        window = (two_years_before(query.as_of).isoformat(), query.as_of.isoformat())
        return f"{condition} AND d.published BETWEEN ? AND ?", (f"%{query.tier}%", *window)
    return condition, (f"%{query.tier}%",)


def _any_at(tier: Tier) -> tuple[str, Sequence[object]]:
    return (
        f"SELECT 1 FROM passages p JOIN documents d ON d.id = p.document WHERE {_TIER[tier]} "
        f"{'AND d.published IS NOT NULL' if tier is Tier.CUTTING_EDGE else ''} LIMIT 1",
        (f"%{tier}%",),
    )


_TIER = {
    Tier.COMMON: "(d.tiers LIKE ? OR (d.tiers = '' AND p.lead))",
    Tier.TEXTBOOK: "(d.tiers LIKE ? OR (d.tiers = '' AND NOT p.lead))",
    Tier.PROFESSIONAL: "(d.tiers LIKE ? OR d.tiers = '')",
    Tier.SPECIALIST: "(d.tiers LIKE ? OR d.tiers = '') AND NOT d.retracted AND NOT d.preprint",
    Tier.CUTTING_EDGE: "(d.tiers LIKE ? OR d.tiers = '') AND NOT d.retracted",
}
"""Which passages serve a tier. A document with tiers serves them whole; one without serves all, by its parts."""
