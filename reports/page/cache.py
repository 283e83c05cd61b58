"""What the cache holds, as tables."""

from collections.abc import Sequence
from datetime import datetime

from rich.console import Group
from rich.text import Text

from ...tools.cache.upkeep import CacheInfo, Lookups, Removed, Replies
from . import figures
from .sanitise import model_name, one_line
from .tables import Column, table_of

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def size(size_bytes: int) -> str:
    """A size as `512 bytes`, `24 kB`, `1.3 GB`; a kB is 1000 bytes."""
    value, unit = float(size_bytes), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {_UNITS[unit]}" if unit and value < 9.95 else f"{value:.0f} {_UNITS[unit]}"


def _day(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d")


def _cost(row: Replies) -> str:
    if row.cost_usd is None or not row.unpriced:
        return figures.money(row.cost_usd)
    return f"{figures.money(row.cost_usd)} + {row.unpriced:,} {figures.UNKNOWN}"


REPLY_COLUMNS: tuple[Column[Replies], ...] = (
    Column("model", lambda r: model_name(r.model), text=True),
    Column("at", lambda r: one_line(r.place), text=True, since=70),
    Column("replies", lambda r: f"{r.replies:,}"),
    Column("tokens in", lambda r: f"{r.input_tokens:,}", since=90),
    Column("out", lambda r: f"{r.output_tokens:,}", since=90),
    Column("worth", _cost),
    Column("oldest", lambda r: _day(r.oldest), since=100, text=True, fixed=True),
    Column("newest", lambda r: _day(r.newest), text=True, fixed=True),
)
LOOKUP_COLUMNS: tuple[Column[Lookups], ...] = (
    Column("source", lambda r: one_line(r.source), text=True),
    Column("at", lambda r: "" if r.place == r.source else one_line(r.place), text=True, since=70),
    Column("look-ups", lambda r: f"{r.lookups:,}"),
    Column("empty", lambda r: f"{r.empty:,}"),
    Column("oldest", lambda r: _day(r.oldest), since=100, text=True, fixed=True),
    Column("newest", lambda r: _day(r.newest), text=True, fixed=True),
)


def cache_tables(info: CacheInfo, *, width: int) -> Group:
    """Where the cache is, how large, and what it holds by model and by source."""
    head = Text.assemble(("Cache ", "bold"), one_line(str(info.path)))
    if not info.exists:
        return Group(head, Text("There is nothing yet: the first run makes it."))
    parts: list[object] = [head, Text(_totals(info.replies, info.lookups, info.size_bytes))]
    if info.replies:
        parts += [Text(), table_of(REPLY_COLUMNS, info.replies, width=width, title="Replies")]
    if info.lookups:
        parts += [Text(), table_of(LOOKUP_COLUMNS, info.lookups, width=width, title="Look-ups")]
    return Group(*parts)  # type: ignore[arg-type]  # texts and tables are renderables all


def removed_words(removed: Removed) -> str:
    """What was taken out, in one sentence."""
    return (
        f"Removed {figures.count(removed.replies, 'reply', 'replies')} and"
        f" {figures.count(removed.lookups, 'look-up')}; the cache is now {size(removed.size_bytes)}."
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
