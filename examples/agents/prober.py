"""The Prober as a node and as a tool of an app."""

from typing import Any

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

import fathom


class State(TypedDict, total=False):
    question: str
    result: Any


async def run(model: fathom.Model, given: State) -> list[Any]:
    builder = StateGraph(State)
    builder.add_node("prober", fathom.agents.prober.graph(model))
    builder.add_edge(START, "prober")
    state = await builder.compile().ainvoke(given)
    tool = fathom.agents.prober.tool(model)
    return [state["result"], await tool.ainvoke({**given})]
