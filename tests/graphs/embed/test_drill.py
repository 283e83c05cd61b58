"""Fathom inside other LangGraph apps: agents as nodes and tools, a drill as a subgraph, the example app."""

import asyncio
import runpy
from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from fathom.agents import export
from fathom.graphs import factories
from fathom.graphs.embed import embed
from fathom.sim.server import RunningWorld, start
from fathom.state.errors import UsageError
from fathom.state.events import EVENT
from fathom.state.result import DrillResult
from fathom.state.spec import WorldSpec
from fathom.state.tiers import Tier
from fathom.tools.background import synchronous
from fathom.tools.models.clients import Clients

from ...support.drill.drills import TODAY, drill, lasting, sim_spec
from ...support.drill.toy import ToyChat, ToySource
from ...support.paths import EXAMPLES

EXAMPLE = runpy.run_path(str(EXAMPLES / "host_app.py"), run_name="example")


@pytest.fixture
async def world() -> AsyncIterator[RunningWorld]:
    running = await start(WorldSpec())
    yield running
    await running.aclose()


@pytest.mark.parametrize("own_objects", [False, True], ids=["provider strings", "chat model objects"])
async def test_the_example_app_runs(own_objects: bool, capsys: pytest.CaptureFixture[str]) -> None:
    final = await EXAMPLE["run"](own_objects, n=4, max_depth=2)
    assert final["evidence"][0]["title"] == "Gold"
    assert final["verdict"] == "correct"
    result = DrillResult.model_validate(final["result"])
    assert [row.scored for row in result.depths] == [4, 4]
    assert result.simulated  # the endpoint's own model names say so, whatever the host calls its objects
    assert "drill: depth 2" in capsys.readouterr().out


class HostState(TypedDict, total=False):
    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]
    seen: int


def host(drill_graph: Any) -> Any:
    async def before(state: HostState) -> HostState:
        return {"seen": 1}

    builder = StateGraph(HostState)
    builder.add_node("before", before)
    builder.add_node("knowledge", drill_graph)
    builder.add_edge(START, "before")
    builder.add_edge("before", "knowledge")
    builder.add_edge("knowledge", END)
    return builder.compile()


async def test_a_drill_as_a_subgraph_streams_its_events_with_namespaces(world: RunningWorld) -> None:
    models = f"sim@{world.api_url}:student", f"sim@{world.api_url}:evaluator"
    async with embed(*models, facts=f"sim@{world.base_url}") as drilling:
        app = host(drilling.graph)
        parts = [
            part
            async for part in app.astream(
                drilling.input("Chemical elements", n=4, max_depth=2),
                stream_mode=["custom", "values"],
                subgraphs=True,
                version="v2",
            )
        ]
    events = [part for part in parts if part["type"] == "custom"]
    assert all(part["ns"][0].startswith("knowledge:") for part in events)
    kinds = [EVENT.validate_python(part["data"]).type for part in events]
    assert [part["data"]["seq"] for part in events] == list(range(1, len(events) + 1))
    assert all(part["data"]["at"] for part in events)
    assert kinds[0] == "run_started"
    assert kinds[-1] == "run_finished"
    assert kinds.count("probe_judged") == 8
    assert parts[-1]["data"]["result"]["depth_reached"] == 2


async def test_a_host_with_three_tasks_at_once_gets_the_runners_result() -> None:
    small: dict[str, Any] = {"n": 6, "passes": 1, "max_depth": 3}
    async with embed("sim:student", "sim:evaluator") as drilling:
        given = drilling.input("Chemical elements", as_of=TODAY, world=WorldSpec(), **small)
        output = await host(drilling.graph).ainvoke(given, {"max_concurrency": 3})
    alone = await drill(sim_spec(**small))
    assert alone.result is not None
    assert lasting(DrillResult.model_validate(output["result"])) == lasting(alone.result)


async def test_two_drills_through_one_graph_do_not_mix() -> None:
    async with embed(ToyChat(), ToyChat(), facts={tier: [ToySource()] for tier in Tier}) as drilling:
        for _ in range(2):
            output = await drilling.graph.ainvoke(drilling.input("Toys", n=4, max_depth=2))
            assert len(output["result"]["probes"]) == 8
        assert drilling.deps.sink.run("anything").probe_ids == []


