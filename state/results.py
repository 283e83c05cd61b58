"""Every kind of result a run can have."""

from .deepquestion.result import DeepQuestionResult
from .depthqa.build import DepthQABuildResult
from .depthqa.result import DepthQAResult
from .eqt.result import EqtResult
from .replay import RejudgeResult, ReplayResult
from .result import DrillResult

Result = (
    DrillResult | ReplayResult | RejudgeResult | EqtResult | DepthQAResult | DepthQABuildResult | DeepQuestionResult
)
