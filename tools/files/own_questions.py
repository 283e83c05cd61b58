"""Questions of one's own, from a table: what is to be asked, as far as it is known."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import AliasChoices, BeforeValidator, Field

from ...state.errors import UsageError
from ...state.text import normalise
from ...state.tiers import Tier
from .output import write_whole
from .rows import Columns, Name, Row, Visible, rows_of
from .table import read_table
from .text import quoted

TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
HOLDS = "questions"
COLUMNS = ("question", "answer", "passage", "topic", "level", "source", "quote")
"""Of a file that is written to be looked through."""


def _level(value: object) -> object:
    """A tier in any case, with a blank or a hyphen in it."""
    if not isinstance(value, str):
        return value
    words = value.replace("-", " ").replace("_", " ")
    return "_".join(words.upper().split())


class OwnRow(Row):
    """A question; what is empty is not known."""

    question: Annotated[Visible, Field(max_length=4_000)]
    answer: Annotated[Visible, Field(max_length=4_000)] = Field(
        "", validation_alias=AliasChoices("answer", "reference")
    )
    passage: Annotated[Visible, Field(max_length=20_000)] = ""
    topic: Annotated[Name, Field(max_length=120)] = ""
    level: Annotated[Tier, BeforeValidator(_level)] | None = None
    source: Visible = Field("", validation_alias=AliasChoices("source", "url"))
    quote: Visible = ""


def read_own_questions(path: Path, columns: Columns) -> tuple[OwnRow, ...]:
    """The questions of a file in its order; `columns`: as they are named there. Raises UsageError,
    with the place, for what cannot be read, and for a question that stands there twice."""
    table = read_table(path, HOLDS, inner="questions", bare="question")
    rows = rows_of(table, OwnRow, columns)
    places: dict[str, str] = {}
    for row in rows:
        first = places.setdefault(normalise(row.question), row.place)
        if first != row.place:
            text = quoted(row.question)
            raise UsageError(f"{first} and {row.place} ask the same, {text}: keep one.")
    return rows


def topics_of(path: Path) -> dict[str, float]:
    """Topic → how many questions of a table are on it; none where it holds no questions. Raises
    UsageError for questions without topics."""
    table = read_table(path, HOLDS)
    named = {"topic", "question"} & {*table.columns}
    if not named:
        return {}
    if len(named) < 2:
        lacking = ", ".join({"topic", "question"} - named)
        raise UsageError(
            f"{path} has no column {lacking}: topics are taken from questions with one."
        )
    counts = Counter(row.topic for row in rows_of(table, OwnRow) if row.topic)
    return {topic: float(count) for topic, count in counts.items()}


def write_own_questions(path: Path, rows: Sequence[OwnRow]) -> None:
    """Write them as CSV. Raises UsageError where that cannot be."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        cells = {name: getattr(row, name) for name in COLUMNS}
        writer.writerow({**cells, "level": row.level.value if row.level else ""})
    write_whole(path, text.getvalue().encode(), "The questions")
