"""A folder of the user's own documents as a source of evidence, searched on this machine and
nowhere else: an FTS5 table in memory does the matching, by stems. What a file was read into is kept
on disk, so that only what changed is read again."""

import asyncio
import hashlib
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter

from ...state.errors import SourceFailed, UsageError
from ...state.records import Evidence
from ...state.text import digest, normalise
from ...state.tiers import TIERS, Tier
from ..runs.log import get_logger
from .base import (
    FactQuery,
    bare,
    fold,
    heading_forms,
    parenthesised,
    respell,
    split_number,
    spread,
    title_forms,
)
from .library.document import Stopped, Unreadable
from .library.reading import BELOW, Reading, read, reader_version
from .library.walk import READABLE, folder_at, read_bytes, walk
from .plan import check_language
from .standing import two_years_before

_NEAREST = 5
_LEAST_LIKE = 50
"""Per cent of likeness of a title to be near a name."""
_STORED = (
    "document", "text", "section", "place", "position", "path", "hash", "published", "read_at",
    "lead", "tiers", "retracted", "preprint",
)  # fmt: skip
"""What is told of each passage beside the words by which it is matched."""
_TABLE = (
    "CREATE VIRTUAL TABLE passages USING fts5 (title, heading, body, "
    + ", ".join(f"{name} UNINDEXED" for name in _STORED)
    + ', tokenize = "porter unicode61 remove_diacritics 2")'
)
_CANDIDATES = 200
_HAND = 3
"""Passages that a question is chosen from: where fewer stand below the concept's own name, those with
the phrase follow."""
_RANK = "bm25(passages, 4.0, 2.0, 1.0) * min(1.0, 0.5 + length(text) / 250.0)"
"""Title above heading above text; a passage of less than 125 signs (a caption, a menu entry) is
worth less. Rounded in the query: the last digits must not decide the order of a
tie."""
_ADMISSIBLE = {
    Tier.SPECIALIST: " AND NOT retracted AND NOT preprint",
    Tier.CUTTING_EDGE: " AND NOT retracted AND published BETWEEN ? AND ?",
}
_PART = {Tier.COMMON: "lead", Tier.TEXTBOOK: "NOT lead"}
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
_KEPT = TypeAdapter(tuple[datetime, Reading])
"""When a file was read, and into what."""

Value = TypeVar("Value")
Stop = Callable[[], None]


@dataclass(slots=True)
class Library:
    """What a folder holds, once it is indexed. `read`: files read just now and not before."""

    db: sqlite3.Connection
    documents: int = 0
    read: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    """Path below the folder → why the file is not used."""
    fingerprint: str = ""
    has_tiers: bool = False
    """Whether any document says which tier it serves."""
    guard: threading.Lock = field(default_factory=threading.Lock)
    """Look-ups in threads take turns."""

    @property
    def reasons(self) -> str:
        """Why most files are not used, with their numbers."""
        counted = Counter(self.skipped.values()).most_common(3)
        return "; ".join(f"{times} × {reason}" for reason, times in counted)


