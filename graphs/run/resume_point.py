"""Where a resumed graph goes on: at the newest of its checkpoints that can be used.

Without one it runs through its journal from the start, in which every finished probe is found
again; its look-ups are repeated then, so that depths which are closed stay as they are only while
spec and sources do.
"""

from typing import Any

from langchain_core.runnables import RunnableConfig

from ...state.spec import Spec
from ...tools.runs.journal import RunMemory


async def resume_point_of(
    graph: Any,
    config: RunnableConfig,
    memory: RunMemory,
    spec: Spec,
    *,
    reopened: int | None,
    forced: bool,
) -> RunnableConfig | None:
    """The config that leads to the checkpoint; None when there is none.

    `reopened`: a depth that begins anew does so with the probes that led to it, since what their
    look-ups failed to find is looked up again. `forced`: the spec may be another than the
    checkpoint's, from the depth on that is open.
    """
    values = spec.model_dump(mode="json")
    if reopened is None and not forced and _fits(await graph.aget_state(config), values, memory):
        return config
    async for snapshot in graph.aget_state_history(config):
        node = _node_before(snapshot, memory, reopened, forced)
        if node is None or not (
            usable(snapshot, memory) if forced else _fits(snapshot, values, memory)
        ):
            continue
        place: RunnableConfig = {**config, "configurable": snapshot.config["configurable"]}
        if not forced:
            return place
        updated = await graph.aupdate_state(place, {"spec": values}, as_node=node)
        return {**config, "configurable": updated["configurable"]}
    return None


def _node_before(
    snapshot: Any, memory: RunMemory, reopened: int | None, forced: bool
) -> str | None:
    """The node after which the checkpoint was written, if that is where to go on."""
    depth, ahead = snapshot.values.get("depth"), set(snapshot.next)
    if reopened is not None:
        led = ahead == {"probe"} and (depth, snapshot.values.get("round")) == (reopened - 1, 0)
        return "deal" if led else None
    if forced and (ahead != {"plan"} or depth != len(memory.closed)):
        return None
    return "close" if depth else "open"


def _fits(snapshot: Any, spec: dict[str, Any], memory: RunMemory) -> bool:
    return snapshot.values.get("spec") == spec and usable(snapshot, memory)


def usable(snapshot: Any, memory: RunMemory) -> bool:
    """Whether a checkpoint has work left and knows of nothing that the journal lacks: a result is
    made of the journal, and what a graph has behind it is not written there again. A run without an
    opening is not looked at: running through its journal costs nothing."""
    values, known = snapshot.values, set(memory.probe_ids)
    rows = [*(values.get("rows") or ()), *(fresh["row"] for fresh in values.get("fresh") or ())]
    return (
        bool(
            snapshot.tasks
        )  # not `next`: that leaves out a step whose tasks are all done and not yet committed
        and memory.opened is not None
        and len(values.get("depths") or ()) <= len(memory.closed)
        and all(row["id"] in known for row in rows)
    )