async def test_a_spec_that_names_other_models_than_the_bound_ones_is_refused() -> None:
    async with embed(ToyChat(), ToyChat(), facts={tier: [ToySource()] for tier in Tier}) as drilling:
        with pytest.raises(UsageError, match="target is 'openai:x' but the graph is bound to 'toy'"):
            await drilling.graph.ainvoke(drilling.input("Toys", target="openai:x"))


async def test_every_agent_as_a_graph() -> None:
    chat, source = ToyChat(), ToySource()
    found = await export.factfinder_graph([source]).ainvoke({"domain": "Toys", "concept": "c7", "tier": Tier.COMMON})
    evidence = found["evidence"][0]
    assert evidence["title"] == "c7"
    asked = await export.questioner_graph(chat).ainvoke({"domain": "Toys", "concept": "c7", "evidence": evidence})
    assert asked["rejected"] is None
    said = await export.prober_graph(chat).ainvoke({"question": asked["question"]})
    marked = await export.judge_graph(chat).ainvoke(
        {"question": asked["question"], "reference": asked["reference"], "answer": said["answer"]}
    )
    assert marked["verdict"] in ("correct", "wrong")
    mentioned = await export.explainer_graph(chat).ainvoke(
        {"domain": "Toys", "concept": "c7", "question": asked["question"], "answer": said["answer"]}
    )
    assert mentioned["concepts"]
    assert set(mentioned) == {"concepts", "said", "aspects"}


async def test_every_agent_as_a_tool() -> None:
    chat = ToyChat(skill=1.0)
    tools = [
        export.explainer_tool(chat),
        export.questioner_tool(chat),
        export.prober_tool(chat),
        export.factfinder_tool([ToySource()]),
        export.judge_tool(chat),
    ]
    assert len({tool.name for tool in tools}) == 5
    described = [convert_to_openai_tool(tool)["function"] for tool in tools]  # what a model gets to see
    assert all(tool["description"] and tool["parameters"]["properties"] for tool in described)
    found = await tools[3].ainvoke({"domain": "Toys", "concept": "c3", "tier": "TEXTBOOK"})
    assert len(found["evidence"]) == 3
    said = await tools[2].ainvoke({"question": "What code does item c3.T0 bear?"})
    assert said["answer"].startswith("The code is")


def test_a_tool_of_a_synchronous_host_keeps_its_connections_between_calls() -> None:
    world = synchronous(partial(start, WorldSpec()))()
    clients = Clients({}, sim_url=world.api_url)
    tool = export.prober_tool("sim:student", clients)
    for _ in range(2):
        assert tool.invoke({"question": "What is the chemical symbol of gold?"})["finish"] == "stop"
    assert "question: Field required" in tool.invoke({})
    failed = export.prober_tool(ToyChat(fault=lambda purpose, text: True)).invoke({"question": "Q?"})
    assert "toy" in failed
    for left in (clients, world):
        synchronous(left.aclose)()


async def test_a_tool_made_in_a_hosts_loop_shares_its_connections_with_the_hosts_threads(world: RunningWorld) -> None:
    clients = Clients({}, sim_url=world.api_url)
    tool, asked = export.prober_tool("sim:student", clients), {"question": "What is the chemical symbol of gold?"}
    answers = [await asyncio.to_thread(tool.invoke, asked), await tool.ainvoke(asked)]
    assert answers[0] == answers[1]
    await clients.aclose()


async def test_a_slip_of_an_agent_is_an_error_message_to_it() -> None:
    finder, writer = export.factfinder_tool([ToySource()]), export.questioner_tool(ToyChat())
    for given, told in (
        ({"domain": "Toys", "concept": "c3", "tier": "EXPERT"}, "tier: Input should be 'COMMON'"),
        ({"domain": "Toys", "concept": "c3"}, "tier: Field required"),
        (
            {"domain": "Toys", "concept": "c3", "tier": "COMMON", "limit": "few"},
            "limit: Input should be",
        ),
    ):
        said = await finder.ainvoke(given)
        assert isinstance(said, str)
        assert said.startswith("These arguments will not do: ")
        assert told in said
    enum = convert_to_openai_tool(finder)["function"]["parameters"]["properties"]["tier"]["enum"]
    assert enum == [tier.value for tier in Tier]
    failed = await export.prober_tool(ToyChat(fault=lambda purpose, text: True)).ainvoke({"question": "Q?"})
    assert "toy" in failed
    assert "evidence: Field required" in await writer.ainvoke({"domain": "Toys", "concept": "c3"})


