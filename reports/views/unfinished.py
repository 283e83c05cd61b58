"""What there is so far of a run of whatever method without a result."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from ..live.progress import RunProgress
from ..page import figures
from ..page.endings import ended_words
from ..page.remarks import SIMULATED
from ..page.rows import STYLES
from ..page.sanitise import model_name, one_line
from ..page.tables import kept_in, listed
from .deepquestion import fragment as deepquestion_fragment
from .depthqa import fragment as depthqa_fragment
from .drill.fragment import closed_depths
from .eqt import fragment as eqt_fragment

_FRAGMENTS: Mapping[str, Any] = {
    "eqt": eqt_fragment,
    "depthqa": depthqa_fragment,
    "depthqa_build": depthqa_fragment,
    "deepquestion": deepquestion_fragment,
}
"""For each method that works in steps, the words for what there is of a run."""


def unfinished(run: RunProgress, *, width: int, kept: Path | None = None, running: bool = False) -> RenderableType:
    """What there is so far of a run without a result: an honest fragment, never called a result. `running`: whether a
    process works on it."""
    parts: list[RenderableType] = []
    if run.steps is not None:
        parts.append(_FRAGMENTS[run.method].fragment_heading(run.steps))
    elif run.spec is not None:
        names = [model_name(run.spec.target), f"evaluator {model_name(run.spec.evaluator)}", f"n {run.spec.n}"]
        parts.append(Text.assemble((one_line(run.spec.domain), "bold"), " · ", " · ".join(names)))
    if run.simulated:
        parts.append(Text(SIMULATED, STYLES["badge"]))
    parts.append(Text(_state(run, running), "bold"))
    parts += _so_far(run, width)
    parts += listed("Notices", [f"{notice.level}: {notice.message}" for notice in run.notices])
    cost = "cost unknown" if run.spend.usd is None else figures.money(run.spend.usd)
    tokens = f"{run.spend.input_tokens + run.spend.output_tokens:,} tokens"
    parts += ["", Text(figures.joined([figures.count(run.spend.calls, "call"), tokens, cost]), "dim"), *kept_in(kept)]
    return Group(*parts)


def _so_far(run: RunProgress, width: int) -> list[RenderableType]:
    if run.steps is None:
        return closed_depths(run, width)
    return [*_FRAGMENTS[run.method].fragment_parts(run.steps, width=width)]


def _state(run: RunProgress, running: bool) -> str:
    if running:
        state = "RUNNING: no result yet."
    elif run.finished is None:
        state = f"INTERRUPTED: resume with `fathom resume {one_line(figures.short_id(run.run_id))}`."
    else:
        spec = run.spec if run.steps is None else run.steps.spec
        state = f"NO RESULT: {ended_words(spec, run.finished.status, one_line(run.finished.stop_reason))}."
    if run.steps is not None:
        return f"{state}{_FRAGMENTS[run.method].fragment_state(run.steps)}"
    evd = "" if run.evd is None else f" EVD so far {run.evd:.2f}, over {figures.count(len(run.rows), 'closed depth')}."
    return state + evd
