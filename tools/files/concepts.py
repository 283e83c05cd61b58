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
from .text import fold, quoted, read_text, shown, unseen

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
    a file that cannot be read, is over 5 MB, not UTF-8 or of the wrong shape, and for one without concepts, with more
    than 20,000 of them, or with a name that is over 120 characters long or holds control characters; the sentence says
    where.
    """
    text = read_text(path, "concepts")
    path = shown(path)
    found = _collected(_entries(text, path), str(path))
    if not found.concepts:
        raise UsageError(f"The file {path} holds no concepts: write one per line, or JSON.")
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
    categories = list(dict.fromkeys(concept.category for concept in concepts))
    order = {category: place for place, category in enumerate(categories)}
    taken = dict.fromkeys(categories, 0)
    turns = []
    for place, concept in enumerate(concepts):
        turns.append((taken[concept.category], order[concept.category], place))
        taken[concept.category] += 1
    return tuple(concepts[place] for place in sorted(place for _, _, place in sorted(turns)[:limit]))


def _entries(text: str, path: Path) -> Iterator[_Entry]:
    if not text.strip():
        return iter(())
    if path.suffix.casefold() == ".json":
        try:
            content = _parsed(text)
        except (ValueError, RecursionError) as error:
            why = "it is nested too deeply" if isinstance(error, RecursionError) else error
            raise UsageError(f"The file {path} is not valid JSON ({why}): mend it, or name it .txt.") from None
        return _json_entries(content, path)
    if text.lstrip().startswith(("{", "[")):
        try:
            return _json_entries(_parsed(text), path)
        except (ValueError, RecursionError):  # [law] opens a category, and [2+2] cycloaddition is a concept
            pass
    return _text_entries(text, path)


def _text_entries(text: str, path: Path) -> Iterator[_Entry]:
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


class _Pairs(list[tuple[str, object]]):
    """A JSON object as it was written, so that a key that stands there twice is seen."""


def _parsed(text: str) -> object:
    return json.loads(text, object_pairs_hook=_Pairs)


def _json_entries(content: object, path: Path) -> Iterator[_Entry]:
    if isinstance(content, _Pairs):
        return _from_object(content, path)
    if isinstance(content, list):
        return _from_list(content, "", str(path))
    raise UsageError(f"The file {path} holds {_kind(content)}: it must be {_SHAPES}.")


def _from_object(pairs: _Pairs, path: Path) -> Iterator[_Entry]:
    seen = set()
    for category, listed in pairs:
        place = f"The category {quoted(category)} of {path}"
        if category in seen:
            raise UsageError(f"{place} stands there twice: put its concepts into one list.")
        if not isinstance(listed, list) or isinstance(listed, _Pairs):
            raise UsageError(f"{place} holds {_kind(listed)}: it must be a list of concepts.")
        seen.add(category)
        yield _Entry(place, category)
        yield from _from_list(listed, category, f"{quoted(category)} in {path}")


def _from_list(listed: Sequence[object], category: str, where: str) -> Iterator[_Entry]:
    for number, name in enumerate(listed, 1):
        place = f"Item {number} of {where}"
        if not isinstance(name, str):
            raise UsageError(f"{place} is {_kind(name)}: a concept is a name in quotation marks.")
        yield _Entry(place, category, name)


_SHAPES = "{category: [concept, …]} or a list of concepts"
_KINDS = {_Pairs: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "a number")


def _collected(entries: Iterable[_Entry], source: str) -> ConceptList:
    """The concepts without repeats, which are told apart regardless of case, category by category."""
    kept: dict[tuple[str, str], Concept] = {}
    empty: dict[str, None] = {}
    repeats, bracketed = list[str](), list[str]()
    for entry in entries:
        category = _category(entry)
        if entry.name is None:
            empty.setdefault(category)
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
    used = {concept.category for concept in kept.values()}
    empty_ones = [category for category in empty if category not in used]
    return ConceptList(tuple(kept.values()), tuple(_notices(repeats, empty_ones, bracketed, source)))


def _notices(repeats: Sequence[str], empty: Sequence[str], bracketed: Sequence[str], source: str) -> Iterator[str]:
    if repeats:
        count = f"{len(repeats)} concepts that stand" if len(repeats) > 1 else "1 concept that stands"
        yield f"{count} more than once in {source} will be asked about once: {_some(repeats)}."
    if empty:
        count = f"{len(empty)} categories of {source} hold" if len(empty) > 1 else f"1 category of {source} holds"
        yield f"{count} no concept: {_some(empty)}."
    if bracketed:
        count = f"{len(bracketed)} lines of {source} begin" if len(bracketed) > 1 else f"1 line of {source} begins"
        said = "are concepts" if len(bracketed) > 1 else "is a concept"
        yield f"{count} with [ and {said}, since the line of a category ends with ]: {_some(bracketed)}."


def _some(names: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(names))
    return ", ".join(distinct[:5]) + (f" and {len(distinct) - 5} more" if len(distinct) > 5 else "")


def _category(entry: _Entry) -> str:
    if not entry.category and entry.name is not None:
        return ""
    category = _checked(entry.category, entry.place, "category")
    if category.casefold() in RESERVED:
        raise UsageError(
            f"{entry.place} names the category {category}, which stands for all of them together: give it another name."
        )
    return category


def _checked(name: str, place: str, kind: str) -> str:
    """The name with its white space folded. Raises UsageError for one that is no name."""
    if sign := unseen(name):
        raise UsageError(f"{place} holds the invisible sign {sign}: take it out.")
    folded = fold(name)
    if not any(sign.isalnum() for sign in folded):
        raise UsageError(f"{place} names no {kind} ({quoted(folded)}): it needs a letter or a digit.")
    if len(folded) > MAX_NAME:
        raise UsageError(
            f"{place} is {len(folded)} characters long: a {kind} is a name, not a text; "
            f"use at most {MAX_NAME} characters."
        )
    return folded
