"""Two models told apart by drills of the same domains: a moderated paired t, from one drill of each
on (METHODS: Numbers for the drill).

Drills of one seed share their roots. What a sub-topic has moved both EVDs the same way takes
nothing from their difference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TypeAlias

from ...stats.moderated import Mean, moderated
from .evd import (
    Floats,
    Observation,
    counts_of,
    expected_accuracies,
    generator,
    root_parts,
    sd_of_protocol,
)
from .survival import evd, influence, smoothed, survival

Draws: TypeAlias = "Floats | float"
"""Of a figure; 0 where nothing is drawn."""
LOOKS = (4, 6, 8, 10, 12)
"""Repeats of each at which launches that go on until they are decided look at their figures."""
POCOCK = (0.05, 0.0294, 0.0221, 0.0182, 0.0158)
"""Level of each of one to five looks, so that all together keep .05 (Pocock 1977); Holm divides it
by the pairs."""


def looks_until(most: int) -> tuple[int, ...]:
    """Repeats at which a launch of at most so many looks: the last time when they are spent."""
    return (*(repeats for repeats in LOOKS if repeats < most), most)


def level_of_each(most: int) -> float:
    """Of each of these looks."""
    return POCOCK[len(looks_until(most)) - 1]


LEAST_LEFT = 0.25
"""Share of the variance of an uncorrected judge's drill that is left at least."""


@dataclass(frozen=True, slots=True)
class Scatter:
    """What one drill found, and how far it could have come out otherwise."""

    evd: float
    parts: Mapping[str, float]
    """Root → by how much it has moved EVD."""
    v_g: float
    """Variance of EVD by the delta method, were all answers independent."""
    v_proto: float
    """The same by simulation of the protocol."""
    by_judge: Draws = 0.0
    """EVD under errors of the judge as its labels allow them, of a drill that is corrected; draws
    of the same place in two drills are of the same error."""
    overlap: float = 0.0
    """See `JudgeError.overlap`."""


def scatter(
    observations: Sequence[Observation],
    n: int,
    threshold: Fraction,
    last: float,
    *,
    seed: int | str,
    runs: int = 2000,
) -> Scatter:
    """A drill down to depth `last`, and no further than to its first S below `threshold`."""
    counts = counts_of([o for o in observations if o.depth <= last])
    for depth, left in enumerate(survival(counts), 1):
        if left < threshold:
            counts = counts[:depth]
            break
    observed = [o for o in observations if o.depth <= len(counts)]
    weights, chances = influence(counts), smoothed(counts)
    chances_below = expected_accuracies(counts, int(last))
    per_depth = zip(weights, chances, counts, strict=True)
    return Scatter(
        evd=float(evd(counts)),
        parts=root_parts(observed, counts, weights, chances),
        v_g=sum(w * w * a * (1 - a) / scored for w, a, (_, scored) in per_depth),
        v_proto=sd_of_protocol(
            chances_below, n, float(threshold), runs, generator(f"{seed}:pair")
        )
        ** 2,
    )


def variance_of_difference(one: Scatter, other: Scatter) -> float:
    """max(V_G, V)·SD_proto²/V_G as in the interval of EVD, each summed over both drills, and V =
    K/(K−1)·Σ_roots(u_one − u_other)² over the K roots of either."""
    roots = {*one.parts, *other.parts}
    v_g = one.v_g + other.v_g
    squares = sum(
        (one.parts.get(root, 0.0) - other.parts.get(root, 0.0)) ** 2 for root in roots
    )
    clustered = squares * len(roots) / max(1, len(roots) - 1)
    return max(v_g, clustered) * (one.v_proto + other.v_proto) / v_g


def paired_difference(domains: Sequence[Sequence[tuple[Scatter, Scatter]]]) -> Mean:
    """How far the first model is ahead: the mean over domains, each with a pair of drills per
    repeat. Raises ValueError where a domain has none."""
    mean = moderated(
        [
            [(one.evd - other.evd, variance_of_difference(one, other)) for one, other in pairs]
            for pairs in domains
        ]
    )
    draws = [[one.by_judge - other.by_judge for one, other in pairs] for pairs in domains]
    return with_judge(mean, draws, domains[0][0][0].overlap)


def with_judge(mean: Mean, domains: Sequence[Sequence[Draws]], overlap: float) -> Mean:
    """The same, with the scatter that the judge's error brings: it is one and the same in all
    drills, so that repeats do not lessen it. `domains`: the draws of each repeat.

    What the judge did to the very answers that are labelled is in the share right and in its error
    alike, and cancels: of a rate from n labels on W answers the variance σ²/n becomes σ²·(1/n −
    2/W), and `overlap` is n/W."""
    import numpy as np

    draws = sum(sum(repeats) / len(repeats) for repeats in domains) / len(domains)
    spread = float(np.var(draws))
    if not spread:
        return mean
    times = max(LEAST_LEFT, 1 + (1 - 2 * overlap) * spread / mean.se**2)
    # the scatter between drills has few degrees of freedom, the judge's many
    return Mean(mean.value, sqrt(times) * mean.se, mean.df * max(1.0, times) ** 2)
