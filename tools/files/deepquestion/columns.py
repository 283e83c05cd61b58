"""Which columns of a benchmark hold what, by the names that benchmarks give them."""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from string import ascii_lowercase
from typing import NamedTuple

from ....state.errors import UsageError
from ..table.formats import RawTable, plain
from ..table.read import is_told, one_of
from ..text import quoted, some_of

INDICES = ("answer_index", "answer_idx")
"""Of columns with these names a number is a place that counts from 0, whatever numbers there are."""
USUAL: Mapping[str, Sequence[str]] = {
    "question": ("question", "problem", "prompt", "input", "text"),
    "answer": (
        *("answer", "final_answer", "expected_answer", "correct_answer", "reference_answer", "reference", "target"),
        *("answer_key", "answerkey", "correct", *INDICES),
    ),
    "options": ("options", "choices"),
    "solution": ("solution", "rationale", "explanation"),
    "id": ("id", "unique_id", "question_id", "problem_id", "qid"),
    "domain": ("domain", "category", "subject", "topic", "type"),
}
_NUMBERED = re.compile(r"(?:option|choice)_?([a-z]|[0-9]{1,2})")


class Columns(NamedTuple):
    named: dict[str, str]
    """What it holds → the column as it is called in the file. Without one of answers these are in the solutions."""
    apart: tuple[tuple[str, str], ...]
    """(label, column), where each option has a column of its own."""
    in_solution: bool

    @property
    def read(self) -> set[str]:
        """All that are looked into."""
        return {*self.named.values(), *(column for _, column in self.apart)}


def find_columns(table: RawTable, given: Mapping[str, str | None]) -> Columns:
    """The columns, by the names that are given (`question`, `answer`, `options`), else the usual ones.

    Of several usual names the first that is filled anywhere counts. Without a column of answers they are looked for in
    the solutions. Raises UsageError for no question, neither answer nor solution, and a given name that is not there.
    """
    every = table.columns
    filled = [name for name in every if any(is_told(row.cells.get(name)) for row in table.rows)]
    named: dict[str, str] = {}
    for what, usual in USUAL.items():
        if name := given.get(what):
            if plain(name) not in every:
                raise _missing(table, f"has no column {quoted(name)}", what)
            named[what] = plain(name)
        elif found := next((one for among in (filled, every) for one in usual if one in among), ""):
            named[what] = found
    for what in ("question", "answer"):
        if what not in named and (what == "question" or "solution" not in named):
            raise _missing(table, f"has no column of the {what} ({one_of(USUAL[what][:5])})", what)
    in_solution = "answer" not in named
    if in_solution:
        named["answer"] = named["solution"]
    if named.get("solution") in (named["question"], named["answer"]):
        del named["solution"]
    return Columns(named, () if "options" in named else _options_apart(every), in_solution)


def _missing(table: RawTable, what: str, flag: str) -> UsageError:
    return UsageError(f"The file {table.path} {what}, only {some_of(table.columns, 8)}: name it with --{flag}-field.")


def _options_apart(columns: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Columns option_a, option_b, … or A, B, C, …, each with its label."""
    numbered = {match[1]: name for name in columns if (match := _NUMBERED.fullmatch(name))}
    letters = {name: name for name in takewhile(columns.__contains__, ascii_lowercase)}
    # a and b alone may as well be the sides of a triangle
    for found, least in ((numbered, 2), (letters, 3)):
        labels = sorted(found, key=lambda label: (len(label), label))
        if len(labels) >= least and labels[0] in ("a", "0", "1"):
            return tuple((label, found[label]) for label in labels)
    return ()
