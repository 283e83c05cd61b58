"""What a run's calls used and cost, as a table."""

from collections.abc import Mapping

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ...state.result import RoleUsage
from . import figures
from .remarks import Found, cache_words
from .sanitise import one_line
from .tables import Column, table_of

USAGE_COLUMNS: tuple[Column[tuple[str, RoleUsage]], ...] = (
    Column("role", lambda r: one_line(r[0]), text=True, fixed=True),
    Column("calls", lambda r: f"{r[1].calls:,}"),
    Column("cached", lambda r: f"{r[1].cached:,}", since=70),
    Column("failed", lambda r: f"{r[1].failed:,}", since=60),
    Column("attempts", lambda r: f"{r[1].attempts:,}", since=70),
    Column("tokens in", lambda r: f"{r[1].input_tokens:,}", since=52),
    Column("tokens out", lambda r: f"{r[1].output_tokens:,}"),
    Column("cost", lambda r: figures.money(r[1].cost_usd)),
)


def usage_table(usage: Mapping[str, RoleUsage], total_usd: float | None, *, width: int) -> Table:
    """Calls, tokens and cost per role, and of all roles together. `total_usd`: None when any price is unknown."""
    every = RoleUsage(
        calls=sum(row.calls for row in usage.values()),
        cached=sum(row.cached for row in usage.values()),
        failed=sum(row.failed for row in usage.values()),
        attempts=sum(row.attempts for row in usage.values()),
        input_tokens=sum(row.input_tokens for row in usage.values()),
        output_tokens=sum(row.output_tokens for row in usage.values()),
        cost_usd=total_usd,
    )
    return table_of(USAGE_COLUMNS, [*usage.items(), ("all", every)], width=width, title="Calls and cost")


def usage_part(result: Found, *, width: int) -> list[RenderableType]:
    """The same of a result, with what the cache has served; nothing without a call."""
    if not result.usage:
        return []
    served = cache_words(list(result.usage.values()))
    table = usage_table(result.usage, result.cost_usd, width=width)
    return ["", table, *([Text(served, "dim")] if served else [])]
