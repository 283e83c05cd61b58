"""Survival S(d) = A(1)·…·A(d) and Expected Valid Depth, exactly (DepthCharge, sec. 3), the interval
of S, and what moves EVD."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import exp, expm1, lgamma, log, sqrt
from operator import mul
from typing import TYPE_CHECKING

from ...state.result import DepthRow
from ...stats.accuracy import Bounds, Count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HALF = Fraction(1, 2)
_POOL = 3
_CELLS = 4096


def accuracies(counts: Sequence[Count]) -> list[Fraction]:
    """A(d) = c/n per depth. Raises ValueError unless n ≥ 1 and 0 ≤ c ≤ n."""
    for correct, n in counts:
        if n < 1 or not 0 <= correct <= n:
            raise ValueError(
                f"a depth needs n >= 1 and 0 <= correct <= n, got {correct} of {n}"
            )
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
        accuracies([(c, n + z) for (c, n), z in zip(counts, no_evidence, strict=True)]),
        threshold,
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
    rest = exactly(log, -exactly(expm1, -middles))
    spectrum = np.ones(_CELLS + 1, dtype=np.complex128)
    for a, b in factors:
        # −ln Beta(a, b) has the density exp(−a·t)·(1 − exp(−t))^(b−1) / B(a, b)
        log_norm = lgamma(a) + lgamma(b) - lgamma(a + b)
        density = exactly(exp, -a * middles + (b - 1) * rest - log_norm)
        spectrum *= np.fft.rfft(density * cell, 2 * _CELLS)
    mass = np.fft.irfft(spectrum, 2 * _CELLS)[:_CELLS]
    # a sum of D cell middles lies at cell·(index + D/2); its cell ends half a cell above that
    ends = cell * (np.arange(_CELLS) + (len(factors) + 1) / 2)
    cdf = np.concatenate([[0.0], np.cumsum(mass)])
    return np.interp(
        edges, np.concatenate([[ends[0] - cell], ends]), np.maximum.accumulate(cdf)
    )


def exactly(
    function: Callable[[float], float], values: "NDArray[np.float64]"
) -> "NDArray[np.float64]":
    """The function of each value, from the C library: NumPy's own differ from processor to
    processor in the last bit, and a bundle is to replay to the same digits everywhere."""
    import numpy as np

    return np.fromiter(map(function, values.ravel().tolist()), np.float64, values.size).reshape(
        values.shape
    )


def smoothed(counts: Sequence[Count]) -> list[float]:
    """Ã(d) = (c + ½)/(n + 1): never 0 or 1, so that a simulated depth always scatters."""
    return [(c + 0.5) / (n + 1) for c, n in counts]


def influence(counts: Sequence[Count]) -> list[float]:
    """g_d = ∂EVD/∂A(d) = S(d−1)·(1 + A(d+1) + A(d+1)·A(d+2) + …), over the depths asked."""
    before = [1.0, *(float(s) for s in survival(counts)[:-1])]
    return influence_of([c / n for c, n in counts], before)


def influence_of(shares: Sequence[float], before: Sequence[float]) -> list[float]:
    """The same of accuracies, with the survival before each depth."""
    tails = [0.0] * len(shares)
    for i in range(len(shares) - 2, -1, -1):
        tails[i] = shares[i + 1] * (1 + tails[i + 1])
    return [s * (1 + tail) for s, tail in zip(before, tails, strict=True)]


# what the judge could do to EVD: a right answer that it wrongly rejects ends a path

REJECTED = (2, 5)
"""Per cent of right answers that are taken to be wrongly rejected."""


def evd_if_rejected(rows: Sequence[DepthRow], threshold: Fraction) -> dict[int, float]:
    """Per cent of right answers wrongly rejected → EVD with A(d) smaller by so much, under the stop
    rule."""
    shares = accuracies(_counts(rows))
    evds = {}
    for percent in REJECTED:
        share_left = 1 - Fraction(percent, 100)
        evds[percent] = float(stopped_evd([share * share_left for share in shares], threshold))
    return evds


def points_worth(rows: Sequence[DepthRow], points: float = 2.0) -> float:
    """Σ_d g_d·A(d)·points/100: what so many points more of right answers wrongly rejected take from
    EVD, and so, where they are rejected of one model alone, from its lead."""
    counts = _counts(rows)
    moved = (
        weight * correct / scored
        for weight, (correct, scored) in zip(influence(counts), counts, strict=True)
    )
    return sum(moved) * points / 100


def _counts(rows: Sequence[DepthRow]) -> list[Count]:
    return [(row.correct, row.scored) for row in rows]
