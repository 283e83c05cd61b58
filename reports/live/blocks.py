"""Small parts that the live screens of all methods share."""

from collections.abc import Sequence

from rich.cells import cell_len

from ..page import figures
from ..page.rows import Row, fit
from ..page.sanitise import one_line
from .progress import RunProgress


def state_mark(run: RunProgress) -> tuple[str, str]:
    """The sign before a run in the overview, and its style."""
    if run.finished is None:
        return "▸", "survival"
    return ("✓", "correct") if run.finished.status == "complete" else ("!", "error")


def names(run: RunProgress) -> list[str]:
    """What the run is about and its target; its id until it has begun."""
    if run.subject is None:
        return [one_line(figures.short_id(run.run_id))]
    return [one_line(name) for name in run.subject]


def spent(run: RunProgress) -> str:
    """What the run has cost so far."""
    return "cost unknown" if run.spend.usd is None else figures.money(run.spend.usd)


def flow(parts: Sequence[str], width: int) -> list[Row]:
    """The parts on as few rows as hold them, none of them torn unless it is wider than a row."""
    lines: list[str] = []
    for part in parts:
        if lines and cell_len(lines[-1]) + 3 + cell_len(part) <= width:
            lines[-1] += f" · {part}"
        else:
            lines.append(part)
    return [fit([(line, "")], width) for line in lines]


def progress_bar(done: int, planned: int, room: int, most: int = 24) -> Row:
    """A bar of at most `room` and `most` cells; full when nothing is planned."""
    cells = max(0, min(most, room))
    full = min(cells, cells * done // planned) if planned else cells
    return [("█" * full, "accuracy"), ("░" * (cells - full), "quiet")]


def notice_rows(run: RunProgress, left: int, width: int) -> list[Row]:
    """The newest notices, on a row each, as many as suit a block that has `left` rows for everything below its head."""
    if left <= 4:
        return []
    newest = list(run.notices)[-(1 if left < 16 else 3) :]
    return [fit([(_level(n.level), n.level), (one_line(n.message), n.level)], width) for n in newest]


def _level(level: str) -> str:
    return "" if level == "info" else f"{level}: "
