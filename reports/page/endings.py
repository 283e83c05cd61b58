"""How a run ended, in words."""

from collections.abc import Mapping

from ...state.spec import Spec
from ..step import RunContext
from ..views.steps import Steps
from . import figures


def closed_words(spec: Spec, steps: Steps, closed: int) -> str:
    """`(12 of 280 concepts closed)`, or `in 2 closed depths`; empty where nothing closes on the
    way."""
    if not steps.closes:
        return ""
    if steps.unit == "probe":
        return f"in {figures.count(closed, f'closed {steps.part}')}"
    parts = steps.parts(RunContext(spec))
    of_all = figures.count(parts or closed, steps.part)
    return f"({f'{closed} of ' if parts else ''}{of_all} closed)"


def ended_words(spec: Spec | None, steps: Steps | None, status: str, reason: str) -> str:
    """How a run ended, as `complete: the evidence ran out`. `steps`: of its method; `reason`:
    harmless to a terminal."""
    if spec is None or steps is None:
        return figures.ended(status, reason, None)
    meaning: Mapping[str, str] = steps.ending(spec)
    if reason in meaning:
        return f"{status}: {meaning[reason]}"
    return figures.ended(status, reason, getattr(spec, "threshold", None), steps.unit)


def ended_sentence(spec: Spec, steps: Steps, status: str, reason: str, detail: str) -> str:
    """The same with the detail that is not in it yet, and without a full stop. All must be harmless
    to a terminal."""
    ending = ended_words(spec, steps, status, reason)
    detail = detail.rstrip(".")
    head, _, rest = detail.partition("; ")
    detail = rest if head and ending.endswith(head) else detail
    return ending + (f" ({detail})" if detail and detail not in ending else "")
