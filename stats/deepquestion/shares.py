"""Shares of problems, the paired drop from originals to scenarios, and the distance to Q2I, over
rows of answers."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from math import sqrt
from statistics import fmean
from typing import get_args

from ...state.deepquestion.result import Drop, InstructionRow, InvalidWhy, LoadRow, Share
from ...state.problems import DISTRACTORS, Load
from ...state.records import LOST_AT_TARGET
from ...state.result import Interval
from ...state.rows import AnswerRow
from ..accuracy import Bounds, bounds, wilson
from ..estimates import share, values_of
from ..paired import mcnemar, tango
from .pairs import Pair, comparisons

ORIGINAL, CREATED = "original", "q2i"
"""Conditions of rows, beside those of `scenario`."""
Both = tuple[bool, bool]
"""Whether a problem is solved as it stands, and in another task."""


def scenario(load: Load) -> str:
    """The condition of rows at a load."""
    return f"scenario {load}"


def share_of(rows: Iterable[AnswerRow], task: str) -> Share:
    """Right answers in a task over those with a score, each problem for itself."""
    answers = [row for row in rows if row.condition == task]
    right = share(values_of(answers), alone=True)
    count = round((right.value or 0.0) * right.n)
    lost_at_target = sum(row.stage in LOST_AT_TARGET for row in answers)
    return Share(
        n=right.n,
        count=count,
        share=right.value,
        ci=right.interval or (0.0, 1.0),
        bounds=bounds(count, right.n, lost_at_target),
    )


def with_both(rows: Iterable[AnswerRow], task: str) -> list[Both]:
    """The problems that have a score as they stand and in the task."""
    right: dict[Hashable, dict[str, bool]] = defaultdict(dict)
    for row in rows:
        if row.score is not None:
            right[row.run, row.group][row.condition] = row.score == 1
    needed = {ORIGINAL, task}
    return [(marks[ORIGINAL], marks[task]) for marks in right.values() if needed <= marks.keys()]


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


def distance(pairs: Sequence[Both]) -> tuple[float | None, Interval | None]:
    """Accuracy on the originals minus that in another task, over problems that have both; None
    without any.

    The same problems, so that which of them were left out does not count; yet two tasks, whose
    shares the interval takes for independent. Where the same problems are hard in both, it is
    rather too wide than too narrow.
    """
    if not pairs:
        return None, None
    (count, other_count), n = map(sum, zip(*pairs, strict=True)), len(pairs)
    return (count - other_count) / n, newcombe(count, n, other_count, n)


def drop(pairs: Sequence[Both]) -> Drop | None:
    """The paired difference over problems that have both; None without any.

    The interval is Tango's for independent pairs, the p-values are McNemar's; both rest on the
    problems that only one of the two was right in.
    """
    if not pairs:
        return None
    counts, n = Counter(pairs), len(pairs)
    both, only_original = counts[True, True], counts[True, False]
    only_transformed = counts[False, True]
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


def load_row(rows: Sequence[AnswerRow], load: Load, texts: Sequence[str]) -> LoadRow:
    """Q2S at one load. `texts`: the scenarios that there are."""
    accuracy = share_of(rows, scenario(load))
    return LoadRow(
        load=load,
        distractors=DISTRACTORS[load],
        scenarios=len(texts),
        unscored=len(texts) - accuracy.n,
        accuracy=accuracy,
        drop=drop(with_both(rows, scenario(load))),
        words=fmean(len(text.split()) for text in texts) if texts else None,
    )


def instruction_row(rows: Sequence[AnswerRow], pairs: Sequence[Pair]) -> InstructionRow:
    """Q2I. `pairs`: of each instruction that has passed what the target wrote, beside the
    original."""
    accuracy = share_of(rows, CREATED)
    invalid = Counter(row.tags.get("invalid") for row in rows)
    far, interval = distance(with_both(rows, CREATED))
    return InstructionRow(
        instructions=len(pairs),
        unscored=len(pairs) - accuracy.n,
        accuracy=accuracy,
        invalid={reason: invalid[reason] for reason in get_args(InvalidWhy) if invalid[reason]},
        distance=far,
        distance_ci=interval,
        comparisons=comparisons(pairs),
    )
