"""Benchmarks as files: problems with definite answers, in the forms in which they are published."""

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from string import ascii_lowercase
from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field

from ...state.errors import UsageError
from ...state.problems import Problem, ProblemSet
from .options import Choice, letter_answers, options_of, shuffled
from .problems import has_texts, name_of, sample_of, usable
from .rows import (
    MAX_ID,
    Columns,
    Faults,
    Row,
    Text,
    Visible,
    checked,
    columns_of,
    from_json,
    ids_of,
    is_told,
    names_of,
    no_column,
    rows_of,
    text,
)
from .table import read_table
from .text import Data, fold, some_of

MARK = "####"
"""GSM8K: the final answer stands behind the last of these."""
_CALCULATED = re.compile(r"<<[^<>\n]*+>>")
_BOX = r"\boxed{"
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
"""An escaped brace is none."""
_NO_ID = re.compile(r"[\s/@]+")
_LETTER = re.compile("[A-J]")
_INSIDE = re.compile(r"\bA\s?[.):].*\bB\s?[.):]", re.DOTALL)
"""Options within a question."""
TARGETS = "mc1_targets"
"""TruthfulQA: `{"choices": […], "labels": [1, 0, …]}`, the right one marked with 1."""


def _id(value: object) -> str:
    return _NO_ID.sub("-", text(value).strip())


def _of_targets(value: object, *, are_right: bool) -> list[Any] | None:
    match from_json(value):
        case {"choices": list() as texts, "labels": list() as labels}:
            pairs = zip(texts, labels, strict=False)
            return [text for text, label in pairs if (label == 1) == are_right]
    return None


def _answer(value: object) -> object:
    return _of_targets(value, are_right=True) or value


def _wrong(value: object) -> list[Any]:
    """Options in one column (also as JSON), or in one each."""
    loaded = _of_targets(value, are_right=False) or from_json(value)
    cells = loaded if isinstance(loaded, list) else [value]
    return [cell for cell in cells if is_told(cell)]


_Words = Annotated[Text, BeforeValidator(lambda value: value if isinstance(value, str) else "")]
"""Of a column that may as well be missing: anything but a text says nothing."""


class ProblemRow(Row):
    """A row of a benchmark. Its aliases are the columns of those that are published: GSM8K, MATH,
    MMLU, MMLU-Pro, GPQA, MedQA, MedMCQA, ARC, CommonsenseQA, HellaSwag, SciQ, TruthfulQA."""

    id: Annotated[Visible, BeforeValidator(_id), Field(max_length=MAX_ID)] = Field(
        "",
        validation_alias=AliasChoices(
            "id", "unique_id", "question_id", "problem_id", "record_id", "qid"
        ),
    )
    question: Annotated[Text, AfterValidator(str.strip)] = Field(
        validation_alias=AliasChoices(
            "question", "problem", "prompt", "input", "text", "question_stem", "ctx"
        )
    )
    answer: Annotated[Text, BeforeValidator(_answer)] = Field(
        "",
        validation_alias=AliasChoices(
            *(
                "answer",
                "final_answer",
                "expected_answer",
                "correct_answer",
                "reference_answer",
            ),
            *("reference", "target", "answer_key", "answerkey", "correct", TARGETS),
        ),
    )
    index: Text = Field("", validation_alias=AliasChoices("answer_index", "answer_idx"))
    """The place of the right option, counted from 0, or its letter."""
    label: Text = Field("", validation_alias=AliasChoices("cop", "label", "gold"))
    """The place or the label of the right option; of a row without options it may be anything."""
    options: Any = Field(None, validation_alias=AliasChoices("options", "choices", "endings"))
    wrong: Annotated[list[Any], BeforeValidator(_wrong)] = Field(
        [], validation_alias=AliasChoices("incorrect_answers", TARGETS)
    )
    """The other options, where the answer is the text of the right one."""
    passage: _Words = Field("", validation_alias=AliasChoices("passage", "article", "context"))
    solution: _Words = Field(
        "",
        validation_alias=AliasChoices("solution", "rationale", "explanation", "support", "exp"),
    )
    domain: _Words = Field(
        "",
        validation_alias=AliasChoices(
            "domain", "category", "subject", "topic", "subdomain", "subject_name", "type"
        ),
    )


