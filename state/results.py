"""Every kind of result a run can have."""

from collections.abc import Mapping
from typing import get_args

from .deepquestion.result import DeepQuestionResult
from .depthqa.build import DepthQABuildResult
from .depthqa.result import DepthQAResult
from .eqt.result import EqtResult
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
)
RESULTS: Mapping[str, type[Result]] = {
    kind.model_fields["method"].default: kind for kind in get_args(Result)
}
"""By the `method` of a result."""
