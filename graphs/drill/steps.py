"""The steps of a drill as they are shown: its depths and its probes."""

from collections.abc import Iterator, Sequence
from functools import partial

from ...reports.page import figures
from ...reports.page.forms import with_interval
from ...reports.page.rows import STYLES
from ...reports.page.sanitise import model_name, one_line
from ...reports.progress import OpenPart, RunProgress
from ...reports.step import Count, Field, PartName, RunContext, StepStatus, StepView
from ...reports.views.steps import Figure, Steps
from ...state.events import DepthClosed, DepthPlanned
from ...state.records import Probe, Rejected
from ...state.result import DepthRow, cuts_short
from ...state.tiers import Tier, tier_name

ORIGINS = {
    "root": "an opening aspect",
    "answer": "named in the answer above",
    "aspect": "a further aspect",
}
HEADS = ("depth", "scored", "✓", "A %", "S %")


def tier_in(context: RunContext | None, tier: Tier) -> str:
    """A tier of the run as prose writes it."""
    if context is None:
        return tier_name(tier)
    nominal = context.spec.nominal if context.nominal is None else context.nominal
    return tier_name(tier, nominal=tier in nominal)


# probes


def _step(probe: Probe, context: RunContext) -> StepView:
    status: StepStatus = probe.verdict or "unscored"
    fault = None
    result = str(status)
    if probe.outcome.status == "unscored":
        fault = probe.outcome
        result = f"{fault.stage}: {fault.kind}"
    origin = ORIGINS[probe.origin] + (", a spare" if probe.spare else "")
    tier = tier_in(context, probe.tier)
    return StepView(
        probe.id,
        status,
        title=f"depth {probe.depth} · {tier} · {one_line(probe.concept)} ({origin})",
        about=" › ".join(probe.chain),
        said=result,
        text=probe.question.text if probe.question else "",
        fields=partial(_fields, probe),
        elapsed_s=probe.elapsed_s,
        fault=fault,
        counts=(Count("probes", status),),
    )


def _fields(probe: Probe) -> Iterator[Field]:
    question, answer, outcome = probe.question, probe.answer, probe.outcome
    if question is not None:
        evidence = question.evidence
        date = evidence.published or evidence.retrieved_at.date()
        source = f"{evidence.title} · {evidence.url} · {evidence.source} · {date}"
        yield Field("", one_line(source), "dim", link=evidence.url)
        yield Field("passage", evidence.text, quote=question.quote)
        yield Field("question", question.text, "bold")
        yield Field("reference", question.reference)
    if probe.no_evidence:
        names = ", ".join(probe.no_evidence)
        yield Field("passed over, without evidence", names, "dim")
    yield from map(_set_aside, probe.rejected)
    if answer is not None:
        finish = "" if answer.finish == "stop" else f", finish: {answer.finish}"
        head = f"answer ({figures.duration(answer.latency_s)}{finish})"
        yield Field(head, answer.text)
    if probe.concepts:
        yield Field("leads on to", "; ".join(probe.concepts), "dim")
    if outcome.status == "scored":
        judge = f" by {model_name(outcome.judge)}" if outcome.judge else ""
        counted = f"; does not count ({probe.excluded})" if probe.excluded else ""
        verdict = f"{outcome.verdict}{judge}{counted}: {outcome.reason}"
        yield Field("verdict", verdict, STYLES[outcome.verdict])
    if probe.error is not None:
        yield Field("why", f"{probe.error.kind}: {probe.error.reason}")
    if probe.confidence is not None:
        yield Field("stated confidence", figures.percent(probe.confidence))


def _set_aside(rejected: Rejected) -> Field:
    name, text = "rejected", rejected.text
    if rejected.passage is not None and not text:
        name, text = "passage refused", rejected.passage.text
    elif rejected.asked:
        name = "rejected after it was asked"
    return Field(name, f"{text} ({rejected.reason})", "dim")


# depths


def open_depth(run: RunProgress) -> OpenPart | None:
    """The depth that is being asked, or was when the run ended."""
    return run.open[max(run.open)] if run.open else None


