"""A folder's index: documents, their passages, and an FTS5 table over them, kept in step with the
folder, of which only what changed is read again. Synchronous; runs in threads, which take turns."""

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from ....state.records import Tier
from ..base import FactQuery
from ..standing import two_years_before
from ..titles import bare, fold, respell, split_number
from .document import Unreadable
from .reading import Reading, Stop, read, reader_version
from .store import (
    BELOW,
    any_word,
    connected,
    discard,
    locked,
    matches,
    named,
    names_of,
    sign_of,
)
from .walk import Census, Entry, read_bytes, walk

Value = TypeVar("Value")
_FILES_PER_COMMIT = 100
"""A process that dies while indexing loses at most so many files' work."""
_CANDIDATES = 200
_MOST_HEADINGS = 200
_HAND = 3
"""Passages that a question is chosen from: where fewer stand below the concept's own name, those with
the phrase follow."""
_COMMON_SHARE, _COMMON_FROM = 8, 200
"""A word is common that stands in every eighth passage, where there are so many passages."""
_RANK = "bm25(words, 4.0, 2.0, 1.0) * min(1.0, 0.5 + length(p.text) / 250.0)"
"""Title above heading above text; a passage of less than 125 signs is worth less: a caption or a
menu entry carries no question. Rounded in the query: the last digits must not decide the order of a
tie."""
_TIER = {
    Tier.SPECIALIST: " AND NOT d.retracted AND NOT d.preprint",
    Tier.CUTTING_EDGE: " AND NOT d.retracted AND d.published BETWEEN ? AND ?",
}
_MEANT = {Tier.COMMON: "p.lead", Tier.TEXTBOOK: "NOT p.lead"}
"""Which part of a document without a tier serves one; all of it does where that part has
nothing."""


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
        self, root: Path, file: Path | None, *, language: str, clock: Callable[[], datetime]
    ) -> None:
        self._root = os.path.realpath(root)
        self._file = file
        self._language = language
        self._clock = clock
        self._db: sqlite3.Connection | None = None
        self.holdings = Holdings()
        self._common: dict[str, bool] = {}
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
                    with locked(file, stop):
                        if remark is not None:
                            discard(file)
                        return self._opened(file, census, stop, remark)
                except (OSError, sqlite3.Error) as error:
                    remark = str(error)
            raise sqlite3.OperationalError(remark)

    def search(self, query: FactQuery) -> list[Found]:
        """Candidates for a query, best first, as close to the concept as any is. Damage
        that only a look-up meets is mended. Raises sqlite3.Error."""
        return self._read(lambda: self._closest(query))

    def nearest(self, title: str, limit: int) -> list[str]:
        """Titles and headings that have words of a title, best first. Raises sqlite3.Error."""
        asked = (
            "SELECT h.name FROM names JOIN headings h ON h.id = names.rowid WHERE names MATCH ? "
            "GROUP BY h.name ORDER BY round(min(names.rank), 6), h.name LIMIT ?"
        )
        return self._names(asked, any_word(title), limit)

    def sections(self, query: FactQuery, limit: int) -> list[str]:
        """The places whose passages have words of a query's concept and line, best first: a title,
        or the innermost heading behind it. Raises sqlite3.Error."""
        asked = (
            "SELECT d.title, p.section FROM words JOIN passages p ON p.id = words.rowid "
            "JOIN documents d ON d.id = p.document WHERE words MATCH ? GROUP BY d.id, p.section "
            "ORDER BY round(min(words.rank), 6), d.path, min(p.position) LIMIT ?"
        )
        words = any_word(" ".join((query.concept, *reversed(query.line))))
        rows = self._read(lambda: self._sql(asked, (words, limit)).fetchall())
        places: dict[str, None] = {}
        for title, section in rows:
            heading = section.split(BELOW)[-1] if section else title
            place = dict.fromkeys(map(_listed, (title, heading)))
            places[BELOW.join(place)] = None
        return list(places)

    def contents(self) -> list[str]:
        """Titles and headings that have passages, each once, by path and position; those that ask
        something only where most do; without the signs that links to them leave. Raises
        sqlite3.Error."""
        asked = (
            "SELECT h.name FROM headings h JOIN documents d ON d.id = h.document "
            "ORDER BY d.path, h.id"
        )
        names = dict.fromkeys(name.rstrip("#¶ ") for name in self._names(asked))
        plain = [name for name in names if "?" not in name]
        return plain if 2 * len(plain) >= len(names) else list(names)

    def _names(self, asked: str, *values: object) -> list[str]:
        rows = self._read(lambda: self._sql(asked, values).fetchall())
        return [name for (name,) in rows]

    def _read(self, reading: Callable[[], Value]) -> Value:
        with self._guard:
            try:
                return self._in_one_view(reading)
            except sqlite3.Error:
                self.close()
            with locked(self._file, _go_on):
                discard(self._file)
            self.refresh(_go_on)
            return self._in_one_view(reading)

    def _in_one_view(self, reading: Callable[[], Value]) -> Value:
        self._sql("BEGIN")  # one view of the index, whatever another process writes meanwhile
        try:
            return reading()
        finally:
            if self._db is not None:
                self._db.rollback()

    def close(self) -> None:
        with self._guard:
            if self._db is not None:
                self._db.close()
            self._db = None

    def _sql(self, asked: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        assert self._db is not None, "refresh comes first"
        return self._db.execute(asked, values)

    def _opened(
        self, file: Path | None, census: Census, stop: Stop, remark: str | None
    ) -> Holdings:
        self.close()
        try:
            self._db = connected(file)
            held = self._in_step(self._db, census, stop)
        except BaseException:
            self.close()
            raise
        self.holdings = replace(held, remark=None if file else remark)
        self._common.clear()
        asked = "SELECT EXISTS (SELECT 1 FROM documents WHERE tiers != '')"
        self._has_tiers = bool(self._sql(asked).fetchone()[0])
        return self.holdings

    def _in_step(self, db: sqlite3.Connection, census: Census, stop: Stop) -> Holdings:
        known = {
            path: rest
            for path, *rest in db.execute("SELECT path, stamp, reader, hash FROM documents")
        }
        gone = sorted(known.keys() - census.entries.keys())
        for path in gone:
            self._remove(path)
        read_now = 0
        for count, path in enumerate(sorted(census.entries), 1):
            stop()
            read_now += self._visit(census.entries[path], known.get(path, []), stop)
            if count % _FILES_PER_COMMIT == 0:
                db.commit()
        db.commit()
        documents = db.execute(
            "SELECT path, hash, reader, problem FROM documents ORDER BY path"
        ).fetchall()
        used = [
            f"{path}\0{digest}\0{reader}\n"
            for path, digest, reader, problem in documents
            if problem is None
        ]
        problems = {path: problem for path, _, _, problem in documents if problem is not None}
        return Holdings(
            documents=len(used),
            passages=db.execute("SELECT count(*) FROM passages").fetchone()[0],
            read=read_now,
            removed=len(gone),
            skipped=dict(sorted({**census.skipped, **problems}.items())),
            fingerprint=hashlib.sha256("".join(used).encode()).hexdigest()[:16],
        )

    def _visit(self, entry: Entry, known: list[str], stop: Stop) -> bool:
        """Whether the file had to be read. `known`: its stamp, reader and hash as they were."""
        reader = reader_version(entry.kind)
        if known[:2] == [entry.stamp, reader]:
            return False
        digest, reading, problem = "", None, None
        try:
            data = read_bytes(entry.real)
            digest = hashlib.sha256(data).hexdigest()
            if known[1:] == [reader, digest]:  # a new date and the old content
                self._sql(
                    "UPDATE documents SET stamp = ? WHERE path = ?", (entry.stamp, entry.path)
                )
                return False
            reading = read(data, entry.path, entry.kind, self._language, stop)
        except Unreadable as error:
            problem = str(error)
        self._remove(entry.path)
        self._put(
            (entry.path, entry.stamp, reader, digest, self._clock().isoformat(), problem), reading
        )
        return True

    def _remove(self, path: str) -> None:
        mine = (
            "(SELECT p.id FROM passages p JOIN documents d ON d.id = p.document WHERE d.path = ?)"
        )
        self._sql(f"DELETE FROM words WHERE rowid IN {mine}", (path,))
        headings = mine.replace("passages", "headings")
        self._sql(f"DELETE FROM names WHERE rowid IN {headings}", (path,))
        self._sql(f"DELETE FROM headings WHERE id IN {headings}", (path,))
        self._sql(f"DELETE FROM passages WHERE id IN {mine}", (path,))
        self._sql("DELETE FROM documents WHERE path = ?", (path,))

    def _put(self, state: tuple[object, ...], reading: Reading | None) -> None:
        """What is now known of a file; `reading` is None when it could not be read."""
        asked = f"INSERT INTO documents VALUES (NULL, {', '.join('?' * 11)})"
        document = self._sql(
            asked, (*state, *(_labels(reading) if reading else [None] * 5))
        ).lastrowid
        first = self._sql("SELECT coalesce(max(id), 0) + 1 FROM passages").fetchone()[0]
        for n, p in enumerate(reading.pieces if reading else ()):
            row = (first + n, document, n, p.lead, p.section, p.place, p.text)
            self._sql("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        if document and reading:
            self._put_words(first, document, reading)

    def _put_words(self, first: int, document: int, reading: Reading) -> None:
        signs: dict[str, str] = {}

        def sign(name: str) -> str:
            if name not in signs:
                row = (document, _listed(name))
                asked = "INSERT INTO headings (document, name) VALUES (?, ?)"
                heading = self._sql(asked, row).lastrowid or 0
                names = (heading, names_of(name))
                self._sql("INSERT INTO names (rowid, name) VALUES (?, ?)", names)
                signs[name] = f"{sign_of(heading)} {fold(name)}"
            return signs[name]

        title = sign(reading.title)
        for n, p in enumerate(reading.pieces):
            headings = " ".join(map(sign, p.section.split(BELOW))) if p.section else ""
            words = (first + n, title, headings, respell(p.text))
            self._sql("INSERT INTO words (rowid, title, heading, body) VALUES (?, ?, ?, ?)", words)

    def _closest(self, query: FactQuery) -> list[Found]:
        """Documents of this tier speak for it alone where they have anything; then those of
        none."""
        *above, concept = query.concept.split(BELOW)
        headings = self._named(concept)
        titles = self._named(above[0]) if above else None
        levels = list(matches(query, headings, self._is_common, titles))
        for marked in (True, False) if self._has_tiers else (False,):
            found: list[Found] = []
            for level in levels:
                found += [one for one in self._candidates(query, level, marked) if one not in found]
                if len(found) >= _HAND or (found and not (headings and level is levels[0])):
                    return found
            if found:
                return found
        return []

    def _named(self, concept: str) -> list[int]:
        asked = "SELECT rowid FROM names WHERE names MATCH ? ORDER BY rowid LIMIT ?"
        return [id for (id,) in self._sql(asked, (named(concept), _MOST_HEADINGS))]

    def _is_common(self, word: str) -> bool:
        if self.holdings.passages < _COMMON_FROM:
            return False
        if word not in self._common:
            most = self.holdings.passages // _COMMON_SHARE
            asked = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
            (count,) = self._sql(asked, (f'body : "{word}"', most)).fetchone()
            self._common[word] = count >= most
        return self._common[word]

    def _candidates(self, query: FactQuery, level: str, marked: bool) -> list[Found]:
        """Best first; equals by path and position."""
        condition = ("d.tiers LIKE ?" if marked else "d.tiers = ?") + _TIER.get(query.tier, "")
        values: list[object] = [level, f"%{query.tier}%" if marked else ""]
        if query.tier is Tier.CUTTING_EDGE:
            values += [two_years_before(query.as_of).isoformat(), query.as_of.isoformat()]
        meant = "1" if marked else _MEANT.get(query.tier, "1")
        rows = self._sql(
            f"SELECT {meant} AS meant, p.text, p.section, p.place, p.position, d.path, d.title, "
            "d.hash, d.published, d.read_at FROM words JOIN passages p ON p.id = words.rowid "
            f"JOIN documents d ON d.id = p.document WHERE words MATCH ? AND {condition} "
            f"ORDER BY meant DESC, round({_RANK}, 6), d.path, p.position LIMIT {_CANDIDATES}",
            values,
        ).fetchall()
        return [Found(*row[1:]) for row in rows if row[0] == rows[0][0]]


def _listed(name: str) -> str:
    """A title or heading as it is listed: without its book and without a number that says
    nothing."""
    plain = bare(name)
    label, rest = split_number(plain)
    return plain if label else rest


def _labels(reading: Reading) -> tuple[object, ...]:
    labels = reading.labels
    published = labels.published.isoformat() if labels.published else None
    return (
        reading.title,
        " ".join(labels.tiers),
        published,
        bool(labels.retracted),
        bool(labels.preprint),
    )


def _go_on() -> None:
    return None
