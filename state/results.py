"""Every kind of result a run can have."""

from .eqt_result import EqtResult
from .replay import RejudgeResult, ReplayResult
from .result import DrillResult

Result = DrillResult | ReplayResult | RejudgeResult | EqtResult
