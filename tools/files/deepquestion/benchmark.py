"""Benchmarks as files: problems with definite answers, in the forms in which they are published."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from ....state.deepquestion.items import Problem, ProblemSet
from ....state.errors import UsageError
from ..table.cells import MAX_ID, Text, Visible, text
from ..table.read import Row, ids_of, raw_table, rows_of
from ..text import Data, fold, quoted, read_data, some_of
from .columns import USUAL, Columns, find_columns
from .final import MARK, Final, boxed, marked
from .limits import drawn, has_texts, name_of, usable
from .options import choice_of, letters, options_of

_NO_ID = re.compile(r"[\s/@]+")
_LONE = re.compile("[A-Z]")


def _id(value: object) -> str:
    return _NO_ID.sub("-", text(value).strip())


_Words = Annotated[Text, BeforeValidator(lambda value: value if isinstance(value, str) else "")]
"""Of a column that may as well be missing: anything but a text says nothing."""


class _Row(Row):
    id: Annotated[Visible, BeforeValidator(_id), Field(max_length=MAX_ID)] = ""
    question: Annotated[Text, AfterValidator(str.strip)]
    answer: Text
    written: Any
    """The answer as it stood in the file."""
    options: Any = None
    solution: _Words = ""
    domain: _Words = ""


def read_benchmark(
    source: Path | Data,
    *,
    question_field: str | None = None,
    answer_field: str | None = None,
    options_field: str | None = None,
    limit: int | None = None,
    seed: int = 42,
) -> ProblemSet:
    r"""The problems of a file (JSON lines, JSON, CSV, Parquet; `-` is the standard input), named after the file.

    Columns are found by their usual names (`find_columns`) or by those that are given. A final answer may stand behind
    `####` (GSM8K) or in a box (MATH: `\boxed{…}`); what stands around it is the solution. Without a column of answers
    it is looked for in the solution. Of multiple choice the answer is a letter or another label, an option's text, or a
    place, counted from 0; it is kept as a letter. Ids are cleaned of white space, / and @; rows without one are called
    p001, p002, … by their place in the file. The same problem twice counts once. `limit`: see `drawn`.

    Raises UsageError, with the row, for what cannot be read, a column that is missing, an empty question or answer, a
    row without the mark that others have, one id for two rows, one problem with two answers, options that cannot be
    told apart (`options_of`), an answer that names none of them or may name two (`letters`), and a file with the texts
    of an earlier run.
    """
    data = read_data(source, "problems with their answers") if isinstance(source, Path) else source
    raw = raw_table(data, inner="data")
    if has_texts(raw):
        raise UsageError(f"The file {data.path} holds texts that were written before: give it with --from.")
    columns = find_columns(raw, {"question": question_field, "answer": answer_field, "options": options_field})
    taken = {what: (columns.named[what],) if what in columns.named else () for what in USUAL}
    rows = rows_of(raw, _Row, taken | {"written": taken["answer"]})
    width = max(3, len(str(len(rows))))
    ids = ids_of(rows, [f"p{number:0{width}}" for number in range(1, len(rows) + 1)])
    finals = _finals(rows, columns, data.path)
    choices = []
    for row, final, cells in zip(rows, finals, (one.cells for one in raw.rows), strict=True):
        options = options_of(row.options, [(label, cells.get(name)) for label, name in columns.apart], row.place)
        choices.append(choice_of(row.written, final.answer, options, row.place))
    answers, places = letters(choices, columns.named["answer"], data.path)
    found = []
    for row, id_, final, choice, answer in zip(rows, ids, finals, choices, answers, strict=True):
        problem = Problem(
            id=id_,
            question=row.question,
            answer=answer,
            options=tuple(option.text for option in choice.options if option.text),
            solution=final.solution or row.solution.strip(),
            domain=fold(row.domain),
        )
        found.append(usable(problem, row.place))
    kept, repeated = _once(found, rows)
    notices = (*_notices(found, places, data.path), *raw.left_aside(columns.read))
    if repeated:
        told = f"Problems of {data.path} that are the same as an earlier one, and asked once: {some_of(repeated)}."
        notices = (*notices, told)
    return drawn(ProblemSet(name=name_of(data.path), problems=tuple(kept), notices=notices), limit, seed, data.path)


def _finals(rows: Sequence[_Row], columns: Columns, path: Path) -> list[Final]:
    """The final answers, out of what stands around them."""
    hashed = any(MARK in row.answer for row in rows)
    found = [marked(row.answer) if hashed else boxed(row.answer) for row in rows]
    column = quoted(columns.named["answer"])
    if columns.in_solution and not any(found):
        raise UsageError(
            f"The file {path} has no column of the answer, and its {column} holds neither {MARK} nor "
            r"\boxed{…}: name the column with --answer-field."
        )
    if (hashed or columns.in_solution) and None in found:
        mark = f"{MARK} …" if hashed else r"\boxed{…}"
        raise UsageError(
            f"{rows[found.index(None)].place} has no final answer in its {column}, where other rows have one as "
            f"{mark}: add it, or take the row out."
        )
    return [final or Final(row.answer.strip(), "") for row, final in zip(rows, found, strict=True)]


def _once(problems: Sequence[Problem], rows: Sequence[_Row]) -> tuple[list[Problem], list[str]]:
    """The problems without those that say the same as an earlier one, and the ids of these. A question with other
    options is another problem."""
    first: dict[tuple[str, frozenset[str]], int] = {}
    kept, repeated = [], []
    for at, problem in enumerate(problems):
        earlier = first.setdefault((fold(problem.question), frozenset(problem.options)), at)
        one, other = problems[earlier].final_answer, problem.final_answer
        if earlier == at:
            kept.append(problem)
        elif fold(one).casefold() == fold(other).casefold():
            repeated.append(problem.id)
        else:
            raise UsageError(
                f"{rows[earlier].place} and {rows[at].place} ask the same and have other answers ({quoted(one)}, "
                f"{quoted(other)}): keep the right one."
            )
    return kept, repeated


def _notices(problems: Sequence[Problem], places: bool, path: Path) -> Iterator[str]:
    if places:
        yield f"The answers in {path} are numbers, and read as places that count from 0: 0 is the option A."
    if len(problems) > 1 and all(not one.options and _LONE.fullmatch(one.answer) for one in problems):
        yield (
            f"Every answer in {path} is a single letter, and no options were found: name their column with "
            "--options-field."
        )
