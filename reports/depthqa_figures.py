"""DepthQA's numbers as the screen writes them: scores of 1 … 5, discrepancies of 0 … 1, differences, Min-K%."""

from collections.abc import Iterable
from math import isclose

from ..state.depthqa import HIGH, Mode
from ..state.depthqa_spec import GIVEN
from ..state.result import Interval
from . import figures
from .sanitise import one_line

NONE = "–"
"""Stands where there is no number."""


def mean(value: float | None) -> str:
    """A mean score as `4.29`."""
    return NONE if value is None else f"{value:.2f}"


def mean_span(interval: Interval | None) -> str:
    """Its interval as `4.10–4.48`."""
    return NONE if interval is None else f"{interval[0]:.2f}–{interval[1]:.2f}"


def gap(value: float | None) -> str:
    """A discrepancy as `.083`, a negative gap as `−.120`."""
    return NONE if value is None else _thousandths(value)


def gap_span(interval: Interval | None) -> str:
    """Its interval as `.050–.110`; with a negative end as `−.120 to .030`."""
    if interval is None:
        return NONE
    low, high = (_thousandths(end) for end in interval)
    return f"{low} to {high}" if min(interval) < 0 else f"{low}–{high}"


def gap_span_short(interval: Interval | None) -> str:
    """Its interval as `.05–.11`, for a narrow screen."""
    return NONE if interval is None else figures.score_span(interval)


def _thousandths(value: float) -> str:
    rounded = round(value, 3) + 0.0  # no minus before a zero
    return f"{rounded:.3f}".replace("0.", ".", 1).replace("-", "−")


def share(value: float | None) -> str:
    """A share in per cent without the sign, with one decimal where it is no whole number: `35`, `12.5`."""
    if value is None:
        return NONE
    percent = value * 100
    return f"{percent:.0f}" if isclose(percent, round(percent), abs_tol=1e-9) else f"{percent:.1f}"


def share_span(interval: Interval | None) -> str:
    """Its interval as `31–52`."""
    return NONE if interval is None else figures.percent_span(interval)


def difference(value: float | None) -> str:
    """A difference of mean scores as `+0.31` or `−0.05`."""
    return NONE if value is None else f"{round(value, 2) + 0.0:+.2f}".replace("-", "−")


def difference_span(interval: Interval | None) -> str:
    """Its interval as `+0.08 to +0.54`."""
    return NONE if interval is None else f"{difference(interval[0])} to {difference(interval[1])}"


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
    return f"answers given as {one_line(target.removeprefix(GIVEN))}" if target.startswith(GIVEN) else one_line(target)


def mode_words(modes: Iterable[Mode]) -> str:
    """`zero-shot, multi-turn`."""
    return ", ".join(modes)
