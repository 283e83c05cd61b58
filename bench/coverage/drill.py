"""How often the 95% interval of EVD holds the truth: whole drills simulated without any model or
network.

The drill is the program's own: `allocate` deals the probes, `below` stops, `evd_interval` gives the
interval. Knowledge is a chance of a right answer per depth (the profile) and root. With ICC ρ > 0
each root draws one standing u for the whole drill, and at depth d its chance is the u-quantile of
the Beta distribution with mean A(d) and variance ρ·A(d)(1 − A(d)): two probes of one root at one
depth then correlate by ρ, and a root the model knows well stays well known at every depth, so that
survivors are better than their profile. That is the hard case: roots differ persistently.

The estimand is the expectation of EVD under this same protocol, by `expected_evd`: a vectorised
twin of the drill.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from math import sqrt
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fathom.graphs.drill.evd import Observation, evd_interval
from fathom.graphs.drill.scheduler import allocate
from fathom.graphs.drill.survival import below

N = 30
THETA = Fraction(1, 5)
PROFILES: dict[str, tuple[float, ...]] = {
    "shallow": (0.70, 0.60, 0.50, *[0.40] * 12),
    "steady": (0.85,) * 15,
    "tiered": (*[0.95] * 3, *[0.90] * 3, *[0.80] * 3, *[0.60] * 3, *[0.40] * 3),
    "deep": (0.97,) * 15,
}
ICCS = (0.0, 0.2)

Floats = NDArray[np.float64]
Allocate = Callable[[int, Sequence[str], Random], dict[str, int]]


@dataclass(frozen=True)
class Drill:
    """One simulated drill: what was observed, and whether something else than S < θ ended it."""

    observations: tuple[Observation, ...]
    censored: bool


@cache
def _quantiles(share: float, icc: float) -> Floats:
    """Chance of a right answer at the root quantiles 0, 1/2000, … 1."""
    from scipy.special import betaincinv

    grid = np.linspace(0.0, 1.0, 2001)
    if icc == 0:
        return np.full_like(grid, share)
    weight = 1 / icc - 1
    chances: Floats = betaincinv(share * weight, (1 - share) * weight, grid)
    return chances


def chances(share: float, icc: float, u: Floats) -> Floats:
    """Chance of a right answer for roots at the quantiles u."""
    return np.interp(u, np.linspace(0.0, 1.0, 2001), _quantiles(share, icc))


def simulate(
    profile: Sequence[float], icc: float, seed: str, deal: Allocate = allocate
) -> Drill:
    """One drill of N probes per depth over these accuracies, until S < θ, nothing survives, or the
    profile ends."""
    rng = Random(seed)
    u = np.array([rng.random() for _ in range(N)])
    observations: list[Observation] = []
    counts: list[tuple[int, int]] = []
    level: list[Observation] = []
    for depth, share in enumerate(profile, 1):
        known = chances(share, icc, u)
        root_of = {o.id: o.root for o in level}
        dealt = deal(N, [o.id for o in level if o.correct], rng)
        slots: list[tuple[str, str | None]] = [
            (root_of[path], path) for path, k in dealt.items() for _ in range(k)
        ]
        if depth == 1:
            slots = [(str(i), None) for i in range(N)]
        level = [
            Observation(
                f"{depth}.{slot}", depth, root, parent, rng.random() < float(known[int(root)])
            )
            for slot, (root, parent) in enumerate(slots)
        ]
        observations += level
        counts.append((sum(o.correct for o in level), N))
        if below(counts, THETA):
            return Drill(tuple(observations), censored=False)
    return Drill(tuple(observations), censored=True)


def expected_evd(
    profile: Sequence[float], icc: float, runs: int, seed: int
) -> tuple[float, float]:
    """(expectation of EVD under the protocol, its Monte Carlo error), from `runs` drills side by
    side."""
    rng = np.random.default_rng(seed)
    u = rng.random((runs, N))
    root = np.tile(np.arange(N), (runs, 1))
    going = np.ones(runs, dtype=bool)
    survival, total = np.ones(runs), np.zeros(runs)
    for share in profile:
        right = rng.random((runs, N)) < np.take_along_axis(chances(share, icc, u), root, axis=1)
        survival *= right.mean(axis=1)
        total += np.where(going, survival, 0.0)
        going &= survival >= float(THETA) * (1 - 1e-12)
        # survivors in random order; slot j continues the (j mod P)-th: N // P each, the remainder
        # at random
        order = np.argsort(np.where(right, rng.random((runs, N)), 2.0), axis=1)
        turn = np.arange(N) % np.maximum(right.sum(axis=1, keepdims=True), 1)
        root = np.take_along_axis(root, np.take_along_axis(order, turn, axis=1), axis=1)
    return float(total.mean()), float(total.std() / sqrt(runs))


@dataclass(frozen=True)
class Coverage:
    """Share of intervals that held the truth, its Monte Carlo error, mean width, and the mean EVD
    seen."""

    share: float
    error: float
    width: float
    below: float
    above: float
    mean: float


def one(
    profile: Sequence[float], icc: float, boot: int, seed: str
) -> tuple[float, float, float]:
    """(lower, upper, EVD) of one simulated drill."""
    drill = simulate(profile, icc, seed)
    estimate = evd_interval(
        drill.observations,
        N,
        THETA,
        len(profile),
        censored=drill.censored,
        seed=Random(seed).getrandbits(32),
        runs=boot,
    )
    return *estimate.interval, estimate.evd


def coverage(
    profile: Sequence[float], icc: float, truth: float, runs: int, boot: int, mapper: Any = map
) -> Coverage:
    """Coverage over `runs` drills; `below` and `above`: shares of intervals that lie wholly under
    or over the truth."""
    seeds = [f"coverage:{i}" for i in range(runs)]
    rows = np.array(list(mapper(partial(one, profile, icc, boot), seeds)))
    lower, upper, evd = rows.T
    hit = float(np.mean((lower <= truth) & (truth <= upper)))
    return Coverage(
        share=hit,
        error=sqrt(hit * (1 - hit) / runs),
        width=float(np.mean(upper - lower)),
        below=float(np.mean(upper < truth)),
        above=float(np.mean(lower > truth)),
        mean=float(evd.mean()),
    )


def main(runs: int, workers: int) -> None:
    boot = 1000
    print(f"N={N} theta={THETA} runs={runs} boot={boot}")
    print("profile   ICC   EVD true   mean EVD   coverage   +-      width   below   above")
    with ProcessPoolExecutor(workers) as pool:
        mapper = partial(pool.map, chunksize=50)
        for name, profile in PROFILES.items():
            for icc in ICCS:
                truth, _ = expected_evd(profile, icc, 50_000, seed=1)
                c = coverage(profile, icc, truth, runs, boot, mapper)
                print(
                    f"{name:<9} {icc:<5} {truth:8.3f} {c.mean:10.3f} {c.share:10.4f}   "
                    f"{c.error:.4f} {c.width:7.3f} {c.below:7.3f} {c.above:7.3f}",
                    flush=True,
                )
