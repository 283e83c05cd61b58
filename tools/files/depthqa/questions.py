"""Questions of depth 3 that a person brings, to be deconstructed into a graph."""

import os
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ....state.depthqa.items import question_key
from ....state.depthqa.spec import MAX_SOURCE_ID, SourceQuestion
from ....state.errors import UsageError
from ..table import row as cells
from ..table.csv_rows import header
from ..table.parquet import is_begun
from ..table.read import MAX_ROWS, Data, Row, Shape, Table, read_data, table_of
from ..text import some_of, unseen
from .graph import GRAPH

MAX_QUESTIONS = 5_000
MAX_LENGTH = 4_000
"""Characters of a question."""
_IDS = ("id", "qid")
_COLUMNS = ("question", *_IDS, "reference", "answer", "key_points", "domain", "depth")
_ROWS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet")
_TEXTS = (".txt", ".md", ".text")
_BUILT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"format"\s*:\s*"fathom-depthqa/')
_OVER = "{0} is a graph already: ask it with fathom depthqa ask {0}."
_HOLDS = "questions, one per line or as JSON or CSV"


class ReadQuestions(NamedTuple):
    questions: tuple[SourceQuestion, ...]
    notices: tuple[str, ...]


def read_questions(path: Path) -> ReadQuestions:
    """The questions of a file in its order; `-` is the standard input.

    Text has one question per line, with comments after `#` at its beginning. Rows (CSV, JSON, JSON lines, Parquet) have
    question and, if there are any, id (else qid), reference (else answer), key_points and domain; JSON may be a list
    of texts. Questions without an id are called q1, q2, … by their place. One that says the same as an earlier one is
    left out; so is, where a depth is named, one of another depth than 3.

    Raises UsageError, with the place, for what cannot be read, a row without a question, one over 4,000 characters,
    two with one id, and more than 5,000 of them.
    """
    if os.path.isfile(path / GRAPH):  # False, too, for a name that no file can have
        raise UsageError(_OVER.format(path))
    data = read_data(path, _HOLDS)
    if _BUILT.match(data.raw):
        raise UsageError(_OVER.format(data.path))
    rows = _rows(data)
    deep = [row for row in rows if not row.has("depth") or cells.depth_of(row, row.place) == 3]
    if not deep:
        raise UsageError(f"The file {data.path} holds no question of depth 3: a graph is built from those.")
    kept: dict[str, Row] = {}
    for row in deep:
        kept.setdefault(_question(row), row)
    if len(kept) > MAX_QUESTIONS:
        raise UsageError(f"The file {data.path} holds more than {MAX_QUESTIONS:,} questions: split it.")
    questions = tuple(_sources(list(kept.values()), rows))
    return ReadQuestions(questions, tuple(_notices(questions, len(rows) - len(deep), len(deep) - len(kept), data.path)))


def _rows(data: Data) -> Sequence[Row]:
    if _is_rows(data):
        return _with_questions(table_of(data, _COLUMNS, Shape(inner="questions", bare="question")), data.path)
    lines = ((number, line.strip()) for number, line in enumerate(StringIO(data.text), 1))
    said = ((number, line) for number, line in lines if line and not line.startswith("#"))
    rows = [Row(f"Line {number} of {data.path}", {"question": line}) for number, line in islice(said, MAX_ROWS + 1)]
    if len(rows) > MAX_ROWS:
        raise UsageError(f"The file {data.path} has more than {MAX_ROWS:,} lines: split it.")
    if not rows:
        raise UsageError(f"The file {data.path} holds no question: write one per line.")
    return rows


def _with_questions(table: Table, path: Path) -> Sequence[Row]:
    columns = table.columns()
    if "question" not in columns:
        raise UsageError(f"The file {path} has no column question, only {some_of(columns)}: rename one.")
    return table.rows


