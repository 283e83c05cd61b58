"""Options of multiple choice, and which of them the answer names."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from ...state.errors import UsageError
from .problems import require_options
from .rows import MOST_UNUSABLE, Faults, from_json, is_told, text
from .text import fold, quoted

_OWN_LETTER = re.compile(r"\(?([A-Za-z])[.):]\s")
_PADDING = "n/a"
"""What MMLU-Pro fills lists of options up with."""
_DIGITS = re.compile(r"[0-9]{1,3}")
_EDGE = " \t\n()[].:"


class Option(NamedTuple):
    label: str
    """As the benchmark has it, in small letters; a, b, … where it has none."""
    text: str
    """Empty of one that is blank, which is not shown and yet counts where a letter or a place is
    looked up."""


@dataclass
class Choice:
    """An answer, and the options that it may name."""

    where: str
    """Where it stands in the file."""
    answer: str
    """At last the letter under which its option is shown."""
    solution: str
    options: Sequence[Option]
    """None where the question has none."""
    right: int | None = None
    """The place of its option, where the file says so."""

    @property
    def option_texts(self) -> tuple[str, ...]:
        """The texts of the options that are not blank."""
        return tuple(option.text for option in self.options if option.text)


def options_of(value: object, where: str) -> list[Option]:
    """The options of a row: a list, an object with a label each, or one of two lists, `text` and
    `label`; at least two, or none. Raises UsageError for anything else, and as `require_options`
    does."""
    options = []
    for at, (label, cell) in enumerate(_labelled(value, where)):
        words = _text(cell, where) if is_told(cell) else ""
        words = "" if words.casefold() == _PADDING else words
        label = label.strip().casefold() or chr(97 + at)
        options.append(Option(label, words))
    texts = [option.text for option in options if option.text]
    if not texts:
        return []
    require_options(texts, where)
    return options


def shuffled(texts: Sequence[object], where: str, seed: str) -> tuple[list[Option], int]:
    """Options of which the first is right, in an order by seed, and the place of that one. Raises
    UsageError as `require_options` does."""
    words = [_text(cell, where) for cell in texts]
    require_options(words, where)
    order = list(range(len(words)))
    Random(seed).shuffle(order)
    options = [Option("", words[at]) for at in order]
    return options, order.index(0)


def _labelled(value: object, where: str) -> list[tuple[str, object]]:
    """The label of each option, empty without one, and what the option holds."""
    match from_json(value):
        case None:
            return []
        case list() as cells:
            _require_order(cells, where)
            return [("", cell) for cell in cells]
        case {"text": list() as cells, "label": list() as labels} if len(cells) == len(labels):
            names = map(str, labels)
            return list(zip(names, cells, strict=True))
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
    letters = [label[1].lower() for label in labels if label]
    expected = [chr(97 + at) for at in range(len(cells))]
    if letters != expected and sorted(letters) == expected:
        raise UsageError(
            f"{where} has options with letters of their own in another order: leave the letters "
            "out, or put them in order."
        )


def _text(value: object, where: str) -> str:
    try:
        return fold(text(value))
    except ValueError as error:
        raise UsageError(f"{where} {str(error).replace('{}', 'option', 1)}.") from None


def _by_label(answer: str, options: Sequence[Option]) -> set[int]:
    label = answer.strip(_EDGE).casefold()
    return {at for at, option in enumerate(options) if option.label == label}


def _by_text(answer: str, options: Sequence[Option]) -> set[int]:
    wanted = fold(answer).casefold()
    return {at for at, option in enumerate(options) if option.text.casefold() == wanted}


def _by_place(first: int, answer: str, options: Sequence[Option]) -> set[int]:
    """`first`: the number of the first option."""
    is_labelled = any(option.label.isdigit() for option in options)
    if is_labelled or not _DIGITS.fullmatch(answer):
        return set()
    return {int(answer) - first} & set(range(len(options)))


Reading = Callable[[str, Sequence[Option]], set[int]]
READINGS: Mapping[str, Reading] = {
    "letters": _by_label,
    "texts": _by_text,
    "places that count from 0": partial(_by_place, 0),
    "places that count from 1": partial(_by_place, 1),
}
"""How answers may name options: by label, by text, by place. What they find is the places of the
options, counted from 0."""


def letter_answers(
    choices: Sequence[Choice], path: Path, faults: Faults, *, from_zero: bool
) -> list[str]:
    """Turn each answer into the letter under which its option is shown, and say so where numbers
    were read as places.

    How answers name options is settled for the file: a reading that serves them (one in twenty
    apart) excludes those that do not. `faults` gets an answer that names no option, two, or a blank
    one. Raises UsageError for places that may count from 0 or from 1, unless they are known to
    count `from_zero`.
    """
    among = [choice for choice in choices if choice.options and choice.right is None]
    if not among:
        used = list[str]()
    else:
        from_zero = from_zero or any(choice.answer == "0" for choice in among)
        used = _readings(among, path, from_zero=from_zero)
    for choice in choices:
        if choice.options:
            with faults.of(choice.where):
                choice.answer = _letter(choice, used or [*READINGS][:2])
    if len(used) != 1 or not used[0].startswith("places"):
        return []
    (way,) = used
    return [f"The answers in {path} are numbers, and read as {way}: {way[-1]} is the option A."]


def _readings(choices: Sequence[Choice], path: Path, *, from_zero: bool) -> list[str]:
    """The readings that serve these answers; places count from 1 where no other one does."""
    *usual, last = READINGS
    used = [name for name in usual if _serves(choices, READINGS[name])]
    if used == ["places that count from 0"] and not from_zero:
        raise UsageError(
            f"The answers in {path} are numbers, and none is 0, so that they may count the options "
            "from 0 or from 1: write letters, or name their column with --columns index=COLUMN if "
            "0 stands for A."
        )
    if not used and not from_zero and _serves(choices, READINGS[last]):
        return [last]
    return used


def _serves(choices: Sequence[Choice], reading: Reading) -> bool:
    failures = sum(not reading(choice.answer, choice.options) for choice in choices)
    return failures * MOST_UNUSABLE <= len(choices)


def _letter(choice: Choice, readings: Sequence[str]) -> str:
    """The letter of its option."""
    words = f"{choice.where} has the answer {quoted(choice.answer)}"
    places = set[int]()
    for name in readings:
        places |= READINGS[name](choice.answer, choice.options)
    if choice.right is not None:
        places = {choice.right}
    texts = [choice.options[at].text for at in sorted(places)]
    if not texts:
        raise UsageError(
            f"{words}, which is none of its options: write one letter, or the text of one option; "
            "numbers count the options from 0."
        )
    if len(texts) > 1:
        both = " or ".join(map(quoted, texts))
        raise UsageError(f"{words}, which may stand for {both}: write letters in all rows.")
    if not texts[0]:
        raise UsageError(f"{words}, and that option is empty: fill it in, or take the row out.")
    before = [option for option in choice.options[: min(places)] if option.text]
    return chr(65 + len(before))