class FolderSource:
    """Markdown, plain text, reStructuredText, HTML and PDF below one folder.

    A passage counts when its document, a heading above it or the term that it helps to define is
    named like the concept; where none is, when it has the concept as a phrase; then with its words
    near each other; then with all of its words. Its address is the folder's name with the path
    below it and the place: `notes/stroke.md#L12`, `notes/acs.pdf#page=3`, `notes/gout.html#therapy`.

    A document's tier is what its front matter says, else the innermost sub-folder named like a
    tier. Without a tier it serves COMMON with its lead, TEXTBOOK with the rest, each with all of it
    where that part has nothing as close to the concept, and the tiers above with anything; but only
    where no document of the tier itself has anything on the concept.
    CUTTING_EDGE takes only what states a date of publication within two years before the query's
    `as_of`; a retracted document is no evidence from SPECIALIST on, a preprint not at SPECIALIST.

    `notice` sums up the files that cannot be used. `retrieved_at` is when the file was first read,
    `revision` begins its SHA-256: a second run on an unchanged folder records the same evidence.
    The folder is read once per source, at the first look-up or `prepare`; what changes later shows
    in the next launch.
    """

    def __init__(
        self,
        name: str,
        *,
        path: str,
        index_dir: Path | None,
        language: str = "en",
        clock: Callable[[], datetime],
    ) -> None:
        """`index_dir` keeps from launch to launch what files were read into; None keeps nothing.
        Raises UsageError: no such folder, not a folder, or an odd language code. Reads nothing
        yet."""
        self.name = name
        self.tiers: Set[Tier] = frozenset(TIERS)
        self._path = path
        self._root = folder_at(path)
        self._index_dir = index_dir
        self._language = check_language(language)
        self._clock = clock
        self._stopped = threading.Event()
        self._opening = asyncio.Lock()
        self._library: Library | None = None

    @property
    def notice(self) -> str | None:
        """One sentence about files that are not used; None when all are, or nothing is indexed
        yet."""
        library = self._library
        if library is None or not library.skipped:
            return None
        unused = len(library.skipped)
        total = library.documents + unused
        return f"{self.name}: {unused} of {total} files are not used ({library.reasons})."

    async def prepare(self) -> Library:
        """Indexes the folder, unless that is done. Raises UsageError: it has gone, may not be read,
        or holds nothing readable."""
        async with self._opening:
            if self._library is None:
                self._library = await self._indexed()
            return self._library

    async def fingerprint(self) -> str:
        """Sixteen hex digits over the paths and contents of the documents used and the way they are
        read; the same for the same folder on another machine. Raises SourceFailed."""
        return (await self._ready()).fingerprint

    async def find(self, query: FactQuery) -> list[Evidence]:
        """Passages on the concept at the tier: best document first, in reading order within a
        document, and no document fills the hand while others have something. Raises SourceFailed
        when the folder cannot be read."""
        candidates = await self._ask(lambda library: _closest(library, query))
        return [self._evidence(row, query.tier) for row in _spread(candidates, query.limit)]

    async def nearest(self, title: str, language: str) -> list[str]:
        """Titles and headings like a title, best first, at most 5. Raises SourceFailed."""
        from rapidfuzz import fuzz, process  # heavy: only where something was not found

        names = await self._ask(_contents)
        like = process.extract(
            title,
            names,
            processor=fold,
            scorer=fuzz.token_set_ratio,
            score_cutoff=_LEAST_LIKE,
            limit=_NEAREST,
        )
        return [name for name, *_ in like] if fold(title) else []

    async def sections(self, query: FactQuery, limit: int) -> list[str]:
        """The places that speak most of the query's concept and line, at most `limit`: a title, or
        the innermost heading behind it. Raises SourceFailed."""
        statement = (
            "SELECT document, section FROM passages WHERE passages MATCH ? GROUP BY path, section "
            "ORDER BY round(min(rank), 6), min(rowid) LIMIT ?"
        )
        words = _words_of(" ".join((query.concept, *reversed(query.line))))[:_MOST_WORDS]
        values = (" OR ".join(map(_quoted, words)) or _NOTHING, limit)
        rows = await self._ask(lambda library: library.db.execute(statement, values).fetchall())
        places = list[str]()
        for title, section in rows:
            heading = section.split(BELOW)[-1] if section else title
            places.append(BELOW.join(dict.fromkeys(map(_listed, (title, heading)))))
        return list(dict.fromkeys(places))

    async def contents(self, limit: int) -> list[str]:
        """Titles and headings that have passages, by path and position; at most `limit`, spread
        evenly. Raises SourceFailed."""
        return spread(await self._ask(_contents), limit)

    async def aclose(self) -> None:
        """Calls off indexing that is under way and closes the index; a later look-up makes it
        again."""
        self._stopped.set()
        library, self._library = self._library, None
        self._stopped = threading.Event()
        if library is not None:
            with library.guard:
                library.db.close()

    async def _ask(self, question: Callable[[Library], Value]) -> Value:
        library = await self._ready()

        def answer() -> Value:
            with library.guard:
                return question(library)

        try:
            return await asyncio.to_thread(answer)
        except sqlite3.Error as error:
            raise SourceFailed(
                "server", f"The index of {self.name} failed: {error}."
            ) from error

    async def _ready(self) -> Library:
        try:
            return await self.prepare()
        except UsageError as error:
            raise SourceFailed("bad_reply", str(error)) from error

    async def _indexed(self) -> Library:
        stopped = self._stopped

        def stop() -> None:
            if stopped.is_set():
                raise Stopped

        try:
            library = await asyncio.to_thread(self._index, stop)
        except Stopped:
            raise UsageError(f"{self.name} was closed while it was read.") from None
        except asyncio.CancelledError:
            stopped.set()  # a thread cannot be cancelled, only asked
            raise
        except OSError as error:
            raise UsageError(
                f"The folder {self._path} cannot be read ({error.strerror})."
            ) from error
        if not library.documents:
            library.db.close()
            why = f" ({library.reasons})" if library.skipped else ""
            raise UsageError(
                f"The folder {self._path} holds no readable document{why}: it takes {READABLE}."
            )
        get_logger().info(
            "folder indexed",
            source=self.name,
            documents=library.documents,
            read=library.read,
            skipped=dict(Counter(library.skipped.values())),
        )
        return library

    def _index(self, stop: Stop) -> Library:
        """`stop` is called often and may raise to call it off. Raises OSError when the folder
        itself cannot be listed."""
        census = walk(str(self._root))
        # look-ups are made one at a time, but not always from the same thread
        library = Library(sqlite3.connect(":memory:", check_same_thread=False))
        library.db.row_factory = sqlite3.Row
        library.db.execute(_TABLE)
        library.skipped.update(census.skipped)
        used = hashlib.sha256()
        for path, kind in census.entries.items():
            stop()
            try:
                data = read_bytes(str(self._root / path))
                content = hashlib.sha256(data).hexdigest()
                read_at, reading = self._reading(data, content, path, kind, library, stop)
            except Unreadable as error:
                library.skipped[path] = str(error)
                continue
            library.documents += 1
            library.has_tiers |= bool(reading.labels.tiers)
            used.update(f"{path}\0{content}\0{reader_version(kind)}\n".encode())
            rows = _rows(reading, path, content, read_at.isoformat())
            places = ", ".join("?" * (3 + len(_STORED)))
            library.db.executemany(f"INSERT INTO passages VALUES ({places})", rows)
        library.fingerprint = used.hexdigest()[:16]
        library.skipped = dict(sorted(library.skipped.items()))
        return library

    def _reading(
        self,
        data: bytes,
        content: str,
        path: str,
        kind: str,
        library: Library,
        stop: Stop,
    ) -> tuple[datetime, Reading]:
        """What the file was read into before, where that is kept; else what it is read into now.
        Raises Unreadable."""
        file: Path | None = None
        if self._index_dir is not None:
            key = "\0".join((path, content, reader_version(kind), self._language))
            file = self._index_dir / f"{hashlib.sha256(key.encode()).hexdigest()}.json"
            try:
                return _KEPT.validate_json(file.read_bytes())
            except (OSError, ValueError):
                pass  # not kept, or damaged
        kept = self._clock(), read(data, path, kind, self._language, stop)
        library.read += 1
        if file is not None:
            try:
                _write_privately(file, _KEPT.dump_json(kept))
            except OSError as error:
                get_logger().warning("reading not kept", file=path, reason=str(error))
        return kept

    def _evidence(self, row: sqlite3.Row, tier: Tier) -> Evidence:
        address, place = f"{self._root.name}/{row['path']}", row["place"]
        return Evidence(
            text=row["text"],
            title=row["document"],
            url=f"{address}#{place}" if place else address,
            source=self.name,
            tier=tier,
            section=row["section"],
            revision=row["hash"][:12],
            published=date.fromisoformat(row["published"]) if row["published"] else None,
            retrieved_at=datetime.fromisoformat(row["read_at"]),
            digest=digest(row["text"]),
        )


