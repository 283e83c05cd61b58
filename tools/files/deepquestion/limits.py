"""What benchmarks and transformed benchmarks have in common: their limits, and how some of their problems are drawn."""

from pathlib import Path
from random import Random

from ....state.deepquestion.items import ProblemSet
from ....state.errors import UsageError
from ..text import STDIN, shown, unseen

FORMAT = "fathom-deepquestion/1"
FAMILY = "fathom-deepquestion/"
"""How the format of any version begins."""
MAX_PROBLEMS = 20_000
MAX_TEXT = 20_000
"""Characters of a question, an option, a scenario or an instruction."""
MAX_ANSWER = 1_000
"""Characters of a final answer."""
MAX_NAME = 200


def drawn(problems: ProblemSet, limit: int | None, seed: int, path: Path) -> ProblemSet:
    """At most `limit` of the problems (None: all), drawn by seed and in the order of the file, with a notice of it, and
    told in `made`.

    The first ones would be no sample of a sorted benchmark. With the same seed, a larger limit adds problems and drops
    none. `path` is what messages call the file. Raises UsageError for a limit below 1, and for more than 20,000
    problems.
    """
    count = len(problems.problems)
    if limit is not None and limit < 1:
        raise UsageError(f"--limit cannot be {limit}: it must be at least 1.")
    if min(limit or count, count) > MAX_PROBLEMS:
        raise UsageError(f"The file {path} holds {count:,} problems: take at most {MAX_PROBLEMS:,}, with --limit.")
    if limit is None or limit >= count:
        return problems
    places = list(range(count))
    Random(f"{seed}:problems").shuffle(places)
    taken = [problems.problems[place] for place in sorted(places[:limit])]
    ids = {problem.id for problem in taken}
    texts = problems.transformed
    return ProblemSet(
        name=problems.name,
        problems=tuple(taken),
        transformed=None if texts is None else tuple(text for text in texts if text.problem in ids),
        made=problems.made | {"drawn": f"{limit:,} of {count:,} problems, by seed {seed}"},
        notices=(*problems.notices, f"{limit:,} of {count:,} problems of {path}, drawn by seed {seed}."),
    )


def name_of(path: Path) -> str:
    """What a benchmark without a name of its own is called: the file's stem, without signs that cannot be seen."""
    stem = "" if path == shown(STDIN) else "".join(sign for sign in path.stem if not unseen(sign))
    return stem[:MAX_NAME].strip() or "benchmark"
