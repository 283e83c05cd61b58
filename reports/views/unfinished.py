"""What there is so far of a run of whatever method without a result."""

from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from ..page import figures
from ..page.endings import ended_words
from ..page.remarks import SIMULATED
from ..page.rows import STYLES, Rows
from ..page.sanitise import one_line
from ..page.tables import kept_in, listed
from ..progress import RunProgress
from ..step import SIGNS
from .drill.fragment import closed_depths
from .methods import STEPS
from .steps import Steps, legend_words

OPEN_SHOWN = 12
"""Parts that were begun and are shown; more of them are counted."""


def unfinished(run: RunProgress, *, width: int, kept: Path | None = None, running: bool = False) -> RenderableType:
    """What there is so far of a run without a result: an honest fragment, never called a result. `running`: whether a
    process works on it."""
    parts: list[RenderableType] = []
    steps = STEPS[run.method] if run.scene is not None else None
    if run.scene is not None and steps is not None:
        told = [steps.target(run.scene.spec.target), *steps.roles(run.scene), *steps.size(run.scene)]
        parts.append(Text.assemble((one_line(run.scene.spec.domain), "bold"), " · ", " · ".join(told)))
    if run.simulated:
        parts.append(Text(SIMULATED, STYLES["badge"]))
    parts.append(Text(_state(run, running), "bold"))
    parts += _so_far(run, steps, width) if steps is not None else []
    parts += listed("Notices", [f"{notice.level}: {notice.message}" for notice in run.notices])
    cost = "cost unknown" if run.spend.usd is None else figures.money(run.spend.usd)
    told = [figures.count(run.spend.calls, "call"), f"{run.spend.tokens:,} tokens", cost]
    parts += ["", Text(figures.joined(told), "dim"), *kept_in(kept)]
    return Group(*parts)


def _state(run: RunProgress, running: bool) -> str:
    if running:
        return "RUNNING: no result yet."
    if run.finished is None:
        return f"INTERRUPTED: resume with `fathom resume {one_line(figures.short_id(run.run_id))}`."
    spec = run.scene.spec if run.scene else None
    return f"NO RESULT: {ended_words(spec, run.finished.status, one_line(run.finished.stop_reason))}."


def _so_far(run: RunProgress, steps: Steps, width: int) -> list[RenderableType]:
    """The figures so far, and the parts that are not closed."""
    told = [each.said.replace(" so far", "") for each in steps.figures(run) if each.said]
    if steps.closes and steps.unit == "step":
        told.insert(0, f"{len(run.closed):,} of {figures.count(run.parts, steps.part)} closed")
    parts: list[RenderableType] = []
    if told:
        parts.append(Text(f"So far: {figures.joined(told)}."))
    if steps.part == "depth":
        return [*parts, *closed_depths(run, width)]
    rows, begun = steps.block(run, width, 100), _open(run, steps)
    parts += ["", Rows(rows)] if rows else []
    return [*parts, *begun, *([Text(legend_words(steps), "dim")] if rows or begun else [])]


def _open(run: RunProgress, steps: Steps) -> list[RenderableType]:
    begun = [part for part in run.open.values() if steps.closes and part.index not in run.closed]
    if run.scene is None or not begun:
        return []
    lines: list[RenderableType] = ["", Text("Not closed", "bold")]
    for part in begun[:OPEN_SHOWN]:
        name, about, _ = steps.named(run.scene, part.index)
        marks = [f"{SIGNS[mark][0]} {part.marks[mark]}" for mark in steps.legend if part.marks[mark]]
        told = figures.joined([figures.count(len(part.steps), "step"), " ".join(marks)], ", ")
        lines.append(Text(f"{one_line(f'{name} {about}')}: {told}"))
    more = len(begun) - OPEN_SHOWN
    lines += [Text(f"and {more:,} more that were begun")] if more > 0 else []
    waiting = run.parts - len(run.closed | run.open.keys())
    return [*lines, *([Text(f"Of {figures.count(waiting, steps.part)} nothing is finished.")] if waiting > 0 else [])]
