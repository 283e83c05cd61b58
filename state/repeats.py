"""What several drills of one domain and target found together (METHODS: Repeats)."""

from .records import Record, Tier
from .result import Interval, RoleUsage


class RepeatDepth(Record):
    """One depth over all repeats that count. Shares in 0 … 1."""

    depth: int
    """Depth, counted from 1."""
    tier: Tier
    reached: int
    """Repeats that closed this depth."""
    accuracy: float
    """Mean of A(d) over the repeats that reached it."""
    survival: float
    """Mean of S(d) over all repeats that count; one that had stopped before adds 0, as it does to
    EVD. So this column adds up to the mean EVD."""


class RepeatsResult(Record):
    """The repeats of one domain and target. EVDs, their mean and its interval are in depths, 0 …
    max_depth."""

    domain: str
    target: str
    simulated: bool
    """True when any part is the simulated world: the numbers measure no real model."""
    n: int
    """Scored probes planned per depth."""
    max_depth: int
    """Deepest depth that may be asked."""
    planned: int
    """Repeats asked for."""
    seeds: tuple[int, ...]
    run_ids: tuple[str, ...]
    evds: tuple[float, ...]
    """One per repeat that counts, in the order of the repeats; `seeds` and `run_ids` go with it."""
    censored: int
    """Repeats among them whose EVD is only a lower limit; with any, the mean is one too."""
    mean: float | None
    """None when no repeat counts."""
    sd: float | None
    """Standard deviation between repeats (divisor R − 1); None with fewer than two."""
    mean_ci: Interval | None
    """95% interval of the expected EVD: of one drill its own; of more by the moderated t, never
    narrower than the drills imply by themselves; None when no repeat counts."""
    shared_evidence: float | None
    """Mean over all pairs of repeats of |A ∩ B| / min(|A|, |B|), with A and B the passages (by
    digest) behind the probes that count; None without a pair."""
    shared_roots: float | None
    """The same share for the opening aspects behind the probes that count."""
    depths: tuple[RepeatDepth, ...]
    usage: dict[str, RoleUsage]
    """Of all runs given, those left out included: what was spent was spent."""
    cost_usd: float | None
    """None when any price is unknown."""
    notes: tuple[str, ...]
    """Which runs were left out and why, and what the numbers do not say."""
