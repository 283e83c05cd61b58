"""A run as plain lines: one per finished step and per milestone, for pipes, logs and screen
readers."""

from ...state.events import (
    DepthClosed,
    DepthPlanned,
    Event,
    ItemFinished,
    Notice,
    Opened,
    PartClosed,
    ProbeJudged,
    RunFinished,
    RunResumed,
    RunStarted,
)
from ...state.result import cuts_short
from ..page import figures
from ..page.endings import ended_words
from ..page.rows import Row
from ..page.sanitise import one_line
from ..progress import RunProgress, closing
from .screen import step_row

OPENED_WITH = {
    "topics": "topic",
    "contents": "listed title",
    "free": "aspect",
}


def line_of(event: Event, run: RunProgress) -> Row | None:
    """The event as one line, or None where it is no milestone. `run`: as it is with the event."""
    body = _body(event, run)
    if body is None:
        return None
    time = event.at.strftime("%H:%M:%S") if event.at else "--:--:--"
    return [(f"{time} {one_line(figures.short_id(event.run_id))} ", "quiet"), *body]


def _body(event: Event, run: RunProgress) -> Row | None:
    match event:
        case RunStarted() | RunResumed():
            return _begin_row(event, run)
        case Opened():
            roots = figures.count(len(set(event.roots)), "root")
            names = figures.count(len(event.aspects), OPENED_WITH[event.population])
            more = f", {len(event.lost_roots)} more without evidence" if event.lost_roots else ""
            return [(f"opened: {roots} drawn from {names}{more}", "")]
        case DepthPlanned() | DepthClosed() if run.scene:
            return [(run.reading.event(event, run.scene), "title")]
        case ProbeJudged(carried=False, added=None, probe=item) | ItemFinished(item=item):
            view = run.reading.step(item, run.scene) if run.scene else None
            return step_row(view) if view and view.seen == "everywhere" else None
        case PartClosed() if run.scene:
            return step_row(closing(run.reading, event, run.scene))
        case Notice():
            return [(f"{event.level}: {one_line(event.message)}", event.level)]
        case RunFinished():
            return [(_finished(event, run), "title")]
        case _:
            return None


def _begin_row(event: RunStarted | RunResumed, run: RunProgress) -> Row:
    steps, scene = run.reading, run.scene
    assert scene is not None  # the event has begun it
    parts = [one_line(event.spec.domain), steps.target(event.spec.target)]
    if isinstance(event, RunResumed):
        finished = figures.count(event.probes, f"finished {steps.unit}")
        return [(figures.joined([*parts, f"resumed with {finished}"]), "title")]
    row: Row = [(figures.joined([*parts, *steps.roles(scene), *steps.size(scene)]), "title")]
    return [*row, (" · ", ""), ("SIMULATED", "badge")] if event.simulated else row


def _finished(event: RunFinished, run: RunProgress) -> str:
    evd = ""
    if event.evd is not None:
        evd = f"EVD {figures.evd(event.evd, censored=cuts_short(event.stop_reason))}"
        evd += f" (95% interval {figures.span(event.evd_ci)})" if event.evd_ci is not None else ""
    cost = "cost unknown" if event.cost_usd is None else figures.money(event.cost_usd)
    spec, steps = (run.scene.spec, run.reading) if run.scene else (None, None)
    ending = ended_words(spec, steps, event.status, one_line(event.stop_reason))
    return figures.joined([ending, evd, cost, figures.duration(event.wall_s)])
