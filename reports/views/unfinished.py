"""What there is so far of a run of whatever method without a result."""

from collections.abc import Iterator
from pathlib import Path

from ..page import figures
from ..page.blocks import Block, Line, Text, bulleted
from ..page.endings import ended_words
from ..page.remarks import SIMULATED
from ..page.view import kept_at
from ..progress import RunProgress


def unfinished(
    run: RunProgress, *, kept: Path | None = None, running: bool = False
) -> Iterator[Block]:
    """What there is so far of a run without a result: an honest fragment, never called a result.
    `running`: whether a process works on it."""
    lines: list[str | Line] = []
    if run.scene is not None:
        scene, steps = run.scene, run.reading
        roles = [steps.target(scene.spec.target), *steps.roles(scene), *steps.size(scene)]
        lines.append(Line(" · ".join(roles), lead=f"{scene.spec.domain} · ", lead_style="bold"))
    if run.simulated:
        lines.append(Line(SIMULATED, "badge"))
    lines.append(Line(_state(run, running), "bold"))
    if run.scene is not None:
        figures_so_far = [figure.said.replace(" so far", "") for figure in steps.figures(run)]
        closed = f"{len(run.closed):,} of {figures.count(run.parts, steps.part)} closed"
        parts = [closed if steps.closes else "", *figures_so_far]
        lines.append(f"So far: {figures.joined(parts)}.")
    yield Text(lines)
    yield from bulleted(
        "Notices", [f"{notice.level}: {notice.message}" for notice in run.notices]
    )
    cost = "cost unknown" if run.spend.usd is None else figures.money(run.spend.usd)
    spent = [figures.count(run.spend.calls, "call"), f"{run.spend.tokens:,} tokens", cost]
    yield Text([Line(figures.joined(spent), "dim"), *kept_at(kept)])


def _state(run: RunProgress, running: bool) -> str:
    if running:
        return "RUNNING: no result yet."
    if run.finished is None:
        return f"INTERRUPTED: resume with `fathom resume {figures.short_id(run.run_id)}`."
    spec, steps = (run.scene.spec, run.reading) if run.scene else (None, None)
    end = ended_words(spec, steps, run.finished.status, run.finished.stop_reason)
    return f"NO RESULT: {end}."
