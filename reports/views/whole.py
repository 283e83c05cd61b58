"""A result of whatever kind, as `fathom show` prints it."""

from collections.abc import Callable, Mapping
from pathlib import Path

from rich.console import RenderableType

from ...state.results import Result
from .deepquestion.summary import deepquestion_summary
from .depthqa.building.summary import build_summary
from .depthqa.summary import depthqa_summary
from .drill.summary import summary
from .eqt.summary import eqt_summary
from .replay.summary import rejudge_summary, replay_summary

_SUMMARIES: Mapping[str, Callable[..., RenderableType]] = {
    "drill": summary,
    "eqt": eqt_summary,
    "replay": replay_summary,
    "rejudge": rejudge_summary,
    "depthqa": depthqa_summary,
    "depthqa_build": build_summary,
    "deepquestion": deepquestion_summary,
}


def summary_of(result: Result, *, width: int, kept: Path | None = None) -> RenderableType:
    """A result of whatever kind, as `fathom show` prints it. `kept`: the run's folder."""
    return _SUMMARIES[result.method](result, width=width, kept=kept)
