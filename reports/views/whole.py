"""A result of whatever kind, as `fathom show` prints it."""

from pathlib import Path

from rich.console import RenderableType

from ...state.deepquestion.result import DeepQuestionResult
from ...state.depthqa.build import DepthQABuildResult
from ...state.depthqa.result import DepthQAResult
from ...state.eqt.result import EqtResult
from ...state.replay import ReplayResult
from ...state.result import DrillResult
from ...state.results import Result
from .deepquestion.summary import deepquestion_summary
from .depthqa.building.summary import build_summary
from .depthqa.summary import depthqa_summary
from .drill.summary import summary
from .eqt.summary import eqt_summary
from .replay.summary import rejudge_summary, replay_summary


def summary_of(result: Result, *, width: int, kept: Path | None = None) -> RenderableType:
    """A result of whatever kind, as `fathom show` prints it. `kept`: the run's folder."""
    if isinstance(result, DrillResult):
        return summary(result, width=width, kept=kept)
    if isinstance(result, EqtResult):
        return eqt_summary(result, width=width, kept=kept)
    if isinstance(result, ReplayResult):
        return replay_summary(result, width=width, kept=kept)
    if isinstance(result, DepthQAResult):
        return depthqa_summary(result, width=width, kept=kept)
    if isinstance(result, DepthQABuildResult):
        return build_summary(result, width=width, kept=kept)
    if isinstance(result, DeepQuestionResult):
        return deepquestion_summary(result, width=width, kept=kept)
    return rejudge_summary(result, width=width, kept=kept)
