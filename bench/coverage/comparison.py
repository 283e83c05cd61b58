"""Whether comparisons hold their level, find differences and rank truly: simulated launches, no
model.

Level: models that know equally much; the share of launches in which any two of them are told apart
(nominal .05; all pairs with Holm). Power: the second of two models is better by so much. Ranks:
five models, each better than the one before; the share of launches in which every rank interval
holds the true rank. Intervals: how often that of the difference of two single drills holds the true
one.

Drills: single ones and several domains by the root-swap test, repeats of one domain by Welch's t,
and beside it, for what it would come to, by t with the variance pooled over all models. `unlike`:
two deep models that know equally much among three shallow ones, whose drills scatter a third as
far. The drills are those of drill.py, side by side; models share no sub-topics, which is the hard
case. Items: right or wrong answers of both models to the same questions, in groups of ten; with an
intraclass correlation each model has a standing of its own in each group.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from math import sqrt
from statistics import fmean
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.special import stdtr
from scipy.stats import ttest_ind

from fathom.state.comparison import ComparedModel, ComparedPair
from fathom.stats.drill.comparison import reach
from fathom.stats.drill.survival import evd_interval
from fathom.stats.drill.swap import correlation, swapped
from fathom.stats.drill.tree import Floats, stopped_sum
from fathom.stats.items import swap_p
from fathom.stats.ranking import adjusted, ranked

from .drill import ICCS, PROFILES, THETA, N, chances, expected_evd, simulate

Profile = tuple[float, ...]
SWAPS = 500  # the level of a swap test does not depend on how many are drawn
GROUP = 10
"""Questions of a group."""
BATCH = 50
"""Launches that are simulated side by side."""


@cache
def better(profile: Profile, icc: float, by: float) -> Profile:
    """The profile of a model whose expected EVD is `by` higher: its chances of a wrong answer all
    shrunk alike."""
    low, high, base = 0.0, 1.0, expected_evd(profile, icc, 5_000, seed=1)[0]
    for _ in range(12 if by else 0):
        middle = (low + high) / 2
        found = expected_evd(_shrunk(profile, middle), icc, 5_000, seed=1)[0]
        low, high = (low, middle) if found < base + by else (middle, high)
    return _shrunk(profile, high) if by else profile


def _shrunk(profile: Profile, share: float) -> Profile:
    return tuple(1 - (1 - chance) * share for chance in profile)


def drilled(profile: Profile, icc: float, runs: int, rng: np.random.Generator) -> Floats:
    """Drills side by side, as `simulate` of drill.py makes one: [run, correct or scored, root,
    depth] of counts."""
    u = rng.random((runs, N))
    root = np.tile(np.arange(N), (runs, 1))
    counts = np.zeros((runs, 2, N, len(profile)))
    going, survival, each = np.ones(runs, dtype=bool), np.ones(runs), np.arange(runs)[:, None]
    for depth, share in enumerate(profile):
        right = rng.random((runs, N)) < np.take_along_axis(chances(share, icc, u), root, axis=1)
        np.add.at(counts[:, 0, :, depth], (each, root), right & going[:, None])
        np.add.at(counts[:, 1, :, depth], (each, root), np.broadcast_to(going[:, None], root.shape))
        survival *= right.mean(axis=1)
        going &= survival >= float(THETA) * (1 - 1e-12)
        order = np.argsort(np.where(right, rng.random((runs, N)), 2.0), axis=1)
        turn = np.arange(N) % np.maximum(right.sum(axis=1, keepdims=True), 1)
        root = np.take_along_axis(root, np.take_along_axis(order, turn, axis=1), axis=1)
    return counts


def evds(counts: Floats) -> Floats:
    """EVD of each drill of [run, correct or scored, root, depth]."""
    correct, scored = counts.sum(axis=2).transpose(1, 0, 2)
    return stopped_sum(correct / np.maximum(scored, 1), float(THETA))


def by_swaps(launch: Floats, domains: int, rng: np.random.Generator) -> list[float]:
    """p of all pairs of [model, drill, correct or scored, root, depth]; the drills are repeats
    within domains."""
    found = []
    for one, other in combinations(launch, 2):
        tables = np.stack([one, other], axis=1)
        tables = tables[..., : int(tables.sum(axis=(0, 1, 2, 3)).nonzero()[0][-1]) + 1]
        parts = np.split(tables, domains)
        found.append(swapped([list(part) for part in parts], float(THETA), rng, SWAPS).p)
    return found


def by_pooled(launch: Floats, *_: Any) -> list[float]:
    """By t with the variance between repeats pooled over all models."""
    values = np.array([evds(own) for own in launch])
    models, repeats = values.shape
    error = sqrt(values.var(axis=1, ddof=1).mean() * 2 / repeats) or 1.0
    away = [abs(one - other) / error for one, other in combinations(values.mean(axis=1), 2)]
    return [float(2 * stdtr(models * (repeats - 1), -t)) for t in away]


def by_welch(launch: Floats, *_: Any) -> list[float]:
    values = [evds(own) for own in launch]
    return [
        float(ttest_ind(one, other, equal_var=False).pvalue)
        for one, other in combinations(values, 2)
    ]


@dataclass(frozen=True)
class Told:
    """What one launch came to."""

    wrongly: bool
    """Whether two models that know equally much were told apart."""
    apart: float
    """Share of the pairs that differ that were told apart; 0 without any."""
    held: bool
    """Whether every rank interval holds the true rank."""


def told(truth: Sequence[float], estimates: Sequence[float], p_values: Sequence[float]) -> Told:
    """`truth`: what each model knows; `p_values` of all pairs, in the order of `combinations`."""
    order = [
        (a, b) if estimates[a] >= estimates[b] else (b, a)
        for a, b in combinations(range(len(truth)), 2)
    ]
    pairs = adjusted(
        [
            ComparedPair(one=str(a), other=str(b), difference=0.0, p=p)
            for (a, b), p in zip(order, p_values, strict=True)
        ]
    )
    models = [
        ComparedModel(label=str(m), run_ids=(), estimate=e, interval=None)
        for m, e in enumerate(estimates)
    ]
    held = True
    for model in ranked(models, pairs):
        mine, (low, high) = truth[int(model.label)], model.rank or (1, len(models))
        ahead, alike = sum(other > mine for other in truth), list(truth).count(mine)
        held = held and low <= ahead + alike and high >= 1 + ahead
    same = [pair.separated for pair in pairs if truth[int(pair.one)] == truth[int(pair.other)]]
    apart = [pair.separated for pair in pairs if truth[int(pair.one)] > truth[int(pair.other)]]
    differ = sum(truth[a] != truth[b] for a, b in order)
    return Told(any(same), sum(apart) / differ if differ else 0.0, held)


Test = Callable[[Floats, int, np.random.Generator], list[float]]


def drills(
    profiles: Sequence[Profile],
    icc: float,
    domains: int,
    repeats: int,
    tests: dict[str, Test],
    seed: int,
) -> Any:
    """Test → what each launch of a batch came to. The profiles are in the order of what they know,
    the best last."""
    rng = np.random.default_rng(seed)
    truth = [profiles.index(profile) for profile in profiles]
    each = domains * repeats
    made = np.stack(
        [drilled(p, icc, BATCH * each, rng).reshape(BATCH, each, 2, N, -1) for p in profiles],
        axis=1,
    )
    found: dict[str, list[Told]] = {name: [] for name in tests}
    for launch in made:
        means = [float(evds(own).mean()) for own in launch]
        for name, test in tests.items():
            found[name].append(told(truth, means, test(launch, domains, rng)))
    return found


def items(shares: Sequence[float], icc: float, groups: int, seed: int) -> dict[str, list[Told]]:
    """The same of models that were asked the same questions, each right with this chance."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(BATCH):
        known = [chances(share, icc, rng.random(groups))[:, None] for share in shares]
        right = [(rng.random((groups, GROUP)) < own).astype(float) for own in known]
        differences = [(a - b).sum(axis=1) for a, b in combinations(right, 2)]
        p_values = [swap_p([*enumerate(map(float, own))], SWAPS) or 1.0 for own in differences]
        found.append(told(shares, [float(own.mean()) for own in right], p_values))
    return {"item swap": found}


