"""DepthQA's numbers as the screen writes them: scores of 1 … 5, discrepancies of 0 … 1, differences, Min-K%."""

from collections.abc import Iterable
from math import isclose

from ....state.depthqa.items import HIGH, Mode
from ....state.depthqa.spec import GIVEN
from ....state.result import Interval
from ...page import figures
from ...page.sanitise import model_name, one_line


def gap(value: float | None) -> str:
    """A discrepancy as `.083`, a negative gap as `−.120`."""
    return figures.number(value, 3, short=True)


def gap_span(interval: Interval | None) -> str:
    """Its interval as `.050–.110`; with a negative end as `−.120 to .030`."""
    return figures.ends(interval, gap)


def share(value: float | None) -> str:
    """A share in per cent without the sign, with one decimal where it is no whole number: `35`, `12.5`."""
    if value is None:
        return figures.NONE
    percent = value * 100
    return f"{percent:.0f}" if isclose(percent, round(percent), abs_tol=1e-9) else f"{percent:.1f}"


def plain_score(value: float) -> str:
    """A node's score: `4`, and with two decimals where it is a mean of several."""
    return f"{value:g}" if value == int(value) else f"{value:.2f}"


def sign_of(score: float | None) -> tuple[str, str]:
    """The sign before a score, and its style: ✓ from 4 on, ~ in between, ✗ below 3, ? without one."""
    if score is None:
        return "?", "unscored"
    if score >= HIGH:
        return "✓", "correct"
    return ("~", "abstained") if score >= 3 else ("✗", "wrong")


SIGNS = "✓ 4–5 ~ 3 ✗ 1–2 ? unscored"
"""What the signs before scores mean."""


def target_words(target: str) -> str:
    """The target, harmless; of given answers `answers given as NAME`."""
    return (
        f"answers given as {one_line(target.removeprefix(GIVEN))}" if target.startswith(GIVEN) else model_name(target)
    )


def mode_words(modes: Iterable[Mode]) -> str:
    """`zero-shot, multi-turn`."""
    return ", ".join(modes)
