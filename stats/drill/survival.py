"""Survival S(d) = A(1)·…·A(d) and Expected Valid Depth, exactly (DepthCharge, sec. 3), and its
interval from one run: how far another drill of the same model could have come out.

The estimand is the expectation of EVD under this protocol. Two sources of scatter are weighed, and
the larger counts: fresh answers at the accuracies seen, widened for clustering by root; and fresh
roots and follow-ups, resampled.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import exp, expm1, lgamma, log, sqrt
from operator import mul
from typing import TYPE_CHECKING

from ..accuracy import Bounds, Count
from .tree import (
    Floats,
    Observation,
    clustered_variance,
    counts_of,
    resampled_accuracy,
    stopped_sum,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

_HALF = Fraction(1, 2)
_POOL = 3
_CELLS = 4096


def accuracies(counts: Sequence[Count]) -> list[Fraction]:
    """A(d) = c/n per depth. Raises ValueError unless n ≥ 1 and 0 ≤ c ≤ n."""
    for correct, n in counts:
        if n < 1 or not 0 <= correct <= n:
            raise ValueError(f"a depth needs n >= 1 and 0 <= correct <= n, got {correct} of {n}")
    # int(): a Fraction of numpy integers would keep their 64 bits and overflow in a product over
    # many depths
    return [Fraction(int(correct), int(n)) for correct, n in counts]


def survival(counts: Sequence[Count]) -> list[Fraction]:
    """S(1) … S(D),"""
    return list(accumulate(accuracies(counts), mul))


def below(counts: Sequence[Count], threshold: Fraction) -> bool:
    """Whether S(D) < threshold, exactly (floats misread ties: 18/30·10/30·30/30 is 1/5). S(0) =
    1."""
    return (survival(counts) or [Fraction(1)])[-1] < threshold


def evd(counts: Sequence[Count]) -> Fraction:
    """Expected Valid Depth S(1) + … + S(D), the stopping depth included; in depths, 0 … D."""
    return sum(survival(counts), Fraction(0))


def median_depth(counts: Sequence[Count]) -> int | None:
    """First depth with S < 1/2; None when survival never fell that far."""
    for depth, share in enumerate(survival(counts), 1):
        if share < _HALF:
            return depth
    return None


def windowed(counts: Sequence[Count], k: int) -> Fraction:
    """Product of the last k accuracies (of all, when there are fewer; 1 when there are none)."""
    shares = survival(counts[-k:])
    return shares[-1] if shares else Fraction(1)


def depth_weighted(counts: Sequence[Count]) -> Fraction:
    """Σ d·A(d) / Σ d: accuracy averaged with weight d; 0 without any depth."""
    products = (depth * a for depth, a in enumerate(accuracies(counts), 1))
    weighted = sum(products, Fraction(0))
    weights = sum(range(len(counts) + 1))
    return weighted / max(1, weights)


def pooled(counts: Sequence[Count]) -> Count:
    """The last three depths together: what is taken for the depths beyond the last one asked."""
    last = counts[-_POOL:]
    correct = sum(c for c, _ in last)
    scored = sum(n for _, n in last)
    return correct, scored


def stopped_evd(shares: Sequence[Fraction], threshold: Fraction) -> Fraction:
    """EVD of a run with these accuracies that stops at the first S < threshold."""
    total, s = Fraction(0), Fraction(1)
    for share in shares:
        s *= share
        total += s
        if s < threshold:
            break
    return total


def evd_bounds(
    counts: Sequence[Count],
    missing: Sequence[int],
    threshold: Fraction,
    max_depth: int,
    *,
    censored: bool,
) -> tuple[Fraction, Fraction]:
    """EVD if every missing probe had been wrong, and if every one had been right: A(d) ∈ [c/(n+m),
    (c+m)/(n+m)].

    `missing` is m per depth: unfilled slots, and replaced probes that were lost at the target. The
    stop rule holds in both cases. Where the upper case would not have stopped at D although the run
    did, it goes on with the pooled accuracy (upper case) of the last three depths up to
    `max_depth`; a censored run ends at D either way. Raises ValueError unless n + m ≥ 1 and 0 ≤ c ≤
    n at every depth.
    """
    lower = accuracies([(c, n + m) for (c, n), m in zip(counts, missing, strict=True)])
    raised = [(c + m, n + m) for (c, n), m in zip(counts, missing, strict=True)]
    upper = accuracies(raised)
    if raised and not censored:
        upper += accuracies([pooled(raised)]) * (max_depth - len(raised))
    return stopped_evd(lower, threshold), stopped_evd(upper, threshold)


def evd_no_evidence_wrong(
    counts: Sequence[Count], no_evidence: Sequence[int], threshold: Fraction
) -> Fraction:
    """EVD if every concept without evidence had been a wrong answer: A'(d) = c/(n + z), under the
    stop rule.

    A model that names things that do not exist loses nothing by it in EVD; here it does.
    """
    return stopped_evd(
        accuracies([(c, n + z) for (c, n), z in zip(counts, no_evidence, strict=True)]), threshold
    )


def survival_interval(counts: Sequence[Count], level: float = 0.95) -> Bounds:
    """Mid-p beta-product interval of S(D), within 0 … 1; deterministic, to about four decimals.

    L = ∏Beta(c, n−c+1) and U = ∏Beta(c+1, n−c), with Beta(0, ·) = 0 and Beta(·, 0) = 1; the ends
    are the outer quantiles of the 50/50 mixture of L and U. Computed by convolution of the
    densities of −ln of the factors.
    """
    import numpy as np  # here, so that importing the exact arithmetic stays quick

    accuracies(counts)
    # a factor Beta(·, 0) is 1 and drops out; a factor Beta(0, ·) makes the whole product 0
    low = None if any(c == 0 for c, _ in counts) else [(c, n - c + 1) for c, n in counts]
    high = [(c + 1, n - c) for c, n in counts if n > c]
    reach = max(_reach(low or []), _reach(high))
    if reach == 0:
        return (0.0 if low is None else 1.0), 1.0
    cell = reach / _CELLS
    edges = cell * np.arange(_CELLS + 1, dtype=np.float64)
    mixed = (_log_cdf(low, edges) + _log_cdf(high, edges)) / 2
    tail = (1 - level) / 2
    # mixed[i] = P(−ln S ≤ edges[i]); what never reaches 1 − tail has its quantile at S = 0
    lower = exp(-float(np.interp(1 - tail, mixed, edges))) if mixed[-1] >= 1 - tail else 0.0
    upper = exp(-float(np.interp(tail, mixed, edges))) if mixed[0] < tail else 1.0
    return lower, upper


def _reach(factors: Sequence[tuple[int, int]]) -> float:
    """A point that −ln ∏Beta(a, b) stays below with a chance of 97.7% at the very least (Cantelli's
    inequality).

    Mean and variance of −ln Beta(a, b) for whole a, b are Σ 1/k and Σ 1/k² over k = a … a+b−1.
    """
    terms = [k for a, b in factors for k in range(a, a + b)]
    mean = sum(1 / k for k in terms)
    variance = sum(1 / k**2 for k in terms)
    return mean + 6.5 * sqrt(variance)


def _log_cdf(
    factors: Sequence[tuple[int, int]] | None, edges: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """P(−ln ∏Beta(a, b) ≤ t) at each edge t; `None` is a product that is 0, no factors a product
    that is 1."""
    import numpy as np

    if factors is None:
        return np.zeros_like(edges)
    if not factors:
        return np.ones_like(edges)
    cell = edges[1]
    middles = edges[1:] - cell / 2
    rest = _each(log, -_each(expm1, -middles))
    spectrum = np.ones(_CELLS + 1, dtype=np.complex128)
    for a, b in factors:
        # −ln Beta(a, b) has the density exp(−a·t)·(1 − exp(−t))^(b−1) / B(a, b)
        log_norm = lgamma(a) + lgamma(b) - lgamma(a + b)
        density = _each(exp, -a * middles + (b - 1) * rest - log_norm)
        spectrum *= np.fft.rfft(density * cell, 2 * _CELLS)
    mass = np.fft.irfft(spectrum, 2 * _CELLS)[:_CELLS]
    # a sum of D cell middles lies at cell·(index + D/2); its cell ends half a cell above that
    ends = cell * (np.arange(_CELLS) + (len(factors) + 1) / 2)
    cdf = np.concatenate([[0.0], np.cumsum(mass)])
    return np.interp(edges, np.concatenate([[ends[0] - cell], ends]), np.maximum.accumulate(cdf))


def _each(
    function: Callable[[float], float], values: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """The function of each value, from the C library: NumPy's own differ from processor to
    processor in the last bit, and a bundle is to replay to the same digits everywhere."""
    import numpy as np

    return np.fromiter(map(function, values.ravel().tolist()), np.float64, values.size).reshape(
        values.shape
    )


_Z = 1.959963984540054
_TAIL = 0.025
_BOUNDARY_RUNS = 100_000

NO_DEPTH = "no depth could be counted: nothing is known about the model here"
NONE_RIGHT = (
    "no answer was right at depth 1: the upper end is the exact limit for the accuracy there"
)
ALL_RIGHT = "every answer was right: the upper end is the deepest depth allowed"
ONE_ROOT = (
    "one sub-topic only: the interval covers that sub-topic and does not generalise to the domain"
)


@dataclass(frozen=True)
class EvdEstimate:
    """EVD with its 95% interval (in depths, within 0 … max_depth) and the parts that the interval
    was made from.

    `se` and the parts are None where a boundary case has an exact limit instead; `v_cr` is None
    with a single root.
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
    """EVD·exp(±1.96·SE/EVD) clipped to 0 … max_depth, SE = max(SD_proto·√max(1, V_CR/V_G),
    SD_tree).

    `n` is the planned number of probes per depth; `censored` says that the run stopped for another
    reason than S < threshold. The same arguments give the same estimate. Raises ValueError when the
    observed depths have a gap.
    """
    import numpy as np

    counts = counts_of(observations)
    depths, several = len(counts), len({o.root for o in observations}) > 1
    if depths > max_depth:
        raise ValueError(f"{depths} depths were observed, but the run allows {max_depth}")
    found = float(evd(counts))
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(f"{seed}:evd".encode()).digest()))
    boundary = _boundary(counts, found, max_depth, rng)
    if boundary is not None:
        interval, note = boundary
        return EvdEstimate(
            found, interval, note=note if several or not counts else f"{note}; {ONE_ROOT}"
        )
    limit = float(threshold)
    last = depths if censored else max_depth
    sd_proto = sd_of_protocol(counts, n, limit, last, runs, rng)
    sd_tree = float(stopped_sum(resampled_accuracy(observations, depths, runs, rng), limit).std())
    weights = influence(counts)
    v_g = sum(
        w * w * a * (1 - a) / m
        for w, a, (_, m) in zip(weights, smoothed(counts), counts, strict=True)
    )
    v_cr = clustered_variance(observations, counts, weights) if several else None
    se = max(sd_proto * sqrt(max(1.0, (v_cr or 0.0) / v_g)), sd_tree)
    stretch = exp(_Z * se / found)
    interval = found / stretch, min(float(max_depth), found * stretch)
    return EvdEstimate(
        found, interval, se, sd_proto, sd_tree, v_cr, v_g, None if several else ONE_ROOT
    )


