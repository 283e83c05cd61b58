"""A small LangGraph app with DeepQuestion inside: which of two models may a laboratory's help desk
put on its problems?

People tell the desk their problems as stories, with much beside the point. The app has scenarios
with distractors written from a few problems whose answers it knows, asks one model, and then
another one the very same texts. It takes the one that solves more of them. Where even that one
falls far behind its own accuracy on the bare problems, people will have to fill in a form instead.
It runs against the simulated world, which `embed` starts itself:

    python examples/deepquestion_app.py
    # real models, with OPENAI_API_KEY set
    python examples/deepquestion_app.py openai:gpt-5-mini openai:gpt-5-nano --helper openai:gpt-5
"""

import argparse
import asyncio
import json
import os
from pathlib import Path
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypedDict

import fathom

PROBLEMS = Path(__file__).parent / "deepquestion_chemistry.jsonl"
FEW = 12
FAR_BEHIND = 0.25
"""Drop from the bare problems to their scenarios from which the desk asks for a form."""
SAID = {
    "story": "People may tell it their problem as they like.",
    "form": "People will fill in a form for it.",
}


class DeskState(TypedDict, total=False):
    """The host's own channels; those of the parts are among them under the same names."""

    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]
    """Of the first model."""
    other: dict[str, Any]
    """Of the second one, asked the same texts."""
    chosen: dict[str, Any]
    manner: str
    """`story` or `form`."""


def desk_graph(
    first: fathom.EmbeddedDeepQuestion, second: fathom.Model, evaluator: fathom.Model
) -> CompiledStateGraph[DeskState]:
    """first → second → choose → story, or form."""

    async def ask_second(state: DeskState) -> DeskState:
        texts = first.written(state["result"])
        models = {"target": second, "evaluator": evaluator}
        async with fathom.embed("deepquestion", models, material=texts, env=os.environ) as deep:
            output = await deep.graph.ainvoke(deep.input())  # its events go where the host's do
        return {"other": output["result"]}

    async def choose(state: DeskState) -> DeskState:
        return {
            "chosen": max(
                (state["result"], state["other"]),
                key=lambda result: result["q2s"][0]["accuracy"]["share"] or 0.0,
            )
        }

    async def story(state: DeskState) -> DeskState:
        return {"manner": "story"}

    async def form(state: DeskState) -> DeskState:
        return {"manner": "form"}

    def by_drop(state: DeskState) -> str:
        drop = state["chosen"]["q2s"][0]["drop"]
        return "story" if drop is not None and drop["drop"] < FAR_BEHIND else "form"

    builder = StateGraph(DeskState)
    builder.add_node("first", first.graph)
    builder.add_node("second", ask_second)
    builder.add_node("choose", choose)
    builder.add_node("tell", story)
    builder.add_node("fill_in", form)
    builder.add_edge(START, "first")
    builder.add_edge("first", "second")
    builder.add_edge("second", "choose")
    builder.add_conditional_edges("choose", by_drop, {"story": "tell", "form": "fill_in"})
    builder.add_edge("tell", END)
    builder.add_edge("fill_in", END)
    return builder.compile(name="desk")


async def run(
    first: fathom.Model,
    second: fathom.Model,
    evaluator: fathom.Model,
    generator: fathom.Model,
    few: int = FEW,
) -> DeskState:
    """Run the app once, printing what DeepQuestion streams, and return its final state."""
    problems = [json.loads(line) for line in PROBLEMS.read_text("utf-8").splitlines()[:few]]
    models = {"target": first, "evaluator": evaluator, "generator": generator}
    async with fathom.embed("deepquestion", models, material=problems, env=os.environ) as deep:
        given = deep.input(kinds="q2s", distractors="many")
        begin: DeskState = {"spec": given["spec"], "run_id": given["run_id"]}
        final: DeskState = {}
        parts = desk_graph(deep, second, evaluator).astream(
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
    if event["type"] == "item_finished" and event["item"]["type"] == "prompt_score":
        print(
            f"{node}: draft {event['item']['round']} of the prompt scores {event['item']['score']}"
        )
    elif event["type"] == "problem_closed":
        print(
            f"{node}: {event['problem']} "
            + ", ".join(f"{name} {mark}" for name, mark in event["marks"].items())
        )


def told(result: dict[str, Any]) -> str:
    """A model's figures in a line."""
    found = fathom.DeepQuestionResult.model_validate(result).q2s[0]
    drop = (
        (
            f", drop {found.drop.drop:.2f} (95% interval {found.drop.ci[0]:.2f} to "
            f"{found.drop.ci[1]:.2f})"
        )
        if found.drop
        else ""
    )
    note = " (simulated)" if result["simulated"] else ""
    return (
        f"{result['spec']['target']} solves {found.accuracy.count} of {found.accuracy.n} "
        f"scenarios{drop}{note}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "first",
        nargs="?",
        default="sim:solve=0.9,mislead=0.2",
        help="a model, as a provider string",
    )
    parser.add_argument("second", nargs="?", default="sim:solve=0.8", help="another one")
    parser.add_argument(
        "--helper", help="who drafts the prompt, writes the scenarios and checks them"
    )
    given = parser.parse_args()
    helpers = (given.helper or "sim:evaluator", given.helper or "sim:generator")
    final = asyncio.run(run(given.first, given.second, *helpers))
    for result in (final["result"], final["other"]):
        print(told(result))
    print(
        f"{final['chosen']['spec']['target']} is put on the problems. {SAID[final['manner']]}"
    )


if __name__ == "__main__":
    main()
