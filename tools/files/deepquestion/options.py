"""Options of multiple choice in the forms in which benchmarks have them, and which of them the answer names."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from ....state.errors import UsageError
from ..table.row import Row, kind, listed
from ..text import fold, quoted
from .cells import said
from .columns import INDICES, Columns, plain
from .lettering import LETTERED, Pair, initial, without_letters
from .limits import MAX_TEXT

MAX_OPTIONS = 26
Reading = Literal["label", "text", "place"]
"""How an answer names an option: by its letter or other label, by its text, by its place counted from 0."""
READINGS: tuple[Reading, ...] = ("label", "text", "place")
_DIGITS = re.compile(r"[0-9]{1,3}")
_EDGE = " \t\n()[].:"


class Options(NamedTuple):
    """At least two options in the order in which they are shown, or none at all; and the blank ones between them, which
    are not shown and yet count where a letter or a place is looked up."""

    labels: tuple[str, ...] = ()
    """As the benchmark has them, in small letters; a, b, … where it has none."""
    every: tuple[str, ...] = ()
    """The texts, empty of one that is blank."""
    numeric: bool = False
    """Whether they were numbers in the file, so that a number may be the text of one."""
    initials: tuple[str, ...] = ()
    """Of options without labels: the small letter that a text begins with, as in `E. coli`; empty without one."""

    @property
    def texts(self) -> tuple[str, ...]:
        """Those that are shown."""
        return tuple(text for text in self.every if text)


class Named(NamedTuple):
    """An answer, and the options that it may name."""

    place: str
    """Where it stands in the file."""
    answer: str
    options: Options
    found: dict[Reading, int]
    """Places among all options, blank ones included."""


def options_of(row: Row, columns: Columns) -> Options:
    """The options of a row: a list, with letters before them or without; an object with a label each, or with `text`
    and `label`; a text with one lettered option per line; or columns of their own.

    What is null, or blank in a column of its own, is no option, and keeps its letter and its place from the others.
    Raises UsageError for anything else, for one option, more than 26, one that is empty, too long or there twice, and
    letters before some of them only.
    """
    if columns.options_apart:
        cells = ((label, row.cells.get(column)) for label, column in columns.options_apart)
        pairs = [(label, value if str(value).strip() else None) for label, value in cells]
    else:
        pairs = _pairs(row.cells.get(columns.options), row.place) if columns.options else []
    return _checked(pairs, row.place) if any(value is not None for _, value in pairs) else Options()


def named_options(value: object, answer: str, options: Options, place: str) -> Named:
    """The options that an answer may name. `value`: as it stood in the file, where a number is never a text. Raises
    UsageError for a letter that stands before another option than the one whose place it is."""
    _require_one_lettering(answer, options, place)
    found: dict[Reading, int] = {}
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if (at := _labelled(answer, options)) is not None:
        found["label"] = at
    if (options.numeric or not number) and (at := _stands(answer, options.every)) is not None:
        found["text"] = at
    numbered = any(label.isdigit() for label in options.labels)
    if not numbered and _DIGITS.fullmatch(answer) and int(answer) < len(options.every):
        found["place"] = int(answer)
    return Named(place, answer, options, found)


def _require_one_lettering(answer: str, options: Options, place: str) -> None:
    bare = answer.strip(_EDGE).casefold()
    before = {at for at, letter in enumerate(options.initials) if letter and letter == bare}
    if before and bare in options.labels and before != {options.labels.index(bare)}:
        said = options.every[min(before)]
        raise UsageError(
            f"{place} has the answer {quoted(answer)}, which may be the place of an option or the letter before "
            f"{quoted(said)}: write the whole text of the option as the answer, or the options without such letters."
        )


def letters(answers: Sequence[Named], column: str, path: Path) -> tuple[list[str], bool]:
    """The letter of each answer's option, and whether any was read as a place, counted from 0.

    How answers name options is settled for the file: a reading that serves all of them excludes those that do not.
    Raises UsageError for an answer that names no option, for one that names two or a blank one, and for places among
    which there is no 0, unless the column is called an index: they may count from 1.
    """
    common = [reading for reading in READINGS if all(reading in answer.found for answer in answers)]
    used, places, counted = common or READINGS, list[int](), list[int]()
    for answer in answers:
        found = {answer.found[reading] for reading in used if reading in answer.found}
        if len(found) != 1:
            raise UsageError(_fault(answer, found))
        places += found
        if not any(reading in answer.found for reading in used if reading != "place"):
            counted += found
    if counted and 0 not in counted and plain(column) not in INDICES:
        raise UsageError(
            f"The answers in {path} are numbers, and none is 0, so that they may count the options from 0 or from 1: "
            f"write letters, or call the column {INDICES[0]} if 0 stands for A."
        )
    return [_shown(answer, at) for answer, at in zip(answers, places, strict=True)], bool(counted)


def _shown(answer: Named, at: int) -> str:
    """The letter under which this of all options is shown."""
    options = answer.options
    if not options.every[at]:
        raise UsageError(
            f"{answer.place} has the answer {quoted(answer.answer)}, and its option {_called(options.labels[at], at)} "
            "is empty: fill it in, or take the row out."
        )
    return chr(65 + sum(bool(text) for text in options.every[:at]))


def _called(label: str, at: int) -> str:
    """What a message calls an option."""
    return label.upper() if label.isalnum() and len(label) < 4 else quoted(label) if label else str(at + 1)


def _fault(answer: Named, found: Iterable[int]) -> str:
    said = quoted(answer.answer)
    if two := " or ".join(_called(answer.options.labels[at], at) for at in sorted(found)):
        return (
            f"{answer.place} has the answer {said}, which may stand for the option {two}: write its letter and its text"
            ", as in B. red."
        )
    return (
        f"{answer.place} has the answer {said}, which is none of its options: write one letter, or the text of one "
        "option; numbers count the options from 0."
    )


def _labelled(answer: str, options: Options) -> int | None:
    """The option whose label this is, by itself or with the option's own text behind it."""
    bare = answer.strip(_EDGE).casefold()
    if bare and bare in options.labels:
        return options.labels.index(bare)
    item = LETTERED.fullmatch(answer)
    label = (item[1] or item[2]).casefold() if item else ""
    at = options.labels.index(label) if label in options.labels else None
    return at if item and at is not None and fold(item[3]) == options.every[at] else None


