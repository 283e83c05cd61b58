"""What problems may be, wherever they come from, and how some of them are drawn."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from ...state.errors import UsageError
from ...state.problems import Problem, ProblemSet
from .table import Table
from .text import STDIN, quoted, shown, some_of, unseen

FORMAT = "fathom-deepquestion/1"
MAX_PROBLEMS = 20_000
MAX_TEXT = 20_000
"""Characters of a question or an option."""
MAX_ANSWER = 1_000
"""Characters of a final answer."""
MAX_OPTIONS = 26


def usable(problem: Problem, where: str) -> Problem:
    """The problem, where it can be asked. Raises UsageError, which begins with `where`, for a text
    that is too long, options that cannot be lettered, and an answer that is none of their letters.
    """
    parts = [("question", problem.question, MAX_TEXT), ("answer", problem.answer, MAX_ANSWER)]
    parts += [("option", option, MAX_TEXT) for option in problem.options]
    for part, text, most in parts:
        if len(text) > most:
            raise UsageError(
                f"{where} has {len(text):,} characters as its {part}: use at most {most:,}."
            )
    if problem.options:
        require_options(problem.options, where)
        letters = [chr(65 + index) for index in range(len(problem.options))]
        if problem.answer not in letters:
            raise UsageError(
                f"{where} has the answer {quoted(problem.answer)}: give the letter of an option."
            )
    return problem


def has_texts(table: Table) -> bool:
    """Whether any row names the format of texts that were written before."""
    return any(row.cells.get("format") == FORMAT for row in table.rows)


def require_options(options: Sequence[str], where: str) -> None:
    """Raises UsageError, beginning with `where`, for options that cannot be lettered."""
    different = {option for option in options if option.strip()}
    if not 2 <= len(options) <= MAX_OPTIONS or len(different) < len(options):
        words = some_of(options) or "none"
        raise UsageError(
            f"{where} must have 2 to {MAX_OPTIONS} different options, and has {words}: fix them."
        )


def require_texts(problems: ProblemSet, where: str) -> None:
    """Raises UsageError, beginning with `where`, unless there are texts, of these problems and for
    the same loads."""
    texts = problems.transformed or ()
    ids = Counter(text.problem for text in texts)
    if ids != Counter(problem.id for problem in problems.problems if problem.id in ids):
        raise UsageError(f"{where} hold texts of a problem that is not there, or texts twice.")
    if not any(text.scenarios or text.instruction for text in texts):
        raise UsageError(
            f"{where} hold neither a scenario nor an instruction: there is nothing to ask."
        )
    with_scenarios = [text for text in texts if text.scenarios]
    for text in with_scenarios:
        first = with_scenarios[0]
        if text.scenarios.keys() != first.scenarios.keys():
            raise UsageError(
                f"{where} hold scenarios of {first.problem} for {', '.join(first.scenarios)} and "
                f"of {text.problem} for {', '.join(text.scenarios)}: every problem has them for "
                "the same loads, or none."
            )


def sample_of(problems: ProblemSet, limit: int | None, seed: int, path: Path) -> ProblemSet:
    """At most `limit` of the problems (None: all), drawn by seed and in the order of the file, with
    a notice of it, and told in `made`.

    The first ones would be no sample of a sorted benchmark. With the same seed, a larger limit adds
    problems and drops none. `path` is what messages call the file. Raises UsageError for a limit
    below 1, and for more than 20,000 problems.
    """
    count = len(problems.problems)
    if limit is not None and limit < 1:
        raise UsageError(f"--limit cannot be {limit}: it must be at least 1.")
    if min(limit or count, count) > MAX_PROBLEMS:
        raise UsageError(
            f"The file {path} holds {count:,} problems: take at most {MAX_PROBLEMS:,}, with "
            "--limit."
        )
    if limit is None or limit >= count:
        return problems
    places = list(range(count))
    Random(f"{seed}:problems").shuffle(places)
    sample = [problems.problems[index] for index in sorted(places[:limit])]
    ids = {problem.id for problem in sample}
    texts = problems.transformed
    return ProblemSet(
        name=problems.name,
        problems=tuple(sample),
        transformed=None
        if texts is None
        else tuple(text for text in texts if text.problem in ids),
        made=problems.made | {"drawn": f"{limit:,} of {count:,} problems, by seed {seed}"},
        notices=(
            *problems.notices,
            f"{limit:,} of {count:,} problems of {path}, drawn by seed {seed}.",
        ),
    )


def visible(name: str) -> str:
    """A benchmark's name, without signs that cannot be seen."""
    return "".join(sign for sign in name if not unseen(sign))


def name_of(path: Path) -> str:
    """What a benchmark without a name of its own is called: the file's stem."""
    return (visible(path.stem).strip() if path != shown(STDIN) else "") or "benchmark"
