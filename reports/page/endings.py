"""What a run of each method consists of, and how it ended, in words."""

from ...state.spec import Spec
from ..step import Scene
from ..views.methods import STEPS
from . import figures


def unit_of(spec: Spec | None) -> str:
    """`step`, or `probe` of a drill and of what is not known."""
    return STEPS[spec.method].unit if spec is not None else "probe"


def closed_words(spec: Spec, closed: int) -> str:
    """`(12 of 280 concepts closed)`, or `in 2 closed depths`; empty where nothing closes on the
    way."""
    steps = STEPS[spec.method]
    if not steps.closes:
        return ""
    if steps.unit == "probe":
        return f"in {figures.count(closed, f'closed {steps.part}')}"
    parts = steps.parts(Scene(spec))
    told = (
        f"{closed} of {figures.count(parts, steps.part)}"
        if parts
        else figures.count(closed, steps.part)
    )
    return f"({told} closed)"


def ended_words(spec: Spec | None, status: str, reason: str) -> str:
    """How a run ended, as `complete: the evidence ran out`. `reason`: harmless to a terminal."""
    own = STEPS[spec.method].ending(spec) if spec is not None else {}
    if (
        spec is not None
        and spec.method == "depthqa_build"
        and reason == "no_questions"
        and status == "complete"
    ):
        status = "no graph"
    if reason in own:
        return f"{status}: {own[reason]}"
    return figures.ended(status, reason, getattr(spec, "threshold", None), unit_of(spec))


def ended_sentence(spec: Spec, status: str, reason: str, detail: str) -> str:
    """The same with the detail that is not in it yet, and without a full stop. All must be harmless
    to a terminal."""
    ended = ended_words(spec, status, reason)
    said = detail.rstrip(".")
    head, _, rest = said.partition("; ")
    said = rest if head and ended.endswith(head) else said
    return ended + (f" ({said})" if said and said not in ended else "")
