"""A run as plain lines: one per finished step and per milestone, for pipes, logs and screen
readers."""

from rich.text import Text

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
from ..page.rows import Span, line_of
from ..page.sanitise import one_line
from ..progress import RunProgress, closing
from .screen import step_line

OPENED_WITH = {
    "topics": "topic",
    "contents": "listed title",
    "free": "aspect",
}


def line_for(event: Event, run: RunProgress) -> Text | None:
    """The event as one line, or None where it is no milestone. `run`: as it is with the event."""
    body = _body(event, run)
    if body is None:
        return None
    time = event.at.strftime("%H:%M:%S") if event.at else "--:--:--"
    return line_of((f"{time} {one_line(figures.short_id(event.run_id))} ", "quiet")) + body


def _body(event: Event, run: RunProgress) -> Text | None:
    match event:
        case RunStarted() | RunResumed():
            return _begin_line(event, run)
        case Opened():
            roots = figures.count(len(set(event.roots)), "root")
            names = figures.count(len(event.aspects), OPENED_WITH[event.population])
            more = (
                f", {len(event.lost_roots)} more without evidence" if event.lost_roots else ""
            )
            return line_of((f"opened: {roots} drawn from {names}{more}", ""))
        case DepthPlanned() | DepthClosed() if run.scene:
            return line_of((run.reading.event(event, run.scene), "title"))
        case ProbeJudged(carried=False, added=None, probe=item) | ItemFinished(item=item):
            view = run.reading.step(item, run.scene) if run.scene else None
            return step_line(view) if view and view.seen == "everywhere" else None
        case PartClosed() if run.scene:
            return step_line(closing(run.reading, event, run.scene))
        case Notice():
            return line_of((f"{event.level}: {one_line(event.message)}", event.level))
        case RunFinished():
            return line_of((_finished(event, run), "title"))
        case _:
            return None


def _begin_line(event: RunStarted | RunResumed, run: RunProgress) -> Text:
    steps, scene = run.reading, run.scene
    assert scene is not None  # the event has begun it
    parts = [one_line(event.spec.domain), steps.target(event.spec.target)]
    if isinstance(event, RunResumed):
        finished = figures.count(event.probes, f"finished {steps.unit}")
        return line_of((figures.joined([*parts, f"resumed with {finished}"]), "title"))
    words = figures.joined([*parts, *steps.roles(scene), *steps.size(scene)])
    badge: list[Span] = [(" · ", ""), ("SIMULATED", "badge")] if event.simulated else []
    return line_of((words, "title"), *badge)


def _finished(event: RunFinished, run: RunProgress) -> str:
    evd = ""
    if event.evd is not None:
        evd = f"EVD {figures.evd(event.evd, censored=cuts_short(event.stop_reason))}"
        evd += (
            f" (95% interval {figures.span(event.evd_ci)})" if event.evd_ci is not None else ""
        )
    cost = "cost unknown" if event.cost_usd is None else figures.money(event.cost_usd)
    spec, steps = (run.scene.spec, run.reading) if run.scene else (None, None)
    ending = ended_words(spec, steps, event.status, one_line(event.stop_reason))
    return figures.joined([ending, evd, cost, figures.duration(event.wall_s)])
