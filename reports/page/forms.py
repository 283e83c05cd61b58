"""How figures are written, by the names that blocks use."""

from collections.abc import Callable, Mapping
from typing import Any

from . import figures
from .figures import NONE
from .sanitise import model_name, one_line

FORMS: Mapping[str, Callable[[Any], str]] = {
    "text": one_line,
    "model": model_name,
    "count": lambda value: f"{value:,}",
    "sum": lambda value: f"{sum(value.values()):,}",
    "of": lambda value: f"{value[0]:,} of {value[1]:,}",
    "part": lambda value: (
        f"{value[0]:,} of {value[1]:,}"
        + (f" ({figures.percent(value[0] / value[1])})" if value[0] and value[1] else "")
    ),
    "number": figures.number,
    "tenths": lambda value: figures.number(value, 1),
    "percent": figures.percent,
    "percent_fine": figures.percent_fine,
    "whole": figures.whole,
    "whole_fine": lambda value: f"{value * 100:.1f}",
    "score": figures.score,
    "gap": figures.gap,
    "points_named": lambda value: f"{figures.points(value)} points",
    "index": lambda value: figures.points(value / 100),
    "difference": figures.difference,
    "p": figures.p_value,
    "money": figures.money,
    "depths": figures.span,
}
ENDS: Mapping[str, Callable[[Any], str]] = {
    **dict.fromkeys(("percent", "percent_fine", "whole_fine", "part"), figures.whole),
    "points_named": figures.points,
}
"""How the ends of an interval are written, where that is not how its figure is."""
CI = "95% interval "
TEXTS = ("text", "model")
"""Flush left; all others are flush right and never folded."""


def written(value: Any, form: str) -> str:
    """The value as the form writes it; a dash where there is no figure, nothing where there is no
    text."""
    if value is None:
        return figures.UNKNOWN if form == "money" else "" if form in TEXTS else NONE
    return value if isinstance(value, str) and form not in TEXTS else FORMS[form](value)


def span_written(interval: Any, form: str) -> str:
    """The interval of a figure of that form; a text says what stands in place of one."""
    if isinstance(interval, str):
        return one_line(interval)
    return figures.ends(interval, ENDS.get(form) or FORMS[form])


def with_interval(value: Any, interval: Any, form: str, ci: str = "") -> str:
    """`71% (68–74)`; a figure alone without an interval. `ci`: what stands before the interval."""
    figure = written(value, form)
    if value is None or interval is None:
        return figure
    return f"{figure} ({ci}{span_written(interval, form)})"
