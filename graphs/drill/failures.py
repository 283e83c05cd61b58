"""Why look-ups and probes of a drill failed: journalled at its barriers, and read back from the
journal."""

from collections.abc import Iterable, Sequence

from ...state.causes import with_causes
from ...state.channels import Path
from ...state.events import LookUpFailed, Notice
from ...state.records import Probe, Unscored, tier_of
from ...state.spec import DrillSpec
from ...tools.runs.journal import Sink
from ..run.deps import RunDeps


async def tell_failures(
    deps: RunDeps,
    run_id: str,
    spec: DrillSpec,
    depth: int,
    paths: Iterable[Path],
) -> None:
    """Journal why look-ups for a depth failed, those that are not known yet, and say the commonest
    cause."""
    tier, _ = tier_of(depth, spec.passes)
    failures = list[Unscored]()
    for path in paths:
        for concept, failure in path["failed"].items():
            if not failure or (depth, path["id"], concept) in deps.sink.run(run_id).failed:
                continue
            failures.append(Unscored.model_validate(failure))
            event = LookUpFailed(
                run_id=run_id,
                depth=depth,
                tier=tier,
                parent=path["id"],
                concept=concept,
                failure=failures[-1],
            )
            await deps.emit(event)
    if failures:
        number = f"Depth {depth} ({tier.value}): {len(failures)} look-ups failed"
        message = f"{with_causes(number, failures)}."
        await deps.emit(Notice(run_id=run_id, level="warning", message=message))


def failures_at(sink: Sink, run_id: str, depth: int, probes: Sequence[Probe]) -> list[Unscored]:
    """Why look-ups for a depth failed, and why its probes could not be scored."""
    events = sink.run(run_id).failed.values()
    failures = [event.failure for event in events if event.depth == depth]
    outcomes = (probe.outcome for probe in probes)
    return failures + [outcome for outcome in outcomes if isinstance(outcome, Unscored)]
