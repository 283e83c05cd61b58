"""How a run ended, in words."""

from collections.abc import Mapping

from ...state.spec import Spec
from ..views.steps import Steps
from . import figures


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
