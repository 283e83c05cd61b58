"""Options of multiple choice in the forms in which benchmarks have them, and which of them the
answer names."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from ....state.errors import UsageError
from ..table.cells import from_json, listed, spread, text
from ..table.read import MOST_UNUSABLE, Faults, is_told
from ..text import fold, quoted
from .columns import INDICES
from .limits import require_options

Reading = Literal["label", "text", "place", "from 1"]
"""How an answer names an option: by its letter or other label, by its text, by its place counted
from 0 or from 1."""
READINGS: tuple[Reading, ...] = ("label", "text", "place")
PADDING = "n/a"
"""What MMLU-Pro fills lists of options up with."""
Pair = tuple[str, object]
"""A label, empty without one, and what the option holds; null is no option, and keeps its letter
and its place."""
_DIGITS = re.compile(r"[0-9]{1,3}")
_LABEL = re.compile(r"[^\W\d_]|[0-9]{1,3}")
_EDGE = " \t\n()[].:"
_LETTERED = re.compile(r"\s*(?:\(([A-Za-z])\)|([A-Za-z])\s*[.):])\s*(\S.*)", re.DOTALL)


class Option(NamedTuple):
    label: str
    """As the benchmark has it, in small letters; a, b, … where it has none."""
    text: str
    """Empty of one that is blank, which is not shown and yet counts where a letter or a place is
    looked up."""
    number: bool
    """Whether it was a number in the file, so that a number may be its text."""
    initial: str
    """Where options have no labels of their own: the small letter that the text begins with, as in
    `E. coli`."""


class Choice(NamedTuple):
    """An answer, and the options that it may name."""

    where: str
    """Where it stands in the file."""
    answer: str
    options: Sequence[Option]
    places: Mapping[Reading, set[int]]
    """Places among all options, blank ones included."""


def options_of(value: object, option_cells: Sequence[Pair], where: str) -> list[Option]:
    """The options of a row: a list, with letters before them or without; an object with a label
    each, or with `text` and `label`; a text with one lettered option per line; or (`apart`) columns
    of their own. At least two, or none.

    Raises UsageError for anything else, and as `require_options` does.
    """
    pairs = [
        (label.strip(), _unless_padding(cell))
        for label, cell in option_cells or _pairs(value, where)
    ]
    if all(cell is None for _, cell in pairs):
        return []
    pairs = _in_order(pairs) if any(label for label, _ in pairs) else _without_letters(pairs)
    labelled = any(label for label, _ in pairs)
    options = []
    for at, (label, cell) in enumerate(pairs):
        option_text = fold(_text(cell, where))
        number, initial = isinstance(cell, int | float), "" if labelled else _letter(option_text)
        options.append(Option(label.casefold() or chr(97 + at), option_text, number, initial))
    require_options([option.text for option in options if option.text], where)
    return options


def shuffled(right: str, wrong: Sequence[object], where: str, seed: str) -> Choice:
    """The answer among the wrong options, in an order by seed: the right one would be the first one
    throughout. Raises UsageError as `options_of` does."""
    cells = [("", cell) for cell in (right, *spread(wrong))]
    options = options_of(None, cells, where)
    order = [at for at, option in enumerate(options) if option.text]
    Random(seed).shuffle(order)
    texts = [options[at] for at in order]
    return Choice(where, right, texts, {"label": {order.index(0)}})


def _unless_padding(cell: object) -> object:
    padding = isinstance(cell, str) and cell.strip().casefold() == PADDING
    return cell if is_told(cell) and not padding else None


def _pairs(value: object, where: str) -> list[Pair]:
    if isinstance(value, str):
        loaded = from_json(value) if value.lstrip().startswith("{") else listed(value)
        value = _lines(loaded) if isinstance(loaded, str) else loaded
    if isinstance(value, dict) and isinstance(value.get("text"), list):
        texts, labels = value["text"], value.get("label") or [""] * len(value["text"])
        if isinstance(labels, list) and len(labels) == len(texts):
            return [(str(label), text) for label, text in zip(labels, texts, strict=True)]
    elif isinstance(value, dict):
        return list(value.items())
    elif isinstance(value, list):
        return [_entry(entry) for entry in value]
    elif value is None:
        return []
    raise UsageError(
        f"{where} has options that are no list, no object with a label for each, and no lines that "
        "begin with A., B., "
        '…: write them as JSON, as in ["red", "blue"].'
    )


def _lines(text: str) -> object:
    """The lines of a text, where they are lettered; else the text."""
    lines = [line for line in text.split("\n") if line.strip()]
    pairs: list[Pair] = [("", line) for line in lines]
    return lines if len(lines) > 1 and _without_letters(pairs) != pairs else text


def _entry(value: object) -> Pair:
    """One entry of a list; some benchmarks have an object with text and label there."""
    if isinstance(value, dict) and set(value) == {"label", "text"}:
        return str(value["label"] or ""), value["text"]
    return "", value


def _in_order(pairs: list[Pair]) -> list[Pair]:
    """By their labels where those are letters, or numbers."""
    if all(_LABEL.fullmatch(label) for label, _ in pairs):
        return sorted(pairs, key=lambda pair: (len(pair[0]), pair[0].casefold()))
    return pairs


def _without_letters(pairs: list[Pair]) -> list[Pair]:
    """With the letters A, B, C, … that stand before all options as their labels; `E. coli` begins
    like a lettered one."""
    if not all(cell is None or _letter(cell) == chr(97 + at) for at, (_, cell) in enumerate(pairs)):
        return pairs
    return [
        (_letter(cell), cell if cell is None else _LETTERED.sub(r"\3", str(cell)))
        for _, cell in pairs
    ]


def _letter(value: object) -> str:
    """The letter before an option, as a small one; empty without one."""
    item = _LETTERED.fullmatch(value) if isinstance(value, str) else None
    return (item[1] or item[2]).casefold() if item else ""


def _text(value: object, where: str) -> str:
    try:
        return "" if value is None else text(value)
    except ValueError as error:
        raise UsageError(f"{where} {str(error).replace('{}', 'option', 1)}.") from None


def choice_of(value: object, answer: str, options: Sequence[Option], where: str) -> Choice:
    """The options that an answer may name. `value`: as it stood in the file, where a number is
    never a text."""
    bare, item = answer.strip(_EDGE).casefold(), _LETTERED.fullmatch(answer)
    at_label = {at for at, option in enumerate(options) if option.label and option.label == bare}
    if at_label:  # C may also be the letter before C. difficile
        at_label |= {at for at, option in enumerate(options) if option.initial == bare}
    elif item:
        whole = (_letter(answer), fold(item[3]))
        at_label = {at for at, option in enumerate(options) if (option.label, option.text) == whole}
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    numbers = all(option.number for option in options if option.text)
    wanted = fold(answer)
    at_text = {
        at
        for at, option in enumerate(options)
        if option.text == wanted and (numbers or not is_number)
    }
    if not at_text and not is_number:
        alike = {
            at for at, option in enumerate(options) if option.text.casefold() == wanted.casefold()
        }
        at_text = alike if len(alike) == 1 else set()
    counts = _DIGITS.fullmatch(answer) and not any(option.label.isdigit() for option in options)
    at_place = {int(answer)} & set(range(len(options))) if counts else set()
    from_1 = {int(answer) - 1} & set(range(len(options))) if counts else set()
    places: dict[Reading, set[int]] = {
        "label": at_label,
        "text": at_text,
        "place": at_place,
        "from 1": from_1,
    }
    return Choice(where, answer, options, places)


def letters(
    choices: Sequence[Choice], column: str, path: Path, faults: Faults
) -> tuple[dict[str, str], Reading | None]:
    """The letter under which each answer's option is shown, where there are options, else the
    answer, by the place of the row; and how numbers are counted where any was read as a place.

    How answers name options is settled for the file: a reading that serves them (one in twenty
    apart) excludes those that do not, and places count from 1 where only that serves. `faults` gets
    an answer that names no option, two, or a blank one. Raises UsageError for places among which
    there is no 0, unless the column is called an index: they may count from 1.
    """
    among = [choice for choice in choices if choice.options]
    used = [reading for reading in READINGS if _serves(among, reading)]
    if not used and column not in INDICES and _serves(among, "from 1"):
        used = ["from 1"]
    used = used or list(READINGS)
    counted = set[int]()
    shown_answers = {}
    for choice in choices:
        places = set[int]().union(*(choice.places.get(reading, ()) for reading in used))
        with faults.of(choice.where):
            shown_answers[choice.where] = (
                _letter_of(choice, places) if choice.options else choice.answer
            )
        if not any(
            choice.places.get(reading) for reading in used if reading not in ("place", "from 1")
        ):
            counted |= places
    if counted and 0 not in counted and column not in INDICES and "from 1" not in used:
        raise UsageError(
            f"The answers in {path} are numbers, and none is 0, so that they may count the options "
            "from 0 or from 1: "
            f"write letters, or call the column {INDICES[0]} if 0 stands for A."
        )
    return shown_answers, ("from 1" if "from 1" in used else "place") if counted else None


def _serves(choices: Sequence[Choice], reading: Reading) -> bool:
    failures = sum(not choice.places.get(reading) for choice in choices)
    return failures * MOST_UNUSABLE <= len(choices)


def _letter_of(choice: Choice, places: set[int]) -> str:
    has = f"{choice.where} has the answer {quoted(choice.answer)}"
    if not places:
        raise UsageError(
            f"{has}, which is none of its options: write one letter, or the text of one option; "
            "numbers count the "
            "options from 0."
        )
    texts = [choice.options[at].text for at in sorted(places)]
    if len(texts) > 1:
        both = " or ".join(map(quoted, texts))
        raise UsageError(
            f"{has}, which may stand for {both}: write its letter and its text, as in B. red."
        )
    if not texts[0]:
        raise UsageError(f"{has}, and that option is empty: fill it in, or take the row out.")
    (at,) = places
    return chr(65 + sum(bool(option.text) for option in choice.options[:at]))