def _write_privately(file: Path, content: bytes) -> None:
    """For its owner only: documents may be private, so their copies are. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = file.with_suffix(f".{threading.get_native_id()}")
    part.touch(mode=0o600)
    part.write_bytes(content)
    part.replace(file)


def _rows(
    reading: Reading, path: str, content: str, read_at: str
) -> Iterator[tuple[object, ...]]:
    """A row of the table for each passage of a document."""
    labels, title = reading.labels, _names_of(reading.title)
    published = labels.published.isoformat() if labels.published else None
    for position, piece in enumerate(reading.pieces):
        headings = piece.section.split(BELOW) if piece.section else ()
        words = (title, " ".join(map(_names_of, headings)), respell(piece.text))
        place = (reading.title, piece.text, piece.section, piece.place, position)
        marks = (bool(labels.retracted), bool(labels.preprint))
        document = (path, content, published, read_at, piece.lead, " ".join(labels.tiers))
        yield (*words, *place, *document, *marks)


def _contents(library: Library) -> list[str]:
    """Titles and headings that have passages, each once, by path and position; those that ask
    something only where most do; without the signs that links to them leave."""
    statement = (
        "SELECT document, section FROM passages GROUP BY path, section ORDER BY min(rowid)"
    )
    names = dict[str, None]()
    for title, section in library.db.execute(statement).fetchall():
        for name in (title, *(section.split(BELOW) if section else ())):
            names[_listed(name).rstrip("#¶ ")] = None
    plain = [name for name in names if "?" not in name]
    return plain if 2 * len(plain) >= len(names) else list(names)


def _closest(library: Library, query: FactQuery) -> list[sqlite3.Row]:
    """Candidates, best first, as close to the concept as any is. Documents of this tier speak for
    it alone where they have anything; then those of none."""
    levels = list(matches(query))
    for is_marked in (True, False) if library.has_tiers else (False,):
        passages: list[sqlite3.Row] = []
        for number, level in enumerate(levels):
            rows = _candidates(library, query, level, is_marked)
            passages += [row for row in rows if row not in passages]
            if len(passages) >= _HAND or (passages and number):
                return passages
        if passages:
            return passages
    return []


def _candidates(
    library: Library, query: FactQuery, level: str, is_marked: bool
) -> list[sqlite3.Row]:
    """Best first; equals by path and position."""
    condition = "tiers LIKE ?" if is_marked else "tiers = ?"
    condition += _ADMISSIBLE.get(query.tier, "")
    values = [level, f"%{query.tier}%" if is_marked else ""]
    if query.tier is Tier.CUTTING_EDGE:
        values += [two_years_before(query.as_of).isoformat(), query.as_of.isoformat()]
    part = "1" if is_marked else _PART.get(query.tier, "1")
    rows = library.db.execute(
        f"SELECT {part} AS part, * FROM passages WHERE passages MATCH ? AND {condition} "
        f"ORDER BY part DESC, round({_RANK}, 6), rowid LIMIT {_CANDIDATES}",
        values,
    ).fetchall()
    return [row for row in rows if row["part"] == rows[0]["part"]]


def matches(query: FactQuery) -> Iterator[str]:
    """FTS5 queries for passages on the concept, the closest first: below a title or heading that
    names it; with the phrase; with its words near each other; with all of its words. What stands in
    brackets behind the concept, its line and the domain raise the rank. Nothing of the query is read
    as syntax. `title › heading` is one place, and is nowhere else."""
    *above, concept = query.concept.split(BELOW)
    words = _words_of(bare(concept))[:_MOST_WORDS]
    if not words:
        return
    around = " ".join((parenthesised(concept), *reversed(query.line), query.domain))
    liked = list(dict.fromkeys([*words, *_words_of(around)]))
    preferred = " OR ".join(map(_quoted, liked[:_MOST_WORDS]))
    place = f"{{title heading}} : ({_named(concept)})"
    levels = [place, *_levels(concept, words)]
    if above:
        levels = [f"(title : ({_named(above[0])}) AND {place})"]
    for level in levels:
        yield f"({level}) AND (({level}) OR {preferred})"


def _levels(concept: str, words: Sequence[str]) -> Iterator[str]:
    phrases = dict.fromkeys(fold(form) for form in title_forms(bare(concept)))
    yield f"body : ({' OR '.join(map(_quoted, filter(None, phrases)))})"
    if len(words) > 1:
        quoted = list(map(_quoted, words))
        yield f"NEAR({' '.join(quoted)}, {_NEAR})"
        yield " AND ".join(quoted)


def _names_of(title: str) -> str:
    """Every form that a title or heading may be called by, between marks."""
    sense = _ENDS_SENSE if parenthesised(title) else _ENDS
    forms, whole = dict.fromkeys(map(fold, heading_forms(title))), fold(title)
    return " ".join(f"{_BEGINS} {form} {_ENDS if form == whole else sense}" for form in forms)


def _named(concept: str) -> str:
    """An FTS5 query for titles and headings that name the concept, in its sense in brackets."""
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


def _quoted(words: str) -> str:
    return f'"{words}"'


def _listed(name: str) -> str:
    """A title or heading as it is listed: without brackets, or a number that says nothing."""
    plain = bare(name)
    label, rest = split_number(plain)
    return plain if label else rest


def _spread(candidates: Sequence[sqlite3.Row], limit: int) -> list[sqlite3.Row]:
    """The best, each text once, in reading order; no document fills the hand alone."""
    share = max(2, limit // 3)
    by_document: Counter[str] = Counter()
    first: list[sqlite3.Row] = []
    reserve: list[sqlite3.Row] = []
    unique = {digest(row["text"]): row for row in reversed(candidates)}
    for row in reversed(unique.values()):
        (first if by_document[row["path"]] < share else reserve).append(row)
        by_document[row["path"]] += 1
    hand = [*first, *reserve][:limit]
    order = {path: rank for rank, path in enumerate(dict.fromkeys(row["path"] for row in hand))}
    return sorted(hand, key=lambda row: (order[row["path"]], row["position"]))
