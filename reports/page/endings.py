"""What a run of each method consists of, and how it ended, in words."""

from ...state.depthqa.spec import DepthQABuildSpec, DepthQASpec
from ...state.spec import DeepQuestionSpec, DrillSpec, EqtSpec, Spec
from ..views.eqt.progress import UNIT
from . import figures

_ASKED = {"no_questions": "no answer could be scored"}
_GIVEN = {**_ASKED, "all_asked": "every answer was judged"}
_DEEP = {
    "all_asked": "every problem was asked",
    "no_questions": "nothing could be scored",
    "not_converged": "no draft of a transformation prompt was good enough",
}
_BUILT = {"no_questions": "no question could be taken apart", "all_asked": "every question was taken apart"}


def unit_of(spec: Spec | None) -> str:
    """`step`, or `probe` of a drill and of what is not known."""
    return UNIT if isinstance(spec, EqtSpec | DepthQASpec | DepthQABuildSpec | DeepQuestionSpec) else "probe"


def ended_words(spec: Spec | None, status: str, reason: str) -> str:
    """How a run ended, as `complete: the evidence ran out`. `reason`: harmless to a terminal."""
    own: dict[str, str] = {}
    if isinstance(spec, DepthQASpec):
        own = _GIVEN if spec.given else _ASKED
    elif isinstance(spec, DepthQABuildSpec):
        own = _BUILT
    elif isinstance(spec, DeepQuestionSpec):
        own = _DEEP
    if isinstance(spec, DepthQABuildSpec) and reason == "no_questions" and status == "complete":
        status = "no graph"
    if reason in own:
        return f"{status}: {own[reason]}"
    return figures.ended(status, reason, spec.threshold if isinstance(spec, DrillSpec) else None, unit_of(spec))


def ended_sentence(spec: Spec, status: str, reason: str, detail: str) -> str:
    """The same with the detail that is not in it yet, and without a full stop. All must be harmless to a terminal."""
    ended = ended_words(spec, status, reason)
    said = detail.rstrip(".")
    head, _, rest = said.partition("; ")
    said = rest if head and ended.endswith(head) else said
    return ended + (f" ({said})" if said and said not in ended else "")
