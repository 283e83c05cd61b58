"""The interval of Expected Valid Depth from one run: how far another drill of the same model could have come out.

The estimand is the expectation of EVD under this protocol. Two sources of scatter are weighed, and the larger counts:
fresh answers at the accuracies seen, widened for clustering by root; and fresh roots and follow-ups, resampled.
"""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, sqrt

import numpy as np

from ..accuracy import Bounds, Count
from . import survival as exact
from .tree import Floats, Observation, resampled_accuracy, stopped_sum

_Z = 1.959963984540054
_TAIL = 0.025
_BOUNDARY_RUNS = 100_000

NO_DEPTH = "no depth could be counted: nothing is known about the model here"
NONE_RIGHT = "no answer was right at depth 1: the upper end is the exact limit for the accuracy there"
ALL_RIGHT = "every answer was right: the upper end is the deepest depth allowed"
ONE_ROOT = "one sub-topic only: the interval covers that sub-topic and does not generalise to the domain"


@dataclass(frozen=True)
class EvdEstimate:
    """EVD with its 95% interval (in depths, within 0 … max_depth) and the parts that the interval was made from.

    `se` and the parts are None where a boundary case has an exact limit instead; `v_cr` is None with a single root.
    """

    evd: float
    interval: Bounds
    se: float | None = None
    sd_proto: float | None = None
    sd_tree: float | None = None
    v_cr: float | None = None
    v_g: float | None = None
    note: str | None = None


def evd_interval(
    observations: Sequence[Observation],
    n: int,
    threshold: float | Fraction,
    max_depth: int,
    *,
    censored: bool,
    seed: int | str,
    runs: int = 2000,
) -> EvdEstimate:
    """EVD·exp(±1.96·SE/EVD) clipped to 0 … max_depth, SE = max(SD_proto·√max(1, V_CR/V_G), SD_tree).

    `n` is the planned number of probes per depth; `censored` says that the run stopped for another reason than
    S < threshold. The same arguments give the same estimate. Raises ValueError when the observed depths have a gap.
    """
    counts = counts_of(observations)
    depths, several = len(counts), len({o.root for o in observations}) > 1
    if depths > max_depth:
        raise ValueError(f"{depths} depths were observed, but the run allows {max_depth}")
    evd = float(exact.evd(counts))
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(f"{seed}:evd".encode()).digest()))
    boundary = _boundary(counts, evd, max_depth, rng)
    if boundary is not None:
        interval, note = boundary
        return EvdEstimate(evd, interval, note=note if several or not counts else f"{note}; {ONE_ROOT}")
    limit = float(threshold)
    sd_proto = _sd_proto(counts, n, limit, depths if censored else max_depth, runs, rng)
    sd_tree = float(np.std(stopped_sum(resampled_accuracy(observations, depths, runs, rng), limit)))
    weights = influence(counts)
    v_g = sum(w * w * a * (1 - a) / m for w, a, (_, m) in zip(weights, smoothed(counts), counts, strict=True))
    v_cr = clustered_variance(observations, counts, weights) if several else None
    se = max(sd_proto * sqrt(max(1.0, (v_cr or 0.0) / v_g)), sd_tree)
    stretch = exp(_Z * se / evd)
    interval = evd / stretch, min(float(max_depth), evd * stretch)
    return EvdEstimate(evd, interval, se, sd_proto, sd_tree, v_cr, v_g, None if several else ONE_ROOT)


def counts_of(observations: Sequence[Observation]) -> list[Count]:
    """(correct, scored) per depth 1 … D. Raises ValueError when a depth between has no observation."""
    held: dict[int, list[bool]] = defaultdict(list)
    for o in observations:
        held[o.depth].append(o.correct)
    if sorted(held) != list(range(1, len(held) + 1)):
        raise ValueError(f"observed depths must run from 1 without a gap, got {sorted(held)}")
    return [(sum(held[d]), len(held[d])) for d in sorted(held)]


def smoothed(counts: Sequence[Count]) -> list[float]:
    """Ã(d) = (c + ½)/(n + 1): never 0 or 1, so that a simulated depth always scatters."""
    return [(c + 0.5) / (n + 1) for c, n in counts]


def influence(counts: Sequence[Count]) -> list[float]:
    """g_d = ∂EVD/∂A(d) = S(d−1)·(1 + A(d+1) + A(d+1)·A(d+2) + …), over the depths asked."""
    shares = [c / n for c, n in counts]
    tails = [0.0] * len(shares)
    for i in range(len(shares) - 2, -1, -1):
        tails[i] = shares[i + 1] * (1 + tails[i + 1])
    before = [1.0, *(float(s) for s in exact.survival(counts)[:-1])]
    return [s * (1 + tail) for s, tail in zip(before, tails, strict=True)]


def clustered_variance(observations: Sequence[Observation], counts: Sequence[Count], weights: Sequence[float]) -> float:
    """V_CR = K/(K−1)·Σ_roots[Σ_{q in root} g_d·(y_q − A_d)/n_d]² over the K ≥ 2 roots."""
    parts: dict[str, float] = defaultdict(float)
    for o in observations:
        correct, n = counts[o.depth - 1]
        parts[o.root] += weights[o.depth - 1] * (o.correct - correct / n) / n
    return len(parts) / (len(parts) - 1) * sum(part * part for part in parts.values())


def _sd_proto(
    counts: Sequence[Count], n: int, threshold: float, last: int, runs: int, rng: np.random.Generator
) -> float:
    """Standard deviation of EVD over simulated runs with c_d ~ Bin(N, Ã_d) and the stop rule, down to depth `last`.

    Beyond the depths asked stands the pooled accuracy of the last three. A short depth is simulated with N probes too;
    that it had fewer shows in V_CR and in the resampled tree (with half of N everywhere coverage is still .94).
    """
    chances = smoothed(counts) + smoothed([exact.pooled(counts)]) * (last - len(counts))
    accuracy: Floats = rng.binomial(n, chances, size=(runs, last)) / n
    return float(np.std(stopped_sum(accuracy, threshold)))


def _boundary(
    counts: Sequence[Count], evd: float, max_depth: int, rng: np.random.Generator
) -> tuple[Bounds, str] | None:
    """Interval and note where EVD has no scatter of its own: nothing counted, nothing right, everything right."""
    if not counts:
        return (0.0, float(max_depth)), NO_DEPTH
    if evd == 0:
        # 97.5% quantile of Beta(1, n): P(X ≤ x) = 1 − (1 − x)^n
        return (0.0, 1 - _TAIL ** (1 / counts[0][1])), NONE_RIGHT
    if all(c == n for c, n in counts):
        # −ln of a Beta(n, 1) variable is exponential with mean 1/n
        lengths = rng.standard_exponential((_BOUNDARY_RUNS, len(counts))) / np.array([n for _, n in counts])
        lower = float(np.quantile(np.exp(-np.cumsum(lengths, axis=1)).sum(axis=1), _TAIL))
        return (lower, float(max_depth)), ALL_RIGHT
    return None
