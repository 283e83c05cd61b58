"""A run as plain lines: one per finished probe or answer and per milestone, for pipes, logs and screen readers."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from ...state.depthqa.items import QuestionGraph
from ...state.events import (
    ConceptClosed,
    DepthClosed,
    DepthPlanned,
    Event,
    ItemFinished,
    Notice,
    Opened,
    PartClosed,
    ProbeJudged,
    ProblemClosed,
    RunFinished,
    RunResumed,
    RunStarted,
    TreeClosed,
)
from ...state.records import Probe
from ...state.spec import DrillSpec, Spec
from ..page import figures
from ..page.endings import ended_words, unit_of
from ..page.rows import Row
from ..page.sanitise import model_name, one_line
from ..views.deepquestion import lines as deepquestion_lines
from ..views.deepquestion.lines import deepquestion_row
from ..views.depthqa import lines as depthqa_lines
from ..views.depthqa.lines import depthqa_row
from ..views.eqt import lines as eqt_lines
from .progress import mark_of


def line_of(event: Event, spec: Spec | None, graph: QuestionGraph | None = None) -> Row | None:
    """The event as one line, or None where it is no milestone. `spec`, `graph`: the run's, once they are known."""
    body = _body(event, spec, graph)
    if body is None:
        return None
    return [(f"{_time(event.at)} {one_line(figures.short_id(event.run_id))} ", "quiet"), *body]


def _time(at: datetime | None) -> str:
    return at.strftime("%H:%M:%S") if at else "--:--:--"


def _body(event: Event, spec: Spec | None, graph: QuestionGraph | None) -> Row | None:
    match event:
        case RunStarted():
            return _started(event)
        case RunResumed():
            there = figures.count(event.probes, f"finished {unit_of(event.spec)}")
            return [
                (f"{one_line(event.spec.domain)} · {model_name(event.spec.target)} · resumed with {there}", "title")
            ]
        case Opened():
            drawn = figures.count(len(event.roots), "root")
            return [(f"opened: {drawn} drawn from {figures.count(len(event.aspects), 'aspect')}", "")]
        case DepthPlanned():
            return _planned(event)
        case ProbeJudged(carried=False, added=None):
            return _probe(event.probe)
        case DepthClosed():
            return _closed(event)
        case ItemFinished() | PartClosed():
            return _step(event, spec, graph)
        case Notice():
            return [(f"{event.level}: ", event.level), (one_line(event.message), event.level)]
        case RunFinished():
            return _finished(event, spec)
        case _:
            return None


_STARTED: Mapping[str, Callable[[Any, QuestionGraph | None], str]] = {
    "eqt": lambda spec, _: eqt_lines.started_words(spec),
    "depthqa": depthqa_lines.started_words,
    "depthqa_build": depthqa_lines.build_words,
    "deepquestion": lambda spec, _: deepquestion_lines.started_words(spec),
    "drill": lambda spec, _: _drill_words(spec),
    "replay": lambda spec, _: f" · replay · judge {model_name(spec.judge)}",
}
"""Method → what is said of a run that begins, behind its domain and target."""


def _started(event: RunStarted) -> Row:
    spec, graph = event.spec, event.material.graph if event.material else None
    badge: Row = [(" · ", ""), ("SIMULATED", "badge")] if event.simulated else []
    words = _STARTED[spec.method](spec, graph)
    return [(f"{one_line(spec.domain)} · {model_name(spec.target)}", "title"), (words, ""), *badge]


def _drill_words(spec: DrillSpec) -> str:
    repeat = f" · repeat {spec.repeat} of {spec.repeats}" if spec.repeats > 1 else ""
    return f" · evaluator {model_name(spec.evaluator)} · judge {model_name(spec.judge)} · n {spec.n}{repeat}"


def _step(event: ItemFinished | PartClosed, spec: Spec | None, graph: QuestionGraph | None) -> Row | None:
    """A step of the methods without depths, or the end of one of their parts."""
    match event:
        case ProblemClosed():
            return deepquestion_lines.closed_row(event)
        case ConceptClosed():
            return eqt_lines.eqt_row(event, spec)
        case TreeClosed():
            return depthqa_row(event, graph, spec)
        case ItemFinished():
            return eqt_lines.eqt_row(event, spec) or depthqa_row(event, graph, spec) or deepquestion_row(event, spec)
    return None


def _planned(event: DepthPlanned) -> Row:
    tier = f"{figures.tier_name(event.tier)} {event.tier_pass}"
    if event.round:
        return [(f"depth {event.depth} round {event.round}: {figures.count(event.slots, 'probe')} replaced", "quiet")]
    paths = f"{figures.count(event.slots, 'probe')} over {figures.count(event.paths, 'path')}"
    return [(f"depth {event.depth} ({tier}): {paths}", "title")]


def _probe(probe: Probe) -> Row:
    mark = mark_of(probe)
    question = one_line(probe.question.text) if probe.question else "(no question)"
    place = one_line(figures.place(probe.id))
    row: Row = [
        (f"{place} ", "quiet"),
        (f"{figures.MARKS[mark]} {mark:<9}", mark),
        (f" {figures.duration(probe.elapsed_s):>6} ", "quiet"),
        (" › ".join(one_line(concept) for concept in probe.chain), "accuracy"),
        (": ", "quiet"),
        (question, ""),
    ]
    if probe.outcome.status == "unscored":
        row.append((f" ({probe.outcome.stage}: {one_line(probe.outcome.message)})", mark))
    return row


def _closed(event: DepthClosed) -> Row:
    row = event.row
    accuracy = f"A {figures.percent(row.accuracy)} ({figures.percent_span(row.accuracy_ci)})"
    survival = f"S {figures.percent(row.survival)} ({figures.percent_span(row.survival_ci)})"
    counts = f"{row.correct} of {row.scored} correct, {row.abstained} abstained"
    unscored = figures.stages(row.unscored)
    parts = [counts, f"unscored {unscored}" if unscored else "", accuracy, survival, f"EVD so far {event.evd:.2f}"]
    return [(f"depth {row.depth} closed: {figures.joined(parts)}", "title")]


def _finished(event: RunFinished, spec: Spec | None) -> Row:
    censored = event.stop_reason != "threshold"
    evd = "" if event.evd is None else f"EVD {figures.evd(event.evd, censored=censored)}"
    if event.evd_ci is not None:
        evd += f" (95% CI {figures.span(event.evd_ci)})"
    cost = "cost unknown" if event.cost_usd is None else figures.money(event.cost_usd)
    ended = ended_words(spec, event.status, one_line(event.stop_reason))
    return [(figures.joined([ended, evd, cost, figures.duration(event.wall_s)]), "title")]
