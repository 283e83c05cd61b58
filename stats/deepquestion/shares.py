"""Shares of problems, the paired drop from originals to scenarios, and the distance to Q2I."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import fmean
from typing import get_args

from ...state.deepquestion.items import DISTRACTORS, Load
from ...state.deepquestion.result import (
    AnswerRow,
    CreatedRow,
    Drop,
    InstructionRow,
    InvalidWhy,
    LoadRow,
    Mark,
    ProblemRow,
    Share,
)
from ...state.records import LOST_AT_TARGET
from ...state.result import Interval
from ..accuracy import Bounds, bounds, wilson
from ..paired import mcnemar, tango
from .pairs import Pair, comparisons


def share(count: int, n: int, lost: int = 0) -> Share:
    """So many of so many, with Wilson's interval; `lost`: by the target itself. Raises ValueError
    unless 0 ≤ count ≤ n."""
    ends = bounds(count, n, lost)
    return Share(n=n, count=count, share=count / n if n else None, ci=wilson(count, n), bounds=ends)


def share_of(rows: Iterable[AnswerRow | CreatedRow | None]) -> Share:
    """Right ones over right and wrong ones."""
    there = [row for row in rows if row is not None]
    counts = Counter(row.mark for row in there)
    stages = [row.reason.partition(":")[0] for row in there if row.mark == "unscored"]
    lost = sum(stage in LOST_AT_TARGET for stage in stages)
    return share(counts["right"], counts["right"] + counts["wrong"], lost)


def newcombe(count: int, n: int, other_count: int, other_n: int) -> Bounds:
    """95% interval of count/n − other_count/other_n, two independent shares, within −1 … 1.

    Square-and-add of Wilson's ends: with p₁ in l₁ … u₁ and p₂ in l₂ … u₂ it is d − √((p₁ − l₁)² +
    (u₂ − p₂)²) … d + √((u₁ − p₁)² + (p₂ − l₂)²) (Newcombe, Stat Med 1998, 17:873-890, method 10).
    Raises ValueError where one of the shares is of nothing, or is none.
    """
    if not (n and other_n):
        raise ValueError("a difference needs two shares of something")
    one, other = count / n, other_count / other_n
    (low, high), (other_low, other_high) = wilson(count, n), wilson(other_count, other_n)
    return (
        one - other - sqrt((one - low) ** 2 + (other_high - other) ** 2),
        one - other + sqrt((high - one) ** 2 + (other - other_low) ** 2),
    )


def distance(marks: Iterable[tuple[Mark, Mark]]) -> tuple[float | None, Interval | None]:
    """Accuracy on the originals minus that in another task, over the problems, each with (mark of
    the original, mark in the other task), that have both; None where no problem has.

    The same problems, so that which of them were left out does not count; yet two tasks, whose
    shares the interval takes for independent. Where the same problems are hard in both, it is
    rather too wide than too narrow.
    """
    held = [
        (one == "right", other == "right") for one, other in marks if "unscored" not in (one, other)
    ]
    if not held:
        return None, None
    (count, other_count), n = map(sum, zip(*held, strict=True)), len(held)
    return (count - other_count) / n, newcombe(count, n, other_count, n)


def original_mark(row: ProblemRow) -> Mark:
    """Of the problem itself; without an answer it is unscored."""
    return row.original.mark if row.original is not None else "unscored"


def scenario_mark(row: ProblemRow, load: Load) -> Mark:
    """Of the scenario at a load; without an answer it is unscored."""
    return row.solved[load].mark if load in row.solved else "unscored"


def drop(marks: Iterable[tuple[Mark, Mark]]) -> Drop | None:
    """The paired difference over problems, each with (mark of the original, mark of what was made
    of it); None where no problem has both.

    The interval is Tango's for independent pairs, the p-values are McNemar's; both rest on the
    problems that only one of the two was right in.
    """
    held = [
        (one == "right", other == "right") for one, other in marks if "unscored" not in (one, other)
    ]
    if not held:
        return None
    counts, n = Counter(held), len(held)
    both, only_original, only_transformed = (
        counts[True, True],
        counts[True, False],
        counts[False, True],
    )
    test = mcnemar(only_original, only_transformed)
    return Drop(
        n=n,
        both=both,
        only_original=only_original,
        only_transformed=only_transformed,
        neither=counts[False, False],
        original=(both + only_original) / n,
        transformed=(both + only_transformed) / n,
        drop=(only_original - only_transformed) / n,
        # tango takes "after minus before": what was made stands before, so that a loss is positive
        ci=tango(only_transformed, only_original, n),
        mcnemar_p=test.exact,
        mcnemar_mid_p=test.mid,
    )


def load_row(rows: Sequence[ProblemRow], load: Load) -> LoadRow:
    """Q2S at one load, over the problems with a scenario at it."""
    held = [row for row in rows if load in row.scenarios]
    marks = [scenario_mark(row, load) for row in held]
    return LoadRow(
        load=load,
        distractors=DISTRACTORS[load],
        scenarios=len(held),
        unscored=marks.count("unscored"),
        accuracy=share_of(row.solved.get(load) for row in held),
        drop=drop(zip(map(original_mark, held), marks, strict=True)),
        words=fmean(len(row.scenarios[load].split()) for row in held) if held else None,
    )


def created_mark_of(row: ProblemRow) -> Mark:
    """Of the question that the target wrote; without an attempt it is unscored."""
    return row.created.mark if row.created is not None else "unscored"


def created_distance(rows: Iterable[ProblemRow]) -> tuple[float | None, Interval | None]:
    """From the originals to Q2I, with its interval; see `distance`."""
    return distance((original_mark(row), created_mark_of(row)) for row in rows)


def instruction_row(rows: Sequence[ProblemRow], pairs: Sequence[Pair]) -> InstructionRow:
    """Q2I. `rows`: the problems with an instruction that has passed; `pairs`: what the target
    wrote, beside the originals."""
    attempts = [row.created for row in rows]
    accuracy = created_share(attempts)
    invalid = Counter(each.invalid for each in attempts if each is not None)
    far, interval = created_distance(rows)
    return InstructionRow(
        instructions=len(attempts),
        unscored=len(attempts) - accuracy.n,
        accuracy=accuracy,
        invalid={reason: invalid[reason] for reason in get_args(InvalidWhy) if invalid[reason]},
        distance=far,
        distance_ci=interval,
        comparisons=comparisons(pairs),
    )


def created_share(attempts: Iterable[CreatedRow | None]) -> Share:
    """Valid attempts over those with a mark."""
    return share_of(attempts)
