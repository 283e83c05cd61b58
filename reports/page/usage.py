"""What a run's calls used and cost."""

from collections.abc import Mapping, Sequence

from ...state.result import RoleUsage
from . import figures
from .blocks import Block, Column, Table

USAGE_COLUMNS = (
    Column("role", "role"),
    Column("calls", "usage.calls", "count"),
    Column("cached", "usage.cached", "count"),
    Column("failed", "usage.failed", "count"),
    Column("attempts", "usage.attempts", "count"),
    Column("tokens in", "usage.input_tokens", "count"),
    Column("tokens out", "usage.output_tokens", "count"),
    Column("cost", "usage.cost_usd", "money"),
)
_SUMMED = ("calls", "cached", "failed", "attempts", "input_tokens", "output_tokens")


def usage_blocks(usage: Mapping[str, RoleUsage], total_usd: float | None) -> list[Block]:
    """Calls, tokens and cost per role, and of all roles together, with what the cache has served;
    nothing without a call. `total_usd`: None when any price is unknown."""
    if not usage:
        return []
    sums = {name: sum(getattr(row, name) for row in usage.values()) for name in _SUMMED}
    rows = [{"role": role, "usage": row} for role, row in usage.items()]
    rows.append({"role": "all", "usage": RoleUsage(**sums, cost_usd=total_usd)})
    served = cache_words(list(usage.values()))
    return [Table("Calls and cost", USAGE_COLUMNS, rows, said=[served] if served else [])]


def cache_words(usage: Sequence[RoleUsage]) -> str:
    """`46 of 46 calls served from the cache: 12,000 tokens, USD 0.03 not paid again`; empty without
    any. It says so when their price is unknown."""
    cached, calls = sum(u.cached for u in usage), sum(u.calls for u in usage)
    tokens = sum(u.cached_input_tokens + u.cached_output_tokens for u in usage)
    saved = (
        None if any(u.saved_usd is None for u in usage) else sum(u.saved_usd or 0.0 for u in usage)
    )
    words = f"{cached:,} of {figures.count(calls, 'call')} served from the cache: {tokens:,} tokens"
    if saved is None:
        return f"{words} not paid again, their price is unknown" if cached else ""
    return f"{words}, {figures.money(saved)} not paid again" if cached else ""
