"""Problems as a program hands them over: by their fields, as JSON, or in a file of whichever kind."""

from collections.abc import Iterable, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import orjson
from pydantic import ValidationError

from ....state.deepquestion.items import Problem, ProblemSet
from ....state.errors import UsageError
from ..table.read import Data, Shape, table_of
from ..text import STDIN, quoted
from .benchmark import read_benchmark
from .columns import known_columns
from .final import boxed, marked
from .limits import FAMILY, MAX_ANSWER, MAX_PROBLEMS, MAX_TEXT
from .options import MAX_OPTIONS
from .transformed import read_own, read_transformed

Fields = Mapping[str, Any] | Problem
"""A problem: itself, or its fields. One without an id is called p001, p002, … by its place."""
Problems = ProblemSet | Mapping[str, Any] | Iterable[Fields] | str | Path
"""Problems: a set or its fields, a list of problems, JSON of either, or a file."""
UNNAMED = "benchmark"
_HEAD = 100


def problem_set_of(given: Problems) -> ProblemSet:
    r"""The problems that were handed over, checked; of a file as `read_problems` reads it.

    An answer that holds `####` (GSM8K) or a `\boxed{…}` (MATH) is split into final answer and solution. Raises
    UsageError for what is no problem, one id for two of them, options that cannot be lettered, an answer that is none
    of their letters, texts of unknown problems or of different loads, no text at all where texts are given, more than
    20,000 problems, the standard input, and as `read_problems` does.
    """
    if isinstance(given, str) and given.lstrip()[:1] in ("{", "["):
        given = _parsed(given)
    if isinstance(given, str | Path):
        if Path(given) == STDIN:
            raise UsageError("Problems are not read from the standard input here: name a file, or hand them over.")
        return read_problems(Path(given))
    return _checked(given if isinstance(given, ProblemSet) else _set(given))


def read_problems(path: Path) -> ProblemSet:
    """The problems of a benchmark (`read_benchmark`), or of a file with the texts of an earlier run
    (`read_transformed`): whichever the file is. Raises UsageError as these do."""
    data = read_own(path, "problems with their answers")
    return read_transformed(data) if _holds_texts(data) else read_benchmark(path)


def problem_of(fields: Fields, number: int = 1) -> Problem:
    """A problem of these fields; `number` counts from 1 and is what a message calls it. Raises UsageError."""
    if isinstance(fields, Problem):
        return _usable(fields, number)
    if not isinstance(fields, Mapping):
        raise UsageError(f"Problem {number} cannot be {quoted(repr(fields))}: give its question and its answer.")
    values = {"id": f"p{number:03}", **fields}
    if not values.get("options"):
        values |= _split(values)
    try:
        return _usable(Problem.model_validate(values), number)
    except ValidationError as error:
        raise UsageError(f"Problem {number} cannot be used: {_fault(error)}; see Problem for its fields.") from None


def _parsed(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise UsageError(f"The text of the problems is no JSON ({error}): mend it, or name a file.") from None


def _set(given: Mapping[str, Any] | Iterable[Fields]) -> ProblemSet:
    values = given if isinstance(given, Mapping) else {"problems": given}
    listed = values.get("problems")
    if not isinstance(listed, Iterable) or isinstance(listed, str | Mapping):
        raise UsageError("The problems are no list: give one, of problems or of their fields.")
    problems = tuple(problem_of(each, number) for number, each in enumerate(listed, 1))
    try:
        return ProblemSet.model_validate({"name": UNNAMED, **values, "problems": problems})
    except ValidationError as error:
        raise UsageError(f"The problems cannot be used: {_fault(error)}; see ProblemSet.") from None


def _split(values: Mapping[str, Any]) -> dict[str, str]:
    """Final answer and solution, where the answer holds both."""
    answer = values.get("answer")
    final = (marked(answer) or boxed(answer)) if isinstance(answer, str) else None
    return {"answer": final.answer, "solution": values.get("solution") or final.solution} if final else {}


def _usable(problem: Problem, number: int) -> Problem:
    for what, texts, most in (
        ("question", (problem.question,), MAX_TEXT),
        ("answer", (problem.answer,), MAX_ANSWER),
        ("option", problem.options, MAX_TEXT),
    ):
        if longest := max((len(text) for text in texts if len(text) > most), default=0):
            raise UsageError(f"Problem {number} has a text of {longest:,} characters as its {what}: use {most:,}.")
    if problem.options:
        _require_lettered(problem, number)
    return problem


def _require_lettered(problem: Problem, number: int) -> None:
    count = len(problem.options)
    blank = not all(option.strip() for option in problem.options)
    if not 2 <= count <= MAX_OPTIONS or blank or len(set(problem.options)) < count:
        raise UsageError(f"Problem {number} must have 2 to {MAX_OPTIONS} options, each another text: mend them.")
    if problem.answer not in [chr(65 + place) for place in range(count)]:
        raise UsageError(
            f"Problem {number} has the answer {quoted(problem.answer)} and {count} options: give the letter of one."
        )


def _checked(problems: ProblemSet) -> ProblemSet:
    if len(problems.problems) > MAX_PROBLEMS:
        raise UsageError(f"There are {len(problems.problems):,} problems: take at most {MAX_PROBLEMS:,}.")
    for number, problem in enumerate(problems.problems, 1):
        _usable(problem, number)
    if problems.transformed is not None:
        _require_texts(problems, {problem.id for problem in problems.problems})
    return problems


def _require_texts(problems: ProblemSet, known: Set[str]) -> None:
    texts = problems.transformed or ()
    unknown = next((each.problem for each in texts if each.problem not in known), None)
    if unknown is not None:
        raise UsageError(f"There are texts of {unknown}, and no such problem: name problems of the set.")
    if len({each.problem for each in texts}) < len(texts):
        raise UsageError("The texts of a problem stand there twice: keep one.")
    if not any(each.scenarios or each.instruction for each in texts):
        raise UsageError("There is neither a scenario nor an instruction among the texts: leave them out.")
    if len({frozenset(each.scenarios) for each in texts if each.scenarios}) > 1:
        raise UsageError("The scenarios of two problems are for different loads: give all of them for the same ones.")


def _holds_texts(data: Data) -> bool:
    if FAMILY.encode() in data.raw[:_HEAD]:
        return True
    table = table_of(data, [*known_columns(data, ()), "format"], Shape(inner="data"))
    return any(str(row.cells.get("format")).startswith(FAMILY) for row in table.rows)


def _fault(error: ValidationError) -> str:
    """The first fault, with its place."""
    first: Any = error.errors()[0]
    place: Sequence[str] = [str(part) for part in first["loc"]]
    said = first["msg"].removeprefix("Value error, ")
    return f"{'.'.join(place)}: {said[0].lower()}{said[1:]}" if place else said
