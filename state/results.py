"""Every kind of result a run can have."""

from .replay import RejudgeResult, ReplayResult
from .result import DrillResult

Result = DrillResult | ReplayResult | RejudgeResult
