"""How a run of any method begins: what its first event says."""

from collections.abc import Mapping

from .. import __version__
from ..state.deepquestion import ProblemSet
from ..state.depthqa import Material
from ..state.events import Notice, RunResumed, RunStarted
from ..state.spec import Spec
from .deps import DrillDeps
from .emit import emit
from .result import environment


async def begin(
    deps: DrillDeps,
    run_id: str,
    spec: Spec,
    sources: Mapping[str, str] | None = None,
    material: Material | None = None,
    problems: ProblemSet | None = None,
) -> None:
    """Tell that the run begins, and what the user should know of it; or that it goes on, where its host begins it again
    after a process that was killed: what its journal holds is not paid for twice. `sources`: source → fingerprint."""
    started = RunStarted(
        run_id=run_id,
        spec=spec,
        spec_digest=spec.digest,
        version=__version__,
        simulated=spec.simulated,
        prompts={name: prompt.digest for name, prompt in sorted(deps.prompts.items())},
        sources=dict(sources or {}),
        environment=environment(),
        material=material,
        problems=problems,
    )
    memory = deps.sink.run(run_id)
    told = bool(memory.resumed) and memory.resumed[-1].seq == memory.seq  # the runner has just said so
    if memory.started is not None and _is_same(memory.started, started) and not told:
        known = len(memory.probe_ids) + len(memory.item_ids)
        await emit(deps, RunResumed(run_id=run_id, spec=spec, version=__version__, probes=known))
    else:
        await emit(deps, started)
    for notice in deps.notices:
        await emit(deps, Notice(run_id=run_id, level="info", message=notice))


def _is_same(before: RunStarted, now: RunStarted) -> bool:
    """Whether what was measured then is what would be measured now."""
    return all(getattr(before, name) == getattr(now, name) for name in ("spec", "version", "prompts", "sources"))
