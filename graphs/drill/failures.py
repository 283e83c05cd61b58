"""Why look-ups and probes of a drill failed: journalled at its barriers, and read back from the
journal."""

from collections.abc import Iterable, Sequence

from ...state.causes import with_causes
from ...state.channels import Path, Row
from ...state.events import LookUpFailed, Notice
from ...state.records import Unscored, tier_of
from ...state.spec import DrillSpec
from ...tools.runs.journal import Sink
from ..run.deps import RunDeps
from .barrier import is_scored


async def tell_failures(
    deps: RunDeps, run_id: str, spec: DrillSpec, depth: int, paths: Iterable[Path]
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
        message = with_causes(
            f"Depth {depth} ({tier.value}): {len(failures)} look-ups failed", failures
        )
        await deps.emit(
            Notice(
                run_id=run_id,
                level="warning",
                message=f"{message}.",
            )
        )


def failures_at(sink: Sink, run_id: str, depth: int, rows: Sequence[Row]) -> list[Unscored]:
    """Why look-ups for a depth failed, and why its probes could not be scored."""
    events = sink.run(run_id).failed.values()
    failures = [event.failure for event in events if event.depth == depth]
    for row in rows:
        probe = None if is_scored(row) else sink.get(run_id, row["id"])
        if probe is not None and isinstance(probe.outcome, Unscored):
            failures.append(probe.outcome)
    return failures
