"""The Paraphraser as a node and as a tool of an app."""

from typing import Any

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

import fathom


class State(TypedDict, total=False):
    question: str
    options: list[str]
    result: Any


async def run(model: fathom.Model, given: State) -> list[Any]:
    builder = StateGraph(State)
    builder.add_node("paraphraser", fathom.agents.paraphraser.graph(model))
    builder.add_edge(START, "paraphraser")
    state = await builder.compile().ainvoke(given)
    tool = fathom.agents.paraphraser.tool(model)
    return [state["result"], await tool.ainvoke({**given})]
