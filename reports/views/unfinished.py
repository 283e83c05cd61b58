"""What there is so far of a run of whatever method without a result."""

from collections.abc import Iterator
from pathlib import Path

from ..page import figures
from ..page.blocks import Block, Line, Text, bulleted
from ..page.endings import ended_words
from ..page.remarks import SIMULATED
from ..page.view import kept_at
from ..progress import RunProgress
from ..step import RunContext
from .steps import Steps


def unfinished(
    run: RunProgress, *, width: int, kept: Path | None = None, running: bool = False
) -> Iterator[Block]:
    """What there is so far of a run without a result: an honest fragment, never called a result.
    `running`: whether a process works on it."""
    lines: list[Line] = []
    if run.scene is not None:
        steps = run.reading
        told = [
            steps.target(run.scene.spec.target),
            *steps.roles(run.scene),
            *steps.size(run.scene),
        ]
        lines.append(Line(" · ".join(told), lead=f"{run.scene.spec.domain} · ", lead_style="bold"))
    if run.simulated:
        lines.append(Line(SIMULATED, "badge"))
    if run.scene is None:
        yield Text([*lines, Line(_state(run, running), "bold")])
    else:
        so_far = _so_far(run, steps)
        lines.append(Line(_state(run, running), "bold"))
        yield Text([*lines, *([so_far] if so_far else [])])
        yield from _parts(run, run.scene, width)
    yield from bulleted("Notices", [f"{notice.level}: {notice.message}" for notice in run.notices])
    cost = "cost unknown" if run.spend.usd is None else figures.money(run.spend.usd)
    spent = [figures.count(run.spend.calls, "call"), f"{run.spend.tokens:,} tokens", cost]
    yield Text([Line(figures.joined(spent), "dim"), *kept_at(kept)])


def _state(run: RunProgress, running: bool) -> str:
    if running:
        return "RUNNING: no result yet."
    if run.finished is None:
        return f"INTERRUPTED: resume with `fathom resume {figures.short_id(run.run_id)}`."
    spec, steps = (run.scene.spec, run.reading) if run.scene else (None, None)
    ended = ended_words(spec, steps, run.finished.status, run.finished.stop_reason)
    return f"NO RESULT: {ended}."


def _so_far(run: RunProgress, steps: Steps) -> str:
    told = [each.said.replace(" so far", "") for each in steps.figures(run) if each.said]
    if steps.closes and steps.unit == "step":
        told.insert(0, f"{len(run.closed):,} of {figures.count(run.parts, steps.part)} closed")
    return f"So far: {figures.joined(told)}." if told else ""


def _parts(run: RunProgress, scene: RunContext, width: int) -> Iterator[Block]:
    """The method's own table, and how many parts are not closed."""
    steps = run.reading
    rows = ["".join(text for text, _ in row) for row in steps.block(run, width, 100)]
    if rows:
        yield Text([Line(row, whole=True, ends=True) for row in rows])
    begun = len(run.open.keys() - run.closed) if steps.closes else 0
    waiting = run.parts - len(run.closed | run.open.keys())
    if begun:
        more = f", {waiting:,} not begun" if waiting > 0 else ""
        yield Text([f"{figures.count(begun, steps.part)} begun and not closed{more}."])
