"""The drill's tree of probes, resampled: how far EVD would move with other sub-topics and other
follow-up questions."""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ..accuracy import Count

if TYPE_CHECKING:  # heavy: only where something is resampled
    import numpy as np
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


def counts_of(observations: Sequence[Observation]) -> list[Count]:
    """(correct, scored) per depth 1 … D. Raises ValueError when a depth between has no
    observation."""
    held: dict[int, list[bool]] = defaultdict(list)
    for o in observations:
        held[o.depth].append(o.correct)
    if sorted(held) != list(range(1, len(held) + 1)):
        raise ValueError(f"observed depths must run from 1 without a gap, got {sorted(held)}")
    return [(sum(held[d]), len(held[d])) for d in sorted(held)]


def stopped_sum(accuracy: Floats, threshold: float) -> Floats:
    """EVD of simulated runs: `accuracy` is [runs, depths]; each run ends at its first S <
    threshold, that included."""
    import numpy as np

    survival = np.cumprod(accuracy, axis=1)
    # a tie does not stop; the margin keeps float products from misreading one
    going = survival >= threshold * (1 - 1e-12)
    counted = np.ones_like(going)
    counted[:, 1:] = np.logical_and.accumulate(going, axis=1)[:, :-1]
    total: Floats = np.where(counted, survival, 0.0).sum(axis=1)
    return total


def resampled_accuracy(
    observations: Sequence[Observation], depths: int, runs: int, rng: "np.random.Generator"
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
    observations: Sequence[Observation], counts: Sequence[Count], weights: Sequence[float]
) -> float:
    """V_CR = K/(K−1)·Σ_roots[Σ_{q in root} g_d·(y_q − A_d)/n_d]² over the K ≥ 2 roots."""
    shares = [correct / n for correct, n in counts]
    parts = root_parts(observations, counts, weights, shares).values()
    return len(parts) / (len(parts) - 1) * sum(part * part for part in parts)
