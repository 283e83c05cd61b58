"""What a DeepQuestion run measures, over rows of its answers: shares of problems, the paired drop
from originals to scenarios, and the distance to Q2I."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from functools import partial
from math import sqrt

from ...state.deepquestion.result import Drop
from ...state.problems import DISTRACTORS, LOADS, Load
from ...state.rows import AnswerRow, Estimate, Measure
from ...stats.abstention import abstention_measures
from ...stats.accuracy import Bounds, wilson
from ...stats.correction import share_measures
from ...stats.estimates import share, values_of
from ...stats.paired import mcnemar, tango

ORIGINAL, CREATED = "original", "q2i"
"""Conditions of rows, beside those of `scenario`."""
Both = tuple[bool, bool]
"""Whether a problem is solved as it stands, and in another task."""


def scenario(load: Load) -> str:
    """The condition of rows at a load."""
    return f"scenario {load}"


def accuracy(task: str, rows: Iterable[AnswerRow]) -> Estimate:
    """Right answers in a task over those with a score. Every problem is there once: there are no
    groups to allow for."""
    return share(values_of([row for row in rows if row.condition == task]), alone=True)


def with_both(task: str, rows: Iterable[AnswerRow]) -> list[Both]:
    """The problems that have a score as they stand and in the task."""
    right: dict[Hashable, dict[str, bool]] = defaultdict(dict)
    for row in rows:
        if row.score is not None:
            right[row.run, row.group][row.condition] = row.score == 1
    needed = {ORIGINAL, task}
    return [
        (marks[ORIGINAL], marks[task]) for marks in right.values() if needed <= marks.keys()
    ]


def newcombe(count: int, n: int, count_2: int, n_2: int) -> Bounds:
    """95% interval of count/n − count_2/n_2, two independent shares, within −1 … 1.

    Square-and-add of Wilson's ends: with p₁ in l₁ … u₁ and p₂ in l₂ … u₂ it is d − √((p₁ − l₁)² +
    (u₂ − p₂)²) … d + √((u₁ − p₁)² + (p₂ − l₂)²) (Newcombe, Stat Med 1998, 17:873-890, method 10).
    Raises ValueError where one of the shares is of nothing, or is none.
    """
    if not (n and n_2):
        raise ValueError("a difference needs two shares of something")
    p, p_2 = count / n, count_2 / n_2
    (low, high), (low_2, high_2) = wilson(count, n), wilson(count_2, n_2)
    return (
        p - p_2 - sqrt((p - low) ** 2 + (high_2 - p_2) ** 2),
        p - p_2 + sqrt((high - p) ** 2 + (p_2 - low_2) ** 2),
    )


def distance(pairs: Sequence[Both]) -> Estimate:
    """Accuracy on the originals minus that in another task, over problems that have both.

    The same problems, so that which of them were left out does not count; yet two tasks, whose
    shares the interval takes for independent. Where the same problems are hard in both, it is
    rather too wide than too narrow.
    """
    if not pairs:
        return Estimate(None)
    (count, count_2), n = map(sum, zip(*pairs, strict=True)), len(pairs)
    low, high = newcombe(count, n, count_2, n)
    return Estimate((count - count_2) / n, low, high, n, n)


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


def _drop(task: str, rows: Sequence[AnswerRow]) -> Estimate:
    paired = drop(with_both(task, rows))
    if paired is None:
        return Estimate(None)
    return Estimate(paired.drop, *paired.ci, n=paired.n, groups=paired.n)


def _scored(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    return [row for row in rows if row.score is not None]


def _accuracy(name: str, task: str, says: str) -> Measure:
    return Measure(name, "share", "higher", says, partial(accuracy, task), BY)


BY = ("category",)
INSIDE = {
    load: f"in a scenario with {DISTRACTORS[load] or 'no'} distractors." for load in LOADS
}
_SCENARIOS = [
    _accuracy(f"q2s_{load}", scenario(load), f"Share that is solved {words}")
    for load, words in INSIDE.items()
]
_DROPS = [
    Measure(
        f"drop_{load}",
        "share",
        "lower",
        f"What is lost {words}",
        partial(_drop, scenario(load)),
        BY,
    )
    for load, words in INSIDE.items()
]
ACCURACIES = (
    _accuracy(ORIGINAL, ORIGINAL, "Share of problems that are solved as they stand."),
    *_SCENARIOS,
    _accuracy("q2i", CREATED, "Share of instructions by which a valid problem is written."),
)
LOSSES = (
    *_DROPS,
    Measure(
        "distance",
        "share",
        "lower",
        "Share of problems solved minus share of problems written.",
        lambda rows: distance(with_both(CREATED, rows)),
        BY,
    ),
)
MEASURES = (
    *ACCURACIES,
    *LOSSES,
    *abstention_measures(_scored, ("task", "category")),
    *share_measures(_scored, ("task", "category")),
)
