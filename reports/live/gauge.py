"""The screen's last row: the model calls under way, and what a launch says that was told to
stop."""

from dataclasses import dataclass

from ..page import figures
from ..page.rows import Row, fit

ECHO = 4
"""Cells left free at the end of the footer, where the cursor rests: a terminal that echoes `^C`
there, perhaps twice, must not break the line, or the frame could no longer be redrawn in its place.
"""


@dataclass(frozen=True, slots=True)
class Gauge:
    """The model calls of all endpoints of this launch at one moment."""

    in_flight: int
    peak: int
    queued: int
    capacity: int
    """0: no process is ready for calls."""
    stopping: int | None = None
    """Probes (or steps, or a campaign's cells) still in flight once the launch was told to stop;
    None before that."""
    refused: int = 0
    """429s so far."""
    budget_usd: float | None = None
    max_calls: int | None = None
    """What a campaign may spend in all sessions; None: no limit."""
    idle: str = "starting"
    """What is said where no process here is ready for calls."""


def footer_row(gauge: Gauge, width: int, *, unit: str, going: bool, more: str = "") -> Row:
    """Calls in flight of capacity, and `more`. Once the launch was told to stop that comes first,
    while something is `going`: whoever pressed Ctrl-C looks for it."""
    width = max(1, width - ECHO)
    queued = f", {gauge.queued} queued" if gauge.queued else ""
    calls = f"calls in flight {gauge.in_flight} of {gauge.capacity} (peak {gauge.peak}{queued})"
    row: Row = [(calls if gauge.capacity else gauge.idle, "quiet")]
    if gauge.stopping is not None and going:
        row = [(stopping_words(gauge.stopping, unit), "warning"), (" · ", "quiet"), *row]
    elif more and going:
        row.append((f" · {more}", "quiet"))
    return fit(row, width)


def stopping_words(number: int, unit: str = "probe") -> str:
    """What a launch says that was told to stop while so many probes, or other units, are in
    flight."""
    return f"stopping: {figures.count(number, unit)} in flight, Ctrl-C again to leave now"