def _is_rows(data: Data) -> bool:
    """By its suffix; without one that tells, JSON begins with its brackets and CSV with a line that names a question
    and another column."""
    suffix = data.path.suffix.casefold()
    if suffix in _ROWS or is_begun(data.raw):
        return True
    if suffix in _TEXTS:
        return False
    first = header(data.text)[0].strip()[:MAX_LENGTH]
    names = {name.strip(' "').casefold() for sign in ",;\t" for name in first.split(sign)}
    return first.startswith(("{", "[")) or ("question" in names and names <= {first.casefold(), *_COLUMNS})


def _question(row: Row) -> str:
    question = cells.text(row, row.place, "question")
    if question is None or not question.strip():
        raise UsageError(f"{row.place} has no question: fill the column question in.")
    if len(question) > MAX_LENGTH:
        raise UsageError(
            f"{row.place} has a question of {len(question):,} characters: use at most {MAX_LENGTH:,}; texts to be "
            "known belong into the reference."
        )
    if not question.isprintable() and (sign := unseen(question)):
        raise UsageError(f"{row.place} holds the invisible sign {sign}: take it out.")
    return question_key(question)


def _sources(rows: Sequence[Row], everything: Sequence[Row]) -> Iterator[SourceQuestion]:
    places = {row.place: number for number, row in enumerate(everything, 1)}
    taken: dict[str, str] = {}
    for row in rows:
        if not _named(row):
            continue
        question_id = cells.id_of(row, *_IDS)
        if len(question_id) > MAX_SOURCE_ID:
            raise UsageError(
                f"{row.place} has an id of {len(question_id)} characters: a question's id has at most {MAX_SOURCE_ID},"
                " since those of its parts are longer."
            )
        if question_id in taken:
            raise UsageError(f"{taken[question_id]} and {row.place} have the id {question_id}: give each its own.")
        taken[question_id] = row.place
    for row in rows:
        yield SourceQuestion(
            id=cells.id_of(row, *_IDS) if _named(row) else _free(places[row.place], taken),
            question=(cells.text(row, row.place, "question") or "").strip(),
            reference=(cells.text(row, row.place, "reference", "answer") or "").strip(),
            key_points=_key_points(row),
            domain=(cells.text(row, row.place, "domain") or "").strip(),
        )


def _named(row: Row) -> bool:
    return bool(row.key) or any(str(row.cells.get(name) or "").strip() for name in _IDS)


def _free(number: int, taken: dict[str, str]) -> str:
    """`q7` for the seventh row; where another question has that name, q7a, q7aa …"""
    name = f"q{number}"
    while name in taken:
        name += "a"
    taken[name] = name
    return name


def _key_points(row: Row) -> str:
    """A text, or a list of texts; in the published dataset they stand in an object beside the passage they are from."""
    beside = row.cells.get("tutoreval_data")
    value = beside.get("key_points") if isinstance(beside, dict) else None
    found = row.cells.get("key_points", value)
    points = found if isinstance(found, list) else [found]
    texts = (cells.text(Row(row.place, {"key_points": point}), row.place, "key_points") for point in points)
    return "\n".join(point.strip() for point in texts if point and point.strip())


def _notices(questions: Sequence[SourceQuestion], shallow: int, repeated: int, path: Path) -> Iterator[str]:
    if shallow:
        yield f"{_are(shallow, 'question')} of {path} not of depth 3: left out."
    if repeated:
        yield f"{_are(repeated, 'question')} of {path} the same as an earlier one: left out."
    bare = sum(not question.reference and not question.key_points for question in questions)
    if bare:
        has, their = ("has", "its reference") if bare == 1 else ("have", "their references")
        yield (
            f"{bare:,} question{'' if bare == 1 else 's'} of {path} {has} neither a reference answer nor key points: "
            f"the evaluator writes {their} from its own knowledge."
        )


def _are(count: int, what: str) -> str:
    return f"1 {what} is" if count == 1 else f"{count:,} {what}s are"
