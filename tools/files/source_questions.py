"""Questions of depth 3 that a person brings, to be deconstructed into a graph."""

import re
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import AliasChoices, BeforeValidator, Field

from ...state.depthqa.spec import MAX_SOURCE_ID, SourceQuestion
from ...state.errors import UsageError
from ...state.question_graph import question_key
from .rows import Columns, Depth, Id, Row, Text, Visible, ids_of, rows_of
from .table import RawRow, Table, is_parquet, lines_of, plain, read_table
from .text import Data, read_data, tally

MAX_QUESTIONS = 5_000
MAX_LENGTH = 4_000
"""Characters of a question."""
_ROWS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv")
_TEXTS = (".txt", ".md", ".text")


class ReadQuestions(NamedTuple):
    questions: tuple[SourceQuestion, ...]
    notices: tuple[str, ...]


def _key_points(value: Any) -> object:
    """A text, or a list of texts; in the published dataset they stand in an object beside the
    passage they are from."""
    if isinstance(value, dict):
        value = value.get("key_points")
    return value if isinstance(value, list) else [value] if value is not None else []


class QuestionRow(Row):
    """A question, as somebody wrote it or as in the published dataset."""

    id: Annotated[Id, Field(max_length=MAX_SOURCE_ID)] = Field(
        "", validation_alias=AliasChoices("id", "qid")
    )
    question: Annotated[Visible, Field(max_length=MAX_LENGTH)]
    reference: Text = Field("", validation_alias=AliasChoices("reference", "answer"))
    key_points: Annotated[tuple[Text, ...], BeforeValidator(_key_points)] = Field(
        (), validation_alias=AliasChoices("key_points", "tutoreval_data")
    )
    domain: Text = ""
    depth: Depth = 3


def read_questions(source: Path | Data, columns: Columns | None = None) -> ReadQuestions:
    """The questions of a file in its order; `-` is the standard input.

    Text has one question per line, with comments after `#` at its beginning. Rows (CSV, JSON, JSON
    lines, Parquet) have question and, if there are any, id (else qid), reference (else answer),
    key_points and domain; JSON may be a list of texts. Questions without an id are called q1, q2, …
    by their place. One that says the same as an earlier one is left out; so is, where a depth is
    named, one of another depth than 3.

    Raises UsageError, with the place, for what cannot be read, a row without a question, one over
    4,000 characters, two with one id, and more than 5,000 of them.
    """
    holds = "questions, one per line or as JSON or CSV"
    data = source if isinstance(source, Data) else read_data(source, holds)
    rows = rows_of(_table(data, columns).numbered("q{}"), QuestionRow, columns)
    deep = [row for row in rows if row.depth == 3]
    if not deep:
        raise UsageError(
            f"The file {data.path} holds no question of depth 3: a graph is built from those."
        )
    by_key: dict[str, QuestionRow] = {}
    for row in deep:
        by_key.setdefault(question_key(row.question), row)
    if len(by_key) > MAX_QUESTIONS:
        raise UsageError(
            f"The file {data.path} holds more than {MAX_QUESTIONS:,} questions: split it."
        )
    ids_of([*by_key.values()])
    questions = []
    for row in by_key.values():
        points = [point.strip() for point in row.key_points]
        question = SourceQuestion(
            id=row.id,
            question=row.question.strip(),
            reference=row.reference.strip(),
            key_points="\n".join(filter(None, points)),
            domain=row.domain.strip(),
        )
        questions.append(question)
    bare = sum(not question.reference and not question.key_points for question in questions)
    others = f"Questions of {data.path} that"
    counts = {
        f"{others} are not of depth 3, left out": len(rows) - len(deep),
        f"{others} say the same as an earlier one, left out": len(deep) - len(by_key),
        f"{others} have neither a reference answer nor key points, for which the evaluator writes "
        "reference answers from its own knowledge": bare,
    }
    return ReadQuestions(tuple(questions), tally(counts))


def _table(data: Data, columns: Columns | None) -> Table:
    """By its suffix; without one that tells, JSON begins with its brackets and CSV with a line that
    names the question's column."""
    suffix = data.path.suffix.casefold()
    is_table = suffix in _ROWS or is_parquet(data)
    if not is_table and suffix not in _TEXTS:
        text = data.text.lstrip()
        header_line = text.partition("\n")[0]
        header = [plain(name) for name in re.split("[,;\t]", header_line)]
        named = (columns or {}).get("question", ["question"])
        is_table = text.startswith(("{", "[")) or named[0] in header
    if is_table:
        return read_table(data, data.holds, inner="questions", bare="question")
    rows = [RawRow(where, {"question": line}) for where, line in lines_of(data)]
    if not rows:
        raise UsageError(f"The file {data.path} holds no question: write one per line.")
    return Table(data.path, rows)
