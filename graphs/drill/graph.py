"""The drill as a LangGraph state machine: open → plan → deal → N × probe → close → … → finish.

A depth is rounds; a round is one superstep with one Send per open slot. Probes read only their task; everything that
crosses slots happens in `close`, `plan` and `deal`, pure and in slot order, so that the order of completion cannot
change the result.
"""

from collections.abc import Callable
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from ...state.channels import DrillInput, DrillOutput, DrillState
from ..run.deps import DrillDeps
from ..run.lifecycle import add_nodes
from .barrier import recursion_limit as recursion_limit
from .nodes import Nodes
from .probe_graph import through_agents

DrillGraph = CompiledStateGraph[DrillState, None, DrillInput, DrillOutput]


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


def build_graph(
    deps: DrillDeps, checkpointer: BaseCheckpointSaver[str] | None = None, *, agents_as_nodes: bool = False
) -> DrillGraph:
    """The compiled drill. Without a checkpointer of its own: whoever embeds or serves it supplies one.
    `agents_as_nodes`: each probe is played through `probe_graph`."""
    nodes = Nodes(deps, through_agents() if agents_as_nodes else None)
    builder = StateGraph(DrillState, input_schema=DrillInput, output_schema=DrillOutput)
    steps: dict[str, Callable[..., Any]] = {
        "open": nodes.open,
        "plan": nodes.plan,
        "deal": nodes.assign,
        "top_up": nodes.top_up,
        "probe": nodes.probe,
        "close": nodes.close,
        "finish": nodes.finish,
    }
    add_nodes(builder, deps, steps)
    builder.add_edge(START, "open")
    builder.add_edge("open", "plan")
    builder.add_conditional_edges("plan", _after_plan, ["deal", "finish"])
    builder.add_conditional_edges("deal", _after_deal, ["probe", "top_up", "close"])
    builder.add_edge("top_up", "deal")
    builder.add_edge("probe", "close")
    builder.add_conditional_edges("close", _after_close, ["deal", "plan", "finish"])
    builder.add_edge("finish", END)
    return builder.compile(checkpointer, name="drill")
