"""The probes of a drill, and of a replay, one by one: evidence, question, answer, verdict."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest

from ....state.events import DepthClosed, DepthPlanned
from ....state.records import Evidence, Probe, Rejected
from ....state.result import cuts_short
from ....state.spec import DrillSpec
from ...page import figures
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...progress import RunProgress
from ...step import Count, Field, PartName, RunContext, StepStatus, StepView
from ..steps import Figure, Steps
from ..texts import with_interval
from .depths import depth_rows, open_depth, scored, tier_in

ORIGINS = {
    "root": "an opening aspect",
    "answer": "named in the answer above",
    "aspect": "a further aspect",
}


def mark_of(probe: Probe) -> StepStatus:
    """The probe's verdict, or `unscored`."""
    return probe.outcome.verdict if probe.outcome.status == "scored" else "unscored"


def wrong_probes(probes: Sequence[Probe]) -> list[Probe]:
    """The wrong answers that count, the shallowest first."""
    held = [probe for probe in probes if mark_of(probe) == "wrong" and probe.excluded is None]
    return sorted(held, key=lambda probe: (probe.depth, probe.slot, probe.round))


def _step(probe: Probe, scene: RunContext) -> StepView:
    mark = mark_of(probe)
    spare = ", a spare" if probe.spare else ""
    return StepView(
        probe.id,
        mark,
        title=f"depth {probe.depth} · {tier_in(scene, probe.tier)} · {one_line(probe.concept)}"
        f" ({ORIGINS[probe.origin]}{spare})",
        about=" › ".join(probe.chain),
        said=mark
        if probe.outcome.status == "scored"
        else f"{probe.outcome.stage}: {probe.outcome.kind}",
        text=probe.question.text if probe.question else "",
        fields=partial(_fields, probe),
        elapsed_s=probe.elapsed_s,
        fault=None if probe.outcome.status == "scored" else probe.outcome,
        counts=(Count("probes", mark),),
    )


def _fields(probe: Probe) -> Iterator[Field]:
    question = probe.question
    if question is not None:
        yield from _evidence(question.evidence, question.quote)
        yield Field("question", question.text, "bold")
        yield Field("reference", question.reference)
    if probe.no_evidence:
        yield Field(
            "passed over, without evidence", ", ".join(probe.no_evidence), "dim", context=True
        )
    yield from map(_set_aside, probe.rejected)
    if probe.answer is not None:
        finish = "" if probe.answer.finish == "stop" else f", finish: {probe.answer.finish}"
        yield Field(
            f"answer ({figures.duration(probe.answer.latency_s)}{finish})",
            probe.answer.text,
            said=True,
        )
    if probe.concepts:
        yield Field("leads on to", "; ".join(_names(probe)), "dim", context=True)
    if probe.outcome.status == "scored":
        sure = (
            ""
            if probe.outcome.confidence is None
            else f", confidence {figures.percent(probe.outcome.confidence)}"
        )
        judge = f" by {model_name(probe.outcome.judge)}" if probe.outcome.judge else ""
        counted = f"; does not count ({probe.excluded})" if probe.excluded else ""
        reason = f": {probe.outcome.reason}" if probe.outcome.reason else ""
        verdict = f"{probe.outcome.verdict}{judge}{sure}{counted}{reason}"
        yield Field("verdict", verdict, STYLES[mark_of(probe)])


def _evidence(evidence: Evidence, quote: str) -> Iterator[Field]:
    section = f", {evidence.section}" if evidence.section else ""
    parts = [f"{evidence.title}{section}", evidence.url, f"source {evidence.source}"]
    parts += [f"revision {evidence.revision}"] if evidence.revision else []
    parts += [f"published {evidence.published.isoformat()}"] if evidence.published else []
    parts.append(f"retrieved {evidence.retrieved_at.date().isoformat()}")
    yield Field("", " · ".join(one_line(part) for part in parts), "dim", link=evidence.url)
    yield Field("passage", evidence.text, said=True, quote=quote, context=True)
    found = quote and quote in evidence.text
    yield Field(
        "quote" if found else "quote (spelled otherwise in the passage)", quote, context=True
    )


def _set_aside(rejected: Rejected) -> Field:
    if rejected.passage is not None and not rejected.text:
        passage = f"{rejected.passage.title} “{rejected.passage.text}”"
        return Field("passage refused", f"{rejected.reason}: {passage}", "dim", context=True)
    asked = " after it was asked" if rejected.asked else ""
    return Field(f"rejected{asked}", f"{rejected.text} ({rejected.reason})", "dim", context=True)


def _names(probe: Probe) -> Iterator[str]:
    for name, said in zip_longest(probe.concepts, probe.said):
        yield name if said in (None, name) else f"{name} (said: {said})"


# a depth


def planned_words(event: DepthPlanned, scene: RunContext | None) -> str:
    """`depth 2 (common 2): 5 probes over 5 paths`, or how many are replaced."""
    if event.round:
        return (
            f"depth {event.depth} round {event.round}: {figures.count(event.slots, 'probe')} "
            "replaced"
        )
    paths = f"{figures.count(event.slots, 'probe')} over {figures.count(event.paths, 'path')}"
    return f"depth {event.depth} ({tier_in(scene, event.tier)} {event.tier_pass}): {paths}"


