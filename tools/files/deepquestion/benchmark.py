"""Benchmarks as files: problems with definite answers, in the forms in which they are published."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from ....state.errors import UsageError
from ....state.problems import Problem, ProblemSet
from ..table.cells import MAX_ID, Text, Visible, from_json, listed, text
from ..table.formats import RawRow, Table
from ..table.read import Faults, Row, ids_of, is_told, read_table, rows_of
from ..text import Data, fold, quoted, some_of
from .columns import Columns, find_columns
from .final import MARK, Final, boxed, marked
from .limits import has_texts, name_of, sample_of, usable
from .options import Choice, letters, options_of, shuffled

_NO_ID = re.compile(r"[\s/@]+")
_LONE = re.compile("[A-J]")
_INSIDE = re.compile(r"\bA\s?[.):].*\bB\s?[.):]", re.DOTALL)
"""Options within a question."""
TARGETS = "mc1_targets"


def _id(value: object) -> str:
    return _NO_ID.sub("-", text(value).strip())


_Words = Annotated[Text, BeforeValidator(lambda value: value if isinstance(value, str) else "")]
"""Of a column that may as well be missing: anything but a text says nothing."""


class _Row(Row):
    id: Annotated[Visible, BeforeValidator(_id), Field(max_length=MAX_ID)] = ""
    question: Annotated[Text, AfterValidator(str.strip)]
    answer: Text
    cell: Any
    """The answer as it stood in the file."""
    options: Any = None
    wrong: tuple[Any, ...] = ()
    passage: _Words = ""
    solution: _Words = ""
    domain: _Words = ""


def read_benchmark(
    source: Path | Data,
    *,
    question_field: str | None = None,
    answer_field: str | None = None,
    options_field: Sequence[str] | None = None,
    limit: int | None = None,
    seed: int = 42,
) -> ProblemSet:
    r"""The problems of a file (JSON lines, JSON, CSV, Parquet; `-` is the standard input), named
    after the file.

    Columns are found by their usual names (`find_columns`) or by those that are given. A final
    answer may stand behind `####` (GSM8K) or in a box (MATH: `\boxed{…}`); what stands around it is
    the solution. Without a column of answers it is looked for in the solution. Of multiple choice
    the answer is a letter or another label, an option's text, or a place; it is kept as a
    letter. Options among which the right one has a column of its own (GPQA, SciQ,
    TruthfulQA) are shuffled by seed and question. A passage is asked with its question. Ids are
    cleaned of white space, / and @; rows without one are called p001, p002, … by their place in the
    file. The same problem twice counts once. `limit`: see `sample_of`.

    Rows that cannot be asked are left out, with a notice: those without a question, an answer or
    the mark that others have, with options that are not fit (`options_of`), with an answer that
    names none of them or may name two (`letters`), and those that ask the same with two answers.
    Raises UsageError where they are more than one in twenty, and for what cannot be read, a column
    that is missing, letters without options, one id for two rows, and a file with the texts of an
    earlier run.
    """
    table = read_table(source, "problems with their answers", inner="data")
    path = table.path
    if has_texts(table):
        raise UsageError(
            f"The file {path} holds texts that were written before: give it with --from."
        )
    table = table._replace(rows=[_with_targets(row) for row in table.rows])
    columns = find_columns(
        table, {"question": question_field, "answer": answer_field}, options_field or ()
    )
    faults = Faults()
    cells = [row._replace(cells=_cells_by_field(row.cells, columns)) for row in table.rows]
    rows = rows_of(table._replace(rows=cells), _Row, faults)
    ids = _ids(table, rows)
    finals = _finals(rows, columns, path, faults)
    choices = []
    for row in rows:
        with faults.of(row.place):
            if final := finals.get(row.place):
                choices.append(_choice(row, final, seed))
    if not (columns.options or columns.wrong):
        _require_no_letters(rows, choices, path)
    answers, first_number = letters(choices, columns.named["answer"], path, faults)
    options_at = {choice.where: choice.options for choice in choices}
    problems = dict[str, Problem]()
    for row in rows:
        if row.place in answers:
            problem = Problem(
                id=ids[row.place],
                question="\n\n".join(filter(None, (row.passage.strip(), row.question))),
                answer=answers[row.place],
                options=tuple(option.text for option in options_at[row.place] if option.text),
                solution=finals[row.place].solution or row.solution.strip(),
                domain=fold(row.domain),
            )
            with faults.of(row.place):
                problems[row.place] = usable(problem, row.place)
    unique, repeated = _unique_problems(problems, faults)
    notices = [*faults.notice(path, len(table.rows))]
    if first_number is not None:
        notices.append(
            f"The answers in {path} are numbers, and read as places that count from "
            f"{first_number}: {first_number} is the option A."
        )
    if repeated:
        notices.append(
            f"Problems of {path} that are the same as an earlier one, and asked once: "
            f"{some_of(repeated)}."
        )
    notices += table.left_aside(columns.read)
    problem_set = ProblemSet(name=name_of(path), problems=tuple(unique), notices=tuple(notices))
    return sample_of(problem_set, limit, seed, path)


def _with_targets(row: RawRow) -> RawRow:
    """The row, TruthfulQA's `{"choices": […], "labels": [1, 0, …]}` as an answer and wrong ones."""
    match from_json(row.cells.get(TARGETS)):
        case {"choices": list() as texts, "labels": list() as labels}:
            cells = {name: cell for name, cell in row.cells.items() if name != TARGETS}
            cells |= {"correct_answer": [], "incorrect_answers": []}
            for choice, label in zip(texts, labels, strict=False):
                cells["correct_answer" if label == 1 else "incorrect_answers"].append(choice)
            return row._replace(cells=cells)
    return row


