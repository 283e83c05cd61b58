"""The interval of EVD from one run: how far another drill of the same model could have come out.

The estimand is the expectation of EVD under this protocol. Two sources of scatter are weighed, and
the larger counts: fresh answers at the accuracies seen, widened for clustering by root; and fresh
roots and follow-ups, resampled.
"""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ...stats.accuracy import Bounds, Count
from .survival import evd, exactly, influence, pooled, smoothed

if TYPE_CHECKING:  # heavy: only where something is resampled
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

Ints: TypeAlias = "NDArray[np.int64]"
Floats: TypeAlias = "NDArray[np.float64]"


class Observation(NamedTuple):
    """One counted probe: its depth (1 …), the root it grew from, the probe it continues (None at
    depth 1)."""

    id: str
    depth: int
    root: str
    parent: str | None
    correct: bool


_Z = 1.959963984540054
_TAIL = 0.025
_BOUNDARY_RUNS = 100_000

NO_DEPTH = "no depth could be counted: nothing is known about the model here"
NONE_RIGHT = (
    "no answer was right at depth 1: the upper end is the exact limit for the accuracy there"
)
ALL_RIGHT = "every answer was right: the upper end is the deepest depth allowed"
ONE_ROOT = "one sub-topic only: the interval covers that sub-topic and does not generalise to the domain"


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

    counts = counts_of(observations)
    depths, several = len(counts), len({o.root for o in observations}) > 1
    if depths > max_depth:
        raise ValueError(f"{depths} depths were observed, but the run allows {max_depth}")
    value = float(evd(counts))
    rng = generator(f"{seed}:evd")
    boundary = _boundary(counts, value, max_depth, rng)
    if boundary is not None:
        interval, note = boundary
        return EvdEstimate(
            value,
            interval,
            note=note if several or not counts else f"{note}; {ONE_ROOT}",
        )
    limit = float(threshold)
    last = depths if censored else max_depth
    sd_proto = sd_of_protocol(expected_accuracies(counts, last), n, limit, runs, rng)
    sd_tree = float(
        stopped_sum(resampled_accuracy(observations, depths, runs, rng), limit).std()
    )
    weights = influence(counts)
    v_g = sum(
        w * w * a * (1 - a) / m
        for w, a, (_, m) in zip(weights, smoothed(counts), counts, strict=True)
    )
    v_cr = clustered_variance(observations, counts, weights) if several else None
    se = max(sd_proto * sqrt(max(1.0, (v_cr or 0.0) / v_g)), sd_tree)
    stretch = exp(_Z * se / value)
    interval = value / stretch, min(float(max_depth), value * stretch)
    return EvdEstimate(
        value,
        interval,
        se,
        sd_proto,
        sd_tree,
        v_cr,
        v_g,
        None if several else ONE_ROOT,
    )


def sd_of_protocol(
    chances: Sequence[float],
    n: int,
    threshold: float,
    runs: int,
    rng: "Generator",
) -> float:
    """Standard deviation of EVD over simulated runs with c_d ~ Bin(N, A(d)) and the stop rule, down
    to the last depth that has a chance. A short depth is simulated with N probes too; that it had
    fewer shows in V_CR and in the resampled tree (with half of N everywhere coverage is still .94).
    """
    accuracy: Floats = rng.binomial(n, chances, size=(runs, len(chances))) / n
    return float(stopped_sum(accuracy, threshold).std())


def generator(seed: int | str) -> "Generator":
    """The generator of this name."""
    import numpy as np

    return np.random.default_rng(int.from_bytes(hashlib.sha256(f"{seed}".encode()).digest()))


def expected_accuracies(counts: Sequence[Count], last: int) -> list[float]:
    """Ã(1) … down to depth `last`; beyond the depths asked stands that of the last three."""
    return smoothed(counts) + smoothed([pooled(counts)]) * (last - len(counts))