_SERIES: Sequence[tuple[str, str, str]] = (
    *(("options", stem, ascii_lowercase) for stem in ("option_", "choice_", "op", "")),
    *(("wrong", stem, "123") for stem in ("incorrect_answer_", "distractor")),
)
"""Field, and how the columns begin and end that hold an option each: `option_a`, MedMCQA's `opa`,
`A`; `incorrect_answer_1` (GPQA), `distractor1` (SciQ)."""


def read_benchmark(
    source: Path | Data,
    *,
    columns: Columns | None = None,
    limit: int | None = None,
    seed: int = 42,
) -> ProblemSet:
    r"""The problems of a file (JSON lines, JSON, CSV, Parquet; `-` is the standard input), named
    after the file.

    A final answer may stand behind `####` (GSM8K) or in a box (MATH: `\boxed{…}`), of a row without
    answer in its solution; what stands around it is the solution. Of multiple choice the answer is
    a letter or another label, an option's text, or a place; it is kept as a letter. Options among
    which the right one has a column of its own (GPQA, SciQ, TruthfulQA) are shuffled by seed and
    question. A passage is asked with its question. Ids are cleaned of white space, / and @; rows
    without one are called p001, p002, … by their place in the file. The same problem twice counts
    once. `limit`: see `sample_of`.

    Rows that cannot be asked are left out, with a notice: those without a question, an answer or
    the mark that others have, with options that are not fit (`options_of`), with an answer that
    names none of them or may name two, and those that ask what an earlier row asks, with another
    answer. Raises UsageError where they are more than one in twenty, and for what cannot be read, a
    column that is missing, letters without options, one id for two rows, and a file with the texts
    of an earlier run.
    """
    table = read_table(source, "problems with their answers", inner="data")
    path, faults = table.path, Faults()
    if has_texts(table):
        raise UsageError(
            f"The file {path} holds texts that were written before: give it with --from."
        )
    named = columns or {}
    taken = {name for names in named.values() for name in names}
    free = [name for name in table.columns if name not in taken]
    columns = columns_of(table, ProblemRow, {**_series(free), **named})
    if not columns.keys() & {"answer", "index", "solution"} and not (
        {"label", "options"} <= columns.keys()
    ):
        raise no_column(table, "answer", names_of(ProblemRow)["answer"][:3])
    width = max(3, len(str(len(table.rows))))
    rows = rows_of(table.numbered(f"p{{:0{width}}}"), ProblemRow, columns, faults)
    ids_of(rows)
    choices = _choices(rows, seed, faults)
    if not columns.keys() & {"options", "wrong"}:
        _require_no_letters(rows, [*choices.values()], path)
    from_zero = "index" in columns and "answer" not in columns
    letter_answers([*choices.values()], path, faults, from_zero=from_zero)
    problems: dict[tuple[str, frozenset[str]], Problem] = {}
    repeated = list[str]()
    for row in rows:
        if row.place in faults.sentences:
            continue
        with faults.of(row.place):
            problem = _problem(row, choices[row.place])
            key = fold(problem.question), frozenset(problem.options)
            first = problems.setdefault(key, problem)
            if fold(first.final_answer).casefold() != fold(problem.final_answer).casefold():
                raise UsageError(
                    f"{row.place} asks what another row asks, with another answer: keep one."
                )
            if first is not problem:
                repeated.append(problem.id)
    notices = [*faults.notice(path, len(table.rows))]
    if repeated:
        notices.append(
            f"Problems of {path} that are the same as an earlier one, and asked once: "
            f"{some_of(repeated)}."
        )
    problem_set = ProblemSet(
        name=name_of(path), problems=tuple(problems.values()), notices=tuple(notices)
    )
    return sample_of(problem_set, limit, seed, path)


