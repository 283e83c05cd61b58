"""What a DeepQuestion run measures, over rows of its answers."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from ...state.deepquestion.items import DISTRACTORS, LOADS
from ...state.deepquestion.result import Mark
from ...state.rows import AnswerRow, Estimate, Measure
from ...stats.deepquestion.shares import distance, drop
from ...stats.estimates import share, values_of
from ..abstention import abstention_measures
from .rows import CREATED, ORIGINAL

BY = ("task", "category")


def own(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The scored answers."""
    return [row for row in rows if row.score is not None]


def _accuracy(task: str) -> Callable[[Sequence[AnswerRow]], Estimate]:
    """Every problem is there once: there are no groups to allow for."""
    return lambda rows: share(values_of([row for row in rows if row.condition == task]), alone=True)


def _marks(rows: Sequence[AnswerRow], task: str) -> list[tuple[Mark, Mark]]:
    """Of each problem that has the task: (mark of the original, mark in the task)."""
    marks: dict[Hashable, dict[str, Mark]] = defaultdict(dict)
    for row in rows:
        if row.score is not None:
            marks[row.run, row.group][row.condition] = "right" if row.score else "wrong"
    return [(one[ORIGINAL], one[task]) for one in marks.values() if {ORIGINAL, task} <= one.keys()]


def _drop(task: str) -> Callable[[Sequence[AnswerRow]], Estimate]:
    def of(rows: Sequence[AnswerRow]) -> Estimate:
        pairs = _marks(rows, task)
        lost = drop(pairs)
        if lost is None:
            return Estimate(None)
        return Estimate(lost.drop, *lost.ci, n=lost.n, groups=lost.n)

    return of


def _distance(rows: Sequence[AnswerRow]) -> Estimate:
    pairs = _marks(rows, CREATED)
    far, interval = distance(pairs)
    low, high = interval or (None, None)
    return Estimate(far, low, high, len(pairs), len(pairs))


MEASURES = (
    Measure(
        "original",
        "share",
        "higher",
        "Share of problems that are solved as they stand.",
        _accuracy(ORIGINAL),
        ("category",),
    ),
    *(
        Measure(
            f"q2s_{load}",
            "share",
            "higher",
            f"Share that is solved in a scenario with {DISTRACTORS[load] or 'no'} distractors.",
            _accuracy(f"scenario {load}"),
            ("category",),
        )
        for load in LOADS
    ),
    *(
        Measure(
            f"drop_{load}",
            "share",
            "lower",
            f"What is lost in a scenario with {DISTRACTORS[load] or 'no'} distractors.",
            _drop(f"scenario {load}"),
            ("category",),
        )
        for load in LOADS
    ),
    Measure(
        "q2i",
        "share",
        "higher",
        "Share of instructions by which a valid problem is written.",
        _accuracy(CREATED),
        ("category",),
    ),
    Measure(
        "distance",
        "share",
        "lower",
        "Share of problems solved minus share of problems written.",
        _distance,
        ("category",),
    ),
    *abstention_measures(own, BY),
)
