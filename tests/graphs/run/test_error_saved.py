"""An error that a node raises reaches the caller, whether or not a host's checkpointer can save it."""

import asyncio
import sys
import time
from types import ModuleType
from typing import TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from fathom.graphs.embed.serializer import safe_serializer
from fathom.state.errors import EndpointRefused

from ...support.drill.drills import drill, sim_spec
from ...support.model_server import refuse as model_error
from ...support.model_server import serving

REFUSED = "answered 404: model 'x' not found, try pulling it first."


class State(TypedDict):
    asked: int


async def refuse(state: State) -> State:
    raise EndpointRefused(REFUSED)


async def test_what_cannot_be_saved_does_not_replace_the_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # the serialiser asks a loaded numpy for its array type; one that is still loading has none
    monkeypatch.setitem(sys.modules, "numpy", ModuleType("numpy"))
    saver = InMemorySaver(serde=safe_serializer())
    graph = StateGraph(State).add_node("ask", refuse).add_edge(START, "ask").compile(saver)
    with pytest.raises(EndpointRefused, match="try pulling it first"):
        await graph.ainvoke(
            {"asked": 0}, {"configurable": {"thread_id": "1"}}, durability="async"
        )
    await asyncio.sleep(0)


async def test_the_first_node_awaits_what_it_loads_before_its_error_leaves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded: list[str] = []

    def load(name: str) -> None:
        time.sleep(0.3)
        loaded.append(name)

    monkeypatch.setattr("fathom.graphs.drill.graph.import_module", load)
    async with serving(model_error(404, "model 'x' not found, try pulling it first")) as server:
        model = f"ollama@{server.base_url}:x"
        report = await drill(sim_spec(target=model, evaluator=model, judge=model))
        assert loaded == ["numpy"]
    assert "try pulling it first" in (report.error or "")
