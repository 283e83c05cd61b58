"""A folder's index: documents, their passages, and an FTS5 table over them that does the matching,
by stems. It is kept in step with the folder, of which only what changed is read again. Synchronous;
runs in threads, which take turns."""

import hashlib
import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from ....state.text import normalise
from ....state.tiers import Tier
from ..base import FactQuery
from ..standing import two_years_before
from ..titles import bare, fold, heading_forms, parenthesised, respell, split_number, title_forms
from .document import Unreadable
from .reading import BELOW, Reading, Stop, read, reader_version
from .walk import Census, Entry, read_bytes, walk

Value = TypeVar("Value")
SCHEMA = 3
"""To be raised with every change of the tables: an index of another schema is thrown away."""
_BUSY_S = 60.0
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
CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, tokenize = "porter unicode61 remove_diacritics 2");
"""
_FILES_PER_COMMIT = 100
"""A process that dies while indexing loses at most so many files' work."""
_CANDIDATES = 200
_HAND = 3
"""Passages that a question is chosen from: where fewer stand below the concept's own name, those with
the phrase follow."""
_RANK = "bm25(words, 4.0, 2.0, 1.0) * min(1.0, 0.5 + length(p.text) / 250.0)"
"""Title above heading above text; a passage of less than 125 signs is worth less: a caption or a
menu entry carries no question. Rounded in the query: the last digits must not decide the order of a
tie."""
_ADMISSIBLE = {
    Tier.SPECIALIST: " AND NOT d.retracted AND NOT d.preprint",
    Tier.CUTTING_EDGE: " AND NOT d.retracted AND d.published BETWEEN ? AND ?",
}
_PART = {Tier.COMMON: "p.lead", Tier.TEXTBOOK: "NOT p.lead"}
"""Which part of a document without a tier serves one; all of it does where that part has
nothing."""
_WORD = re.compile(r"[^\W_]+")
_BEGINS, _ENDS, _ENDS_SENSE = "q0q", "q9q", "q8q"
"""Words that no text has: around a name in the index, its end another one where brackets behind the
title tell the sense."""
_NOTHING = '""'
_MOST_WORDS = 24
_NEAR = 10
"""Words between those that are near each other."""
_BEGINNING = 6
"""Letters by which longer words are alike, when titles near a name are looked for."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """What a folder holds, after `refresh`. `read`: files read just now; `removed`: those that have
    gone since."""

    documents: int = 0
    passages: int = 0
    read: int = 0
    removed: int = 0
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Path below the folder → why the file is not used."""
    fingerprint: str = ""
    remark: str | None = None
    """Why the index could not be kept on disk, when that was wanted."""


@dataclass(frozen=True, slots=True)
class Found:
    """A passage as the index holds it, with what its document says."""

    text: str
    section: str | None
    place: str
    position: int
    path: str
    title: str
    hash: str
    published: str | None
    read_at: str
    """In ISO 8601, as the day of publication."""


