"""A DepthQA result as tables."""

from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from ..state.depthqa_build import DepthQABuildResult
from ..state.depthqa_result import DepthQAResult


def depthqa_summary(result: DepthQAResult, *, width: int, kept: Path | None = None) -> RenderableType:
    """The result as `fathom show` prints it. `kept`: the run's folder."""
    return Text(result.run_id)


def build_summary(result: DepthQABuildResult, *, width: int, kept: Path | None = None) -> RenderableType:
    """What came of building a graph."""
    return Text(result.run_id)
