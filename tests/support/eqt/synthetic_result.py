"""The events and the result that belong to a synthetic Explain-Query-Test."""

from collections.abc import Iterator
from datetime import timedelta
from functools import cache

from fathom.state.eqt.result import EqtResult
from fathom.state.events import ConceptClosed, Event, ItemFinished, Notice, RunFinished, RunStarted
from fathom.state.result import RoleUsage
from fathom.stats.eqt.figures import numbers_of, tables_of

from ..drill.synthetic import START
from .synthetic import EqtPlan, items_of


def _steps(plan: EqtPlan) -> Iterator[Event]:
    run, spec, items = plan.run_id, plan.spec, items_of(plan)
    yield RunStarted(run_id=run, spec=spec, spec_digest=spec.digest, version="0.1.0", simulated=plan.simulated)
    yield Notice(run_id=run, level="warning", message="The judge is of the target's own [bold]family\x1b[1m.")
    streams = {
        index: [i for i in items if i.concept == index and i.type != "attribution"] for index in range(plan.closed)
    }
    waiting, active = list(streams), list[int]()
    while waiting or active:
        while waiting and len(active) < 3:  # three concepts at a time, taking turns
            active.append(waiting.pop(0))
        for index in list(active):
            yield ItemFinished(run_id=run, item=streams[index].pop(0))
            if streams[index]:
                continue
            active.remove(index)
            own = [item for item in items if item.concept == index and item.type != "attribution"]
            concept = spec.concepts[index]
            yield ConceptClosed(
                run_id=run,
                index=index,
                concept=concept.name,
                category=concept.category,
                numbers=numbers_of(spec, own),
            )
    yield from (ItemFinished(run_id=run, item=item) for item in items if item.type == "attribution")
    yield RunFinished(
        run_id=run,
        status=plan.status,
        stop_reason=plan.stop_reason,
        evd=None,
        evd_ci=None,
        cost_usd=None if plan.cost is None else 0.12,
        wall_s=75.2,
    )


def events_of(plan: EqtPlan, step_s: float = 0.25) -> list[Event]:
    """The whole stream of one run, numbered from 1, `step_s` seconds apart."""
    return [
        event.model_copy(update={"seq": seq, "at": START + timedelta(seconds=step_s * (seq - 1))})
        for seq, event in enumerate(_steps(plan), start=1)
    ]


@cache
def result_of(plan: EqtPlan) -> EqtResult:
    """The result that belongs to `events_of(plan)`."""
    items, spec = items_of(plan), plan.spec
    usage = RoleUsage(
        calls=len(items),
        cached=0,
        failed=1,
        attempts=len(items) + 3,
        input_tokens=300 * len(items),
        output_tokens=50 * len(items),
        cost_usd=plan.cost,
    )
    return EqtResult(
        run_id=plan.run_id,
        spec=spec,
        simulated=plan.simulated,
        status=plan.status,
        stop_reason=plan.stop_reason,
        stop_detail="the limit of USD 0.10 is reached" if plan.stop_reason == "budget" else "",
        **tables_of(spec, items, range(plan.closed)).fields(),
        open_concepts=tuple(concept.name for concept in plan.concepts[plan.closed :]),
        usage={"target": usage, "examiner": usage, **({"judge": usage} if plan.attribute else {})},
        cost_usd=None if plan.cost is None else 2 * plan.cost,
        wall_s=75.2,
        conformance=("order of options: shuffled for each asking", "language: en"),
        notes=("The examiner could not be given a seed.",),
        provenance={"fathom": "0.1.0"},
    )
