"""What a DeepQuestion run measures, over rows of its answers."""

from collections.abc import Callable, Sequence

from ...state.problems import DISTRACTORS, LOADS
from ...state.rows import AnswerRow, Estimate, Measure
from ...stats.deepquestion.shares import CREATED, ORIGINAL, distance, drop, scenario, with_both
from ...stats.estimates import share, values_of
from ..abstention import abstention_measures

BY = ("task", "category")


def scored(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The scored answers."""
    return [row for row in rows if row.score is not None]


def _accuracy(task: str) -> Callable[[Sequence[AnswerRow]], Estimate]:
    """Every problem is there once: there are no groups to allow for."""

    def accuracy(rows: Sequence[AnswerRow]) -> Estimate:
        of_task = [row for row in rows if row.condition == task]
        return share(values_of(of_task), alone=True)

    return accuracy


def _drop(task: str) -> Callable[[Sequence[AnswerRow]], Estimate]:
    def of(rows: Sequence[AnswerRow]) -> Estimate:
        dropped = drop(with_both(rows, task))
        if dropped is None:
            return Estimate(None)
        return Estimate(dropped.drop, *dropped.ci, n=dropped.n, groups=dropped.n)

    return of


def _distance(rows: Sequence[AnswerRow]) -> Estimate:
    pairs = with_both(rows, CREATED)
    far, interval = distance(pairs)
    low, high = interval or (None, None)
    return Estimate(far, low, high, n=len(pairs), groups=len(pairs))


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
            _accuracy(scenario(load)),
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
            _drop(scenario(load)),
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
    *abstention_measures(scored, BY),
)
