"""Which columns of a benchmark hold what: the names that published benchmarks give them."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from string import ascii_lowercase
from typing import NamedTuple

from ....state.errors import UsageError
from ..table.formats import Table, plain
from ..table.read import one_of
from ..text import quoted, some_of

INDICES = ("answer_index", "answer_idx")
"""Of columns with these names a number is a place that counts from 0, whatever numbers there are.
"""
USUAL: Mapping[str, Sequence[str]] = {
    "question": ("question", "problem", "prompt", "input", "text", "question_stem", "ctx"),
    "answer": (
        *(
            "answer",
            "final_answer",
            "expected_answer",
            "correct_answer",
            "reference_answer",
            "reference",
            "target",
        ),
        *("answer_key", "answerkey", "correct", *INDICES),
    ),
    "passage": ("passage", "article", "context"),
    "solution": ("solution", "rationale", "explanation", "support", "exp"),
    "id": ("id", "unique_id", "question_id", "problem_id", "record_id", "qid"),
    "domain": ("domain", "category", "subject", "topic", "subdomain", "subject_name", "type"),
}
AMONG_OPTIONS = ("cop", "label", "gold")
"""Columns that name the answer of MedMCQA, HellaSwag and others, where there are options."""
OPTIONS = ("options", "choices", "endings")
OPTION_STEMS = ("option_", "choice_", "op", "")
"""Of columns with one option each, which end with its letter: `option_a`, MedMCQA's `opa`, `A`."""
WRONG = (
    "incorrect_answers",
    *(f"{stem}{number}" for stem in ("incorrect_answer_", "distractor") for number in (1, 2, 3)),
)
"""Of TruthfulQA, GPQA, SciQ: the right option stands in the column of the answer."""


class Columns(NamedTuple):
    named: dict[str, str]
    """What it holds → the column as it is called in the file. Without one of answers these are in
    the solutions."""
    options: tuple[str, ...]
    """One with all options of a question, or several with one each."""
    wrong: tuple[str, ...]
    """Columns of the other options, where the answer is the text of the right one."""
    in_solution: bool

    @property
    def read(self) -> set[str]:
        """All that are looked into."""
        return {*self.named.values(), *self.options, *self.wrong}


def find_columns(
    table: Table, named_columns: Mapping[str, str | None], options: Sequence[str] = ()
) -> Columns:
    """The columns, by the names that are given (`question`, `answer`, and one or several of the
    `options`), else the usual ones.

    Of several usual names the first counts. Without a column of answers
    they are looked for in the solutions. Raises UsageError for no question, neither answer nor
    solution, and a given name that is not there.
    """
    columns = table.columns
    option_columns = tuple(_column_named(table, name, "options") for name in options)
    option_columns = option_columns or _option_columns(columns)
    usual = dict(USUAL)
    if option_columns:
        usual["answer"] = (*USUAL["answer"], *AMONG_OPTIONS)
    named = {}
    for role, usual_names in usual.items():
        usual_name = next((name for name in usual_names if name in columns), None)
        if name := named_columns.get(role):
            named[role] = _column_named(table, name, role)
        elif usual_name:
            named[role] = usual_name
    for role in ("question", "answer"):
        if role not in named and (role == "question" or "solution" not in named):
            raise _missing(table, f"has no column of the {role} ({one_of(USUAL[role][:5])})", role)
    in_solution = "answer" not in named
    if in_solution:
        named["answer"] = named["solution"]
    if named.get("solution") in (named["question"], named["answer"]):
        del named["solution"]
    wrong = () if option_columns else tuple(name for name in WRONG if name in columns)
    return Columns(named, option_columns, wrong, in_solution)


def _option_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns of options by their usual names; none where there are no such columns."""
    for name in OPTIONS:
        if name in columns:
            return (name,)
    for stem in OPTION_STEMS:
        names = (f"{stem}{letter}" for letter in ascii_lowercase)
        lettered = tuple(takewhile(columns.__contains__, names))
        if len(lettered) > (1 if stem else 2):  # a and b alone may be the sides of a triangle
            return lettered
    return ()


def _column_named(table: Table, name: str, role: str) -> str:
    """The column of that name. Raises UsageError without one."""
    if plain(name) not in table.columns:
        raise _missing(table, f"has no column {quoted(name)}", role)
    return plain(name)


def _missing(table: Table, fault: str, flag: str) -> UsageError:
    return UsageError(
        f"The file {table.path} {fault}, only {some_of(table.columns, 8)}: name it with "
        f"--{flag}-field."
    )
