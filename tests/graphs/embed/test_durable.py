"""A drill in a host whose checkpointer outlives the process: cut off, it goes on where it was, or is refused."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from fathom.graphs.embed import embed
from fathom.graphs.run.checkpoint import safe_serializer
from fathom.state.channels import DrillInput
from fathom.state.errors import RunFailed
from fathom.state.events import Event
from fathom.state.result import DrillResult
from fathom.state.tiers import Tier

from ...support.drill.drills import TODAY, lasting
from ...support.drill.toy import ToyChat, ToySource
from .test_refused import opened

FACTS = {tier: [ToySource()] for tier in Tier}
SIZE: dict[str, Any] = {"n": 4, "max_depth": 4, "threshold": 0.001, "as_of": TODAY}
CONFIG: Any = {"configurable": {"thread_id": "one"}}


class HostState(TypedDict, total=False):
    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]


def host(graph: Any, saver: InMemorySaver | None) -> Any:
    builder = StateGraph(HostState)
    builder.add_node("knowledge", graph)
    builder.add_edge(START, "knowledge")
    builder.add_edge("knowledge", END)
    return builder.compile(saver)


async def cut_off(
    toy: ToyChat, saver: InMemorySaver, depth: int, journal: Path | None = None, first: DrillInput | None = None
) -> None:
    """One session of the host, which ends when the first probe of the depth is judged."""
    ended = asyncio.Event()

    def listen(event: Event) -> None:
        if event.type == "probe_judged" and event.probe.depth == depth:
            ended.set()

    async with embed(toy, toy, facts=FACTS, journal=journal, listeners=[listen]) as drill:
        given = (first or drill.input("Toys", **SIZE)) if saver.get(CONFIG) is None else None
        running = asyncio.ensure_future(host(drill.graph, saver).ainvoke(given, CONFIG))
        await asyncio.wait([running, asyncio.ensure_future(ended.wait())], return_when=asyncio.FIRST_COMPLETED)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def picture(output: dict[str, Any]) -> str:
    """The lasting part of a result, without the run's name."""
    run = output["run_id"]
    ended = str(lasting(DrillResult.model_validate(output["result"])))
    return ended.replace(run, "RUN").replace(run.rpartition("-")[2], "RUN")


async def test_a_drill_that_is_cut_off_three_times_ends_like_one_that_is_not(tmp_path: Path) -> None:
    whole, toy, saver = ToyChat(skill=1.0), ToyChat(skill=1.0, shuffle=3), InMemorySaver(serde=safe_serializer())
    async with embed(whole, whole, facts=FACTS) as drill:
        expected = await host(drill.graph, None).ainvoke(drill.input("Toys", **SIZE))
    journal = tmp_path / "journal.jsonl"
    for depth in (1, 2, 3):
        await cut_off(toy, saver, depth, journal)
    async with embed(toy, toy, facts=FACTS, journal=journal) as drill:
        output = await host(drill.graph, saver).ainvoke(None, CONFIG)
    assert picture(output) == picture(expected)
    again = len(toy.requests) - len(whole.requests)
    assert again <= 3 * SIZE["n"] * 3, "what was finished is not asked for again"


async def test_the_same_input_again_goes_on_where_the_journal_ends(tmp_path: Path) -> None:
    """As a server does that tries a run again which was cut off, or whose own memory is older than the journal."""
    whole, toy, journal = ToyChat(skill=1.0), ToyChat(skill=1.0), tmp_path / "journal.jsonl"
    async with embed(whole, whole, facts=FACTS) as drill:
        given = drill.input("Toys", **SIZE)
        expected = await host(drill.graph, None).ainvoke(given)
    await cut_off(toy, InMemorySaver(), 2, journal, given)
    asked = len(toy.requests)
    for _ in range(2):  # the second time it has its result already
        async with embed(toy, toy, facts=FACTS, journal=journal) as drill:
            output = await host(drill.graph, None).ainvoke(given)
        assert picture(output) == picture(expected)
    assert sum(request.purpose == "aspects" for request in toy.requests) == 1
    assert asked < len(toy.requests) <= len(whole.requests) + SIZE["n"] * 3


async def test_without_a_journal_it_is_refused_before_anything_is_asked() -> None:
    toy, saver = ToyChat(skill=1.0), InMemorySaver(serde=safe_serializer())
    await cut_off(toy, saver, 2)
    asked = len(toy.requests)
    async with embed(toy, toy, facts=FACTS) as drill:
        with pytest.raises(RunFailed, match=r"whose memory is gone.* give embed"):
            await host(drill.graph, saver).ainvoke(None, CONFIG)
    assert len(toy.requests) == asked


@pytest.mark.parametrize("method", ["eqt", "depthqa", "depthqa_build", "deepquestion"])
async def test_the_other_methods_go_on_with_a_journal_and_are_refused_without(method: str, tmp_path: Path) -> None:
    saver, journal = InMemorySaver(serde=safe_serializer()), tmp_path / "journal.jsonl"
    toy, begun = ToyChat(fault=lambda purpose, text: True, shuffle=1), asyncio.Event()

    def listen(event: Event) -> None:
        if event.type == "item_finished":
            begun.set()

    async with opened(method, toy, journal=journal, listeners=[listen]) as (graph, given):
        running = asyncio.ensure_future(host(graph, saver).ainvoke(given, CONFIG))
        await begun.wait()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    asked = len(toy.requests)
    async with opened(method, toy) as (graph, _):
        with pytest.raises(RunFailed, match=r"whose memory is gone.* give embed"):
            await host(graph, saver).ainvoke(None, CONFIG)
    assert len(toy.requests) == asked
    async with opened(method, toy, journal=journal) as (graph, _):
        await asyncio.gather(host(graph, saver).ainvoke(None, CONFIG), return_exceptions=True)  # every call fails
    kinds = [json.loads(line)["type"] for line in journal.read_text().splitlines()]
    assert (kinds.count("run_started"), kinds[-1]) == (1, "run_finished")
