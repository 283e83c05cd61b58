"""A small LangGraph app that uses Fathom's parts: FactFinder and Judge as nodes, a whole drill as a
subgraph.

The app answers one question about a chemical element, has the answer checked against evidence, and
then measures how deep its model knows the field. It runs against the simulated world, which it
starts itself:

    python examples/host_app.py
    # real models and Wikipedia, with OPENAI_API_KEY set
    python examples/host_app.py openai:gpt-5-mini openai:gpt-5
"""

import argparse
import asyncio
import os
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

import fathom


class HostState(TypedDict, total=False):
    """The host's own channels; those of the parts are among them under the same names."""

    domain: str
    concept: str
    tier: str
    evidence: list[dict[str, Any]]
    question: str
    reference: str
    answer: str
    verdict: dict[str, Any]
    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]


def host_graph(drill: fathom.Embedded) -> CompiledStateGraph[HostState]:
    """evidence → answer → verdict → drill."""

    async def answer(state: HostState) -> HostState:
        said = await fathom.agents.prober(drill.deps.target, state["question"])
        return {"answer": said.text, "reference": state["evidence"][0]["text"]}

    builder = StateGraph(HostState)
    finder = fathom.agents.factfinder.graph(drill.deps.sources, output="evidence")
    builder.add_node("factfinder", finder)
    builder.add_node("answer", answer)
    builder.add_node("judge", fathom.agents.judge.graph(drill.deps.judge, output="verdict"))
    builder.add_node("drill", drill.graph)
    builder.add_edge(START, "factfinder")
    builder.add_edge("factfinder", "answer")
    builder.add_edge("answer", "judge")
    builder.add_edge("judge", "drill")
    builder.add_edge("drill", END)
    return builder.compile(name="host")


async def run(
    target: fathom.Model, evaluator: fathom.Model, n: int = 6, max_depth: int = 3
) -> HostState:
    """Run the host once, printing what the drill streams, and return its final state."""
    models = {"target": target, "evaluator": evaluator}
    async with fathom.embed("drill", models, env=os.environ) as drill:
        given = drill.input("Chemical elements", n=n, max_depth=max_depth)
        begin: HostState = {
            "concept": "Gold",
            "tier": "COMMON",
            "question": "What is the chemical symbol of gold?",
            "spec": given["spec"],
            "run_id": given["run_id"],
            "domain": "Chemical elements",
        }
        return await _stream(host_graph(drill), begin)


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
    parser.add_argument("target", nargs="?", default="sim:student", help="the model, by name")
    parser.add_argument(
        "evaluator", nargs="?", default="sim:evaluator", help="who asks and judges"
    )
    given = parser.parse_args()
    final = asyncio.run(run(given.target, given.evaluator))
    result = final["result"]
    print(f"The answer {final['answer']!r} is {final['verdict']['verdict']}.")
    print(
        f"EVD {result['evd']:.2f}, 95% interval {result['evd_ci'][0]:.2f} to "
        f"{result['evd_ci'][1]:.2f}{' (simulated)' if result['simulated'] else ''}"
    )


if __name__ == "__main__":
    main()
