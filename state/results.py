"""Every kind of result a run can have."""

from collections.abc import Mapping
from typing import get_args

from .ask.result import AskResult
from .deepquestion.result import DeepQuestionResult
from .depthqa.build import DepthQABuildResult
from .depthqa.result import DepthQAResult
from .eqt.result import EqtResult
from .question_graph import Material
from .replay import RejudgeResult, ReplayResult
from .result import DrillResult

Result = (
    DrillResult
    | ReplayResult
    | RejudgeResult
    | EqtResult
    | DepthQAResult
    | DepthQABuildResult
    | DeepQuestionResult
    | AskResult
)
RESULTS: Mapping[str, type[Result]] = {
    kind.model_fields["method"].default: kind for kind in get_args(Result)
}
"""By the `method` of a result."""


def with_material(result: Result, material: Material | None) -> Result:
    """The result; of a DepthQA run one that knows what was asked."""
    asked = material.graph if material is not None else None
    return result.about(asked) if isinstance(result, DepthQAResult) else result
