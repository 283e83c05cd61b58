"""The probe as a LangGraph whose nodes are the agents:

Questioner → Prober ∥ check ∥ comparison → Judge ∥ agreement ∥ Explainer → FactFinder

It is for hosts that want to see the agents. A run calls the same steps directly: the graph takes
some 8 ms of CPU more for each probe.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from ...state.channels import ProbeState
from .probe import ProbeRun


@dataclass(frozen=True, slots=True)
class Playing:
    """What the nodes belong to."""

    run: ProbeRun


ProbeGraph = CompiledStateGraph[ProbeState, Playing, ProbeState, ProbeState]
AGENTS: dict[str, Callable[[ProbeRun, ProbeState], Any]] = {
    "questioner": ProbeRun.write,
    "prober": ProbeRun.answer,
    "check": ProbeRun.check,
    "comparison": ProbeRun.compare,
    "judge": ProbeRun.judge,
    "agreement": ProbeRun.agree,
    "explainer": ProbeRun.explain,
    "factfinder": ProbeRun.find,
}
BARRIERS: dict[str, Callable[[ProbeRun, ProbeState], ProbeState]] = {
    "weigh": ProbeRun.weigh,
    "settle": ProbeRun.settle,
}
"""Where steps that were done side by side meet."""
_AFTER_QUESTION = ["prober", "check", "comparison"]


def probe_graph() -> ProbeGraph:
    """The compiled graph; the probe that it plays is its context. It keeps no checkpoints: a probe
    that was cut off is played again as a whole."""
    builder: Any = StateGraph(ProbeState, context_schema=Playing)
    for name, step in AGENTS.items():
        builder.add_node(name, _agent(step))
    for name, meet in BARRIERS.items():
        builder.add_node(name, _barrier(meet))
    builder.add_edge(START, "questioner")
    builder.add_conditional_edges(
        "questioner", _after_questioner, ["questioner", *_AFTER_QUESTION, END]
    )
    builder.add_edge(_AFTER_QUESTION, "weigh")
    builder.add_conditional_edges(
        "weigh", _after_weigh, ["questioner", "judge", "agreement", "explainer", END]
    )
    builder.add_edge(["judge", "agreement", "explainer"], "factfinder")
    builder.add_edge("factfinder", "settle")
    builder.add_conditional_edges("settle", _after_settle, ["questioner", END])
    compiled: ProbeGraph = builder.compile(checkpointer=False, name="probe")
    return compiled


def agent_graph_runner() -> Callable[[ProbeRun, ProbeState], Any]:
    """Takes a probe from step to step through such a graph."""
    graph: Any = probe_graph()

    async def play(run: ProbeRun, state: ProbeState) -> ProbeState:
        passages = sum(len(candidate["passages"]) for candidate in state["left"])
        limit = 10 + 8 * passages  # supersteps: at most five for each question
        finished: ProbeState = await graph.ainvoke(
            state, {"recursion_limit": limit}, context=Playing(run)
        )
        return finished

    return play


def _agent(step: Callable[[ProbeRun, ProbeState], Any]) -> Callable[..., Any]:
    async def node(state: ProbeState, runtime: Runtime[Playing]) -> ProbeState:
        update: ProbeState = await step(runtime.context.run, state)
        return update

    return node


def _barrier(meet: Callable[[ProbeRun, ProbeState], ProbeState]) -> Callable[..., ProbeState]:
    def node(state: ProbeState, runtime: Runtime[Playing]) -> ProbeState:
        return meet(runtime.context.run, state)

    return node


def _after_questioner(state: ProbeState) -> str | list[str]:
    return _AFTER_QUESTION if state["question"] is not None else _after_settle(state)


def _after_weigh(state: ProbeState) -> str | list[str]:
    judged = state["question"] is not None and "outcome" not in state
    return ["judge", "agreement", "explainer"] if judged else _after_settle(state)


def _after_settle(state: ProbeState) -> str:
    return END if "outcome" in state else "questioner"
