"""Problems as a program hands them over: a set, its fields or a list of problems, JSON of either, or a
file."""

from collections.abc import Mapping

from ...state.errors import UsageError
from ...state.problems import ProblemSet
from .benchmark import read_benchmark
from .problems import MAX_PROBLEMS, require_texts, usable
from .rows import checked, from_json
from .text import Data, handed_over, read_data
from .transformed import MAX_OWN, is_transformed, read_transformed

UNNAMED = "benchmark"


def problem_set_of(problems: object) -> ProblemSet:
    """The problems that were handed over, read as those of a file: a benchmark (`read_benchmark`), or
    the texts of an earlier run (`read_transformed`).

    Raises UsageError as the readers of files do, for texts of unknown problems or of different
    loads, for no text at all where texts are given, for more than 20,000 problems, and for the
    standard input.
    """
    fields = from_json(problems)
    if isinstance(fields, Mapping) and fields.get("transformed") is not None:
        problems = checked(ProblemSet, fields, "The set of problems")
    if isinstance(problems, ProblemSet):
        return _checked(problems)
    name = UNNAMED
    if isinstance(fields, Mapping) and "problems" in fields:
        name, problems = str(fields.get("name", name)), fields["problems"]
    source = handed_over(problems, "problems")
    if isinstance(source, Data):
        return read_benchmark(source).model_copy(update={"name": name})
    data = read_data(source, "problems with their answers", MAX_OWN)
    return read_transformed(data) if is_transformed(data) else read_benchmark(data)


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
