"""What a run of each method consists of, and how it ended, in words."""

from collections.abc import Callable, Mapping
from typing import Any

from ...state.spec import Spec
from ..views.eqt.progress import UNIT
from . import figures

_ASKED = {"no_questions": "no answer could be scored"}
_OWN: Mapping[str, Mapping[str, str]] = {
    "depthqa": _ASKED,
    "depthqa given": {**_ASKED, "all_asked": "every answer was judged"},
    "depthqa_build": {
        "no_questions": "no question could be taken apart",
        "all_asked": "every question was taken apart",
    },
    "deepquestion": {
        "all_asked": "every problem was asked",
        "no_questions": "nothing could be scored",
        "not_converged": "no draft of a transformation prompt was good enough",
    },
}
"""Method → reason to stop → what it means there, where that is not what it means of a drill."""


def unit_of(spec: Spec | None) -> str:
    """`step`, or `probe` of a drill and of what is not known."""
    return "probe" if spec is None or spec.method in ("drill", "replay") else UNIT


_PARTS: Mapping[str, tuple[str, Callable[[Any], int]]] = {
    "eqt": ("concept", lambda spec: len(spec.concepts)),
    "deepquestion": ("problem", lambda spec: spec.problems),
}
"""Method → what a run consists of, and how many of them there are."""


def closed_words(spec: Spec, closed: int) -> str:
    """`(12 of 280 concepts closed)`, or `in 2 closed depths`; empty where nothing closes on the way."""
    if spec.method in _PARTS:
        part, count = _PARTS[spec.method]
        return f"({closed} of {figures.count(count(spec), part)} closed)"
    if spec.method == "depthqa":
        return f"({figures.count(closed, 'tree')} closed)"
    return "" if spec.method == "depthqa_build" else f"in {figures.count(closed, 'closed depth')}"


def ended_words(spec: Spec | None, status: str, reason: str) -> str:
    """How a run ended, as `complete: the evidence ran out`. `reason`: harmless to a terminal."""
    method = "" if spec is None else spec.method
    given = method == "depthqa" and getattr(spec, "given", False)
    if method == "depthqa_build" and reason == "no_questions" and status == "complete":
        status = "no graph"
    own = _OWN.get("depthqa given" if given else method, {})
    if reason in own:
        return f"{status}: {own[reason]}"
    return figures.ended(status, reason, getattr(spec, "threshold", None), unit_of(spec))


def ended_sentence(spec: Spec, status: str, reason: str, detail: str) -> str:
    """The same with the detail that is not in it yet, and without a full stop. All must be harmless to a terminal."""
    ended = ended_words(spec, status, reason)
    said = detail.rstrip(".")
    head, _, rest = said.partition("; ")
    said = rest if head and ended.endswith(head) else said
    return ended + (f" ({said})" if said and said not in ended else "")
