"""How a run ended, in words."""

from ...state.spec import Spec
from ..views.steps import Steps
from . import figures


def ended_words(spec: Spec | None, steps: Steps | None, status: str, reason: str) -> str:
    """How a run ended, as `complete: the evidence ran out`. `steps`: of its method; `reason`:
    harmless to a terminal."""
    meaning = steps.ending(spec) if steps is not None and spec is not None else {}
    if reason in meaning:
        return f"{status}: {meaning[reason]}"
    if status == "partial":
        return "stopped by budget"
    if reason == status:
        return status
    unit = steps.unit if steps is not None else "probe"
    threshold = getattr(spec, "threshold", None)
    return f"{status}: {figures.stop_words(reason, threshold, unit)}"
