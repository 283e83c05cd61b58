"""Concepts to be tested: from a text file, from JSON, or from words.

A text file has one concept per line; blank lines and lines that begin with `#` say nothing, and a line `[law]` puts the
concepts after it into the category law. JSON is `{category: [concept, …]}` or a list of concepts.
"""

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...state.errors import UsageError
from ...state.spec import Concept
from ...state.text import in_turn
from .table.cells import kind
from .table.formats import parse_json
from .text import Data, fold, quoted, read_data, some_of, unseen

MAX_CONCEPTS = 20_000
MAX_NAME = 120
"""Characters of a concept or a category."""
RESERVED = frozenset({"all", "overall", "average"})
"""Names for all categories together, in results and in benchmarks."""


class ConceptList(NamedTuple):
    concepts: tuple[Concept, ...]
    notices: tuple[str, ...]
    """What was left out, one sentence each."""


class _Entry(NamedTuple):
    """One concept as it was written, and where; without a name, a category that begins there."""

    place: str
    category: str
    name: str | None = None
    bracketed: bool = False
    """Whether it begins as the line of a category does, and does not end as one."""


def read_concepts(path: Path) -> ConceptList:
    """The concepts of a file in its order, and notices of repeats that were dropped, of empty categories and of lines
    that look like those of a category. `-` is the standard input.

    A file named `.json`, and any that can be read as JSON, holds JSON; any other one holds text. Raises UsageError for
    a file that cannot be read or has the wrong shape, and for one without concepts, with more than 20,000 of them, or
    with a name that is over 120 characters long or holds control characters; the sentence says where.
    """
    data = read_data(path, "concepts, one per line or as JSON")
    found = _collected(_entries(data), str(data.path))
    if not found.concepts:
        raise UsageError(f"The file {data.path} holds no concepts: write one per line, or JSON.")
    return found


def from_words(words: Sequence[str]) -> ConceptList:
    """The concepts of a command line, without a category. Raises UsageError as `read_concepts` does, and for a blank
    word."""
    if not words:
        raise UsageError("No concept is named: name one, or a file of concepts.")
    return _collected((_Entry(f"Concept {place}", "", word) for place, word in enumerate(words, 1)), "the command line")


def limited(concepts: Sequence[Concept], limit: int) -> tuple[Concept, ...]:
    """At most `limit` concepts, in their order, taken from the categories in turn: the first of each, then the second
    of each, and so on. Raises UsageError for a limit below 1."""
    if limit < 1:
        raise UsageError(f"The limit of concepts cannot be {limit}: it must be at least 1.")
    return tuple(concepts[place] for place in in_turn([concept.category for concept in concepts], limit))


def _entries(data: Data) -> Iterator[_Entry]:
    text, named_json = data.text, data.path.suffix.casefold() == ".json"
    if named_json or text.lstrip().startswith(("{", "[")):
        try:
            return _of_json(parse_json(text, f"The file {data.path}"), data.path)
        except UsageError as error:
            # [law] opens a category, and [2+2] cycloaddition is a concept
            if named_json or not isinstance(error.__cause__, json.JSONDecodeError):
                raise
    return _of_text(text, data.path)


def _of_text(text: str, path: Path) -> Iterator[_Entry]:
    category = ""
    for number, line in enumerate(text.split("\n"), 1):
        bare, place = line.strip(), f"Line {number} of {path}"
        if not bare or bare.startswith("#"):
            continue
        if bare.startswith("[") and bare.endswith("]"):
            category = bare[1:-1]
            yield _Entry(place, category)
        elif bare.startswith("[") and "]" not in bare:
            raise UsageError(f"{place} begins with [ and has no ]: close the bracket of the category, or drop it.")
        else:
            yield _Entry(place, category, line, bare.startswith("["))


def _of_json(content: object, path: Path) -> Iterator[_Entry]:
    groups = {"": content} if isinstance(content, list) else content
    if not isinstance(groups, dict):
        shapes = "{category: [concept, …]} or a list of concepts"
        raise UsageError(f"The file {path} holds {kind(content)}: it must be {shapes}.")
    for category, listed in groups.items():
        where = str(path) if isinstance(content, list) else f"{quoted(category)} in {path}"
        if not isinstance(listed, list):
            raise UsageError(f"The category {where} holds {kind(listed)}: it must be a list of concepts.")
        if isinstance(content, dict):
            yield _Entry(f"The category {where}", category)
        for number, name in enumerate(listed, 1):
            if not isinstance(name, str):
                raise UsageError(f"Item {number} of {where} is {kind(name)}: a concept is a name in quotation marks.")
            yield _Entry(f"Item {number} of {where}", category, name)


def _collected(entries: Iterable[_Entry], source: str) -> ConceptList:
    """The concepts without repeats, which are told apart regardless of case, category by category."""
    kept: dict[tuple[str, str], Concept] = {}
    begun: dict[str, None] = {}
    repeats, bracketed = list[str](), list[str]()
    for entry in entries:
        category = _category(entry)
        if entry.name is None:
            begun[category] = None
            continue
        name = _checked(entry.name, entry.place, "concept")
        key = (category, unicodedata.normalize("NFC", name).casefold())
        if key in kept:
            repeats.append(name)
            continue
        bracketed += [name] if entry.bracketed else []
        kept[key] = Concept(name=name, category=category)
        if len(kept) > MAX_CONCEPTS:
            raise UsageError(f"More than {MAX_CONCEPTS:,} concepts stand in {source}: split them over several runs.")
    used = {category for category, _ in kept}
    told = {
        f"Repeats in {source} are asked about once": repeats,
        f"Categories without a concept in {source}": [category for category in begun if category not in used],
        f"Lines of {source} that begin with [ and are concepts, since that of a category ends with ]": bracketed,
    }
    notices = tuple(f"{what}: {some_of(names)}." for what, names in told.items() if names)
    return ConceptList(tuple(kept.values()), notices)


def _category(entry: _Entry) -> str:
    if not entry.category and entry.name is not None:
        return ""
    category = _checked(entry.category, entry.place, "category")
    if category.casefold() in RESERVED:
        raise UsageError(
            f"{entry.place} names the category {category}, which stands for all of them together: give it another name."
        )
    return category


def _checked(name: str, place: str, what: str) -> str:
    """The name with its white space folded. Raises UsageError for one that is no name."""
    if sign := unseen(name):
        raise UsageError(f"{place} holds the invisible sign {sign}: take it out.")
    folded = fold(name)
    if not any(sign.isalnum() for sign in folded):
        raise UsageError(f"{place} names no {what} ({quoted(folded)}): it needs a letter or a digit.")
    if len(folded) > MAX_NAME:
        raise UsageError(f"{place} is {len(folded)} characters long: a {what} has at most {MAX_NAME}, it is no text.")
    return folded
