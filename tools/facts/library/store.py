"""The file of a folder's index: opened, told from a damaged one, held by one process; and how it
is asked for a concept: FTS5 does the matching, by stems."""

import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from ....state.text import normalise
from ..base import FactQuery
from ..titles import aside, bare, fold, heading_forms, title_forms

SCHEMA = 2
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
CREATE TABLE headings (id INTEGER PRIMARY KEY, document INTEGER NOT NULL, name TEXT NOT NULL);
CREATE INDEX headings_by_document ON headings (document);
CREATE VIRTUAL TABLE words USING fts5 (title, heading, body, tokenize = "porter unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE names USING fts5 (name, tokenize = "porter unicode61 remove_diacritics 2");
"""
_WORD = re.compile(r"[^\W_]+")
_BEGINS, _ENDS, _ENDS_SENSE = "q0q", "q9q", "q8q"
"""Words that no text has: around a name in the index, its end another one where brackets behind the
title tell the sense."""
_NOTHING = '""'
BELOW = " › "
"""Between the title of a document and a heading in it, where both name one place."""
_MOST_WORDS = 24
_NEAR = 10
"""Words between those that are near each other."""
_BEGINNING = 6
"""Letters by which longer words are alike, when titles near a name are looked for."""


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


def names_of(title: str) -> str:
    """A title or heading as the index knows it: every form it may be called by, between marks."""
    sense = _ENDS_SENSE if aside(title) else _ENDS
    folded = dict.fromkeys(map(fold, heading_forms(title)))
    whole = fold(title)
    return " ".join(f"{_BEGINS} {form} {_ENDS if form == whole else sense}" for form in folded)


def named(concept: str) -> str:
    """An FTS5 query for titles and headings that name the concept. A title with another sense in
    brackets than the concept's names another one."""
    folded = [form for form in dict.fromkeys(map(fold, title_forms(concept))) if form]
    names = [f'"{_BEGINS} {form} {_ENDS}"' for form in folded]
    with_sense = " OR ".join(f'"{_BEGINS} {form} {_ENDS_SENSE}"' for form in folded)
    sense = " AND ".join(map(_quoted, words_of(aside(concept))))
    if with_sense:
        names.append(f"(({with_sense}) AND {sense})" if sense else with_sense)
    return " OR ".join(names) or _NOTHING


def sign_of(heading: int) -> str:
    """The word that stands with each passage for a title or heading above it."""
    return f"q{heading}q"


def matches(
    query: FactQuery,
    headings: Sequence[int],
    is_common: Callable[[str], bool],
    titles: Sequence[int] | None = None,
) -> Iterator[str]:
    """FTS5 queries for passages on the concept, the closest first: below one of the titles and
    headings that name it; with the phrase; with its words near each other; with all of its words.
    What stands in brackets behind the concept, its line and the domain raise the rank. `is_common`:
    whether a word stands nearly everywhere, so that it need not be there. Nothing of the query is
    read as syntax. `titles`: the concept is one place, below a heading in documents with these
    titles, and is nowhere else."""
    words = words_of(bare(query.concept))[:_MOST_WORDS]
    if not words:
        return
    around = (aside(query.concept), *reversed(query.line), query.domain)
    liked = dict.fromkeys([*words, *(word for text in around for word in words_of(text))])
    preferred = [_quoted(word) for word in liked if not is_common(word)][:_MOST_WORDS]
    levels = _levels(query.concept, words, headings, is_common)
    for level in levels if titles is None else [f"{_below(titles)} AND {_below(headings)}"]:
        yield f"({level}) AND (({level}) OR {' OR '.join(preferred)})" if preferred else level


def _levels(
    concept: str, words: list[str], headings: Sequence[int], is_common: Callable[[str], bool]
) -> Iterator[str]:
    if headings:
        yield _below(headings)
    phrases = dict.fromkeys(fold(form) for form in title_forms(bare(concept)))
    yield f"body : ({' OR '.join(map(_quoted, filter(None, phrases)))})"
    telling = [word for word in words if not is_common(word)] if len(words) > 1 else []
    quoted = list(map(_quoted, telling if len(telling) > 1 else words))
    if len(quoted) > 1:
        yield f"NEAR({' '.join(quoted)}, {_NEAR})"
        yield " AND ".join(quoted)


def _below(headings: Sequence[int]) -> str:
    return f"({{title heading}} : ({' OR '.join(map(sign_of, headings)) or _NOTHING}))"


def any_word(text: str) -> str:
    """An FTS5 query for what has any of the words, or one that begins as it does."""
    words = words_of(text)[:_MOST_WORDS]
    begun = (f"{_quoted(word[:_BEGINNING])} *" for word in words if len(word) > _BEGINNING)
    return " OR ".join([*map(_quoted, words), *begun]) or _NOTHING


def words_of(text: str) -> list[str]:
    """The words of a text, each as it is matched: a run of signs without spaces is one."""
    return [folded for word in _WORD.findall(normalise(text)) if (folded := fold(word))]


def _quoted(words: str) -> str:
    return f'"{words}"'
