"""Which columns of a benchmark hold what, by the names that benchmarks give them."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

from ....state.errors import UsageError
from ..table.formats import RawTable
from ..table.read import one_of
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
KNOWN = (*(name for names in USUAL.values() for name in names), *"abcd")
_NUMBERED = re.compile(r"(?:option|choice)_?([a-z]|[0-9]{1,2})")
_APART = re.compile(r"[\s_-]+")


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


def find_columns(table: RawTable, path: Path, given: Mapping[str, str | None]) -> Columns:
    """The columns, by the names that are given (`question`, `answer`, `options`), else the usual ones, whatever their
    case.

    Of several usual names the first that is filled anywhere counts. Without a column of answers they are looked for in
    the solutions. Raises UsageError for no question, neither answer nor solution, a given name that is not there, and
    one that stands there in two spellings.
    """
    every = table.columns
    filled = [n for n in every if any(row.cells.get(n) not in ("", None) for row in table.rows)]

    def find(what: str) -> str:
        if name := given.get(what):
            found = name if name in every else _spelled(plain(name), every, path)
            if not found:
                raise _missing(path, f"has no column {quoted(name)}", every, what)
            return found
        usual = ((name, among) for among in (filled, every) for name in USUAL[what])
        return next((found for name, among in usual if (found := _spelled(name, among, path))), "")

    named = {what: found for what in USUAL if (found := find(what))}
    for what in ("question", "answer"):
        if what not in named and (what == "question" or "solution" not in named):
            raise _missing(path, f"has no column of the {what} ({one_of(USUAL[what][:5])})", every, what)
    in_solution = "answer" not in named
    if in_solution:
        named["answer"] = named["solution"]
    if named.get("solution") in (named["question"], named["answer"]):
        del named["solution"]
    return Columns(named, () if "options" in named else _options_apart(every, path), in_solution)


def plain(name: str) -> str:
    """A column's name without case, with one kind of gap."""
    return _APART.sub("_", name.strip().casefold())


def _spelled(name: str, among: Collection[str], path: Path) -> str:
    found = [column for column in among if plain(column) == name]
    if len(found) > 1:
        raise UsageError(
            f"The file {path} has the column {name} in two spellings ({some_of(found)}): rename one of them."
        )
    return found[0] if found else ""


def _missing(path: Path, what: str, columns: Sequence[str], flag: str) -> UsageError:
    return UsageError(f"The file {path} {what}, only {some_of(columns, 8)}: name it with --{flag}-field.")


def _options_apart(columns: Sequence[str], path: Path) -> tuple[tuple[str, str], ...]:
    """Columns option_a, option_b, … or A, B, C, …, each with its label."""
    names = {plain(name) for name in columns}
    numbered = {match[1]: name for name in names if (match := _NUMBERED.fullmatch(name))}
    letters = {name: name for name in takewhile(names.__contains__, ascii_lowercase)}
    # a and b alone may as well be the sides of a triangle
    for found, least in ((numbered, 2), (letters, 3)):
        labels = sorted(found, key=lambda label: (len(label), label))
        if len(labels) >= least and labels[0] in ("a", "0", "1"):
            return tuple((label, _spelled(found[label], columns, path)) for label in labels)
    return ()
