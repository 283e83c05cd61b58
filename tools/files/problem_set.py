"""Problems as a program hands them over: by their fields, as JSON, or in a file of whichever
kind."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ...state.errors import UsageError
from ...state.problems import Problem, ProblemSet
from .benchmark import read_benchmark
from .final import boxed, marked
from .problems import MAX_PROBLEMS, require_texts, usable
from .rows import checked
from .text import STDIN, quoted, read_data
from .transformed import MAX_OWN, is_transformed, read_transformed
from .trees import parse_json

Fields = Mapping[str, Any] | Problem
"""A problem: itself, or its fields. One without an id is called p001, p002, … by its place."""
Problems = ProblemSet | Mapping[str, Any] | Iterable[Fields] | str | Path
"""Problems: a set or its fields, a list of problems, JSON of either, or a file."""
UNNAMED = "benchmark"


def problem_set_of(problems: Problems) -> ProblemSet:
    r"""The problems that were handed over, checked; those of a file are a benchmark
    (`read_benchmark`), or have the texts of an earlier run (`read_transformed`).

    An answer that holds `####` (GSM8K) or a `\boxed{…}` (MATH) is split into final answer and
    solution. Raises UsageError for what is no problem, one id for two of them, options that cannot
    be lettered, an answer that is none of their letters, texts of unknown problems or of different
    loads, no text at all where texts are given, more than 20,000 problems, the standard input, and
    as the readers of files do.
    """
    if isinstance(problems, str) and problems.lstrip()[:1] in ("{", "["):
        problems = parse_json(problems, "The text of the problems")
    if isinstance(problems, str | Path):
        if Path(problems) == STDIN:
            raise UsageError(
                "Problems are not read from the standard input here: name a file, or hand "
                "them over."
            )
        data = read_data(Path(problems), "problems with their answers", MAX_OWN)
        return read_transformed(data) if is_transformed(data) else read_benchmark(data)
    return _checked(problems if isinstance(problems, ProblemSet) else _set(problems))


def problem_of(fields: Fields, number: int = 1) -> Problem:
    """A problem of these fields; `number` counts from 1 and is what a message calls it. Raises
    UsageError."""
    if isinstance(fields, Problem):
        return usable(fields, f"Problem {number}")
    if not isinstance(fields, Mapping):
        raise UsageError(
            f"Problem {number} cannot be {quoted(repr(fields))}: give its question and its answer."
        )
    values = {"id": f"p{number:03}", **fields}
    answer = values.get("answer")
    if (
        isinstance(answer, str)
        and not values.get("options")
        and (final := marked(answer) or boxed(answer))
    ):
        values |= {"answer": final.answer, "solution": values.get("solution") or final.solution}
    return usable(checked(Problem, values, f"Problem {number}"), f"Problem {number}")


def _set(problems: Mapping[str, Any] | Iterable[Fields]) -> ProblemSet:
    values = problems if isinstance(problems, Mapping) else {"problems": problems}
    listed = values.get("problems")
    if not isinstance(listed, Iterable) or isinstance(listed, str | Mapping):
        raise UsageError("The problems are no list: give one, of problems or of their fields.")
    problems = tuple(problem_of(fields, number) for number, fields in enumerate(listed, 1))
    return checked(
        ProblemSet,
        {
            "name": UNNAMED,
            **values,
            "problems": problems,
        },
        "The set of problems",
    )


def _checked(problems: ProblemSet) -> ProblemSet:
    if len(problems.problems) > MAX_PROBLEMS:
        raise UsageError(
            f"There are {len(problems.problems):,} problems: take at most {MAX_PROBLEMS:,}."
        )
    for number, problem in enumerate(problems.problems, 1):
        usable(problem, f"Problem {number}")
    if problems.transformed is not None:
        require_texts(problems, "The problems")
    return problems