def closed_words(event: DepthClosed) -> str:
    """`depth 2 closed: 4 of 5 correct …`."""
    row = event.row
    unscored = figures.stages(row.unscored)
    parts = [
        f"{row.correct} of {row.scored} correct, {row.abstained} abstained",
        f"unscored {unscored}" if unscored else "",
        f"A {with_interval(row.accuracy, row.accuracy_ci, 'percent')}",
        f"S {with_interval(row.survival, row.survival_ci, 'percent')}",
        f"EVD so far {event.evd:.2f}",
    ]
    return f"depth {row.depth} closed: {figures.joined(parts)}"


def _parts(scene: RunContext) -> int:
    """The depth at which a usual target stops, as a plan has it."""
    from ....graphs.drill.depths import depths_of  # heavy, and only needed while a run goes on

    return round(depths_of(scene.spec, ()).mid)


def evd_words(run: RunProgress) -> str:
    """`≥3.08` where the drill was cut short."""
    return figures.evd(
        run.evd, censored=run.finished is not None and cuts_short(run.finished.stop_reason)
    )


def _figures(run: RunProgress) -> list[Figure]:
    part, closed = open_depth(run), run.memory.closed
    last = closed[max(closed)].row if closed else None
    evd, depth = evd_words(run), part.index if part else last.depth if last else 0
    interval = run.finished.evd_ci if run.finished else None
    so_far = "" if run.finished else " so far"
    at_depth = f"depth {depth}" if part and not run.finished else ""
    shown = [Figure(at_depth, f"{depth or '–'}", "depth")]
    if part and part.planned:
        shown.append(Figure(f"{scored(part)} of {part.planned.slots} scored"))
    accuracy = figures.percent(last.accuracy) if last else figures.NONE
    survival = figures.percent(last.survival) if last else figures.NONE
    shown += [
        Figure("", f"{run.steps:,}", "probes", 6),
        Figure("", accuracy, "A", wide=True),
        Figure("", survival, "S"),
        Figure("", evd, "EVD", 6),
    ]
    if last:
        ends = f" (95% interval {figures.span(interval)})" if interval else ""
        shown.append(Figure(f"EVD{so_far} {evd}{ends}"))
    return shown


def _size(scene: RunContext) -> list[str]:
    spec: DrillSpec = scene.spec
    return [
        f"n {spec.n}",
        *([f"repeat {spec.repeat} of {spec.repeats}"] if spec.repeats > 1 else []),
    ]


def _roles(scene: RunContext) -> list[str]:
    spec: DrillSpec = scene.spec
    return [f"evaluator {model_name(spec.evaluator)}", f"judge {model_name(spec.judge)}"]


# the path to a probe


def _at(probe: Probe, scene: RunContext) -> list[tuple[str, str]]:
    """The slot, and the round it was asked in."""
    slot, _, nth = figures.place(probe.id).partition(".r")
    return [(slot, f"r{nth}")]


def along(found: Sequence[Probe], every: Sequence[Probe]) -> Sequence[Probe]:
    """The probes from the root to the one that is meant, of several rounds the last; the root
    first."""
    by_id = {probe.id: probe for probe in every}
    path = sorted(found, key=lambda probe: probe.round)[-1:]
    while path and path[0].parent is not None:
        parent = by_id.get(path[0].parent)
        if (
            parent is None or parent in path
        ):  # a journal that was cut may lack a parent: show what there is
            break
        path = [parent, *path]
    return path


def _head(scene: RunContext, part: str, step: str, found: Sequence[str]) -> list[Field]:
    if not found:
        return []
    first = scene.items[found[0]]
    fields = [Field("", f"Path to {found[-1]} from {first.root}", "bold", 0)]
    lost = (
        f"(its parent {figures.place(first.parent)} is not there)"
        if first.parent is not None
        else ""
    )
    return [*fields, *([Field("", lost, STYLES["warning"], 0)] if lost else [])]


def _slots(scene: RunContext) -> dict[str, str]:
    slots = (_at(probe, scene)[0][0] for probe in scene.items.values())
    return {slot: slot for slot in slots}


def _is_open(scene: RunContext, index: int) -> PartName:
    return PartName(f"depth {index}")


STEPS = Steps(
    step=_step,
    part="depth",
    unit="probe",
    index=lambda probe: probe.depth,
    named=_is_open,
    parts=_parts,
    planned=lambda scene, index: scene.spec.n,
    legend={
        "correct": "right",
        "wrong": "wrong",
        "abstained": "abstained",
        "unscored": "unscored",
    },
    figures=_figures,
    roles=_roles,
    size=_size,
    block=depth_rows,
    names=_slots,
    at=_at,
    order=lambda probe, scene, part: (probe.depth, probe.slot, probe.round),
    head=_head,
    along=along,
    keeps_prompts=False,
    group=lambda probe, scene: probe.root,
    parent=lambda probe: probe.parent,
    kinds="tier",
    kind=lambda probe, scene: tier_in(scene, probe.tier),
)