def _boundary(
    counts: Sequence[Count], value: float, max_depth: int, rng: "Generator"
) -> tuple[Bounds, str] | None:
    """Interval and note where EVD has no scatter of its own: nothing counted, nothing right,
    everything right."""
    if not counts:
        return (0.0, float(max_depth)), NO_DEPTH
    if value == 0:
        # 97.5% quantile of Beta(1, n): P(X ≤ x) = 1 − (1 − x)^n
        return (0.0, 1 - _TAIL ** (1 / counts[0][1])), NONE_RIGHT
    if all(c == n for c, n in counts):
        import numpy as np

        # −ln of a Beta(n, 1) variable is exponential with mean 1/n; a tenth at a time takes a tenth
        # of the memory
        sizes = [n for _, n in counts]
        parts = (
            rng.standard_exponential((_BOUNDARY_RUNS // 10, len(sizes))) / sizes
            for _ in range(10)
        )
        lower = float(np.quantile([_sums(-part.cumsum(axis=1)) for part in parts], _TAIL))
        return (lower, float(max_depth)), ALL_RIGHT
    return None


def _sums(logs: Floats) -> Floats:
    """Σ exp of each row: to the last digit where it may decide the lower end, which is all that is
    read of them."""
    import numpy as np

    sums: Floats = np.exp(logs).sum(axis=1)
    low = sums <= np.quantile(sums, 2 * _TAIL)
    sums[low] = exactly(exp, logs[low]).sum(axis=1)
    return sums


# the tree of probes, resampled: how far EVD would move with other sub-topics and other follow-ups


def counts_of(observations: Sequence[Observation]) -> list[Count]:
    """(correct, scored) per depth 1 … D. Raises ValueError when a depth between has no
    observation."""
    answers: dict[int, list[bool]] = defaultdict(list)
    for o in observations:
        answers[o.depth].append(o.correct)
    if sorted(answers) != list(range(1, len(answers) + 1)):
        raise ValueError(
            f"observed depths must run from 1 without a gap, got {sorted(answers)}"
        )
    return [(sum(answers[d]), len(answers[d])) for d in sorted(answers)]


def stopped_sum(accuracy: Floats, threshold: float) -> Floats:
    """EVD of simulated runs: `accuracy` is [runs, depths]; each run ends at its first S <
    threshold, that included."""
    import numpy as np

    return sum_to_stop(np.cumprod(accuracy, axis=1), threshold)


def sum_to_stop(survival: "NDArray[np.floating[Any]]", threshold: float) -> Floats:
    """The same of survival, [runs, depths]."""
    import numpy as np

    # a tie does not stop; the margin keeps float products from misreading one
    going = survival >= threshold * (1 - 1e-12)
    counted = np.ones_like(going)
    counted[:, 1:] = np.logical_and.accumulate(going, axis=1)[:, :-1]
    total: Floats = np.where(counted, survival, 0.0).sum(axis=1)
    return total


def resampled_accuracy(
    observations: Sequence[Observation],
    depths: int,
    runs: int,
    rng: "np.random.Generator",
) -> Floats:
    """A(d) of `runs` resampled trees, [runs, depths]: roots drawn with replacement, then children
    recursively.

    Instead of copying subtrees it counts how often each probe is drawn: m copies of a parent with k
    children draw m·k times among them. A depth that no drawn path reaches has A = 0. A probe whose
    parent is unknown hangs on its root.
    """
    import numpy as np

    names = dict.fromkeys(o.root for o in observations)
    roots = {root: i for i, root in enumerate(names)}
    root_draws = rng.multinomial(len(roots), np.full(len(roots), 1 / len(roots)), size=runs)
    accuracy = np.zeros((runs, depths))
    above: dict[str, int] = {}
    draws: Ints = np.zeros((runs, 0), dtype=np.int64)
    for depth in range(1, depths + 1):
        level = [o for o in observations if o.depth == depth]
        sources = np.concatenate([root_draws, draws], axis=1)
        columns = [
            len(roots) + above[o.parent] if o.parent in above else roots[o.root] for o in level
        ]
        draws = _draw_children(sources, columns, rng)
        right = np.array([o.correct for o in level], dtype=np.float64)
        accuracy[:, depth - 1] = (draws @ right) / np.maximum(draws.sum(axis=1), 1)
        above = {o.id: i for i, o in enumerate(level)}
    return accuracy


def _draw_children(sources: Ints, columns: Sequence[int], rng: "np.random.Generator") -> Ints:
    """How often each child is drawn, [runs, children], given how often its parent (a column of
    `sources`) was."""
    import numpy as np

    families: dict[int, list[int]] = defaultdict(list)
    for child, column in enumerate(columns):
        families[column].append(child)
    draws = np.zeros((sources.shape[0], len(columns)), dtype=np.int64)
    by_size: dict[int, list[int]] = defaultdict(list)
    for column, children in families.items():
        by_size[len(children)].append(column)
    for size, parents in by_size.items():
        places = np.array([families[p] for p in parents])
        times = sources[:, parents]
        if size == 1:
            draws[:, places[:, 0]] = times
        else:
            draws[:, places] = rng.multinomial(times * size, np.full(size, 1 / size))
    return draws


def root_parts(
    observations: Sequence[Observation],
    counts: Sequence[Count],
    weights: Sequence[float],
    accuracy: Sequence[float],
) -> dict[str, float]:
    """Root → Σ_{q in root} g_d·(y_q − A_d)/n_d, by how much it has moved EVD."""
    parts: dict[str, float] = defaultdict(float)
    for o in observations:
        place = o.depth - 1
        parts[o.root] += weights[place] * (o.correct - accuracy[place]) / counts[place][1]
    return parts


def clustered_variance(
    observations: Sequence[Observation],
    counts: Sequence[Count],
    weights: Sequence[float],
) -> float:
    """V_CR = K/(K−1)·Σ_roots[Σ_{q in root} g_d·(y_q − A_d)/n_d]² over the K ≥ 2 roots."""
    shares = [correct / n for correct, n in counts]
    parts = root_parts(observations, counts, weights, shares).values()
    return len(parts) / (len(parts) - 1) * sum(part * part for part in parts)
