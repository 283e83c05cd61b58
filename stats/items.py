"""Models that were asked the same questions, told apart question by question."""

import hashlib
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, inf
from statistics import fmean

from ..state.comparison import ComparedModel, ComparedPair, Comparison
from ..state.result import Interval
from .consistency import mean_interval_clustered
from .ranking import SWAPS, assembled, swaps_for

EXACT = 100_000
"""Sum of whole differences up to which the distribution over all swaps is worked out, where draws
are too few."""
ONE_GROUP = "all questions are of one group: there is nothing to tell scatter from difference by"
FEW, FEW_GROUPS = (
    6,
    "with fewer than 6 groups no swap test can reach p below .05, however large the difference",
)
NOTHING_SHARED = "there is no question on which both have a score"


@dataclass(frozen=True, slots=True)
class Scored:
    """What one model made of its questions."""

    label: str
    run_id: str
    scores: Mapping[Hashable, tuple[Hashable, float]]
    """Question → (the group whose questions stand or fall together, score). What has no score is
    left out."""
    ended: str | None = None
    """How its run ended, where it has no result."""
    further: tuple[str, ...] = ()
    """Ids of further runs that are in the scores."""


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
    """All pairs over the questions that the two have in common: the mean difference with an
    interval clustered by group (`mean_interval_clustered`), and a p-value from swapping their
    answers at random, group by group. `span`: lowest and highest score; `less_is_better`: of an
    error or a perplexity, which is turned before anybody is ahead."""
    better = -1 if less_is_better else 1
    scored = sorted(scored, key=lambda one: -better * _mean(one) if one.scores else inf)
    models = [_model(one, span) for one in scored]
    order = [one for one in scored if one.ended is None]
    most, swaps = span[1] - span[0], swaps_for(comb(len(order), 2))
    pairs = [_pair(one, other, most, better, swaps) for one, other in combinations(order, 2)]
    few = any(0 < len({group for group, _ in one.scores.values()}) < FEW for one in scored)
    notes = [*notes, FEW_GROUPS] if few else notes
    compared = assembled(of, measure, "item_swap", models, pairs, simulated=simulated, notes=notes)
    return compared.model_copy(update={"span": span, "less_is_better": less_is_better})


def _mean(one: Scored) -> float:
    return fmean(value for _, value in one.scores.values()) if one.scores else float("-inf")


def _model(one: Scored, span: Interval) -> ComparedModel:
    values = list(one.scores.values())
    estimate = _mean(one) if values else None
    interval = mean_interval_clustered(values, *span) if values else None
    return ComparedModel(
        label=one.label,
        run_ids=() if one.ended else (one.run_id, *one.further),
        estimate=estimate,
        interval=interval,
        ended=one.ended,
    )


def _pair(one: Scored, other: Scored, most: float, better: int, swaps: int) -> ComparedPair:
    shared = [key for key in one.scores if key in other.scores]
    differences = [
        (one.scores[key][0], better * (one.scores[key][1] - other.scores[key][1])) for key in shared
    ]
    if not shared:
        return ComparedPair(one=one.label, other=other.label, difference=None, note=NOTHING_SHARED)
    mean = fmean(value for _, value in differences)
    if mean < 0:  # who is ahead over all questions of its own may be behind on those that both have
        return _pair(other, one, most, better, swaps)
    p = swap_p(differences, swaps)
    return ComparedPair(
        one=one.label,
        other=other.label,
        difference=mean,
        interval=mean_interval_clustered(differences, -most, most),
        p=p,
        over=len(shared),
        note=ONE_GROUP if p is None else None,
    )


def swap_p(differences: Sequence[tuple[Hashable, float]], swaps: int = SWAPS) -> float | None:
    """Two-sided chance of a mean difference at least as large if the two models were alike, from
    swapping their answers at random, group by group: over all swaps where there are no more than
    `swaps`, else over so many drawn ones. None with fewer than two groups. `differences`: (group,
    difference). The same differences give the same p.

    Where answers are right or wrong and each is a group of its own this is McNemar's exact test.
    """
    import numpy as np

    sums: dict[Hashable, float] = defaultdict(float)
    for group, value in differences:
        sums[group] += value
    held = np.array(
        [value for value in sums.values() if value]
    )  # a group without a difference has nothing to swap
    if len(sums) < 2:
        return None
    whole, span = np.rint(held), np.abs(held).sum()
    # among very many models draws are too coarse
    if swaps > SWAPS and span <= EXACT and np.allclose(held, whole, rtol=0, atol=1e-9):
        return _exact_p([int(abs(value)) for value in whole], int(abs(whole.sum())))
    if 2 ** len(held) <= swaps:
        signs, more = (np.arange(2 ** len(held))[:, None] >> np.arange(len(held)) & 1) * 2 - 1, 0
    else:
        seed = hashlib.sha256(repr(held.tolist()).encode()).digest()
        rng, more = np.random.default_rng(int.from_bytes(seed)), 1
        signs = rng.integers(0, 2, size=(swaps, len(held)), dtype=np.int8) * 2 - 1
    drawn = np.abs(signs @ held)
    return (more + int(np.count_nonzero(drawn >= abs(held.sum()) - 1e-9))) / (more + len(signs))


def _exact_p(sums: Sequence[int], seen: int) -> float:
    """The share of all swaps whose sum ± s₁ ± s₂ … lies at least as far from 0 as the one seen."""
    import numpy as np

    total = sum(sums)
    chances = np.zeros(2 * total + 1)
    chances[total] = 1.0  # at 0
    for value in sums:
        chances = (np.roll(chances, value) + np.roll(chances, -value)) / 2
    away = np.abs(np.arange(-total, total + 1))
    return float(chances[away >= seen].sum())
