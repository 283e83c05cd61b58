"""The file of a folder's index: opened, told from a damaged one, held by one process; and words as
it knows them, by the same light stems by which `relevance.mentions` compares."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from filelock import FileLock

from ....state.text import normalise
from ..base import FactQuery, aside, bare, stems

SCHEMA = 1
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
CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, tokenize = "unicode61 remove_diacritics 2");
"""
_SIGNS = r"\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\u1000-\u109f\u1780-\u17ff"
_TERM = re.compile(rf"[{_SIGNS}]|[^\W_{_SIGNS}]+")
_RUN = re.compile(rf"[{_SIGNS}]+")
_MOST_TERMS = 24
"""Of a longer concept, the first words find the candidates; whether they mention it all is asked
afterwards."""


def connected(file: Path | None) -> sqlite3.Connection:
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


def discard(file: Path | None) -> None:
    """Removes an index file and what SQLite keeps beside it."""
    for end in ("", "-journal", "-wal", "-shm") if file else ():
        Path(f"{file}{end}").unlink(missing_ok=True)


@contextmanager
def locked(file: Path | None, stop: Callable[[], None]) -> Iterator[None]:
    """One process at a time; the others wait for it, because its work is theirs too."""

    def asked() -> bool:
        stop()
        return False

    if file is None:
        yield
        return
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with FileLock(file.with_suffix(".lock"), poll_interval=0.05).acquire(cancel_check=asked):
        yield


def terms(text: str) -> str:
    """The text as it is indexed: stems in order, and single signs where words are not spaced."""
    return " ".join(_term(word) for word in _TERM.findall(normalise(text)))


def match(query: FactQuery) -> str | None:
    """An FTS5 query for passages that have the concept in their text, title or headings; the
    concept as a phrase, the words in brackets behind it, those of its line and of the domain only
    raise the rank. None when there is no word in it. Nothing of it is read as syntax."""
    concept = bare(query.concept)
    required = _required(concept)
    if not required:
        return None
    wanted = " AND ".join(required)
    around = (aside(query.concept), *reversed(query.line), query.domain)
    helpful = dict.fromkeys(stem for text in around if text for stem in sorted(stems(text)))
    liked = [_quoted(terms(concept)), *map(_quoted, list(helpful)[:_MOST_TERMS])]
    places = " OR ".join(f"({{{column}}} : ({wanted}))" for column in ("title", "heading", "body"))
    return f"({places}) AND ({required[0]} OR {' OR '.join(liked)})"


def _required(concept: str) -> list[str]:
    folded = normalise(concept)
    if runs := _RUN.findall(folded):
        return [_quoted(" ".join(run)) for run in runs[:_MOST_TERMS]]
    return [_quoted(stem) for stem in sorted(stems(concept))[:_MOST_TERMS]]


def _quoted(term: str) -> str:
    return '"' + term.replace('"', " ") + '"'


@lru_cache(maxsize=65_536)
def _term(word: str) -> str:
    return " ".join(sorted(stems(word)))