def share(
    name: str, one: Callable[[int], dict[str, list[Told]]], launches: int, mapper: Any
) -> None:
    """Print how often it comes to something."""
    batches = list(mapper(one, range(-(-launches // BATCH))))
    for test in batches[0]:
        rows = [each for batch in batches for each in batch[test]][:launches]
        wrongly, apart, held = (
            fmean(float(getattr(row, part)) for row in rows)
            for part in ("wrongly", "apart", "held")
        )
        error = sqrt(max(wrongly * (1 - wrongly), apart * (1 - apart)) / launches)
        print(
            f"{test:<9} {name:<40} wrongly apart {wrongly:.3f}  rightly apart {apart:.3f}  ± "
            f"{error:.3f}  "
            f"ranks hold {held:.3f}",
            flush=True,
        )


def intervals(profiles: Sequence[Profile], icc: float, truth: float, seed: int) -> bool:
    """Whether the interval of the difference of two drills holds the true one."""
    both = [
        simulate(profile, icc, f"interval:{side}:{seed}") for side, profile in enumerate(profiles)
    ]
    found = [
        evd_interval(
            d.observations, N, THETA, len(profiles[0]), censored=d.censored, seed=seed, runs=500
        )
        for d in both
    ]
    pair: Any = [SimpleNamespace(evd=each.evd, evd_ci=each.interval) for each in found]
    alike = [[correlation(both[0].observations, both[1].observations)]]
    low, high = (reach([[pair]], alike, end) for end in (0, 1))
    difference = found[0].evd - found[1].evd
    return bool(difference - low <= truth <= difference + high)


SWAP: dict[str, Test] = {"root swap": by_swaps}
REPEATED: dict[str, Test] = {"pooled t": by_pooled, "Welch": by_welch}
DESIGNS: dict[str, tuple[int, int, dict[str, Test]]] = {
    "one drill": (1, 1, SWAP),
    "3 repeats": (1, 3, REPEATED),
    "4 repeats": (1, 4, REPEATED),
    "3 domains": (3, 1, SWAP),
    "2 domains × 3": (2, 3, SWAP),
}
"""(domains, repeats in each, tests)."""


def main(launches: int, workers: int) -> None:
    profile = PROFILES["tiered"]
    print(f"{launches} launches")
    with ProcessPoolExecutor(workers) as pool:
        for groups in (8, 60):
            for icc in ICCS:
                cases = [(f"{models} alike", [0.7] * models) for models in (2, 5)]
                cases += [(f"2, {by:.0%} apart", [0.7, 0.7 + by]) for by in (0.02, 0.05, 0.10)]
                cases += [("5, each 5% apart", [0.6, 0.65, 0.7, 0.75, 0.8])]
                for name, shares in cases:
                    one = partial(items, shares, icc, groups)
                    share(f"{groups} groups, ICC {icc}, {name}", one, launches, pool.map)
        for icc in ICCS:
            for by in (0.0, 1.0, 2.0):
                pair = [better(profile, icc, by), profile]
                truth = (
                    expected_evd(pair[0], icc, 50_000, 2)[0]
                    - expected_evd(profile, icc, 50_000, 2)[0]
                )
                held = list(
                    pool.map(partial(intervals, pair, icc, truth), range(launches), chunksize=20)
                )
                print(
                    (
                        f"interval  2, {truth:.2f} EVD apart, ICC {icc}: holds the difference "
                        f"{fmean(held):.3f}"
                    ),
                    flush=True,
                )
        for design, (domains, repeats, tests) in DESIGNS.items():
            for icc in ICCS:
                launched = [(f"{models} alike", [profile] * models) for models in (2, 5)]
                launched += [
                    (f"2, {by:g} EVD apart", [profile, better(profile, icc, by)])
                    for by in (0.5, 1.0, 2.0)
                ]
                launched += [
                    (
                        "5, each 0.7 EVD apart",
                        [better(profile, icc, 0.7 * step) for step in range(5)],
                    )
                ]
                launched += [("5, unlike", [PROFILES["shallow"]] * 3 + [profile] * 2)]
                for name, profiles in launched:
                    one = partial(drills, profiles, icc, domains, repeats, tests)
                    share(f"{design}, ICC {icc}, {name}", one, launches, pool.map)