class Index:
    """The index of one folder in one language, in `file` or in memory."""

    def __init__(
        self,
        root: Path,
        file: Path | None,
        *,
        language: str,
        clock: Callable[[], datetime],
    ) -> None:
        self._root = os.path.realpath(root)
        self._file = file
        self._language = language
        self._clock = clock
        self._db: sqlite3.Connection | None = None
        self.holdings = Holdings()
        self._has_tiers = False
        # a look-up that nobody waits for any more goes on in its thread, and must end before the
        # file is closed
        self._guard = threading.RLock()

    def refresh(self, stop: Stop) -> Holdings:
        """Brings the index into step with the folder. One that cannot be read is made anew, one
        that cannot be written is kept in memory. `stop` is called often and may raise to call it
        off. Raises OSError when the folder itself cannot be listed."""
        with self._guard:
            census, remark = walk(self._root), None
            for file in (self._file, self._file, None):
                try:
                    with _locked(file, stop):
                        if remark is not None:
                            _discard(file)
                        return self._open(file, census, stop, remark)
                except (OSError, sqlite3.Error) as error:
                    remark = str(error)
            raise sqlite3.OperationalError(remark)

    def search(self, query: FactQuery) -> list[Found]:
        """Candidates for a query, best first, as close to the concept as any is. Raises
        sqlite3.Error, as all that look something up."""
        return self._in_one_view(lambda: self._closest(query))

    def nearest(self, title: str, limit: int) -> list[str]:
        """Titles and headings that have words of a title, best first."""
        wanted = _beginnings(title)
        shares = dict[str, float]()
        for name in self.contents():
            words = _beginnings(name)
            if shared := len(words & wanted):
                shares[name] = shared / len(words | wanted)
        return sorted(shares, key=lambda name: (-shares[name], name))[:limit]

    def sections(self, query: FactQuery, limit: int) -> list[str]:
        """The places whose passages have words of a query's concept and line, best first: a title,
        or the innermost heading behind it."""
        statement = (
            "SELECT d.title, p.section FROM words JOIN passages p ON p.id = words.rowid "
            "JOIN documents d ON d.id = p.document WHERE words MATCH ? GROUP BY d.id, p.section "
            "ORDER BY round(min(words.rank), 6), d.path, min(p.position) LIMIT ?"
        )
        words = " ".join((query.concept, *reversed(query.line)))
        any_word = " OR ".join(f'"{word}" *' for word in _beginnings(words)) or _NOTHING
        rows = self._in_one_view(lambda: self._sql(statement, (any_word, limit)).fetchall())
        places = dict[str, None]()
        for title, section in rows:
            heading = section.split(BELOW)[-1] if section else title
            places[BELOW.join(dict.fromkeys(map(_listed, (title, heading))))] = None
        return list(places)

    def contents(self) -> list[str]:
        """Titles and headings that have passages, each once, by path and position; those that ask
        something only where most do; without the signs that links to them leave."""
        statement = (
            "SELECT d.title, p.section FROM passages p JOIN documents d ON d.id = p.document "
            "GROUP BY d.id, p.section ORDER BY d.path, min(p.position)"
        )
        names = dict[str, None]()
        for title, section in self._in_one_view(lambda: self._sql(statement).fetchall()):
            for name in (title, *(section.split(BELOW) if section else ())):
                names[_listed(name).rstrip("#¶ ")] = None
        plain = [name for name in names if "?" not in name]
        return plain if 2 * len(plain) >= len(names) else list(names)

    def close(self) -> None:
        with self._guard:
            if self._db is not None:
                self._db.close()
            self._db = None

    def _in_one_view(self, look_up: Callable[[], Value]) -> Value:
        """Whatever another process writes meanwhile. Damage that only a look-up meets is mended."""
        with self._guard:
            try:
                return self._view(look_up)
            except sqlite3.Error:
                self.close()
            with _locked(self._file, _go_on):
                _discard(self._file)
            self.refresh(_go_on)
            return self._view(look_up)

    def _view(self, look_up: Callable[[], Value]) -> Value:
        self._sql("BEGIN")
        try:
            return look_up()
        finally:
            if self._db is not None:
                self._db.rollback()

    def _sql(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        assert self._db is not None, "refresh comes first"
        return self._db.execute(statement, values)

    def _open(
        self,
        file: Path | None,
        census: Census,
        stop: Stop,
        remark: str | None,
    ) -> Holdings:
        self.close()
        try:
            self._db = _connected(file)
            holdings = self._in_step(self._db, census, stop)
        except BaseException:
            self.close()
            raise
        self.holdings = replace(holdings, remark=None if file else remark)
        statement = "SELECT EXISTS (SELECT 1 FROM documents WHERE tiers != '')"
        self._has_tiers = bool(self._sql(statement).fetchone()[0])
        return self.holdings

    def _in_step(
        self,
        db: sqlite3.Connection,
        census: Census,
        stop: Stop,
    ) -> Holdings:
        statement = "SELECT path, stamp, reader, hash FROM documents"
        before = {path: state for path, *state in db.execute(statement)}
        removed = sorted(before.keys() - census.entries.keys())
        for path in removed:
            self._remove(path)
        read_now = 0
        for count, path in enumerate(sorted(census.entries), 1):
            stop()
            read_now += self._visit(census.entries[path], before.get(path, []), stop)
            if count % _FILES_PER_COMMIT == 0:
                db.commit()
        db.commit()
        statement = "SELECT path, hash, reader, problem FROM documents ORDER BY path"
        used, problems = list[str](), dict[str, str]()
        for path, digest, reader, problem in db.execute(statement).fetchall():
            if problem is None:
                used.append(f"{path}\0{digest}\0{reader}\n")
            else:
                problems[path] = problem
        return Holdings(
            documents=len(used),
            passages=db.execute("SELECT count(*) FROM passages").fetchone()[0],
            read=read_now,
            removed=len(removed),
            skipped=dict(sorted({**census.skipped, **problems}.items())),
            fingerprint=hashlib.sha256("".join(used).encode()).hexdigest()[:16],
        )

    def _visit(
        self,
        entry: Entry,
        before: list[str],
        stop: Stop,
    ) -> bool:
        """Whether the file had to be read. `before`: its stamp, reader and hash as they were."""
        reader = reader_version(entry.kind)
        if before[:2] == [entry.stamp, reader]:
            return False
        digest, reading, problem = "", None, None
        try:
            data = read_bytes(entry.real)
            digest = hashlib.sha256(data).hexdigest()
            if before[1:] == [reader, digest]:  # a new date and the old content
                statement = "UPDATE documents SET stamp = ? WHERE path = ?"
                self._sql(statement, (entry.stamp, entry.path))
                return False
            reading = read(data, entry.path, entry.kind, self._language, stop)
        except Unreadable as error:
            problem = str(error)
        self._remove(entry.path)
        read_at = self._clock().isoformat()
        self._insert((entry.path, entry.stamp, reader, digest, read_at, problem), reading)
        return True

    def _remove(self, path: str) -> None:
        ids = "(SELECT p.id FROM passages p JOIN documents d ON d.id = p.document WHERE d.path = ?)"
        self._sql(f"DELETE FROM words WHERE rowid IN {ids}", (path,))
        self._sql(f"DELETE FROM passages WHERE id IN {ids}", (path,))
        self._sql("DELETE FROM documents WHERE path = ?", (path,))

    def _insert(self, state: tuple[object, ...], reading: Reading | None) -> None:
        """What is now known of a file; `reading` is None when it could not be read."""
        statement = f"INSERT INTO documents VALUES (NULL, {', '.join('?' * 11)})"
        labels = _labels(reading) if reading else (None,) * 5
        document = self._sql(statement, (*state, *labels)).lastrowid
        if reading is None:
            return
        first = self._sql("SELECT coalesce(max(id), 0) + 1 FROM passages").fetchone()[0]
        title = _names_of(reading.title)
        for number, piece in enumerate(reading.pieces):
            row = (first + number, document, number, piece.lead, piece.section, piece.place)
            self._sql("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, piece.text))
            headings = piece.section.split(BELOW) if piece.section else ()
            words = (first + number, title, " ".join(map(_names_of, headings)))
            self._sql(
                "INSERT INTO words (rowid, title, heading, body) VALUES (?, ?, ?, ?)",
                (*words, respell(piece.text)),
            )

    def _closest(self, query: FactQuery) -> list[Found]:
        """Documents of this tier speak for it alone where they have anything; then those of
        none."""
        levels = list(matches(query))
        for is_marked in (True, False) if self._has_tiers else (False,):
            passages: list[Found] = []
            for number, level in enumerate(levels):
                rows = self._candidates(query, level, is_marked)
                passages += [row for row in rows if row not in passages]
                if len(passages) >= _HAND or (passages and number):
                    return passages
            if passages:
                return passages
        return []

    def _candidates(
        self,
        query: FactQuery,
        level: str,
        is_marked: bool,
    ) -> list[Found]:
        """Best first; equals by path and position."""
        condition = "d.tiers LIKE ?" if is_marked else "d.tiers = ?"
        condition += _ADMISSIBLE.get(query.tier, "")
        values: list[object] = [level, f"%{query.tier}%" if is_marked else ""]
        if query.tier is Tier.CUTTING_EDGE:
            values += [two_years_before(query.as_of).isoformat(), query.as_of.isoformat()]
        part = "1" if is_marked else _PART.get(query.tier, "1")
        rows = self._sql(
            f"SELECT {part} AS part, p.text, p.section, p.place, p.position, d.path, d.title, "
            "d.hash, d.published, d.read_at FROM words JOIN passages p ON p.id = words.rowid "
            f"JOIN documents d ON d.id = p.document WHERE words MATCH ? AND {condition} "
            f"ORDER BY part DESC, round({_RANK}, 6), d.path, p.position LIMIT {_CANDIDATES}",
            values,
        ).fetchall()
        return [Found(*row[1:]) for row in rows if row[0] == rows[0][0]]


def matches(query: FactQuery) -> Iterator[str]:
    """FTS5 queries for passages on the concept, the closest first: below a title or heading that
    names it; with the phrase; with its words near each other; with all of its words. What stands in
    brackets behind the concept, its line and the domain raise the rank. Nothing of the query is read
    as syntax. `title › heading` is one place, and is nowhere else."""
    *above, concept = query.concept.split(BELOW)
    words = _words_of(bare(concept))[:_MOST_WORDS]
    if not words:
        return
    around = (parenthesised(concept), *reversed(query.line), query.domain)
    liked = dict.fromkeys([*words, *(word for text in around for word in _words_of(text))])
    preferred = " OR ".join(_quoted(word) for word in list(liked)[:_MOST_WORDS])
    place = f"{{title heading}} : ({_named(concept)})"
    levels = [place, *_levels(concept, words)]
    if above:
        levels = [f"(title : ({_named(above[0])}) AND {place})"]
    for level in levels:
        yield f"({level}) AND (({level}) OR {preferred})"


def _levels(concept: str, words: list[str]) -> Iterator[str]:
    phrases = dict.fromkeys(fold(form) for form in title_forms(bare(concept)))
    yield f"body : ({' OR '.join(map(_quoted, filter(None, phrases)))})"
    if len(words) > 1:
        quoted = list(map(_quoted, words))
        yield f"NEAR({' '.join(quoted)}, {_NEAR})"
        yield " AND ".join(quoted)


def _names_of(title: str) -> str:
    """A title or heading as the index knows it: every form it may be called by, between marks."""
    sense = _ENDS_SENSE if parenthesised(title) else _ENDS
    forms, whole = dict.fromkeys(map(fold, heading_forms(title))), fold(title)
    return " ".join(f"{_BEGINS} {form} {_ENDS if form == whole else sense}" for form in forms)


def _named(concept: str) -> str:
    """An FTS5 query for titles and headings that name the concept. A title with another sense in
    brackets than the concept's names another one."""
    forms = [form for form in dict.fromkeys(map(fold, title_forms(concept))) if form]
    names = [f'"{_BEGINS} {form} {_ENDS}"' for form in forms]
    with_sense = " OR ".join(f'"{_BEGINS} {form} {_ENDS_SENSE}"' for form in forms)
    sense = " AND ".join(map(_quoted, _words_of(parenthesised(concept))))
    if with_sense:
        names.append(f"(({with_sense}) AND {sense})" if sense else with_sense)
    return " OR ".join(names) or _NOTHING


def _words_of(text: str) -> list[str]:
    """The words of a text, each as it is matched: a run of signs without spaces is one."""
    return [folded for word in _WORD.findall(normalise(text)) if (folded := fold(word))]


def _beginnings(text: str) -> frozenset[str]:
    return frozenset(word[:_BEGINNING] for word in _words_of(text)[:_MOST_WORDS])


def _quoted(words: str) -> str:
    return f'"{words}"'


def _listed(name: str) -> str:
    """A title or heading as it is listed: without its brackets and without a number that says
    nothing."""
    plain = bare(name)
    label, rest = split_number(plain)
    return plain if label else rest


def _labels(reading: Reading) -> tuple[object, ...]:
    labels = reading.labels
    published = labels.published.isoformat() if labels.published else None
    marks = (bool(labels.retracted), bool(labels.preprint))
    return (reading.title, " ".join(labels.tiers), published, *marks)


def _connected(file: Path | None) -> sqlite3.Connection:
    """The index, opened or made. Raises sqlite3.DatabaseError for one of another schema."""
    if file is not None and not file.exists():
        # documents may be private, so their copy is; an existing file stays shut, to keep another
        # reader's locks
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    # calls are made one at a time, but not always from the same thread
    db = sqlite3.connect(file or ":memory:", timeout=_BUSY_S, check_same_thread=False)
    try:
        # no write-ahead log: another process may throw a damaged index away while this one still
        # reads it
        db.executescript(
            "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY;"
        )
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if not version:
            db.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {SCHEMA}; COMMIT;")
        elif version != SCHEMA:
            raise sqlite3.DatabaseError("another schema")
    except BaseException:
        db.close()
        raise
    return db


def _discard(file: Path | None) -> None:
    """Removes an index file and what SQLite keeps beside it."""
    for end in ("", "-journal", "-wal", "-shm") if file else ():
        Path(f"{file}{end}").unlink(missing_ok=True)


@contextmanager
def _locked(file: Path | None, stop: Stop) -> Iterator[None]:
    """One process at a time; the others wait for it, because its work is theirs too."""

    def is_cancelled() -> bool:
        stop()
        return False

    if file is None:
        yield
        return
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = FileLock(file.with_suffix(".lock"), poll_interval=0.05)
    with lock.acquire(cancel_check=is_cancelled):
        yield


def _go_on() -> None:
    return None
