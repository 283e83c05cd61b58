"""How a decision is put into words: sizes, prices, conditions."""

from collections.abc import Sequence

from ..state.decision import ConditionState, Policy


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


def _written(policy: Policy) -> str:
    """`margin 0.5 and accuracy[common] >= 80%`; `no rule`."""
    margin = [] if policy.margin is None else [f"margin {policy.margin:g}"]
    prefer = [] if policy.prefer == Policy().prefer else [f"of equals the {policy.prefer} one"]
    parts = [*margin, *(condition.text for condition in policy.must), *prefer]
    return listed(parts) if parts else "no rule"


def rule_change(policy: Policy, before: Sequence[Policy]) -> str:
    """How it differs from those that stood when the runs were begun, in one sentence; empty where
    it does not. That people have checked the judge can only come later, and is no change."""
    earlier = next((earlier for earlier in before if _rule(earlier) != _rule(policy)), policy)
    if earlier is policy:
        return ""
    if _rule(earlier) == _rule(Policy()):
        return "The rule was stated after the runs."
    old_rule, new_rule = _written(earlier), _written(policy)
    return f"The rule was changed after the runs: {old_rule} then, {new_rule} now."


def _rule(policy: Policy) -> object:
    conditions = {"".join(condition.text.split()) for condition in policy.must}
    return policy.margin, conditions, policy.prefer
