"""The probe as a LangGraph whose nodes are the agents:

Questioner → Prober ∥ check → Judge ∥ agreement ∥ Explainer → FactFinder

It is for hosts that want to see the agents. A run calls the same steps directly: the graph takes
some 8 ms of CPU more for each probe.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from .outcome import Known
from .probe import ProbeRun


@dataclass(frozen=True, slots=True)
class Playing:
    """What the nodes belong to."""

    run: ProbeRun


ProbeGraph = CompiledStateGraph[Known, Playing, Known, Known]
AGENTS: dict[str, Callable[[ProbeRun, Known], Any]] = {
    "questioner": ProbeRun.write,
    "prober": ProbeRun.answer,
    "check": ProbeRun.check,
    "judge": ProbeRun.judge,
    "agreement": ProbeRun.agree,
    "explainer": ProbeRun.explain,
    "factfinder": ProbeRun.find,
}
BARRIERS: dict[str, Callable[[ProbeRun, Known], Known]] = {
    "weigh": ProbeRun.weigh,
    "settle": ProbeRun.settle,
}
"""Where steps that were done side by side meet."""


def probe_graph() -> ProbeGraph:
    """The compiled graph; the probe that it plays is its context. It keeps no checkpoints: a probe
    that was cut off is played again as a whole."""
    builder: Any = StateGraph(Known, context_schema=Playing)
    for name, step in AGENTS.items():
        builder.add_node(name, _agent(step))
    for name, meet in BARRIERS.items():
        builder.add_node(name, _barrier(meet))
    builder.add_edge(START, "questioner")
    builder.add_conditional_edges(
        "questioner", _after_questioner, ["questioner", "prober", "check", END]
    )
    builder.add_edge(["prober", "check"], "weigh")
    builder.add_conditional_edges(
        "weigh", _after_weigh, ["questioner", "judge", "agreement", "explainer", END]
    )
    builder.add_edge(["judge", "agreement", "explainer"], "factfinder")
    builder.add_edge("factfinder", "settle")
    builder.add_conditional_edges("settle", _after_settle, ["questioner", END])
    compiled: ProbeGraph = builder.compile(checkpointer=False, name="probe")
    return compiled


def through_agents() -> Callable[[ProbeRun, Known], Any]:
    """Takes a probe from step to step through such a graph."""
    graph: Any = probe_graph()

    async def play(run: ProbeRun, known: Known) -> Known:
        limit = 10 + 8 * len(known["left"])  # supersteps: at most five for each question
        told: Known = await graph.ainvoke(known, {"recursion_limit": limit}, context=Playing(run))
        return told

    return play


def _agent(step: Callable[[ProbeRun, Known], Any]) -> Callable[..., Any]:
    async def node(known: Known, runtime: Runtime[Playing]) -> Known:
        found: Known = await step(runtime.context.run, known)
        return found

    return node


def _barrier(meet: Callable[[ProbeRun, Known], Known]) -> Callable[..., Known]:
    def node(known: Known, runtime: Runtime[Playing]) -> Known:
        return meet(runtime.context.run, known)

    return node


def _after_questioner(known: Known) -> str | list[str]:
    return ["prober", "check"] if known["question"] is not None else _after_settle(known)


def _after_weigh(known: Known) -> str | list[str]:
    judged = known["question"] is not None and "done" not in known
    return ["judge", "agreement", "explainer"] if judged else _after_settle(known)


def _after_settle(known: Known) -> str:
    return END if "done" in known else "questioner"
