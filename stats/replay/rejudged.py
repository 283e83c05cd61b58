"""Another judge over an old run: how far two judges agree, and what the drill comes to under the
other one.

The drill went on from the answers its own judge accepted, so another judge's view of it is
off-policy: what grew from an answer that the other judge rejects would not have been asked, and
what would have grown from an answer that only the other judge accepts was never asked. The EVD that
is left is conditional on the questions that were asked.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..accuracy import Count
from ..drill.survival import EvdEstimate, below, evd_interval
from ..drill.tree import Observation


def kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Cohen's κ = (pₒ − pₑ)/(1 − pₑ) of the labels that two judges gave to the same answers.

    None where it is undefined: nothing judged, or both judges gave one and the same label
    throughout (pₑ = 1).
    """
    if not pairs:
        return None
    observed = Fraction(sum(one == other for one, other in pairs), len(pairs))
    ones, others = (Counter(side) for side in zip(*pairs, strict=True))
    expected = Fraction(sum(n * others[label] for label, n in ones.items()), len(pairs) ** 2)
    return None if expected == 1 else float((observed - expected) / (1 - expected))


@dataclass(frozen=True)
class ConditionalEvd:
    """What a drill comes to when only what the other judge lets stand is counted, under the drill's
    own stop rule."""

    counts: tuple[Count, ...]
    """(correct, judged) per depth 1 … D, down to the stop or the last depth with anything left."""
    removed: tuple[str, ...]
    """Probes that grew from an answer the other judge does not accept."""
    stopped: bool
    """Whether survival fell below the threshold; otherwise the EVD is a lower limit."""
    estimate: EvdEstimate


def conditional_evd(
    probes: Sequence[Observation],
    verdicts: Mapping[str, bool],
    *,
    n: int,
    threshold: Fraction,
    max_depth: int,
    seed: int | str,
) -> ConditionalEvd:
    """The conditional EVD of a drill under another judge (METHODS: another judge over an old run).

    `probes`: the counted probes, of any order, `correct` by the drill's own judge (not used here);
    `verdicts`: probe → right under the other judge. A probe without a verdict counts nowhere and,
    like one that is rejected, has no descendants: a drill continues verdicts only.
    """
    standing: dict[str, bool] = {}
    removed: list[str] = []
    kept: list[Observation] = []
    for probe in sorted(probes, key=lambda p: p.depth):
        if probe.parent is not None and not standing.get(probe.parent, False):
            removed.append(probe.id)
        elif probe.id in verdicts:
            standing[probe.id] = verdicts[probe.id]
            kept.append(probe._replace(correct=verdicts[probe.id]))
    counts: list[Count] = []
    stopped = False
    for depth in range(1, max((p.depth for p in kept), default=0) + 1):
        level = [p.correct for p in kept if p.depth == depth]
        if not level:
            break
        counts.append((sum(level), len(level)))
        stopped = below(counts, threshold)
        if stopped:
            break
    held = [p for p in kept if p.depth <= len(counts)]
    estimate = evd_interval(held, n, threshold, max_depth, censored=not stopped, seed=seed)
    return ConditionalEvd(tuple(counts), tuple(removed), stopped, estimate)
