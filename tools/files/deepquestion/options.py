"""Options of multiple choice, and which of them the answer names."""

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from ....state.errors import UsageError
from ..table.cells import from_json, text
from ..table.read import MOST_UNUSABLE, Faults, is_told
from ..text import fold, quoted
from .columns import INDICES
from .limits import require_options

_OWN_LETTER = re.compile(r"\(?([A-Za-z])[.):]\s")
Reading = Literal["label", "text", "place"]
"""How an answer names an option: by its letter or other label, by its text, by its place."""
READINGS: tuple[Reading, ...] = ("label", "text", "place")
PADDING = "n/a"
"""What MMLU-Pro fills lists of options up with."""
_DIGITS = re.compile(r"[0-9]{1,3}")
_EDGE = " \t\n()[].:"


class Option(NamedTuple):
    label: str
    """As the benchmark has it, in small letters; a, b, … where it has none."""
    text: str
    """Empty of one that is blank, which is not shown and yet counts where a letter or a place is
    looked up."""
    number: bool
    """Whether it was a number in the file, so that a number may be its text."""


class Choice(NamedTuple):
    """An answer, and the options that it may name."""

    where: str
    """Where it stands in the file."""
    answer: str
    is_number: bool
    """Whether it was a number in the file, which is never the text of an option that was none."""
    options: Sequence[Option] = ()
    right: int | None = None
    """The place of its option, where the file says so."""

    def places(self, reading: Reading, first: int) -> set[int]:
        """Places of the options that the answer may name; the first option has the number `first`."""
        options = list(enumerate(self.options))
        if self.right is not None:
            return {self.right}
        if reading == "label":
            label = self.answer.strip(_EDGE).casefold()
            return {at for at, option in options if option.label == label}
        if reading == "text":
            wanted = fold(self.answer).casefold()
            alike = [at for at, option in options if option.text.casefold() == wanted]
            return {at for at in alike if self.options[at].number or not self.is_number}
        counted = any(option.label.isdigit() for option in self.options)
        if counted or not _DIGITS.fullmatch(self.answer):
            return set()
        return {int(self.answer) - first} & set(range(len(options)))


def options_of(value: object, where: str) -> list[Option]:
    """The options of a row: a list, an object with a label each, or one of two lists, `text` and
    `label`; at least two, or none. Raises UsageError for anything else, and as `require_options`
    does."""
    pairs = [(label, None if _is_padding(cell) else cell) for label, cell in _pairs(value, where)]
    if all(cell is None for _, cell in pairs):
        return []
    options = []
    for at, (label, cell) in enumerate(pairs):
        label = label.strip().casefold() or chr(97 + at)
        options.append(Option(label, _text(cell, where), isinstance(cell, int | float)))
    require_options([option.text for option in options if option.text], where)
    return options


def shuffled(right: str, wrong: Sequence[object], where: str, seed: str) -> Choice:
    """The answer among the wrong options, in an order by seed: the right one would be the first one
    throughout. Raises UsageError as `require_options` does."""
    texts = [_text(cell, where) for cell in (right, *wrong)]
    require_options(texts, where)
    order = list(range(len(texts)))
    Random(seed).shuffle(order)
    options = [Option("", texts[at], False) for at in order]
    return Choice(where, right, False, options, order.index(0))


def _is_padding(cell: object) -> bool:
    return not is_told(cell) or (isinstance(cell, str) and cell.strip().casefold() == PADDING)


def _pairs(value: object, where: str) -> list[tuple[str, object]]:
    """The label of each option, empty without one, and what the option holds."""
    match from_json(value):
        case None:
            return []
        case list() as cells:
            _require_order(cells, where)
            return [("", cell) for cell in cells]
        case {"text": list() as cells, "label": list() as labels} if len(cells) == len(labels):
            return [(str(label), cell) for label, cell in zip(labels, cells, strict=True)]
        case dict() as cells:
            return list(cells.items())
    raise UsageError(
        f"{where} has options that are no list and no object with a label for each: write them as "
        'JSON, as in ["red", "blue"].'
    )


def _require_order(cells: Sequence[object], where: str) -> None:
    """Raises UsageError where the options carry letters of their own in another order than theirs:
    an answer by letter would name another option."""
    labels = [_OWN_LETTER.match(cell) for cell in cells if isinstance(cell, str)]
    carried = [label[1].lower() for label in labels if label]
    expected = [chr(97 + at) for at in range(len(cells))]
    if len(carried) == len(cells) > 0 and carried != expected and sorted(carried) == expected:
        raise UsageError(
            f"{where} has options with letters of their own in another order: leave the letters "
            "out, or put them in order."
        )


def _text(value: object, where: str) -> str:
    try:
        return "" if value is None else fold(text(value))
    except ValueError as error:
        raise UsageError(f"{where} {str(error).replace('{}', 'option', 1)}.") from None


def letters(
    choices: Sequence[Choice], column: str, path: Path, faults: Faults
) -> tuple[dict[str, str], int | None]:
    """The letter under which each answer's option is shown, where there are options, else the
    answer, by the place of the row; and the number of the first option, where answers are places.

    How answers name options is settled for the file: a reading that serves them (one in twenty
    apart) excludes those that do not. `faults` gets an answer that names no option, two, or a blank
    one. Raises UsageError for places that may count from 0 or from 1.
    """
    among = [choice for choice in choices if choice.options]
    first = 0
    used = [reading for reading in READINGS if _serves(among, reading, first)]
    if not used and column not in INDICES and _serves(among, "place", 1):
        first, used = 1, ["place"]
    by_place = used == ["place"]
    is_stated = first or column in INDICES or any(choice.answer == "0" for choice in among)
    if by_place and not is_stated:
        raise UsageError(
            f"The answers in {path} are numbers, and none is 0, so that they may count the options "
            "from 0 or from 1: "
            f"write letters, or call the column {INDICES[0]} if 0 stands for A."
        )
    answers = {}
    for choice in choices:
        with faults.of(choice.where):
            answers[choice.where] = _shown_answer(choice, used or READINGS[:2], first)
    return answers, first if by_place else None


def _serves(choices: Sequence[Choice], reading: Reading, first: int) -> bool:
    failures = sum(not choice.places(reading, first) for choice in choices)
    return failures * MOST_UNUSABLE <= len(choices)


def _shown_answer(choice: Choice, readings: Sequence[Reading], first: int) -> str:
    """The letter of its option, or the answer itself where there are no options."""
    if not choice.options:
        return choice.answer
    has = f"{choice.where} has the answer {quoted(choice.answer)}"
    places = set[int]().union(*(choice.places(reading, first) for reading in readings))
    if not places:
        raise UsageError(
            f"{has}, which is none of its options: write one letter, or the text of one option; "
            "numbers count the "
            "options from 0."
        )
    texts = [choice.options[at].text for at in sorted(places)]
    if len(texts) > 1:
        both = " or ".join(map(quoted, texts))
        raise UsageError(f"{has}, which may stand for {both}: write letters in all rows.")
    if not texts[0]:
        raise UsageError(f"{has}, and that option is empty: fill it in, or take the row out.")
    (at,) = places
    return chr(65 + sum(bool(option.text) for option in choice.options[:at]))
