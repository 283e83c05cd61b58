"""Models that were asked the same questions, told apart question by question."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count, product
from math import comb, exp, inf, lgamma, log, prod
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from ..state.comparison import ComparedModel, ComparedPair, Comparison
from ..state.result import Interval
from .accuracy import effective_roots, wilson
from .consistency import mean_interval_clustered
from .moderated import ALPHA
from .ranking import TestedPair, assembled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"

SWAPS = 10_000
"""Swaps that a test draws, where it does not go through all of them."""
EXACT = 20_000
"""Different outcomes of swaps up to which all are gone through."""
COARSE = 50
"""Swaps as far away as what is seen, below which more are drawn where many pairs are tested."""
ONE_GROUP = (
    "all questions are of one group: there is nothing to tell scatter from difference by"
)
FEW_GROUPS = (
    "with fewer than {} groups no swap test of so many models can reach p below .05, however large "
    "the difference"
)
NOTHING_SHARED = "there is no question on which both have a score"


Scores: TypeAlias = Mapping[Hashable, tuple[Hashable, float]]
"""Question → (the group whose questions stand or fall together, score). What has no score is left
out."""


@dataclass(frozen=True, slots=True)
class Scored:
    """What one model made of its questions."""

    label: str
    run_ids: tuple[str, ...]
    """Of the runs that are in the scores."""
    scores: Scores
    ended: str | None = None
    """How its run ended, where it has no result."""

    @property
    def mean(self) -> float | None:
        """None without a score."""
        values = [value for _, value in self.scores.values()]
        return fmean(values) if values else None


def compare_items(
    of: str,
    measure: str,
    scored: Sequence[Scored],
    *,
    simulated: bool,
    span: Interval = (0.0, 1.0),
    notes: Sequence[str] = (),
    less_is_better: bool = False,
) -> Comparison:
    """All pairs over the questions that the two have in common: the mean difference with p from
    swapping their answers at random, group by group, and the interval that inverts this test.
    `span`: lowest and highest score; `less_is_better`: of an error or a perplexity, which is turned
    before anybody is ahead."""
    better = -1 if less_is_better else 1
    order = sorted(scored, key=lambda one: -better * (one.mean or 0.0) if one.scores else inf)
    models = [
        ComparedModel(
            label=one.label,
            run_ids=one.run_ids,
            estimate=one.mean,
            interval=mean_interval_clustered([*one.scores.values()], *span),
            ended=one.ended,
        )
        for one in order
    ]
    most, number = span[1] - span[0], comb(sum(one.ended is None for one in order), 2)
    pairs = [
        _pair(one, other, most, better, swaps_for(number))
        for one, other in combinations(order, 2)
        if one.ended is None is other.ended
    ]
    groups = [len({group for group, _ in one.scores.values()}) for one in order if one.scores]
    least = groups_needed(max(1, number))
    if min(groups, default=least) < least:
        notes = [*notes, FEW_GROUPS.format(least)]
    compared = assembled(
        of, measure, "item_swap", models, pairs, simulated=simulated, notes=notes
    )
    return compared.model_copy(update={"span": span, "less_is_better": less_is_better})


def _pair(one: Scored, other: Scored, most: float, better: int, swaps: int) -> TestedPair:
    shared = [key for key in one.scores if key in other.scores]
    pair = ComparedPair(
        one=one.label,
        other=other.label,
        difference=None,
        over=len(shared),
    )
    if not shared:
        return pair.model_copy(update={"note": NOTHING_SHARED}), None
    differences = [
        (one.scores[key][0], better * (one.scores[key][1] - other.scores[key][1]))
        for key in shared
    ]
    mean = fmean(value for _, value in differences)
    test = swap_test(differences, swaps)
    if test is None:
        return pair.model_copy(update={"difference": mean, "note": ONE_GROUP}), None
    found = pair.model_copy(update={"difference": mean, "p": test.p})
    return found, lambda alpha: test.interval(alpha, most)


def swaps_for(pairs: int) -> int:
    """Swaps to draw so that Holm's first step can be passed: the smallest p they can give, times
    `pairs`, is .02 at most where the usual number would leave it above .05."""
    return SWAPS if 20 * pairs <= SWAPS else 50 * pairs


def groups_needed(pairs: int) -> int:
    """Groups from which a swap test of one of so many pairs can reach .05: 2·pairs/2^K."""
    return next(k for k in count(1) if 2 * pairs / 2**k < ALPHA)


@dataclass(frozen=True, slots=True)
class SwapTest:
    """How swapping two models' answers, group by group, moves the difference of their means.

    A swap brings a difference of means of δ as far from what is seen as the seen one where δ lies
    between the means over the groups that it swaps and over the others. So each swap is an interval
    of differences that it speaks for, and p(δ) the share of swaps that do; all hold the mean.
    """

    lows: "Floats"
    highs: "Floats"
    weights: "Floats"
    """Of each swap; they add up to 1."""
    mean: float
    alike: float | None
    """Where all groups have the same mean difference, which does not make it exact: the share of
    groups that could be otherwise (Wilson's upper end for none of K_eff); else None."""

    @property
    def p(self) -> float:
        """Two-sided chance of a difference at least as large if the two models were alike."""
        alike = (self.lows <= 0) & (self.highs >= 0)
        chance = float(self.weights[alike].sum())
        return min(1.0, chance)

    def interval(self, alpha: float, most: float) -> Interval:
        """The differences, within ±`most`, whose p is not below `alpha`."""
        low = _quantile(self.lows, self.weights, alpha)
        high = -_quantile(-self.highs, self.weights, alpha)
        if self.alike is not None:
            # to none at all, and to the most there can be; never beyond 0 where the test rejects it
            below = self.mean if self.mean > 0 else self.mean + most
            above = -self.mean if self.mean < 0 else most - self.mean
            low = min(low, self.mean - self.alike * below)
            high = max(high, self.mean + self.alike * above)
        return max(-most, low), min(most, high)


def swap_test(
    differences: Sequence[tuple[Hashable, float]], swaps: int = SWAPS
) -> SwapTest | None:
    """The swap test of (group, difference): over all swaps where their outcomes are few, else over
    `SWAPS` drawn ones, or `swaps` where so many leave p too coarse. None with fewer than two
    groups. The same differences give the same test.

    Where answers are right or wrong and each is a group of its own this is McNemar's exact test.
    """
    groups: dict[Hashable, list[float]] = defaultdict(list)
    for group, value in differences:
        groups[group].append(value)
    if len(groups) < 2:
        return None
    kinds = Counter((round(sum(own), 9), len(own)) for own in groups.values())
    if prod(number + 1 for number in kinds.values()) <= EXACT:
        return _test(kinds, *_all_swaps(list(kinds.values())))
    test = _test(kinds, *_drawn_swaps(kinds, SWAPS))
    coarse = swaps > SWAPS and test.p * SWAPS < COARSE
    return _test(kinds, *_drawn_swaps(kinds, swaps)) if coarse else test


def _all_swaps(numbers: Sequence[int]) -> "tuple[Floats, Floats]":
    """[swap, kind of group]: how many groups of a kind are not swapped, minus those that are; and
    how likely that is."""
    import numpy as np

    weights = np.ones(1)
    for number in numbers:
        whole = lgamma(number + 1) - number * log(2)
        unswapped = range(number + 1)
        chance = [exp(whole - lgamma(k + 1) - lgamma(number - k + 1)) for k in unswapped]
        weights = np.outer(weights, chance).ravel()
    signs = [*product(*(range(-number, number + 1, 2) for number in numbers))]
    return np.array(signs, float), weights


def _drawn_swaps(kinds: Mapping[tuple[float, int], int], swaps: int) -> "tuple[Floats, Floats]":
    """The same of drawn ones; none swapped, which was seen, is one of them."""
    import numpy as np

    seed = hashlib.sha256(repr(sorted(kinds.items())).encode()).digest()
    numbers = np.array(list(kinds.values()))
    unswapped = np.random.default_rng(int.from_bytes(seed)).binomial(
        numbers, 0.5, size=(swaps, len(numbers))
    )
    signs = np.vstack([2 * unswapped - numbers, numbers]).astype(float)
    return signs, np.full(swaps + 1, 1 / (swaps + 1))


def _test(
    kinds: Mapping[tuple[float, int], int], signs: "Floats", weights: "Floats"
) -> SwapTest:
    import numpy as np

    sums = np.array([total for total, _ in kinds], float)
    sizes = np.array([size for _, size in kinds], float)
    numbers = np.array(list(kinds.values()), float)
    total = float(numbers @ sums)
    n = float(numbers @ sizes)
    moved = signs @ sums
    weight = signs @ sizes
    swapped = _means(total - moved, n - weight)
    staying = _means(total + moved, n + weight)
    lows = np.minimum(swapped, staying)
    highs = np.maximum(swapped, staying)
    everything = np.isnan(lows)  # all swapped or none: it speaks for every difference
    lows[everything] = -np.inf
    highs[everything] = np.inf
    alike = None
    if len({round(total / size, 9) for total, size in kinds}) == 1:
        group_sizes = [size for (_, size), number in kinds.items() for _ in range(number)]
        _, alike = wilson(0, effective_roots(group_sizes))
    return SwapTest(
        lows=lows,
        highs=highs,
        weights=weights,
        mean=total / n,
        alike=alike,
    )


def _means(sums: "Floats", sizes: "Floats") -> "Floats":
    """Not a number where nothing is in it."""
    import numpy as np

    exact = np.where(np.abs(sums) < 1e-9, 0.0, sums)
    means: Floats = np.divide(exact, sizes, out=np.full_like(exact, np.nan), where=sizes > 0)
    return means


def _quantile(values: "Floats", weights: "Floats", alpha: float) -> float:
    """The least value with a share of at least `alpha` of the weight at or below it."""
    import numpy as np

    order = np.argsort(values)
    reached = np.cumsum(weights[order]) >= alpha * (1 - 1e-9)
    return float(values[order][int(np.argmax(reached))])