def _stands(answer: str, texts: Sequence[str]) -> int | None:
    """The option with this text; regardless of case where that makes one of them."""
    wanted = fold(answer)
    if wanted in texts:
        return texts.index(wanted)
    alike = [at for at, text in enumerate(texts) if text.casefold() == wanted.casefold()]
    return alike[0] if len(alike) == 1 else None


def _pairs(value: object, place: str) -> list[Pair]:
    """Labels and options of one cell."""
    if isinstance(value, str):
        value = listed(value)
    if isinstance(value, str):
        return _of_text(value, place)
    if isinstance(value, list):
        return _by_letters([_item(one) for one in value], place)
    if isinstance(value, dict):
        return _of_object(value, place)
    if value is None:
        return []
    raise UsageError(f"{place} has {kind(value)} as its options: they must be a list, or an object with a label each.")


def _item(value: object) -> Pair:
    """One entry of a list; some benchmarks have an object with text and label there."""
    if isinstance(value, dict) and set(value) == {"label", "text"}:
        return str(value["label"] or ""), value["text"]
    return "", value


def _of_object(value: dict[str, object], place: str) -> list[Pair]:
    texts, labels = value.get("text"), value.get("label")
    if not isinstance(texts, list):
        return _in_order(list(value.items()))
    if labels is None:
        return _by_letters([("", text) for text in texts], place)
    if not isinstance(labels, list) or len(labels) != len(texts):
        raise UsageError(f"{place} has options whose text and label are not of one length: give each text its label.")
    return _in_order([(str(label), text) for label, text in zip(labels, texts, strict=True)])


def _of_text(value: str, place: str) -> list[Pair]:
    if value.lstrip().startswith("{"):
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, dict):
            return _of_object(found, place)
    pairs: list[Pair] = [("", line) for line in value.split("\n") if line.strip()]
    bare = without_letters(pairs, place)
    if pairs and bare is pairs:
        raise UsageError(
            f"{place} has options that are neither a list nor lines that begin with A., B., …: write them as JSON, as "
            'in ["red", "blue"].'
        )
    return bare


def _by_letters(pairs: list[Pair], place: str) -> list[Pair]:
    """Of a list: by labels of their own in their order, else as they are given, by the letters before them."""
    return _in_order(pairs) if any(label for label, _ in pairs) else without_letters(pairs, place)


def _in_order(pairs: list[Pair]) -> list[Pair]:
    """By their labels where those are letters, or numbers."""
    labels = [label.strip() for label, _ in pairs]
    if all(_DIGITS.fullmatch(label) for label in labels):
        return sorted(pairs, key=lambda pair: int(pair[0]))
    if all(len(label) == 1 and label.isalpha() for label in labels):
        return sorted(pairs, key=lambda pair: pair[0].strip().casefold())
    return pairs


def _checked(pairs: Sequence[Pair], place: str) -> Options:
    labels, texts = _labels(pairs), tuple(fold(said(value, place, "option") or "") for _, value in pairs)
    held = [value for _, value in pairs if value is not None]
    # without labels of their own even blank ones take a letter
    most = len(held) if all(label for label, _ in pairs) else len(pairs)
    if len(held) < 2 or most > MAX_OPTIONS:
        count = "1 option" if len(held) == 1 else f"{most} options"
        raise UsageError(f"{place} has {count}: multiple choice needs 2 to {MAX_OPTIONS} of them.")
    for at, ((_, value), text) in enumerate(zip(pairs, texts, strict=True)):
        called = _called(labels[at], at)
        if value is not None and not text:
            raise UsageError(f"{place} has an empty option {called}: fill it in, or take it out.")
        if len(text) > MAX_TEXT:
            raise UsageError(f"{place} has an option of {len(text):,} characters: use at most {MAX_TEXT:,}.")
        if text and text in texts[:at]:
            first = texts.index(text)
            raise UsageError(
                f"{place} has one option twice, {_called(labels[first], first)} and {called} ({quoted(text)}): make "
                "them differ, or take the row out."
            )
    if len(set(filter(None, labels))) < sum(map(bool, labels)):
        raise UsageError(f"{place} has two options with one label: give each its own.")
    initials = () if any(label for label, _ in pairs) else tuple(initial(text).casefold() for text in texts)
    return Options(labels, texts, all(isinstance(value, int | float) for value in held), initials)


def _labels(pairs: Sequence[Pair]) -> tuple[str, ...]:
    """In small letters; of options without one the letter of their place, which a blank one leaves to another that has
    it as its own."""
    own = [label.strip().casefold() for label, _ in pairs]
    usual = [chr(97 + at) if at < MAX_OPTIONS else str(at) for at in range(len(pairs))]
    return tuple(
        label or ("" if value is None and letter in own else letter)
        for label, letter, (_, value) in zip(own, usual, pairs, strict=True)
    )
