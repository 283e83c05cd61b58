"""How far those agree who label the same things (METHODS: Judges among themselves)."""

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction

Label = Hashable


def kappa(pairs: Sequence[tuple[Label, Label]]) -> float | None:
    """Cohen's κ = (pₒ − pₑ)/(1 − pₑ) of the labels that two judges gave to the same answers.

    None where it is undefined: nothing judged, or both judges gave one and the same label
    throughout (pₑ = 1).
    """
    if not pairs:
        return None
    observed = Fraction(sum(first == second for first, second in pairs), len(pairs))
    firsts, seconds = (Counter(side) for side in zip(*pairs, strict=True))
    expected = Fraction(sum(n * seconds[label] for label, n in firsts.items()), len(pairs) ** 2)
    return None if expected == 1 else float((observed - expected) / (1 - expected))


def alpha(units: Sequence[Sequence[Label]]) -> float | None:
    """Krippendorff's α of nominal labels, 1 − Dₒ/Dₑ: `units` hold the labels that each thing was
    given, however many. Things with fewer than two labels count nowhere; None where one label is
    all there is."""
    totals = Counter[Label]()
    agreeing = Fraction(0)
    for labels in units:
        if len(labels) > 1:
            counts = Counter(labels)
            totals += counts
            pairs = sum(count * (count - 1) for count in counts.values())
            agreeing += Fraction(pairs, len(labels) - 1)
    n = sum(totals.values())
    expected = n * n - sum(count * count for count in totals.values())
    if not expected:
        return None
    return float(1 - (n - agreeing) * (n - 1) / expected)
