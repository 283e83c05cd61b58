"""Every kind of result a run can have."""

from .result import DrillResult

Result = DrillResult
