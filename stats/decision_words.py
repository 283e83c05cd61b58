"""How a decision is put into words: sizes, prices, conditions."""

from collections.abc import Sequence

from ..state.decision import ConditionState


def size_written(measure: str, difference: float | None) -> str:
    """`1.2 steps`, `6 answers in 100`, `0.4 on the scale of 5`."""
    amount = abs(difference or 0.0)
    if measure == "EVD":
        return f"{amount:.1f} steps" if amount >= 0.1 else f"{amount:.2f} steps"
    if measure == "score":
        return f"{amount:.2f} on the scale of 5"
    return f"{amount * 100:.3g} answers in 100" if amount < 1.5 else f"{amount:.3g}"


def quoted(state: ConditionState) -> str:
    """`“hallucination_rate <= 10%” (measured: 21%)`."""
    if state.value is None:
        return f"“{state.condition}”"
    return f"“{state.condition}” (measured: {figure(state.value, state.unit)})"


def figure(value: float, unit: str) -> str:
    """A figure as a sentence has it: `21%`, `1.42`."""
    return f"{value * 100:.0f}%" if unit == "share" else f"{value:.2f}"


def usd_written(value: float) -> str:
    """An amount, exact enough to compare small ones by."""
    if not value:
        return "no cost"
    return f"USD {value:.2f}" if value >= 0.1 else f"USD {value:.4f}"


def total_cost(value: float | None) -> str:
    """What all of it comes to, as the end of a sentence."""
    if value is None:
        return "at a cost that is not known"
    return f"about {usd_written(value)} in all" if value else "at no cost"


def listed(names: Sequence[str]) -> str:
    """`A, B and C`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