def _scored(part: OpenPart) -> int:
    return sum(part.marks[verdict] for verdict in ("correct", "wrong", "abstained"))


def _event(event: DepthPlanned | DepthClosed, context: RunContext) -> str:
    if event.type == "depth_closed":
        return _closed_words(event)
    probes = figures.count(event.slots, "probe")
    if event.round:
        return f"depth {event.depth} round {event.round}: {probes} replaced"
    tier, paths = tier_in(context, event.tier), figures.count(event.paths, "path")
    return f"depth {event.depth} ({tier} {event.tier_pass}): {probes} over {paths}"


def _closed_words(event: DepthClosed) -> str:
    """`depth 2 closed: 4 of 5 correct …`."""
    row = event.row
    parts = [
        f"{row.correct} of {row.scored} correct, {row.abstained} abstained",
        f"A {with_interval(row.accuracy, row.accuracy_ci, 'percent')}",
        f"S {with_interval(row.survival, row.survival_ci, 'percent')}",
        f"EVD so far {event.evd:.2f}",
    ]
    return f"depth {row.depth} closed: {figures.joined(parts)}"


def _depths(run: RunProgress) -> list[Sequence[str]]:
    """Heading and depths."""
    lines: list[Sequence[str]] = [HEADS, *(_closed_depth(row, run.scene) for row in run.rows)]
    part = open_depth(run)
    if part is not None and (planned := part.planned) is not None:
        tier = tier_in(run.scene, planned.tier)
        depth = f"{part.index} {tier} {planned.tier_pass}"
        scored = f"{_scored(part)}/{planned.slots}"
        lines.append([depth, scored, str(part.marks["correct"]), "", ""])
    return lines


def _closed_depth(row: DepthRow, context: RunContext | None) -> list[str]:
    return [
        f"{row.depth} {tier_in(context, row.tier)} {row.tier_pass}",
        str(row.scored),
        str(row.correct),
        with_interval(row.accuracy, row.accuracy_ci, "whole"),
        with_interval(row.survival, row.survival_ci, "whole"),
    ]


def _expected_depths(context: RunContext) -> int:
    """The depth at which a usual target stops, as a plan has it."""
    from .depths import depths_of  # heavy, and only needed while a run goes on

    return round(depths_of(context.spec, ()).mid)


def _figures(run: RunProgress) -> list[Figure]:
    part, rows, finished = open_depth(run), run.rows, run.finished
    censored = finished is not None and cuts_short(finished.stop_reason)
    evd = figures.evd(run.evd, censored=censored)
    depth = part.index if part else len(rows)
    so_far = f"EVD so far {evd}"
    if finished is not None:
        ci = finished.evd_ci
        so_far = f"EVD {evd} (95% interval {figures.span(ci)})" if ci else f"EVD {evd}"
    words = [f"depth {depth}"] if part and not finished else []
    words += (
        [f"{_scored(part)} of {part.planned.slots} scored"] if part and part.planned else []
    )
    survival = figures.percent(rows[-1].survival) if rows else figures.NONE
    return [
        Figure(" · ".join(words), f"{depth or '–'}", "depth"),
        Figure("", f"{run.steps:,}", "probes"),
        Figure("", survival, "S"),
        Figure(so_far if rows else "", evd, "EVD"),
    ]


def _size(context: RunContext) -> list[str]:
    spec = context.spec
    repeat = [f"repeat {spec.repeat} of {spec.repeats}"] if spec.repeats > 1 else []
    return [f"n {spec.n}", *repeat]


STEPS = Steps(
    step=_step,
    part="depth",
    unit="probe",
    index=lambda probe: probe.depth,
    named=lambda context, index: PartName(f"depth {index}"),
    parts=_expected_depths,
    planned=lambda context, index: context.spec.n,
    legend={
        "correct": "right",
        "wrong": "wrong",
        "abstained": "abstained",
        "unscored": "unscored",
    },
    figures=_figures,
    size=_size,
    event=_event,
    table=_depths,
    group=lambda probe, context: probe.root,
    kinds="tier",
    kind=lambda probe, context: tier_in(context, probe.tier),
)
