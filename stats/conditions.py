"""What a model must keep to: conditions as they are written, and whether they are met."""

import re

from ..state.decision import Condition, ConditionState, State
from ..state.errors import UsageError
from ..state.rows import Estimate, Measure

_CONDITION = re.compile(
    r"\s*([a-z][a-z0-9_]*)\s*(?:\[([^\]]+)\])?\s*(<=|>=)\s*(\d*\.?\d+)\s*(%?)\s*"
)


def parse_condition(text: str) -> Condition:
    """A condition as it is written. Raises UsageError."""
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise UsageError(
            f"--must {text!r} is no condition: write MEASURE <= BOUND, or MEASURE[TIER] >= BOUND, "
            'such as "accuracy[professional] >= 80%".'
        )
    bound = float(found[4]) / (100 if found[5] else 1)
    return Condition(
        text=" ".join(text.split()),
        measure=found[1],
        tag=(found[2] or "").strip(),
        sense="<=" if found[3] == "<=" else ">=",
        bound=bound,
    )


def condition_state(
    condition: Condition, model: str, estimate: Estimate | None, measure: Measure | None = None
) -> ConditionState:
    """Whether a model keeps to it. What is missing is never a pass."""
    interval = estimate.interval if estimate is not None and estimate.value is not None else None
    state: State = "open"
    if interval is not None:
        low, high = interval if condition.sense == "<=" else (-interval[1], -interval[0])
        bound = condition.bound if condition.sense == "<=" else -condition.bound
        state = "met" if high <= bound else "failed" if low > bound else "open"
    against = "failed" if condition.sense == ">=" else "met"
    if estimate is not None and estimate.at_least and state == against:
        state = "open"  # a lower limit is not behind, nor known to stay below a bound
    return ConditionState(
        model=model,
        condition=condition.text,
        state=state,
        value=estimate.value if estimate is not None else None,
        interval=interval,
        n=estimate.n if estimate is not None else 0,
        unit=measure.unit if measure else "",
        says=f"{measure.name}: {measure.says}" if measure else "",
    )
