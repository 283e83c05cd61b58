"""Which columns of a benchmark hold what, by the names that benchmarks give them."""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from string import ascii_lowercase
from typing import NamedTuple

from ....state.errors import UsageError
from ..table.cells import listed
from ..table.formats import RawTable, plain
from ..table.read import is_told, one_of
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
    "options": ("options", "choices", "endings"),
    "passage": ("passage", "article", "context"),
    "solution": ("solution", "rationale", "explanation", "support", "exp"),
    "id": ("id", "unique_id", "question_id", "problem_id", "record_id", "qid"),
    "domain": ("domain", "category", "subject", "topic", "subdomain", "subject_name", "type"),
}
AMONG_OPTIONS = ("cop", "label", "gold")
"""Columns that name the answer of MedMCQA, HellaSwag and others, where there are options."""
_LABELLED = re.compile(r"(?:option|choice|opt?|ending|ans)_?([a-z]|[0-9]{1,2})|answer_?([a-h])")
"""`option_a`, MedMCQA's `opa`, SWAG's `ending0`, SIQA's `answerA`."""
_WRONG = re.compile(
    r"(?:(?:incorrect|wrong|false)_?(?:answer|option|choice)s?|distractors?)_?[0-9]{0,2}"
)
"""GPQA's `Incorrect Answer 1`, SciQ's `distractor1`: the right one stands in the column of the
answer."""
_FAMILY = re.compile(r"(.*?)(?:_[a-h]|_?[0-9]{1,2})")


class Columns(NamedTuple):
    named: dict[str, str]
    """What it holds → the column as it is called in the file. Without one of answers these are in
    the solutions."""
    apart: tuple[tuple[str, str], ...]
    """(label, column), where each option has a column of its own."""
    wrong: tuple[str, ...]
    """Columns of the other options, where the answer is the text of the right one."""
    in_solution: bool

    @property
    def read(self) -> set[str]:
        """All that are looked into."""
        return {*self.named.values(), *(column for _, column in self.apart), *self.wrong}

    @property
    def has_options(self) -> bool:
        return "options" in self.named or bool(self.apart or self.wrong)


def find_columns(
    table: RawTable, named_columns: Mapping[str, str | None], options: Sequence[str] = ()
) -> Columns:
    """The columns, by the names that are given (`question`, `answer`, and one or several of the
    `options`), else the usual ones.

    Of several usual names the first that is filled anywhere counts. Without a column of answers
    they are looked for in the solutions. Raises UsageError for no question, neither answer nor
    solution, and a given name that is not there.
    """
    filled = _filled(table)
    names = [_column_named(table, name, "options") for name in options]
    listing = names[:1] or [name for name in USUAL["options"] if name in filled][:1]
    apart = () if listing else _options_apart(table.columns)
    if len(names) > 1:
        listing, apart = [], tuple(zip(ascii_lowercase, names, strict=False))
    usual = {role: usual_names for role, usual_names in USUAL.items() if role != "options"}
    if listing or apart:
        usual["answer"] = (*usual["answer"], *AMONG_OPTIONS)
    named = {"options": listing[0]} if listing else {}
    for role, usual_names in usual.items():
        if name := named_columns.get(role):
            named[role] = _column_named(table, name, role)
        elif match := _first_of(usual_names, filled, table.columns):
            named[role] = match
    wrong = tuple(name for name in table.columns if _WRONG.fullmatch(name))
    wrong = () if listing or apart else wrong
    for role in ("question", "answer"):
        if role not in named and (role == "question" or "solution" not in named):
            raise _missing(table, f"has no column of the {role} ({one_of(USUAL[role][:5])})", role)
    in_solution = "answer" not in named
    if in_solution:
        named["answer"] = named["solution"]
    if named.get("solution") in (named["question"], named["answer"]):
        del named["solution"]
    return Columns(named, apart, wrong, in_solution)


def _filled(table: RawTable) -> list[str]:
    return [
        name for name in table.columns if any(is_told(row.cells.get(name)) for row in table.rows)
    ]


def _first_of(usual_names: Sequence[str], *among: Sequence[str]) -> str:
    """The first known name among those that are filled, else among all; empty without any."""
    for names in among:
        for name in usual_names:
            if name in names:
                return name
    return ""


def lost_options(table: RawTable, columns: Columns) -> list[str]:
    """Columns that look like options and are not read: lists of texts, or several called alike but
    for a letter or a number at the end."""
    aside = [name for name in table.columns if name not in columns.read]
    families: dict[str, list[str]] = {}
    lists = []
    for name in aside:
        cells = [listed(row.cells.get(name)) for row in table.rows]
        if all(isinstance(cell, list) and len(cell) > 1 for cell in cells):
            lists.append(name)
        elif (match := _FAMILY.fullmatch(name)) and all(is_told(cell) for cell in cells):
            families.setdefault(match[1], []).append(name)
    return lists or max(
        (names for names in families.values() if len(names) > 1), key=len, default=[]
    )


def _column_named(table: RawTable, name: str, role: str) -> str:
    """The column of that name. Raises UsageError without one."""
    if plain(name) not in table.columns:
        raise _missing(table, f"has no column {quoted(name)}", role)
    return plain(name)


def _missing(table: RawTable, fault: str, flag: str) -> UsageError:
    return UsageError(
        f"The file {table.path} {fault}, only {some_of(table.columns, 8)}: name it with "
        f"--{flag}-field."
    )


def _options_apart(columns: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Columns option_a, option_b, … or A, B, C, …, each with its label."""
    numbered = {}
    for name in columns:
        if match := _LABELLED.fullmatch(name):
            numbered[match[1] or match[2]] = name
    letters = {name: name for name in takewhile(columns.__contains__, ascii_lowercase)}
    # a and b alone may as well be the sides of a triangle
    for labelled, least in ((numbered, 2), (letters, 3)):
        labels = sorted(labelled, key=lambda label: (len(label), label))
        if len(labels) >= least and labels[0] in ("a", "0", "1"):
            return tuple((label, labelled[label]) for label in labels)
    return ()
