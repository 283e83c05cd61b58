"""The FactFinder as a node and as a tool of an app."""

from typing import Any

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

import fathom


class State(TypedDict, total=False):
    domain: str
    concept: str
    tier: str
    result: Any


async def run(facts: fathom.Facts, given: State) -> list[Any]:
    builder = StateGraph(State)
    builder.add_node("factfinder", fathom.agents.factfinder.graph(facts))
    builder.add_edge(START, "factfinder")
    state = await builder.compile().ainvoke(given)
    tool = fathom.agents.factfinder.tool(facts)
    return [state["result"], await tool.ainvoke({**given})]
