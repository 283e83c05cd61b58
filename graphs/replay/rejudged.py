"""Another judge over an old run: how far two judges agree, and what the drill comes to under the
other one.

The drill went on from the answers its own judge accepted, so another judge's view of it is
off-policy: what grew from an answer that the other judge rejects would not have been asked, and
what would have grown from an answer that only the other judge accepts was never asked. The EVD that
is left is conditional on the questions that were asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...stats.accuracy import Count
from ..drill.evd import EvdEstimate, Observation, evd_interval
from ..drill.survival import below


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
    removed: list[str] = []
    judged: dict[str, Observation] = {}
    for probe in sorted(probes, key=lambda probe: probe.depth):
        if probe.parent is not None and not (
            probe.parent in judged and judged[probe.parent].correct
        ):
            removed.append(probe.id)
        elif probe.id in verdicts:
            judged[probe.id] = probe._replace(correct=verdicts[probe.id])
    counts: list[Count] = []
    stopped = False
    while not stopped:
        level = [probe.correct for probe in judged.values() if probe.depth == len(counts) + 1]
        if not level:
            break
        counts.append((sum(level), len(level)))
        stopped = below(counts, threshold)
    counted = [probe for probe in judged.values() if probe.depth <= len(counts)]
    estimate = evd_interval(counted, n, threshold, max_depth, censored=not stopped, seed=seed)
    return ConditionalEvd(tuple(counts), tuple(removed), stopped, estimate)
