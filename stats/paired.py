"""Two models on the very same questions: the paired difference with an interval, and McNemar's
test."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import inf, sqrt
from typing import NamedTuple

from ..state.records import Verdict
from ..state.replay import PairedRow, Tally
from .accuracy import Bounds, wilson
from .consistency import clustered_interval, t_quantile

_STEPS = 60
"""Halvings of the search for an end of the interval: far below what a float can tell apart."""


class Pair(NamedTuple):
    """One question with a verdict on either side. Questions of one root are not independent of each
    other."""

    root: str
    before: bool
    after: bool


class McNemar(NamedTuple):
    """Both p-values are two-sided; 1 where no question tells the models apart."""

    exact: float
    mid: float


def mcnemar(only_before: int, only_after: int) -> McNemar:
    """McNemar's test on the questions that only one of two models has right.

    Exact: twice the smaller tail of Bin(b+c, ½), at most 1. Mid-p: the same with half of the
    observed point left out, which holds the level better (Fagerland, Lydersen and Laake, BMC Med
    Res Methodol 2013, 13:91).
    """
    from scipy.special import bdtr

    n, least = only_before + only_after, min(only_before, only_after)
    tail = float(bdtr(least, n, 0.5))
    below = float(bdtr(least - 1, n, 0.5)) if least else 0.0
    return McNemar(min(1.0, 2 * tail), tail + below)


def clustered(pairs: Sequence[Pair]) -> Bounds | None:
    """95% interval of the paired difference that allows for questions of one root; None with fewer
    than two roots.

    With d = after − before per question, D its mean and K roots, V = K/(K−1)·Σ_roots[Σ_{q in
    root}(d_q − D)]²/n² is the cluster-robust variance of D and V₀ = (b + c − (b − c)²/n)/n² the one
    of independent questions. The interval is Tango's at the effective size: b, c and n divided by
    deff = max(1, V/V₀), with Student's t at K − 1 degrees of freedom in place of z, because V
    itself rests on K roots only.
    """
    by_root: dict[str, int] = defaultdict(int)
    sizes: dict[str, int] = defaultdict(int)
    for pair in pairs:
        by_root[pair.root] += pair.after - pair.before
        sizes[pair.root] += 1
    n, roots = len(pairs), len(sizes)
    if roots < 2:
        return None
    gained = sum(p.after and not p.before for p in pairs)
    lost = sum(p.before and not p.after for p in pairs)
    mean = (gained - lost) / n
    plain = gained + lost - n * mean**2
    robust = roots / (roots - 1) * sum((by_root[r] - sizes[r] * mean) ** 2 for r in sizes)
    deff = max(1.0, robust / plain) if plain > 0 else 1.0
    return tango(lost / deff, gained / deff, n / deff, critical=t_quantile(roots - 1))


def tango(
    only_before: float, only_after: float, n: float, critical: float = 1.959963984540054
) -> Bounds:
    """Score interval of a difference of paired shares, `after` minus `before` (Tango, Stat Med
    1998, 17:891-908).

    The ends are the differences δ at which |c − b − nδ| = critical·√(n(2q + δ(1 − δ))), q being the
    likeliest share of "only before" if δ were true. Counts may be effective, fractional ones. It is
    not empty where b + c = 0.
    """
    observed = (only_after - only_before) / n

    def score(delta: float) -> float:
        linear = (2 * n - only_after + only_before) * delta - only_before - only_after
        constant = -only_before * delta * (1 - delta)
        q = (sqrt(max(0.0, linear**2 - 8 * n * constant)) - linear) / (4 * n)
        variance = n * (2 * q + delta * (1 - delta))
        distance = only_after - only_before - n * delta
        if variance > 0:
            return distance / sqrt(variance)
        return inf if distance > 0 else -inf if distance < 0 else 0.0

    lower = _crossing(score, -1.0, observed, critical)
    upper = _crossing(score, observed, 1.0, -critical)
    return lower, upper


def _crossing(
    falling: Callable[[float], float], left: float, right: float, level: float
) -> float:
    """Where a falling function passes the level between two points; the outer point when it never
    does."""
    for _ in range(_STEPS):
        middle = (left + right) / 2
        if falling(middle) > level:
            left = middle
        else:
            right = middle
    return (left + right) / 2


def paired_row(pairs: Sequence[Pair]) -> PairedRow:
    """All figures of a paired comparison: `before` is the source, `after` the target. Raises
    ValueError without any pair."""
    if not pairs:
        raise ValueError(
            "a paired comparison needs at least one question with a verdict on either side"
        )
    counts, n = Counter((pair.before, pair.after) for pair in pairs), len(pairs)
    both, lost, gained = counts[True, True], counts[True, False], counts[False, True]
    test = mcnemar(lost, gained)
    return PairedRow(
        n=n,
        both=both,
        only_source=lost,
        only_target=gained,
        neither=counts[False, False],
        source_accuracy=(both + lost) / n,
        target_accuracy=(both + gained) / n,
        difference=(gained - lost) / n,
        difference_ci=clustered(pairs),
        mcnemar_p=test.exact,
        mcnemar_mid_p=test.mid,
    )


def tally(model: str, verdicts: Sequence[tuple[str, Verdict]]) -> Tally:
    """One model's accuracy over (root, verdict) with its intervals. Without any verdict the
    interval is 0 … 1."""
    counts = {
        verdict: sum(v == verdict for _, v in verdicts)
        for verdict in ("correct", "wrong", "abstained")
    }
    clusters: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for root, verdict in verdicts:
        clusters[root][0] += verdict == "correct"
        clusters[root][1] += 1
    return Tally(
        model=model,
        scored=len(verdicts),
        accuracy=counts["correct"] / len(verdicts) if verdicts else None,
        accuracy_ci=wilson(counts["correct"], len(verdicts)),
        accuracy_ci_clustered=clustered_interval([(c, n) for c, n in clusters.values()]),
        **counts,
    )
