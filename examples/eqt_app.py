"""A small LangGraph app with an Explain-Query-Test inside: does a model know what it explains?

The app measures what its model answers about the concepts of a lesson without its own explanation
at hand, and decides whether it may teach the lesson. It runs against the simulated
world, which `embed` starts itself:

    python examples/eqt_app.py python examples/eqt_app.py openai:gpt-5-mini   # a real model, with
    OPENAI_API_KEY in the environment
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

LESSON = ("Gold", "Iodine")
MAY_TEACH = 0.8
"""Accuracy from which the app lets its model teach."""


class LessonState(TypedDict, total=False):
    """The host's own channels; those of the parts are among them under the same names."""

    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]
    may_teach: bool


def lesson_graph(eqt: fathom.Embedded) -> CompiledStateGraph[LessonState]:
    """eqt → decide."""

    async def decide(state: LessonState) -> LessonState:
        accuracy = fathom.EqtResult.model_validate(state["result"]).numbers.all.accuracy
        return {"may_teach": accuracy is not None and accuracy >= MAY_TEACH}

    builder = StateGraph(LessonState)
    builder.add_node("eqt", eqt.graph)
    builder.add_node("decide", decide)
    builder.add_edge(START, "eqt")
    builder.add_edge("eqt", "decide")
    builder.add_edge("decide", END)
    return builder.compile(name="lesson")


async def run(
    target: fathom.Model, concepts: Sequence[str] = LESSON, **options: Any
) -> LessonState:
    """Run the app once, printing what the Explain-Query-Test streams, and return its final
    state."""
    async with fathom.embed("eqt", {"target": target}, env=os.environ) as eqt:
        given = eqt.input(concepts, **options)
        begin: LessonState = {
            "spec": given["spec"],
            "run_id": given["run_id"],
        }
        final: LessonState = {}
        parts = lesson_graph(eqt).astream(
            begin, stream_mode=["custom", "values"], subgraphs=True, version="v2"
        )
        async for part in parts:
            if part["type"] == "custom" and part["data"]["type"] == "concept_closed":
                closed, figures = part["data"]["concept"], part["data"]["numbers"]["all"]
                print(
                    f"{part['ns'][0].split(':')[0]}: {closed} "
                    f"{figures['correct']}/{figures['scored']} correct"
                )
            elif part["type"] == "values" and not part["ns"]:
                final = part["data"]
        return final


def percent(share: float | None) -> str:
    return "unknown" if share is None else f"{share:.0%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "target", nargs="?", default="sim:student", help="the model, as a provider string"
    )
    final = asyncio.run(run(parser.parse_args().target, questions=3, paraphrases=2))
    result = fathom.EqtResult.model_validate(final["result"])
    note = " (simulated)" if result.simulated else ""
    accuracy, consistency = result.numbers.all.accuracy, result.numbers.consistency.acs
    print(f"Accuracy {percent(accuracy)}, consistency {percent(consistency)}{note}")
    print("It may teach the lesson." if final["may_teach"] else "It may not teach the lesson.")


if __name__ == "__main__":
    main()