def smoothed(counts: Sequence[Count]) -> list[float]:
    """Ã(d) = (c + ½)/(n + 1): never 0 or 1, so that a simulated depth always scatters."""
    return [(c + 0.5) / (n + 1) for c, n in counts]


def influence(counts: Sequence[Count]) -> list[float]:
    """g_d = ∂EVD/∂A(d) = S(d−1)·(1 + A(d+1) + A(d+1)·A(d+2) + …), over the depths asked."""
    shares = [c / n for c, n in counts]
    tails = [0.0] * len(shares)
    for i in range(len(shares) - 2, -1, -1):
        tails[i] = shares[i + 1] * (1 + tails[i + 1])
    before = [1.0, *(float(s) for s in survival(counts)[:-1])]
    return [s * (1 + tail) for s, tail in zip(before, tails, strict=True)]


def sd_of_protocol(
    counts: Sequence[Count], n: int, threshold: float, last: int, runs: int, rng: "Generator"
) -> float:
    """Standard deviation of EVD over simulated runs with c_d ~ Bin(N, Ã_d) and the stop rule, down
    to depth `last`.

    Beyond the depths asked stands the pooled accuracy of the last three. A short depth is simulated
    with N probes too; that it had fewer shows in V_CR and in the resampled tree (with half of N
    everywhere coverage is still .94).
    """
    chances = smoothed(counts) + smoothed([pooled(counts)]) * (last - len(counts))
    accuracy: Floats = rng.binomial(n, chances, size=(runs, last)) / n
    return float(stopped_sum(accuracy, threshold).std())