def _problem(row: ProblemRow, choice: Choice) -> Problem:
    parts = [row.passage.strip(), row.question]
    fields = {
        "id": row.id,
        "question": "\n\n".join(filter(None, parts)),
        "answer": choice.answer,
        "options": choice.option_texts,
        "solution": choice.solution,
        "domain": fold(row.domain),
    }
    return usable(checked(Problem, fields, row.place), row.place)


def _series(present: Sequence[str]) -> dict[str, Sequence[str]]:
    """The columns that hold an option each, by field; of several series the first counts."""
    columns = dict[str, Sequence[str]]()
    if {"options", "choices", "endings"} & set(present):
        return columns
    for field, stem, ends in _SERIES:
        names = tuple(takewhile(present.__contains__, (f"{stem}{end}" for end in ends)))
        # a and b alone may be the sides of a triangle
        if len(names) > (2 if not stem else field == "options"):
            columns.setdefault(field, names)
    return columns


def _choices(rows: Sequence[ProblemRow], seed: int, faults: Faults) -> dict[str, Choice]:
    """The final answers, out of what stands around them, with their options, by the places of the
    rows."""
    is_marked = any(MARK in (_stated(row) or row.solution) for row in rows)
    choices = {}
    for row in rows:
        with faults.of(row.place):
            answer, solution = _final(row, is_marked=is_marked)
            right = None
            if row.wrong and not row.options:
                texts = [answer, *row.wrong]
                seeded = f"{seed}:options:{row.question}"
                options, right = shuffled(texts, row.place, seeded)
            else:
                options = options_of(row.options, row.place)
            choices[row.place] = Choice(row.place, answer, solution, options, right)
    return choices


def _stated(row: ProblemRow) -> str:
    """What stands in a column of answers."""
    return row.answer or row.index or (row.label if row.options else "")


def _final(row: ProblemRow, *, is_marked: bool) -> tuple[str, str]:
    """The final answer, and the way to it. `is_marked`: whether the file marks them as GSM8K
    does."""
    stated = _stated(row)
    text = stated or row.solution
    if not text:
        raise UsageError(f"{row.place} has no answer: fill it in.")
    answer, way = marked(text) if is_marked else boxed(text)
    if not answer and (is_marked or not stated):
        mark = f"{MARK} …" if is_marked else r"\boxed{…}"
        raise UsageError(
            f"{row.place} has no final answer as {mark}: add it, take the row out, or name the "
            "column of the answers with --columns answer=COLUMN."
        )
    return answer or stated.strip(), way or (row.solution.strip() if stated else "")


def marked(text: str) -> tuple[str, str]:
    """What stands behind the last `####`, and the way before it without GSM8K's notes of what was
    calculated (`<<48/2=24>>`); empty without that mark."""
    way, mark, answer = text.rpartition(MARK)
    if not mark:
        return "", ""
    return answer.strip(), _CALCULATED.sub("", way).strip()


def boxed(text: str) -> tuple[str, str]:
    r"""What stands in the last `\boxed{…}`, as MATH marks its answers, and the whole text where it
    is more than that; empty without a box, or with one that is never closed."""
    way, box, behind = text.rpartition(_BOX)
    depth = 1
    for brace in _BRACE.finditer(behind if box else ""):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            rest = way + behind[brace.end() :]
            is_more = rest.strip(" \t\n$.")
            return behind[: brace.start()].strip(), text.strip() if is_more else ""
    return "", ""


def _require_no_letters(
    rows: Sequence[ProblemRow], choices: Sequence[Choice], path: Path
) -> None:
    """Raises UsageError where all answers are letters, as of multiple choice, and the questions
    hold no options."""
    are_letters = all(_LETTER.fullmatch(choice.answer) for choice in choices)
    have_options = any(_INSIDE.search(row.question) for row in rows)
    if len(rows) > 1 and are_letters and not have_options:
        raise UsageError(
            f"Every answer in {path} is a single letter, and no options were found: name their "
            "column with --columns options=COLUMN (or A+B+C where each has its own), or write them "
            "into the question as A. …, B. …."
        )
