"""The drill as a LangGraph state machine: open → plan → deal → N × probe → close → … → finish.

A depth is rounds; a round is one superstep with one Send per open slot. Probes read only their task; everything that
crosses slots happens in `close`, `plan` and `deal`, pure and in slot order, so that the order of completion cannot
change the result.
"""

from langgraph.graph import END
from langgraph.types import Send

from ...state.channels import DrillState
from ..run.deps import DrillDeps
from ..run.lifecycle import MethodGraph, Saver, Stages, compiled
from .barrier import recursion_limit as recursion_limit
from .nodes import Nodes
from .probe_graph import through_agents


def _after_plan(state: DrillState) -> str:
    return "finish" if state["stop"] else "deal"


def _after_deal(state: DrillState) -> str | list[Send]:
    if state["short"]:
        return "top_up"
    return [Send("probe", task) for task in state["hands"]] or "close"


def _after_close(state: DrillState) -> str:
    if state["stop"]:
        return "finish"
    return "deal" if state["open"] else "plan"


def build_graph(deps: DrillDeps, saver: Saver = None, *, agents_as_nodes: bool = False) -> MethodGraph:
    """The compiled drill. Without a checkpointer of its own: whoever embeds or serves it supplies one.
    `agents_as_nodes`: each probe is played through `probe_graph`."""
    nodes = Nodes(deps, through_agents() if agents_as_nodes else None)
    stages: Stages = {
        "open": (nodes.open, "plan"),
        "plan": (nodes.plan, (_after_plan, ["deal", "finish"])),
        "deal": (nodes.assign, (_after_deal, ["probe", "top_up", "close"])),
        "top_up": (nodes.top_up, "deal"),
        "probe": (nodes.probe, "close"),
        "close": (nodes.close, (_after_close, ["deal", "plan", "finish"])),
        "finish": (nodes.finish, END),
    }
    return compiled("drill", DrillState, deps, stages, saver)
