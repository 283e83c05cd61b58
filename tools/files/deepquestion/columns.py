"""Which columns of a benchmark hold what, by the names that benchmarks give them."""

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

from ....state.errors import UsageError
from ..table.csv_rows import header
from ..table.parquet import is_begun
from ..table.read import Data, Table
from ..text import quoted, some_of

QUESTIONS = ("question", "problem", "prompt", "input", "text")
INDICES = ("answer_index", "answer_idx")
"""Of columns with these names a number is a place that counts from 0, whatever numbers there are."""
ANSWERS = (
    *("answer", "final_answer", "expected_answer", "correct_answer", "reference_answer", "reference", "target"),
    *("answer_key", "answerkey", "correct", *INDICES),
)
OPTIONS = ("options", "choices")
SOLUTIONS = ("solution", "rationale", "explanation")
IDS = ("id", "unique_id", "question_id", "problem_id", "qid")
DOMAINS = ("domain", "category", "subject", "topic", "type")
_KNOWN = (*QUESTIONS, *ANSWERS, *OPTIONS, *SOLUTIONS, *IDS, *DOMAINS)
_NUMBERED = re.compile(r"(?:option|choice)_?([a-z]|[0-9]{1,2})")
_APART = re.compile(r"[\s_-]+")
_EMPTY = ("", None)


class Columns(NamedTuple):
    """Names of columns as they stand in the file; empty for what is not there."""

    question: str
    answer: str
    in_solution: bool
    """Whether there is no column of answers, so that `answer` is that of the solutions."""
    solution: str
    options: str
    options_apart: tuple[tuple[str, str], ...]
    """(label, column), where each option has a column of its own."""
    id: str
    domain: str

    @property
    def read(self) -> frozenset[str]:
        """All that are looked into."""
        apart = (column for _, column in self.options_apart)
        return frozenset((self.question, self.answer, self.solution, self.options, *apart, self.id, self.domain))


def known_columns(data: Data, named: Sequence[str | None]) -> list[str]:
    """The names by which a CSV file's separator is found. A file that has none of them is not refused for that: its
    own names serve then, so that the columns that are there can be told."""
    known = [*_KNOWN, *"abcd", *(name.strip().casefold() for name in named if name)]
    if is_begun(data.raw):
        return known
    first = header(data.text)[0][:10_000]
    split = [{name.strip(' "').casefold() for name in first.split(sign)} - {""} for sign in ",;\t"]
    return known if any(names & set(known) for names in split) else [*known, *max(split, key=len)]


def find_columns(
    table: Table, path: Path, question: str | None = None, answer: str | None = None, options: str | None = None
) -> Columns:
    """The columns, by the names that are given, else the usual ones, whatever their case.

    Of several usual names the first that is filled anywhere counts. Without a column of answers they are looked for in
    the solutions. Raises UsageError for no question, neither answer nor solution, a given name that is not there, and
    one that stands there in two spellings.
    """
    found = _Names(table, path)
    asked = found.given(question, "--question-field") or found.usual(QUESTIONS)
    if not asked:
        raise found.missing("question", QUESTIONS, "--question-field")
    solution = found.usual([name for name in SOLUTIONS if name != asked])
    answered = found.given(answer, "--answer-field") or found.usual(ANSWERS)
    if not answered and not solution:
        raise found.missing("answer", ANSWERS[:4], "--answer-field")
    offered = found.given(options, "--options-field") or found.usual(OPTIONS)
    apart = () if offered else found.apart()
    return Columns(
        question=asked,
        answer=answered or solution,
        in_solution=not answered,
        solution=solution if answered not in ("", solution) else "",
        options=offered,
        options_apart=apart,
        id=found.usual(IDS),
        domain=found.usual(DOMAINS),
    )


def plain(name: str) -> str:
    """A column's name without case, with one kind of gap."""
    return _APART.sub("_", name.strip().casefold())


class _Names:
    """The names that a table has, and those of columns that are not empty throughout."""

    def __init__(self, table: Table, path: Path) -> None:
        self.path = path
        self.names = table.columns()
        filled = {name for row in table.rows for name, value in row.cells.items() if value not in _EMPTY}
        self.pools = [_by_plain(name for name in self.names if name in filled), _by_plain(self.names)]

    def given(self, name: str | None, option: str) -> str:
        """The column that an option names; empty without one."""
        if name is None:
            return ""
        if name in self.names:
            return name
        if found := self._one(self.pools[1], plain(name)):
            return found
        raise UsageError(
            f"The file {self.path} has no column {quoted(name)}, only {some_of(self.names, 8)}: name one of them with "
            f"{option}."
        )

    def usual(self, wanted: Sequence[str]) -> str:
        return next((found for pool in self.pools for name in wanted if (found := self._one(pool, name))), "")

    def apart(self) -> tuple[tuple[str, str], ...]:
        """Columns option_a, option_b, … or A, B, C, …, each with its label."""
        pool = self.pools[1]
        numbered = {match[1]: name for name in pool if (match := _NUMBERED.fullmatch(name))}
        letters = {name: name for name in takewhile(pool.__contains__, ascii_lowercase)}
        # a and b alone may as well be the sides of a triangle
        for columns, least in ((numbered, 2), (letters, 3)):
            labels = sorted(columns, key=lambda label: (label.isdigit(), int(label) if label.isdigit() else 0, label))
            if len(labels) >= least and labels[0] in ("a", "0", "1"):
                return tuple((label.upper(), self._one(pool, columns[label])) for label in labels)
        return ()

    def missing(self, what: str, usual: Sequence[str], option: str) -> UsageError:
        return UsageError(
            f"The file {self.path} has no column of the {what} ({', '.join(usual[:-1])} or {usual[-1]}), only "
            f"{some_of(self.names, 8)}: name it with {option}."
        )

    def _one(self, pool: dict[str, list[str]], name: str) -> str:
        spelled = pool.get(name, [])
        if len(spelled) > 1:
            raise UsageError(
                f"The file {self.path} has the column {name} in two spellings ({some_of(spelled)}): rename one of them."
            )
        return spelled[0] if spelled else ""


def _by_plain(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(plain(name), []).append(name)
    return found
