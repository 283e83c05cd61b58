"""Options of multiple choice, and which of them the answer names."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ...state.errors import UsageError
from .problems import require_options
from .rows import MOST_UNUSABLE, Faults, from_json, is_told, text
from .text import fold, quoted

_PADDING = "n/a"
"""What MMLU-Pro fills lists of options up with."""
_PLACE = re.compile(r"[0-9]{1,3}")
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
    labels: list[Any]
    cells: list[Any]
    match from_json(value):
        case None:
            labels, cells = [], []
        case list() as cells:
            labels = [""] * len(cells)
        case {"text": list() as cells, "label": list() as labels} if len(cells) == len(labels):
            pass
        case dict() as by_label:
            labels, cells = [*by_label], [*by_label.values()]
        case _:
            raise UsageError(
                f"{where} has options that are no list and no object with a label for each: write "
                'them as JSON, as in ["red", "blue"].'
            )
    options = []
    for at, (label, cell) in enumerate(zip(labels, cells, strict=True)):
        words = _text(cell, where) if is_told(cell) else ""
        words = "" if words.casefold() == _PADDING else words
        usual = chr(97 + at)
        options.append(Option(str(label).strip().casefold() or usual, words))
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
    return [Option("", words[at]) for at in order], order.index(0)


def _text(value: object, where: str) -> str:
    try:
        return fold(text(value))
    except ValueError as error:
        raise UsageError(f"{where} has the option {quoted(str(value))}: {error}.") from None


def _by_label(answer: str, options: Sequence[Option]) -> set[int]:
    label = answer.strip(_EDGE).casefold()
    return {at for at, option in enumerate(options) if option.label == label}


def _by_text(answer: str, options: Sequence[Option]) -> set[int]:
    wanted = fold(answer).casefold()
    return {at for at, option in enumerate(options) if option.text.casefold() == wanted}


def _by_place(answer: str, options: Sequence[Option]) -> set[int]:
    """Counted from 0, as published benchmarks do."""
    is_labelled = any(option.label.isdigit() for option in options)
    if is_labelled or not _PLACE.fullmatch(answer):
        return set()
    return {int(answer)} & set(range(len(options)))


Reading = Callable[[str, Sequence[Option]], set[int]]
"""The places of the options that an answer may name."""
READINGS: Sequence[Reading] = (_by_label, _by_text, _by_place)


def letter_answers(
    choices: Sequence[Choice], path: Path, faults: Faults, *, from_zero: bool
) -> None:
    """Turn each answer into the letter under which its option is shown.

    How answers name options is settled for the file: a reading that serves them (one in twenty
    apart) excludes those that do not. `faults` gets an answer that names no option, two, or a blank
    one. Raises UsageError for places that may count from 0 or from 1: none is 0, and they are not
    known to count `from_zero`.
    """
    among = [choice for choice in choices if choice.options and choice.right is None]
    used = [reading for reading in READINGS if _serves(among, reading)]
    from_zero = from_zero or any(choice.answer == "0" for choice in among)
    if used == [_by_place] and not from_zero:
        raise UsageError(
            f"The answers in {path} are numbers, and none is 0, so that they may count the options "
            "from 0 or from 1: write letters, or name their column with --columns index=COLUMN if "
            "0 stands for A."
        )
    for choice in choices:
        if choice.options:
            with faults.of(choice.where):
                choice.answer = _letter(choice, used or READINGS[:2])


def _serves(choices: Sequence[Choice], reading: Reading) -> bool:
    failures = sum(not reading(choice.answer, choice.options) for choice in choices)
    return failures * MOST_UNUSABLE <= len(choices)


def _letter(choice: Choice, readings: Sequence[Reading]) -> str:
    """The letter of its option."""
    places = set[int]()
    for reading in readings:
        places |= reading(choice.answer, choice.options)
    if choice.right is not None:
        places = {choice.right}
    texts = [choice.options[at].text for at in places]
    if len(texts) != 1 or not texts[0]:
        options = " or ".join(map(quoted, texts)) or "none of its options"
        raise UsageError(
            f"{choice.where} has the answer {quoted(choice.answer)}, which stands for {options}: "
            "write the letter of one."
        )
    before = [option for option in choice.options[: min(places)] if option.text]
    return chr(65 + len(before))
