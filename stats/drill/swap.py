"""Two models told apart by drills of the same domains: the root-swap permutation test (METHODS:
Numbers for the drill).

If two models knew equally much, whatever grew from a sub-topic could as well have grown in the
other model's drill. So the trees of each sub-topic are swapped or not, at random, and EVD is
computed anew on both sides: the p-value is the share of swaps that bring a difference at least as
large as the one that was seen. No distribution is assumed, and a sub-topic that is hard for both
counts against neither.
"""

import hashlib
from collections.abc import Sequence
from itertools import zip_longest
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from .survival import influence
from .tree import Floats, Observation, counts_of, root_parts, stopped_sum

if TYPE_CHECKING:
    import numpy as np

SWAPS = 10_000
Drilled: TypeAlias = Sequence[Observation]
"""What counts of one drill."""
Both: TypeAlias = tuple[Drilled, Drilled]
"""Two models' drills of one domain, with the same roots where they can be had."""


class Swapped(NamedTuple):
    """What the test says of a difference in EVD, in depths."""

    difference: float
    """Mean over the domains of the mean difference, first minus second."""
    p: float
    """Two-sided chance of a difference at least as large if the models were alike."""


def swap_test(
    domains: Sequence[Sequence[Both]], threshold: float, seed: str, swaps: int = SWAPS
) -> Swapped:
    """The root-swap test of two models.

    `domains`: one sequence per domain, with one pair of drills per repeat. Roots are matched by
    name, those that only one model has in the order in which they appear. The same arguments give
    the same p, which is never below 1/(swaps + 1). Raises ValueError without a pair.
    """
    import numpy as np

    if not domains or not all(domains):
        raise ValueError("a comparison needs a pair of drills in each domain")
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(f"{seed}:swap".encode()).digest()))
    return swapped(
        [[_tables(one, other) for one, other in pairs] for pairs in domains], threshold, rng, swaps
    )


def swapped(
    domains: Sequence[Sequence[Floats]],
    threshold: float,
    rng: "np.random.Generator",
    swaps: int = SWAPS,
) -> Swapped:
    """The same of tables [model, correct or scored, root, depth] of counts, one per pair of
    drills."""
    import numpy as np

    drawn, seen = np.zeros(swaps), 0.0
    for tables_of_pairs in domains:
        weight = 1 / len(domains) / len(tables_of_pairs)
        for tables in tables_of_pairs:
            moved = (rng.random((swaps, tables.shape[2])) < 0.5).astype(float)
            drawn += weight * _difference(tables, moved, threshold)
            seen += weight * float(_difference(tables, np.zeros_like(moved[:1]), threshold)[0])
    p = (1 + int(np.count_nonzero(np.abs(drawn) >= abs(seen) - 1e-9))) / (swaps + 1)
    return Swapped(seen, p)


def correlation(one: Drilled, other: Drilled) -> float:
    """How far the sub-topics that both drills have moved the two EVDs the same way, 0 … 1: what is
    hard for both takes nothing from the difference. 0 without a sub-topic in common, and where they
    moved them opposite ways."""
    mine, theirs = (
        root_parts(own, counts, influence(counts))
        for own in (one, other)
        if (counts := counts_of(own))
    )
    both = sum(part * theirs[root] for root, part in mine.items() if root in theirs)
    length = sqrt(sum(part**2 for part in mine.values()) * sum(part**2 for part in theirs.values()))
    return max(0.0, both / length) if length else 0.0


def _tables(one: Drilled, other: Drilled) -> Floats:
    """[model, correct or scored, root, depth]: how many probes each root has."""
    import numpy as np

    mine, theirs = ({o.root: None for o in drilled} for drilled in (one, other))
    shared = [root for root in mine if root in theirs]
    alone = zip_longest((r for r in mine if r not in theirs), (r for r in theirs if r not in mine))
    rows = [(root, root) for root in shared] + list(alone)
    depths = max((o.depth for o in (*one, *other)), default=1)
    tables = np.zeros((2, 2, max(1, len(rows)), depths))
    for side, drilled in enumerate((one, other)):
        place = {pair[side]: row for row, pair in enumerate(rows)}
        for o in drilled:
            tables[side, :, place[o.root], o.depth - 1] += (o.correct, 1)
    return tables


def _difference(tables: Floats, moved: Floats, threshold: float) -> Floats:
    """First minus second EVD for each row of `moved`, [swaps, roots]: 1 where the trees of a root
    change sides."""
    mine, theirs = tables
    kept, both = mine.sum(axis=1), (mine + theirs).sum(axis=1)
    first = [kept[part] + moved @ (theirs[part] - mine[part]) for part in (0, 1)]
    second = [both[part] - first[part] for part in (0, 1)]
    return _evd(first, threshold) - _evd(second, threshold)


def _evd(counts: Sequence[Floats], threshold: float) -> Floats:
    """EVD of drills with so many correct and scored probes per depth, [drills, depths]; nothing
    scored is nothing known."""
    import numpy as np

    correct, scored = counts
    return stopped_sum(correct / np.maximum(scored, 1), threshold)