def _cells_by_field(cells: Mapping[str, Any], columns: Columns) -> dict[str, Any]:
    """The cells by the fields of a row."""
    by_field = {role: cells.get(name) for role, name in columns.named.items()}
    options = [cells.get(name) for name in columns.options]
    wrong = list[Any]()
    for name in columns.wrong:
        cell = listed(cells.get(name))
        wrong += cell if isinstance(cell, list) else [cell]
    return by_field | {
        "cell": by_field["answer"],
        "options": options[0] if len(options) == 1 else options,
        "wrong": [cell for cell in wrong if is_told(cell)],
    }


def _ids(raw: Table, rows: Sequence[_Row]) -> dict[str, str]:
    """Place → id; rows without one are counted in the file."""
    width = max(3, len(str(len(raw.rows))))
    number_of = {row.place: number for number, row in enumerate(raw.rows, 1)}
    usual = [f"p{number_of[row.place]:0{width}}" for row in rows]
    names = ids_of(rows, usual)
    return {row.place: name for row, name in zip(rows, names, strict=True)}


def _choice(row: _Row, final: Final, seed: int) -> Choice:
    if row.wrong:
        return shuffled(final.answer, row.wrong, row.place, f"{seed}:options:{row.question}")
    is_number = isinstance(row.cell, int | float) and not isinstance(row.cell, bool)
    return Choice(row.place, final.answer, is_number, options_of(row.options, row.place))


def _finals(rows: Sequence[_Row], columns: Columns, path: Path, faults: Faults) -> dict[str, Final]:
    """The final answers, out of what stands around them, by the places of the rows."""
    hashed = any(MARK in row.answer for row in rows)
    parted = {row.place: marked(row.answer) if hashed else boxed(row.answer) for row in rows}
    column = quoted(columns.named["answer"])
    if columns.in_solution and not any(parted.values()):
        raise UsageError(
            f"The file {path} has no column of the answer, and its {column} holds neither {MARK} "
            "nor "
            r"\boxed{…}: name the column with --answer-field."
        )
    finals = {}
    for row in rows:
        with faults.of(row.place):
            final = parted[row.place]
            if final is None and (hashed or columns.in_solution):
                mark = f"{MARK} …" if hashed else r"\boxed{…}"
                raise UsageError(
                    f"{row.place} has no final answer in its {column}, where other rows have one "
                    f"as {mark}: add it, or "
                    "take the row out."
                )
            finals[row.place] = final or Final(row.answer.strip(), "")
    return finals


def _require_no_letters(rows: Sequence[_Row], choices: Sequence[Choice], path: Path) -> None:
    """Raises UsageError where all answers are letters, as of multiple choice, and the questions
    hold no options."""
    lone = all(_LONE.fullmatch(choice.answer) for choice in choices)
    if len(rows) > 1 and lone and not any(_INSIDE.search(row.question) for row in rows):
        raise UsageError(
            f"Every answer in {path} is a single letter, and no options were found: name their "
            "columns with --options-field, or write them into the question as A. …, B. …."
        )


def _unique_problems(
    problems: Mapping[str, Problem], faults: Faults
) -> tuple[list[Problem], list[str]]:
    """The problems without those that say the same as an earlier one, and the ids of these. A
    question with other options is another problem; rows that ask the same with two answers are
    faults."""
    places: dict[tuple[str, frozenset[str]], list[str]] = {}
    for where, problem in problems.items():
        key = (fold(problem.question), frozenset(problem.options))
        places.setdefault(key, []).append(where)
    unique, repeated = list[Problem](), list[str]()
    for alike in places.values():
        first, *others = (problems[where] for where in alike)
        answers = {fold(problem.final_answer).casefold() for problem in (first, *others)}
        if len(answers) == 1:
            unique.append(first)
            repeated += [problem.id for problem in others]
            continue
        for where in alike:
            with faults.of(where):
                raise UsageError(
                    f"{where} asks what another row asks, with another answer: "
                    f"{some_of(sorted(answers))}?"
                )
    return unique, repeated
