"""Shares with honest intervals (Wilson), how many roots a depth really rests on, and what the calls
of a run used and cost, by role."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import NormalDist

from ..state.records import HEDGED, Call
from ..state.result import RoleUsage

Count = tuple[int, int]
"""(correct, scored) of one depth, tier or root; 0 ≤ correct ≤ scored."""

Bounds = tuple[float, float]
"""Lower and upper end of an interval."""


def bounds(
    total: float, n: int, lost: int, least: float = 0.0, most: float = 1.0
) -> Bounds | None:
    """The mean of n values, `total` in all, if those that the target itself lost had been the
    least, and the most; None where it lost none."""
    if not lost:
        return None
    return (total + lost * least) / (n + lost), (total + lost * most) / (n + lost)


def wilson(correct: float, n: float, level: float = 0.95) -> Bounds:
    """Score interval of a share (Wilson 1927), within 0 … 1; `n` may be an effective, fractional
    size.

    Nothing scored says nothing: n = 0 gives (0, 1). Raises ValueError unless 0 ≤ correct ≤ n and 0
    < level < 1.
    """
    if not 0 <= correct <= n:
        raise ValueError(f"a share needs 0 <= correct <= n, got {correct} of {n}")
    if not 0 < level < 1:
        raise ValueError(f"a confidence level lies between 0 and 1, got {level}")
    if n == 0:
        return 0.0, 1.0
    z2 = NormalDist().inv_cdf(0.5 + level / 2) ** 2
    share = correct / n
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # at the ends the formula gives exactly 0 or 1; floats would miss it by an ulp
    lower = 0.0 if correct == 0 else max(0.0, centre - half)
    upper = 1.0 if correct == n else min(1.0, centre + half)
    return lower, upper


def effective_roots(root_counts: Sequence[int]) -> float:
    """(Σw)²/Σw² over the probes per root (Kish): as many equally used roots as carry this depth; 0
    without probes."""
    squares = sum(w * w for w in root_counts)
    return sum(root_counts) ** 2 / squares if squares else 0.0


def usage_by_role(calls: Iterable[Call]) -> dict[str, RoleUsage]:
    """What each role spent: cached calls bring no tokens and no cost, they were paid for before;
    theirs stand apart.

    The cost is None as soon as one paid call has no known price. A failed call that used no tokens
    was not paid for.
    """
    by_role: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        by_role[call.role].append(call)
    usage: dict[str, RoleUsage] = {}
    for role, of_role in sorted(by_role.items()):
        cached = [call for call in of_role if call.cached]
        spent = [call for call in of_role if not call.cached]
        usage[role] = RoleUsage(
            calls=len(of_role),
            cached=len(cached),
            failed=sum(call.failure not in (None, HEDGED) for call in of_role),
            attempts=sum(call.attempts for call in of_role),
            input_tokens=sum(call.usage.input_tokens for call in spent),
            output_tokens=sum(call.usage.output_tokens for call in spent),
            cost_usd=_total(call.cost_usd for call in spent if not _free_failure(call)),
            cached_input_tokens=sum(call.usage.input_tokens for call in cached),
            cached_output_tokens=sum(call.usage.output_tokens for call in cached),
            saved_usd=_total(call.saved_usd for call in cached),
        )
    return usage


def _free_failure(call: Call) -> bool:
    tokens = call.usage.input_tokens + call.usage.output_tokens
    return call.failure is not None and tokens == 0 and call.cost_usd is None


def _total(costs: Iterable[float | None]) -> float | None:
    amounts = [*costs]
    return None if None in amounts else sum((cost or 0.0 for cost in amounts), 0.0)