@pytest.mark.parametrize("name", ["explainer", "questioner", "prober", "factfinder", "judge", "drill"])
async def test_every_factory_builds_a_graph_that_can_be_drawn_and_described(name: str) -> None:
    async with getattr(factories, name)({"configurable": {}}) as graph:
        assert "__start__" in graph.get_graph().draw_mermaid()
        assert graph.get_input_jsonschema()["properties"]
        assert graph.get_output_jsonschema()["properties"]


async def test_a_factory_says_what_is_not_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FATHOM_TARGET", raising=False)
    async with factories.prober({}) as graph:
        with pytest.raises(UsageError, match="FATHOM_TARGET"):
            await graph.ainvoke({"question": "Q?"})


async def test_a_factory_takes_its_models_from_the_configurable_values(world: RunningWorld) -> None:
    values = {
        "target": f"sim@{world.api_url}:student",
        "evaluator": f"sim@{world.api_url}:evaluator",
        "facts": f"sim@{world.base_url}",
    }
    spec = sim_spec(
        n=4, max_depth=1, target=values["target"], evaluator=values["evaluator"], judge=values["evaluator"], world=None
    )
    async with factories.drill({"configurable": values}) as graph:
        output = await graph.ainvoke({"spec": spec.model_dump(mode="json"), "run_id": "served-1"})
    assert output["result"]["depths"][0]["scored"] == 4


async def test_an_embedded_drill_may_use_the_cache(tmp_path: Path) -> None:
    served = []
    for _ in range(2):
        async with embed("sim:student", "sim:evaluator", cache=tmp_path / "cache.sqlite") as drill:
            output = await drill.graph.ainvoke(drill.input("Chemical elements", n=4, max_depth=2, seed=3))
        result = DrillResult.model_validate(output["result"])
        served.append(sum(used.cached for used in result.usage.values()) / sum(u.calls for u in result.usage.values()))
    assert served[0] < 0.2
    assert served[1] == 1.0


class Watching(AsyncCallbackHandler):
    """Notes the chat runs a host's callback handler is told of."""

    def __init__(self) -> None:
        self.begun: dict[UUID, dict[str, Any]] = {}
        self.tokens: dict[UUID, int] = {}

    async def on_chat_model_start(self, serialized: Any, messages: Any, *, run_id: UUID, **more: Any) -> None:
        self.begun[run_id] = {"messages": messages[0], **more}

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **more: Any) -> None:
        (generation,) = response.generations[0]
        assert isinstance(generation, ChatGeneration)
        self.tokens[run_id] = generation.message.usage_metadata["total_tokens"]  # type: ignore[attr-defined]


async def test_a_hosts_callbacks_see_every_call_of_a_model_named_by_a_string(world: RunningWorld) -> None:
    models = f"sim@{world.api_url}:expert", f"sim@{world.api_url}:evaluator"
    watching = Watching()
    async with embed(*models, facts=f"sim@{world.base_url}") as drill:
        app = host(drill.graph)
        state = drill.input("Chemical elements", n=4, max_depth=2)
        told = [part async for part in app.astream(state, {"callbacks": [watching]}, stream_mode="messages")]
    asked = Counter(one.kind for one in world.log)
    assert len(watching.begun) == asked["chat"] + asked["structured"] > 30
    assert watching.begun.keys() == watching.tokens.keys()
    assert min(watching.tokens.values()) > 0
    assert {run["name"] for run in watching.begun.values()} == {
        "aspects", "question", "answer", "check", "verdict", "concepts"
    }  # fmt: skip
    answers = [run for run in watching.begun.values() if run["name"] == "answer"]
    for run in answers:
        assert run["parent_run_id"]
        assert "target" in run["tags"]
        assert any("/d0" in tag for tag in run["tags"]), run["tags"]
    assert told == [], "they are no messages of the host's own"
