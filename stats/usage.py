"""What the calls of a run used and cost, by role."""

from collections import defaultdict
from collections.abc import Iterable

from ..state.records import Call
from ..state.result import RoleUsage


def usage_by_role(calls: Iterable[Call]) -> dict[str, RoleUsage]:
    """What each role spent: cached calls bring no tokens and no cost, they were paid for before; theirs stand apart.

    The cost is None as soon as one paid call has no known price. A failed call that used no tokens was not paid for.
    """
    held: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        held[call.role].append(call)
    found: dict[str, RoleUsage] = {}
    for role, own in sorted(held.items()):
        spent = [call for call in own if not call.cached]
        found[role] = RoleUsage(
            calls=len(own),
            cached=len(own) - len(spent),
            failed=sum(call.failure is not None for call in own),
            attempts=sum(call.attempts for call in own),
            input_tokens=sum(call.usage.input_tokens for call in spent),
            output_tokens=sum(call.usage.output_tokens for call in spent),
            cost_usd=_total(call.cost_usd for call in spent if not _free_failure(call)),
            cached_input_tokens=sum(call.usage.input_tokens for call in own if call.cached),
            cached_output_tokens=sum(call.usage.output_tokens for call in own if call.cached),
            saved_usd=_total(call.saved_usd for call in own if call.cached),
        )
    return found


def _free_failure(call: Call) -> bool:
    tokens = call.usage.input_tokens + call.usage.output_tokens
    return call.failure is not None and tokens == 0 and call.cost_usd is None


def _total(costs: Iterable[float | None]) -> float | None:
    known: list[float] = []
    for cost in costs:
        if cost is None:
            return None
        known.append(cost)
    return sum(known, 0.0)
