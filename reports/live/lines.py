"""A run as plain lines: one per finished step and per milestone, for pipes, logs and screen
readers."""

from datetime import datetime

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
from ..page.rows import Row, clip
from ..page.sanitise import model_name, one_line
from ..progress import RunProgress, closing
from ..step import BRIEF, SIGNS, StepView

OPENED_WITH = {
    "topics": "topic",
    "contents": "listed title",
    "free": "aspect",
}
QUESTION = 80
"""Cells of a question's start."""


def line_of(event: Event, run: RunProgress) -> Row | None:
    """The event as one line, or None where it is no milestone. `run`: as it is with the event."""
    body = _body(event, run)
    if body is None:
        return None
    return [(f"{_time(event.at)} {one_line(figures.short_id(event.run_id))} ", "quiet"), *body]


def _time(at: datetime | None) -> str:
    return at.strftime("%H:%M:%S") if at else "--:--:--"


def _body(event: Event, run: RunProgress) -> Row | None:
    match event:
        case RunStarted():
            return _started(event, run)
        case RunResumed():
            there = figures.count(event.probes, f"finished {run.reading.unit}")
            return [
                (
                    (
                        f"{one_line(event.spec.domain)} · {model_name(event.spec.target)} · "
                        f"resumed with {there}"
                    ),
                    "title",
                )
            ]
        case Opened():
            roots = figures.count(len(set(event.roots)), "root")
            names = figures.count(len(event.aspects), OPENED_WITH[event.population])
            more = f", {len(event.lost_roots)} more without evidence" if event.lost_roots else ""
            return [(f"opened: {roots} drawn from {names}{more}", "")]
        case DepthPlanned() | DepthClosed() if run.scene:
            return [(run.reading.event(event, run.scene), "title")]
        case ProbeJudged(carried=False, added=None) | ItemFinished():
            return _step(event, run)
        case PartClosed() if run.scene:
            return step_line(closing(run.reading, event, run.scene))
        case Notice():
            return [(f"{event.level}: ", event.level), (one_line(event.message), event.level)]
        case RunFinished():
            return _finished(event, run)
        case _:
            return None


def _step(event: ProbeJudged | ItemFinished, run: RunProgress) -> Row | None:
    if run.scene is None:
        return None
    view = run.reading.step(
        event.probe if isinstance(event, ProbeJudged) else event.item, run.scene
    )
    return step_line(view) if view.seen == "everywhere" else None


def step_line(view: StepView) -> Row:
    """`✓ c003.q2.a1 0.3 s Argon · A, C  In a list of …`."""
    about, said, text = (one_line(each[:BRIEF]) for each in (view.about, view.said, view.text))
    sign, style = SIGNS[view.mark]
    title = "title" if view.mark == "closed" else ""
    row: Row = [(f"{sign} ", style), (f"{one_line(view.called)} ", title or "quiet")]
    if view.mark != "closed":
        row.append((f"{figures.duration(view.elapsed_s)} ", "quiet"))
    if about:
        row.append((about, "accuracy"))
    if said:
        sign_style = "" if style in ("correct", "quiet") else style
        row.append((f" · {said}" if about else said, title or sign_style))
    if view.fault is not None:
        row.append((f" ({one_line(view.fault.message)})", style))
    if text and view.mark != "closed":
        row.append(
            (f"{': ' if not said else '  '}{clip(text, QUESTION)}", "" if not said else "quiet")
        )
    return row


def _started(event: RunStarted, run: RunProgress) -> Row:
    spec, steps = event.spec, run.reading
    assert run.scene is not None  # the event has begun it
    parts = [*steps.roles(run.scene), *steps.size(run.scene)]
    badge: Row = [(" · ", ""), ("SIMULATED", "badge")] if event.simulated else []
    title = f"{one_line(spec.domain)} · {steps.target(spec.target)}"
    return [(title, "title"), ("".join(f" · {part}" for part in parts), ""), *badge]


def _finished(event: RunFinished, run: RunProgress) -> Row:
    evd = ""
    if event.evd is not None:
        evd = f"EVD {figures.evd(event.evd, censored=cuts_short(event.stop_reason))}"
        evd += f" (95% interval {figures.span(event.evd_ci)})" if event.evd_ci is not None else ""
    cost = "cost unknown" if event.cost_usd is None else figures.money(event.cost_usd)
    spec, steps = (run.scene.spec, run.reading) if run.scene else (None, None)
    ended = ended_words(spec, steps, event.status, one_line(event.stop_reason))
    return [(figures.joined([ended, evd, cost, figures.duration(event.wall_s)]), "title")]
