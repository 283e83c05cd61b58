"""Concepts to be tested: from a text file, from JSON, or from words; and weighted topics.

A text file has one concept per line; blank lines and lines that begin with `#` say nothing, and a
line `[law]` puts the concepts after it into the category law. JSON is `{category: [concept, …]}` or
a list of concepts.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from ...state.errors import UsageError
from ...state.spec import Concept
from ...state.text import in_turn
from .own_questions import TABLES, topics_of
from .rows import Name, checked
from .table import RawRow, lines_of
from .text import Data, quoted, read_data, shown
from .trees import parse_json

MAX_CONCEPTS, MAX_TOPICS = 20_000, 5_000
RESERVED = frozenset({"all", "overall", "average"})
"""Names for all categories together, in results and in benchmarks."""
_JSON = re.compile(r'\s*(\{|\[\s*")')
"""How JSON begins: [law] opens a category, and [2+2] cycloaddition is a concept."""


def _named(value: str) -> str:
    if not any(sign.isalnum() for sign in value):
        raise ValueError("it needs a letter or a digit")
    return value


def _unreserved(value: str) -> str:
    if value.casefold() in RESERVED:
        raise ValueError("that stands for all categories together; give it another name")
    return value


_Name = Annotated[Name, AfterValidator(_named), Field(max_length=120)]


class _Entry(BaseModel):
    category: Annotated[_Name, AfterValidator(_unreserved)] = ""
    name: _Name


def read_concepts(path: Path, holds: str = "concepts") -> tuple[Concept, ...]:
    """The concepts of a file in its order, each once. `-` is the standard input.

    A file named `.json`, and any that begins as one does, holds JSON; any other one holds text.
    Raises UsageError for a file that cannot be read or has the wrong shape, and for one without
    concepts, with more than 20,000 of them, or with a name that is over 120 characters long or
    holds control characters; the sentence says where.
    """
    data = read_data(path, f"{holds}, one per line or as JSON")
    is_json = data.path.suffix.casefold() == ".json" or _JSON.match(data.text)
    rows = _of_json(data) if is_json else _of_text(data)
    return _collected(rows, f"The file {data.path}")


def read_topics(path: Path) -> dict[str, float]:
    """Topic → weight: concepts as `read_concepts` takes them, each with `| WEIGHT` behind it, or
    without (1); or the column `topic` of own questions, each as often as it stands there.

    Raises UsageError as that does, for a weight that is no number above 0, a topic with two of
    them, and more than 5,000 topics.
    """
    if path.suffix.casefold() in TABLES and (topics := topics_of(path)):
        return topics
    weights, names = dict[str, float](), dict[str, str]()
    for text in (concept.name for concept in read_concepts(path, "topics")):
        name, _, weight_text = text.rpartition("|") if "|" in text else (text, "", "1")
        weight = _weight(weight_text)
        if weight is None or not name.strip():
            raise UsageError(
                f"{quoted(text)} in {shown(path)} is not of the form TOPIC | WEIGHT, with a number "
                "above 0 as its weight."
            )
        topic = names.setdefault(name.strip().casefold(), name.strip())
        if weights.setdefault(topic, weight) != weight:
            raise UsageError(
                f"{quoted(topic)} in {shown(path)} has the weights {weights[topic]:g} and "
                f"{weight:g}: keep one of them."
            )
    if len(weights) > MAX_TOPICS:
        raise UsageError(f"{shown(path)} holds more than {MAX_TOPICS:,} topics: keep fewer.")
    return weights


def _weight(weight_text: str) -> float | None:
    try:
        weight = float(weight_text)
    except ValueError:
        return None
    return weight if 0 < weight < inf else None


def from_words(words: Sequence[str]) -> tuple[Concept, ...]:
    """The concepts of a command line, without a category. Raises UsageError as `read_concepts`
    does, and for a blank word."""
    rows = []
    for number, word in enumerate(words, 1):
        rows.append(RawRow(f"Concept {number}", {"name": word}))
    return _collected(rows, "The command line")


def limited(concepts: Sequence[Concept], limit: int) -> tuple[Concept, ...]:
    """At most `limit` concepts, in their order, taken from the categories in turn: the first of
    each, then the second of each, and so on. Raises UsageError for a limit below 1."""
    if limit < 1:
        raise UsageError(f"The limit of concepts cannot be {limit}: it must be at least 1.")
    indices = in_turn([concept.category for concept in concepts], limit)
    return tuple(concepts[index] for index in indices)


def _of_text(data: Data) -> Iterator[RawRow]:
    category = {}
    for where, line in lines_of(data):
        if line.startswith("[") and line.endswith("]"):
            category = {"category": line[1:-1]}
        else:
            yield RawRow(where, category | {"name": line})


def _of_json(data: Data) -> Iterator[RawRow]:
    content = parse_json(data.text, f"The file {data.path}")
    groups = {None: content} if isinstance(content, list) else content
    fault = UsageError(
        f"The file {data.path} must hold {{category: [concept, …]}} or a list of concepts."
    )
    if not isinstance(groups, dict):
        raise fault
    for name, listed in groups.items():
        if not isinstance(listed, list):
            raise fault
        category = {} if name is None else {"category": name}
        of_name = f"{quoted(name)} in " if name else ""
        for number, concept in enumerate(listed, 1):
            where = f"Item {number} of {of_name}{data.path}"
            yield RawRow(where, category | {"name": concept})


def _collected(rows: Iterable[RawRow], source: str) -> tuple[Concept, ...]:
    """The concepts without repeats, which are told apart regardless of case, category by
    category."""
    by_key: dict[tuple[str, str], Concept] = {}
    for row in rows:
        entry = checked(_Entry, row.cells, row.place)
        key = (entry.category, unicodedata.normalize("NFC", entry.name).casefold())
        by_key.setdefault(key, Concept(name=entry.name, category=entry.category))
        if len(by_key) > MAX_CONCEPTS:
            raise UsageError(f"{source} holds more than {MAX_CONCEPTS:,} concepts: split them.")
    if not by_key:
        raise UsageError(f"{source} holds no concepts: write one per line, or JSON.")
    return tuple(by_key.values())
