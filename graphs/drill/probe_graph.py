"""The probe as a LangGraph whose nodes are the agents:

Questioner → Prober ∥ check ∥ comparison → Judge ∥ agreement ∥ Explainer → FactFinder

It is for hosts that want to see the agents. A run calls the same stages directly: the graph takes
some 8 ms of CPU more for each probe.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from .probe import GraphRunner, ProbeRun, ProbeSeen


@dataclass(frozen=True, slots=True)
class Playing:
    """What the nodes belong to."""

    run: ProbeRun


ProbeGraph = CompiledStateGraph[ProbeSeen, Playing, ProbeSeen, ProbeSeen]
Stage = Callable[[ProbeRun], Awaitable[ProbeSeen]]
STAGES: dict[str, Stage] = {
    "questioner": ProbeRun.write,
    "prober": ProbeRun.ask,
    "check": ProbeRun.check,
    "comparison": ProbeRun.compare,
    "weigh": ProbeRun.weigh,
    "judge": ProbeRun.judge,
    "agreement": ProbeRun.agree,
    "explainer": ProbeRun.explain,
    "factfinder": ProbeRun.find,
    "settle": ProbeRun.settle,
}
ON_QUESTION = ["prober", "check", "comparison"]
ON_ANSWER = ["judge", "agreement", "explainer"]
"""What is done side by side; `weigh`, and FactFinder with `settle`, is where that meets."""


def probe_graph() -> ProbeGraph:
    """The compiled graph; the probe that it plays is its context. It keeps no checkpoints: a probe
    that was cut off is played again as a whole."""
    builder: Any = StateGraph(ProbeSeen, context_schema=Playing)
    for name, stage in STAGES.items():
        builder.add_node(name, _node(stage))
    builder.add_edge(START, "questioner")
    builder.add_edge(ON_QUESTION, "weigh")
    builder.add_edge(ON_ANSWER, "factfinder")
    builder.add_edge("factfinder", "settle")
    for name, following in (
        ("questioner", ON_QUESTION),
        ("weigh", ON_ANSWER),
        ("settle", []),
    ):
        route = partial(_following, following)
        builder.add_conditional_edges(name, route, ["questioner", *following, END])
    compiled: ProbeGraph = builder.compile(checkpointer=False, name="probe")
    return compiled


def agent_graph_runner() -> GraphRunner:
    """Takes a probe from stage to stage through such a graph."""
    graph: Any = probe_graph()

    async def play(run: ProbeRun) -> None:
        passages = sum(len(candidate["passages"]) for candidate in run.task["candidates"])
        config = {"recursion_limit": 10 + 8 * passages}  # at most five for each question
        await graph.ainvoke(run.seen, config, context=Playing(run))

    return play


def _node(stage: Stage) -> Callable[..., Awaitable[ProbeSeen]]:
    async def node(state: ProbeSeen, runtime: Runtime[Playing]) -> ProbeSeen:
        return await stage(runtime.context.run)

    return node


def _following(stages: Sequence[str], state: ProbeSeen) -> str | list[str]:
    if state["outcome"] is not None:
        return END
    return "questioner" if state["question"] is None else list(stages)
