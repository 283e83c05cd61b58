"""What several drills of one domain and target found together (METHODS: Repeats), and how two
targets compare."""

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
    sd_within: float | None = None
    """Spread that the drills imply by themselves: the root of the mean square of their own standard
    errors."""
    mean_ci: Interval | None
    """95% interval of the expected EVD, mean ± t·s/√R, s the greater of both; None with fewer than
    three repeats."""
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


class RepeatsComparison(Record):
    """Two targets in one domain, by Welch's t test over their repeats."""

    domain: str
    one: str
    other: str
    difference: float | None
    """Mean EVD of `one` minus that of `other`, in depths."""
    interval: Interval | None
    """95% interval of the difference, for this pair alone."""
    p: float | None
    """Two-sided; None where the test cannot be made, and `note` says why."""
    p_adjusted: float | None
    """Holm's adjustment over the pairs tested in this domain; equal to `p` when there is one pair.
    """
    repeats_needed: int | None
    """Repeats of each target that would show a difference of this size in four cases of five (power
    .80, level .05, this pair alone); None when there is no difference, no spread, or no test."""
    note: str | None

    @property
    def separated(self) -> bool:
        """Whether the adjusted p is below .05."""
        return self.p_adjusted is not None and self.p_adjusted < 0.05
