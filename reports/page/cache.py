"""What the cache holds, as tables."""

from collections.abc import Iterator, Sequence
from typing import Any

from ...tools.cache.upkeep import CacheInfo, Lookups, Removed, Replies
from . import figures
from .blocks import Block, Column, Line, Table, Text

NOTHING = "There is nothing yet: the first run makes it."
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def size(size_bytes: int) -> str:
    """A size as `512 bytes`, `24 kB`, `1.3 GB`; a kB is 1000 bytes."""
    value, unit = float(size_bytes), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit and value < 9.95 else f"{value:.0f} {_UNITS[unit]}"


REPLY_COLUMNS = (
    Column("model", "row.model", "model", fold=True),
    Column("at", "row.place", fold=True, since=70),
    Column("replies", "row.replies", "count"),
    Column("tokens in", "row.input_tokens", "count", since=90),
    Column("out", "row.output_tokens", "count", since=90),
    Column("worth", "worth", "number"),
    Column("oldest", "oldest", since=100),
    Column("newest", "newest"),
)
LOOKUP_COLUMNS = (
    Column("source", "row.source", fold=True),
    Column("at", "at", fold=True, since=70),
    Column("look-ups", "row.lookups", "count"),
    Column("empty", "row.empty", "count"),
    Column("oldest", "oldest", since=100),
    Column("newest", "newest"),
)


def _cost(row: Replies) -> str:
    if row.cost_usd is None or not row.unpriced:
        return figures.money(row.cost_usd)
    return f"{figures.money(row.cost_usd)} + {row.unpriced:,} {figures.UNKNOWN}"


def _row(row: Replies | Lookups, **more: str) -> dict[str, Any]:
    days = {name: getattr(row, name).strftime("%Y-%m-%d") for name in ("oldest", "newest")}
    return {"row": row, **days, **more}


def cache_blocks(info: CacheInfo) -> Iterator[Block]:
    """Where the cache is, how large, and what it holds by model and by source."""
    told = _totals(info.replies, info.lookups, info.size_bytes) if info.exists else NOTHING
    yield Text([Line(str(info.path), lead="Cache ", lead_style="bold"), told])
    if info.exists and info.replies:
        yield Table("Replies", REPLY_COLUMNS, [_row(row, worth=_cost(row)) for row in info.replies])
    if info.exists and info.lookups:
        rows = [_row(row, at="" if row.place == row.source else row.place) for row in info.lookups]
        yield Table("Look-ups", LOOKUP_COLUMNS, rows)


def removed_words(removed: Removed) -> str:
    """What was taken out, in one sentence."""
    return (
        f"Removed {figures.count(removed.replies, 'reply', 'replies')} and"
        f" {figures.count(removed.lookups, 'look-up')}; the cache is now "
        f"{size(removed.size_bytes)}."
    )


def _totals(replies: Sequence[Replies], lookups: Sequence[Lookups], size_bytes: int) -> str:
    calls = sum(row.replies for row in replies)
    tokens = sum(row.input_tokens + row.output_tokens for row in replies)
    known = [row.cost_usd for row in replies if row.cost_usd is not None]
    unpriced = sum(row.unpriced for row in replies)
    parts = [
        size(size_bytes),
        figures.count(calls, "reply", "replies"),
        figures.count(sum(row.lookups for row in lookups), "look-up"),
        f"{tokens:,} tokens" if calls else "",
        f"worth {figures.money(sum(known))}" if known else "",
        f"{figures.count(unpriced, 'reply', 'replies')} of unknown price" if unpriced else "",
    ]
    return figures.joined(parts)
