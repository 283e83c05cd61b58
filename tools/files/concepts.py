"""Concepts to be tested: from a text file, from JSON, or from words; and weighted topics.

A text file has one concept per line; blank lines and lines that begin with `#` say nothing, and a
line `[law]` puts the concepts after it into the category law. JSON is `{category: [concept, …]}` or
a list of concepts.
"""

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, BaseModel, Field

from ...state.errors import UsageError
from ...state.spec import Concept
from ...state.text import in_turn
from .own_questions import TABLES, topics_of
from .rows import Name, checked
from .table import RawRow, kind, lines_of
from .text import Data, quoted, read_data, shown, some_of
from .trees import parse_json

MAX_CONCEPTS, MAX_TOPICS = 20_000, 5_000
RESERVED = frozenset({"all", "overall", "average"})
"""Names for all categories together, in results and in benchmarks."""


class ConceptList(NamedTuple):
    concepts: tuple[Concept, ...]
    notices: tuple[str, ...]
    """What was left out, one sentence each."""


def _named(value: str) -> str:
    if not any(sign.isalnum() for sign in value):
        raise ValueError(f"has the {{}} {quoted(value)}: it needs a letter or a digit")
    return value


def _unreserved(value: str) -> str:
    if value.casefold() in RESERVED:
        raise ValueError(
            f"names the {{}} {value}, which stands for all of them together: give it another name"
        )
    return value


_Name = Annotated[Name, AfterValidator(_named), Field(max_length=120)]


class _Entry(BaseModel):
    """A concept; without one, a category that begins there."""

    category: Annotated[_Name, AfterValidator(_unreserved)] = ""
    name: _Name = ""


def read_concepts(path: Path, holds: str = "concepts") -> ConceptList:
    """The concepts of a file in its order, and notices of repeats that were dropped and of
    empty categories. `-` is the standard input.

    A file named `.json`, and any that can be read as JSON, holds JSON; any other one holds text.
    Raises UsageError for a file that cannot be read or has the wrong shape, and for one without
    concepts, with more than 20,000 of them, or with a name that is over 120 characters long or
    holds control characters; the sentence says where.
    """
    data = read_data(path, f"{holds}, one per line or as JSON")
    text, named_json = data.text, data.path.suffix.casefold() == ".json"
    if named_json or text.lstrip().startswith(("{", "[")):
        try:
            content = parse_json(text, f"The file {data.path}")
        except UsageError as error:
            # [law] opens a category, and [2+2] cycloaddition is a concept
            if named_json or not isinstance(error.__cause__, json.JSONDecodeError):
                raise
        else:
            return _collected(_of_json(content, data.path), str(data.path))
    return _collected(_of_text(data), str(data.path))


def read_topics(path: Path) -> tuple[dict[str, float], tuple[str, ...]]:
    """Topic → weight, and notices: concepts as `read_concepts` takes them, each with `| WEIGHT`
    behind it, or without (1); or the column `topic` of own questions, each as often as it stands
    there.

    Raises UsageError as that does, for a weight that is no number above 0, a topic with two of
    them, and more than 5,000 topics.
    """
    if path.suffix.casefold() in TABLES and (topics := topics_of(path)):
        return topics, ()
    concepts, notices = read_concepts(path, "topics")
    weights, names = dict[str, float](), dict[str, str]()
    for text in (concept.name for concept in concepts):
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
    return weights, notices


def _weight(weight_text: str) -> float | None:
    try:
        weight = float(weight_text)
    except ValueError:
        return None
    return weight if 0 < weight < inf else None


def from_words(words: Sequence[str]) -> ConceptList:
    """The concepts of a command line, without a category. Raises UsageError as `read_concepts`
    does, and for a blank word."""
    if not words:
        raise UsageError("No concept is named: name one, or a file of concepts.")
    rows = (RawRow(f"Concept {number}", {"name": word}) for number, word in enumerate(words, 1))
    return _collected(rows, "the command line")


def limited(concepts: Sequence[Concept], limit: int) -> tuple[Concept, ...]:
    """At most `limit` concepts, in their order, taken from the categories in turn: the first of
    each, then the second of each, and so on. Raises UsageError for a limit below 1."""
    if limit < 1:
        raise UsageError(f"The limit of concepts cannot be {limit}: it must be at least 1.")
    return tuple(
        concepts[index] for index in in_turn([concept.category for concept in concepts], limit)
    )


def _of_text(data: Data) -> Iterator[RawRow]:
    category = {}
    for where, line in lines_of(data):
        if line.startswith("[") and line.endswith("]"):
            category = {"category": line[1:-1]}
            yield RawRow(where, category)
        elif line.startswith("[") and "]" not in line:
            raise UsageError(
                f"{where} begins with [ and has no ]: close the bracket of the category, or "
                "drop it."
            )
        else:
            yield RawRow(where, category | {"name": line})


def _of_json(content: object, path: Path) -> Iterator[RawRow]:
    groups = {"": content} if isinstance(content, list) else content
    if not isinstance(groups, dict):
        shapes = "{category: [concept, …]} or a list of concepts"
        raise UsageError(f"The file {path} holds {kind(content)}: it must be {shapes}.")
    for name, listed in groups.items():
        category = {} if isinstance(content, list) else {"category": name}
        where = f"{quoted(name)} in {path}" if category else f"{path}"
        if not isinstance(listed, list):
            raise UsageError(
                f"The category {where} holds {kind(listed)}: it must be a list of concepts."
            )
        yield RawRow(f"The category {where}", category)
        for number, concept in enumerate(listed, 1):
            yield RawRow(f"Item {number} of {where}", category | {"name": concept})


def _collected(rows: Iterable[RawRow], source: str) -> ConceptList:
    """The concepts without repeats, which are told apart regardless of case, category by
    category."""
    by_key: dict[tuple[str, str], Concept] = {}
    categories: dict[str, None] = {}
    repeats = list[str]()
    for row in rows:
        entry = checked(_Entry, row.cells, row.place)
        categories[entry.category] = None
        key = (entry.category, unicodedata.normalize("NFC", entry.name).casefold())
        if key in by_key:
            repeats.append(entry.name)
        elif "name" in row.cells:
            by_key[key] = Concept(name=entry.name, category=entry.category)
        if len(by_key) > MAX_CONCEPTS:
            raise UsageError(
                f"More than {MAX_CONCEPTS:,} concepts stand in {source}: split them over "
                "several runs."
            )
    if not by_key:
        raise UsageError(f"The file {source} holds no concepts: write one per line, or JSON.")
    used = {category for category, _ in by_key}
    left_out = {
        f"Repeats in {source} are asked about once": repeats,
        f"Categories without a concept in {source}": [
            name for name in categories if name and name not in used
        ],
    }
    return ConceptList(
        tuple(by_key.values()),
        tuple(f"{words}: {some_of(names)}." for words, names in left_out.items() if names),
    )
