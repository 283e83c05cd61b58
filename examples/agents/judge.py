"""The Judge as a node and as a tool of an app."""

from typing import Any

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

import fathom


class State(TypedDict, total=False):
    question: str
    reference: str
    answer: str
    result: Any


async def run(model: fathom.Model, given: State) -> list[Any]:
    builder = StateGraph(State)
    builder.add_node("judge", fathom.agents.judge.graph(model))
    builder.add_edge(START, "judge")
    state = await builder.compile().ainvoke(given)
    tool = fathom.agents.judge.tool(model)
    return [state["result"], await tool.ainvoke({**given})]
