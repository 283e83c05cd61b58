"""A small LangGraph app that uses Fathom's parts: FactFinder and Judge as nodes, a whole drill as a
subgraph.

The app answers one question about a chemical element, has the answer checked against evidence, and
then measures how deep its model knows the field. It runs against the simulated world, which it
starts itself:

    python examples/host_app.py            # models named by provider strings
    python examples/host_app.py --objects  # the app's own LangChain chat models
"""

import argparse
import asyncio
from typing import Any

from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from pydantic import SecretStr
from typing_extensions import TypedDict

from fathom.agents.export import Model, factfinder_graph, judge_graph
from fathom.agents.prober.answer import ask
from fathom.graphs.embed import embed_drill
from fathom.graphs.embed.drill import EmbeddedDrill
from fathom.sim.server import RunningWorld, start
from fathom.state.spec import WorldSpec
from fathom.state.tiers import Tier


class HostState(TypedDict, total=False):
    """The host's own channels; those of the parts are among them under the same names."""

    domain: str
    concept: str
    tier: str
    evidence: list[dict[str, Any]]
    question: str
    reference: str
    answer: str
    verdict: str
    reason: str
    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]


def host_graph(drill: EmbeddedDrill, judge_model: Model) -> CompiledStateGraph[HostState]:
    """evidence → answer → verdict → drill."""

    async def answer(state: HostState) -> HostState:
        said = await ask(drill.deps.target, state["question"])
        return {"answer": said.text, "reference": state["evidence"][0]["text"]}

    builder = StateGraph(HostState)
    builder.add_node("factfinder", factfinder_graph(drill.deps.sources[Tier.COMMON]))
    builder.add_node("answer", answer)
    builder.add_node("judge", judge_graph(judge_model))
    builder.add_node("drill", drill.graph)
    builder.add_edge(START, "factfinder")
    builder.add_edge("factfinder", "answer")
    builder.add_edge("answer", "judge")
    builder.add_edge("judge", "drill")
    builder.add_edge("drill", END)
    return builder.compile(name="host")


def models(world: RunningWorld, own_objects: bool) -> tuple[Model, Model]:
    """Target and evaluator: as provider strings, or as chat models that the host has made
    itself."""
    if not own_objects:
        return f"sim@{world.api_url}:student", f"sim@{world.api_url}:evaluator"

    def chat(name: str) -> ChatOpenAI:
        return ChatOpenAI(
            model=name, base_url=world.api_url, api_key=SecretStr("simulated"), temperature=0
        )

    return chat("student"), chat("evaluator")


async def run(own_objects: bool, n: int = 6, max_depth: int = 3) -> HostState:
    """Run the host once, printing what the drill streams, and return its final state."""
    world = await start(WorldSpec())
    try:
        target, evaluator = models(world, own_objects)
        async with embed_drill(target, evaluator, facts=f"sim@{world.base_url}") as drill:
            app = host_graph(drill, evaluator if own_objects else drill.deps.judge)
            given = drill.input("Chemical elements", n=n, max_depth=max_depth)
            begin: HostState = {
                "concept": "Gold",
                "tier": "COMMON",
                "question": "What is the chemical symbol of gold?",
                "spec": given["spec"],
                "run_id": given["run_id"],
                "domain": "Chemical elements",
            }
            return await _stream(app, begin)
    finally:
        await world.aclose()


async def _stream(app: CompiledStateGraph[HostState], begin: HostState) -> HostState:
    final: HostState = {}
    async for part in app.astream(
        begin, stream_mode=["custom", "values"], subgraphs=True, version="v2"
    ):
        if part["type"] == "custom" and part["data"]["type"] == "depth_closed":
            row = part["data"]["row"]
            print(
                f"{part['ns'][0].split(':')[0]}: depth {row['depth']} "
                f"{row['correct']}/{row['scored']} correct"
            )
        elif part["type"] == "values" and not part["ns"]:
            final = part["data"]
    return final


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--objects", action="store_true", help="use chat model objects instead of provider strings"
    )
    final = asyncio.run(run(parser.parse_args().objects))
    result = final["result"]
    print(f"The answer {final['answer']!r} is {final['verdict']}.")
    print(
        f"EVD {result['evd']:.2f}, 95% interval {result['evd_ci'][0]:.2f} to "
        f"{result['evd_ci'][1]:.2f} (simulated)"
    )


if __name__ == "__main__":
    main()
