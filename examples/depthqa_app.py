"""A small LangGraph app with DepthQA inside: may a model be asked deep questions outright?

The app has two deep questions of its subject taken apart into the simpler ones they rest on, asks its model all of
them, and looks at the forward discrepancy: how far the model falls behind at a question whose parts it knows. If that
is large, the app will show its model the simpler questions first. It runs against the simulated world, which
`embed` starts itself:

    python examples/depthqa_app.py
    python examples/depthqa_app.py openai:gpt-5-mini openai:gpt-5   # real models, with OPENAI_API_KEY set
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

import fathom

QUESTIONS = (
    "A foundry wants to spend as little energy as it can on melting down scrap from room "
    "temperature: would iron or "
    "zinc cost it less for each kilogram, and what decides the matter?",
    "A coolant is to stay liquid over as wide a range of temperatures as possible: is sodium or "
    "lead to be preferred, "
    "and what weakens the case for it?",
)
STEP_BY_STEP = 0.05
"""Forward discrepancy, on average, from which the app no longer asks its model outright."""
SAID = {
    "outright": "It may be asked deep questions outright.",
    "step by step": "It will be shown the simpler questions first.",
    "unknown": "It knows too little of the simpler questions to tell.",
}


class SubjectState(TypedDict, total=False):
    """The host's own channels; those of the parts are among them under the same names."""

    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]
    """First of the build, then of the asking."""
    manner: str
    """`outright`, `step by step`, or `unknown`."""


def subject_graph(
    build: fathom.Embedded, target: fathom.Model, judge: fathom.Model
) -> CompiledStateGraph[SubjectState]:
    """build → ask → decide."""

    async def ask(state: SubjectState) -> SubjectState:
        built = state["result"]["graph"]
        if built is None:
            raise SystemExit(
                f"No question could be broken down: {state['result']['stop_detail']}."
            )
        models = {"target": target, "judge": judge}
        async with fathom.embed("depthqa", models, material=built, env=os.environ) as depthqa:
            output = await depthqa.graph.ainvoke(
                depthqa.input()
            )  # its events go where the host's do
        return {"result": output["result"]}

    async def decide(state: SubjectState) -> SubjectState:
        average, _ = forward(state)
        if average is None:  # there is no question whose parts it knows
            return {"manner": "unknown"}
        return {"manner": "step by step" if average >= STEP_BY_STEP else "outright"}

    builder = StateGraph(SubjectState)
    builder.add_node("build", build.graph)
    builder.add_node("ask", ask)
    builder.add_node("decide", decide)
    builder.add_edge(START, "build")
    builder.add_edge("build", "ask")
    builder.add_edge("ask", "decide")
    builder.add_edge("decide", END)
    return builder.compile(name="subject")


def forward(state: SubjectState) -> tuple[float | None, int]:
    """The average forward discrepancy over both pairs of depths, and of how many questions."""
    result = fathom.DepthQAResult.model_validate(state["result"])
    row = result.modes[0].discrepancies.forward["overall"]
    return row.average, row.eligible


async def run(
    target: fathom.Model, judge: fathom.Model, questions: Sequence[str] = QUESTIONS
) -> SubjectState:
    """Run the app once, printing what DepthQA streams, and return its final state. The judge also
    builds the graph."""
    async with fathom.embed("depthqa_build", {"evaluator": judge}, env=os.environ) as build:
        given = build.input(questions)
        begin: SubjectState = {"spec": given["spec"], "run_id": given["run_id"]}
        final: SubjectState = {}
        parts = subject_graph(build, target, judge).astream(
            begin, stream_mode=["custom", "values"], subgraphs=True, version="v2"
        )
        async for part in parts:
            if part["type"] == "custom":
                show(part["ns"][0].split(":")[0], part["data"])
            elif part["type"] == "values" and not part["ns"]:
                final = part["data"]
        return final


def show(node: str, event: dict[str, Any]) -> None:
    """A line for what is worth one."""
    if event["type"] == "item_finished" and event["item"]["type"] == "deconstructed":
        print(
            f"{node}: {event['item']['node']} rests on {len(event['item']['questions'])} "
            "simpler questions"
        )
    elif event["type"] == "tree_closed":
        means = {
            depth: row["total"] / row["scored"]
            for depth, row in event["depths"].items()
            if row["scored"]
        }
        print(
            f"{node}: {event['root']} "
            + ", ".join(f"D{depth} {mean:.2f}" for depth, mean in means.items())
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "target", nargs="?", default="sim:graduate", help="the model, as a provider string"
    )
    parser.add_argument(
        "judge", nargs="?", default="sim:evaluator", help="who takes apart and rates, likewise"
    )
    given = parser.parse_args()
    final = asyncio.run(run(given.target, given.judge))
    average, questions = forward(final)
    note = " (simulated)" if final["result"]["simulated"] else ""
    measured = "unknown" if average is None else f"{average:.3f} over {questions} questions"
    print(f"Forward discrepancy {measured}{note}")
    print(SAID[final["manner"]])


if __name__ == "__main__":
    main()
