"""Whether comparisons of drills hold their level, find differences and rank truly: simulated launches, no model.

    python bench/coverage/comparison.py [--launches 2000] [--workers 2] [--profile tiered]

Level: models that know equally much; the share of launches in which any pair is told apart (nominal .05; all pairs with
Holm). Power: the second of two models is 0.5, 1.0 or 2.0 EVD better. Ranks: five models, each 0.7 EVD better than the
one before; the share of launches in which every rank interval holds the true rank. Single drills by the root-swap test,
four repeats by Welch's t test, three domains by the root-swap test over all of them. The drills are those of drill.py.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import combinations
from math import sqrt
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parent))

from drill import ICCS, PROFILES, THETA, Drill, expected_evd, simulate  # type: ignore[import-not-found]  # beside this file
from scipy.stats import ttest_ind

from fathom.state.comparison import ComparedModel, ComparedPair
from fathom.stats.drill.survival import evd
from fathom.stats.drill.swap import swap_test
from fathom.stats.drill.tree import counts_of
from fathom.stats.ranking import adjusted, ranked

Profile = tuple[float, ...]
Launch = Sequence[Sequence[Drill]]
"""Per model its drills."""
SWAPS = 2000


@cache
def better(profile: Profile, icc: float, by: float) -> Profile:
    """The profile of a model whose expected EVD is `by` higher: its chances of a wrong answer all shrunk alike."""
    low, high, base = 0.0, 1.0, expected_evd(profile, icc, 5_000, seed=1)[0]
    for _ in range(12 if by else 0):
        middle = (low + high) / 2
        found = expected_evd(_shrunk(profile, middle), icc, 5_000, seed=1)[0]
        low, high = (low, middle) if found < base + by else (middle, high)
    return _shrunk(profile, high) if by else profile


def _shrunk(profile: Profile, share: float) -> Profile:
    return tuple(1 - (1 - chance) * share for chance in profile)


def by_swaps(one: Sequence[Drill], other: Sequence[Drill], seed: str) -> float:
    """p of two models with a drill in each domain."""
    domains = [[(a.observations, b.observations)] for a, b in zip(one, other, strict=True)]
    return swap_test(domains, float(THETA), seed, SWAPS).p


def by_welch(one: Sequence[Drill], other: Sequence[Drill], _: str) -> float:
    """p of two models with several drills of one domain."""
    return float(ttest_ind(*([_evd(d) for d in drills] for drills in (one, other)), equal_var=False).pvalue)


def _evd(drill: Drill) -> float:
    return float(evd(counts_of(drill.observations)))


def told(
    profiles: Sequence[Profile], icc: float, drills: int, test: Callable[..., float], seed: int
) -> tuple[bool, bool]:
    """(whether any pair is told apart, whether every rank interval holds the true rank) in one launch. The profiles
    are in the order of what they know, the best last; equal ones share their ranks."""
    launch = [[simulate(p, icc, f"{m}:{d}:{seed}") for d in range(drills)] for m, p in enumerate(profiles)]
    means = [fmean(map(_evd, drills)) for drills in launch]
    order = sorted(range(len(launch)), key=lambda m: -means[m])
    pairs = adjusted(
        [
            ComparedPair(one=str(a), other=str(b), difference=0.0, p=test(launch[a], launch[b], f"{seed}:{a}:{b}"))
            for a, b in combinations(order, 2)
        ]
    )
    models = [ComparedModel(label=str(m), run_ids=(), estimate=means[m], interval=None) for m in order]
    held = True
    for model in ranked(models, pairs):
        mine, (low, high) = profiles[int(model.label)], model.rank or (1, len(models))
        ahead, alike = sum(p > mine for p in profiles), profiles.count(mine)
        held = held and low <= ahead + alike and high >= 1 + ahead
    return any(pair.separated for pair in pairs), held


def share(
    name: str, profiles: Sequence[Profile], icc: float, design: str, launches: int, mapper: Callable[..., object]
) -> None:
    """Print how often it comes to something."""
    drills, test = DESIGNS[design]
    rows = list(mapper(partial(told, profiles, icc, drills, test), range(launches)))  # type: ignore[call-overload]
    apart, held = (fmean(float(row[side]) for row in rows) for side in (0, 1))
    error = sqrt(apart * (1 - apart) / launches)
    print(
        f"{design:<12} ICC {icc:<4} {name:<28} told apart {apart:.3f} ± {error:.3f}   ranks hold {held:.3f}", flush=True
    )


DESIGNS: dict[str, tuple[int, Callable[..., float]]] = {
    "one drill": (1, by_swaps),
    "4 repeats": (4, by_welch),
    "3 domains": (3, by_swaps),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--launches", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--profile", choices=list(PROFILES), default="tiered")
    options = parser.parse_args()
    profile = PROFILES[options.profile]
    print(f"profile {options.profile}, {options.launches} launches")
    with ProcessPoolExecutor(options.workers) as pool:
        mapper = partial(pool.map, chunksize=20)
        for design in DESIGNS:
            for icc in ICCS:
                for models in (2, 5):
                    share(f"{models} alike", [profile] * models, icc, design, options.launches, mapper)
                for by in (0.5, 1.0, 2.0):
                    pair = [profile, better(profile, icc, by)]
                    share(f"2, {by:g} EVD apart", pair, icc, design, options.launches, mapper)
                steps = [better(profile, icc, 0.7 * step) for step in range(5)]
                share("5, each 0.7 EVD apart", steps, icc, design, options.launches, mapper)


if __name__ == "__main__":
    main()