def _boundary(
    counts: Sequence[Count], found: float, max_depth: int, rng: "Generator"
) -> tuple[Bounds, str] | None:
    """Interval and note where EVD has no scatter of its own: nothing counted, nothing right,
    everything right."""
    if not counts:
        return (0.0, float(max_depth)), NO_DEPTH
    if found == 0:
        # 97.5% quantile of Beta(1, n): P(X ≤ x) = 1 − (1 − x)^n
        return (0.0, 1 - _TAIL ** (1 / counts[0][1])), NONE_RIGHT
    if all(c == n for c, n in counts):
        import numpy as np

        # −ln of a Beta(n, 1) variable is exponential with mean 1/n; a tenth at a time takes a tenth
        # of the memory
        sizes = [n for _, n in counts]
        drawn = (
            rng.standard_exponential((_BOUNDARY_RUNS // 10, len(sizes))) / sizes for _ in range(10)
        )
        lower = float(np.quantile([_sums(-one.cumsum(axis=1)) for one in drawn], _TAIL))
        return (lower, float(max_depth)), ALL_RIGHT
    return None


def _sums(logs: Floats) -> Floats:
    """Σ exp of each row: to the last digit where it may decide the lower end, which is all that is
    read of them."""
    import numpy as np

    sums: Floats = np.exp(logs).sum(axis=1)
    low = sums <= np.quantile(sums, 2 * _TAIL)
    sums[low] = _each(exp, logs[low]).sum(axis=1)
    return sums
