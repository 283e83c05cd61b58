"""Benchmarks as files: problems with definite answers, in the forms in which they are published."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ....state.deepquestion.items import Problem, ProblemSet
from ....state.errors import UsageError
from ..table.read import Row, Shape, Table, read_data, table_of
from ..table.row import MAX_ID
from ..text import fold, quoted, some_of, unseen
from .cells import said
from .columns import Columns, find_columns, known_columns
from .final import MARK, Final, boxed, marked
from .limits import FAMILY, MAX_ANSWER, MAX_TEXT, drawn, name_of
from .options import Named, Options, letters, named_options, options_of

_HOLDS = "problems with their answers"
_NO_ID = re.compile(r"[\s/@]+")
_LONE = re.compile("[A-Z]")


class _Entry(NamedTuple):
    """A row as it was read."""

    row: Row
    question: str
    value: object
    """The cell with the answer."""
    final: Final
    options: Options


def read_benchmark(
    path: Path,
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
    data = read_data(path, _HOLDS)
    named = (question_field, answer_field, options_field)
    table = table_of(data, known_columns(data, named), Shape(inner="data"))
    if any(str(row.cells.get("format")).startswith(FAMILY) for row in table.rows):
        raise UsageError(f"The file {data.path} holds texts that were written before: give it with --from.")
    columns = find_columns(table, data.path, *named)
    entries = _entries(table, columns, data.path)
    answers, counted = _answers(entries, columns, data.path)
    ids = _ids(table.rows, columns)
    problems = [_problem(entry, id_, answer, columns) for entry, id_, answer in zip(entries, ids, answers, strict=True)]
    kept, repeated = _once(problems, [entry.row.place for entry in entries])
    notices = (*_notices(table, columns, problems, counted, data.path), *_repeats(repeated, data.path))
    return drawn(ProblemSet(name=name_of(data.path), problems=tuple(kept), notices=notices), limit, seed, data.path)


def _entries(table: Table, columns: Columns, path: Path) -> list[_Entry]:
    answered = [_filled(row, columns.answer, "solution" if columns.in_solution else "answer") for row in table.rows]
    hashed = any(MARK in text for text in answered)
    finals = [marked(text) if hashed else boxed(text) for text in answered]
    if columns.in_solution and not any(finals):
        raise UsageError(
            f"The file {path} has no column of the answer, and its {quoted(columns.answer)} holds neither {MARK} nor "
            r"\boxed{…}: name the column with --answer-field."
        )
    if (hashed or columns.in_solution) and None in finals:
        mark = f"{MARK} …" if hashed else r"\boxed{…}"
        raise UsageError(
            f"{table.rows[finals.index(None)].place} has no final answer in its {quoted(columns.answer)}, where "
            f"{path.name} has them as {mark}: add it, or take the row out."
        )
    told = (final or Final(text.strip(), "") for text, final in zip(answered, finals, strict=True))
    return [_entry(row, final, columns) for row, final in zip(table.rows, told, strict=True)]


def _entry(row: Row, final: Final, columns: Columns) -> _Entry:
    question = _filled(row, columns.question, "question").strip()
    if len(question) > MAX_TEXT:
        raise UsageError(
            f"{row.place} has a question of {len(question):,} characters: use at most {MAX_TEXT:,}, or name another "
            "column with --question-field."
        )
    if len(final.answer) > MAX_ANSWER:
        raise UsageError(
            f"{row.place} has an answer of {len(final.answer):,} characters, which is no final answer: mark that with "
            f"{MARK}, or name its column with --answer-field."
        )
    return _Entry(row, question, row.cells.get(columns.answer), final, options_of(row, columns))


def _filled(row: Row, column: str, what: str) -> str:
    text = said(row.cells.get(column), row.place, column)
    if text is None or not text.strip():
        raise UsageError(f"{row.place} has no {what}: fill the column {quoted(column)} in, or take the row out.")
    return text


def _answers(entries: Sequence[_Entry], columns: Columns, path: Path) -> tuple[list[str], bool]:
    """The final answers, of multiple choice as letters; and whether any was a place counted from 0."""
    chosen: list[Named] = [
        named_options(entry.value, entry.final.answer, entry.options, entry.row.place)
        for entry in entries
        if entry.options.texts
    ]
    found, counted = letters(chosen, columns.answer, path) if chosen else ([], False)
    left = iter(found)
    return [next(left) if entry.options.texts else entry.final.answer for entry in entries], counted


def _ids(rows: Sequence[Row], columns: Columns) -> list[str]:
    """The rows' own ids, and of those without one the place in the file. Raises UsageError for one that stands there
    twice, and for one that cannot be used."""
    given = [_id(row, columns.id) for row in rows]
    places: dict[str, str] = {}
    for row, id_ in zip(rows, given, strict=True):
        if id_ in places:
            raise UsageError(
                f"{places[id_]} and {row.place} have the same id, {quoted(id_)}: give each its own, or take "
                "the ids out."
            )
        if id_:
            places[id_] = row.place
    width = max(3, len(str(len(rows))))
    found = []
    for number, id_ in enumerate(given, 1):
        free = id_ or f"p{number:0{width}}"
        while not id_ and free in places:
            free += "a"
        found.append(free)
        places.setdefault(free, "")
    return found


def _id(row: Row, column: str) -> str:
    written = ((said(row.cells.get(column), row.place, column) if column else None) or row.key or "").strip()
    hidden = unseen(written)
    if hidden or len(written) > MAX_ID:
        what = f"the invisible sign {hidden}" if hidden else f"{len(written)} characters"
        raise UsageError(f"{row.place} has the id {quoted(written)}, which holds {what}: shorten or mend it.")
    return _NO_ID.sub("-", written)


def _problem(entry: _Entry, id_: str, answer: str, columns: Columns) -> Problem:
    return Problem(
        id=id_,
        question=entry.question,
        answer=answer,
        options=entry.options.texts,
        solution=entry.final.solution or _words(entry.row, columns.solution).strip(),
        domain=fold(_words(entry.row, columns.domain)),
    )


def _words(row: Row, column: str) -> str:
    """What a column says that may as well be missing: anything but a text says nothing."""
    value = row.cells.get(column) if column else None
    return (said(value, row.place, column) or "") if isinstance(value, str) else ""


def _once(problems: Sequence[Problem], places: Sequence[str]) -> tuple[list[Problem], list[str]]:
    """The problems without those that say the same as an earlier one, and the ids of these. A question with other
    options is another problem."""
    first: dict[tuple[str, frozenset[str]], int] = {}
    kept, repeated = [], []
    for at, problem in enumerate(problems):
        earlier = first.setdefault((fold(problem.question), frozenset(problem.options)), at)
        if earlier == at:
            kept.append(problem)
        elif _key(problems[earlier].final_answer) == _key(problem.final_answer):
            repeated.append(problem.id)
        else:
            raise UsageError(
                f"{places[earlier]} and {places[at]} ask the same and have other answers "
                f"({quoted(problems[earlier].final_answer)}, {quoted(problem.final_answer)}): keep the right one."
            )
    return kept, repeated


def _key(answer: str) -> str:
    return fold(answer).casefold()


def _notices(table: Table, columns: Columns, problems: Sequence[Problem], counted: bool, path: Path) -> Iterator[str]:
    if counted:
        yield f"The answers in {path} are numbers, and read as places that count from 0: 0 is the option A."
    if len(problems) > 1 and all(not one.options and _LONE.fullmatch(one.answer) for one in problems):
        yield (
            f"Every answer in {path} is a single letter, and no options were found: name their column with "
            "--options-field."
        )
    aside = [name for name in table.columns() if name not in columns.read]
    if aside:
        yield f"What {path} holds as {some_of(aside)} is left aside."


def _repeats(repeated: Sequence[str], path: Path) -> Iterator[str]:
    if repeated:
        are = "1 problem of {} is" if len(repeated) == 1 else f"{len(repeated):,} problems of {{}} are"
        yield f"{are.format(path)} the same as an earlier one, and asked once: {some_of(repeated)}."
