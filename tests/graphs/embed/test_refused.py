"""What a host of any method is refused before anything is asked, and what is left of a listener
that breaks off."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.run.deps import Clock
from fathom.graphs.run.launch import Launch, LaunchOptions, stream
from fathom.state.errors import EndpointRefused, UsageError
from fathom.state.events import EVENT, Event
from fathom.state.tiers import Tier
from fathom.tools.models.chat import ChatReply, ChatRequest

from ...support.drill.drills import sim_spec
from ...support.drill.toy import START, ToyChat
from ...support.embedded import EMBEDDINGS, METHODS, asked, bound, given_to

every_method = pytest.mark.parametrize("method", METHODS)


@asynccontextmanager
async def opened(method: str, toy: Any, **options: Any) -> AsyncIterator[tuple[Any, Any]]:
    """The graph and an input of its own."""
    async with bound(method, toy, **options) as embedded:
        yield embedded.graph, given_to(embedded, method)


@every_method
async def test_a_run_is_played_once_at_a_time_and_a_listener_that_breaks_off_leaves_nothing(
    method: str,
) -> None:
    heard: list[Event] = []
    async with opened(method, EMBEDDINGS[method].toy("toy"), listeners=[heard.append]) as (
        graph,
        given,
    ):
        before = asyncio.all_tasks()
        for _ in range(2):  # the second time the run is free again
            parts = graph.astream(given, stream_mode="custom")
            assert (await anext(parts))["type"] == "run_started"
            with pytest.raises(
                UsageError, match=f"The run {given['run_id']} is under way already: wait"
            ):
                await graph.ainvoke(given)
            await parts.aclose()
            assert asyncio.all_tasks() == before
            told = len(heard)
            await asyncio.sleep(0)
            assert len(heard) == told


@every_method
async def test_too_few_steps_are_refused_and_as_many_as_are_named_suffice(method: str) -> None:
    toy = EMBEDDINGS[method].toy("toy")
    async with opened(method, toy) as (graph, given):
        with pytest.raises(
            UsageError, match=r"permits 4: give a config with recursion_limit=\d+ or more"
        ) as caught:
            await graph.ainvoke(given, {"recursion_limit": 4})
        assert asked(toy) == []
        enough = int(str(caught.value).partition("recursion_limit=")[2].split()[0])
        parts = graph.astream(given, {"recursion_limit": enough}, stream_mode="custom")
        assert (await anext(parts))["type"] == "run_started"
        await parts.aclose()


@every_method
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"env": "KEY=secret-1"}, "The str given as env cannot be used: give a mapping"),
        ({"env": {"KEY": None}}, "The dict given as env"),
        ({"cache": "c.sqlite"}, "The str given as cache cannot be used: give a pathlib.Path"),
        ({"journal": "j.jsonl"}, "The str given as journal"),
        ({"listeners": print}, "given as listeners cannot be used: give a list of functions"),
    ],
)
async def test_wrong_types_are_refused_in_one_sentence(
    method: str, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(UsageError, match=told) as caught:
        await opened(method, ToyChat(), **options).__aenter__()
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "facts", [[], {}, ["wikipedia"], {"COMMON": "wikipedia"}, {Tier.COMMON: ["wikipedia"]}, 3]
)
async def test_facts_of_another_kind_are_refused(facts: Any) -> None:
    with pytest.raises(
        UsageError, match="given as facts cannot be used: give a text as on the command line"
    ):
        await bound("drill", ToyChat(), facts=facts).__aenter__()


@pytest.mark.parametrize(
    ("method", "role"), [(each, role) for each in METHODS for role in EMBEDDINGS[each].roles]
)
async def test_nothing_is_no_model(method: str, role: str) -> None:
    with pytest.raises(UsageError, match="model"):
        await bound(
            method, *([] if each == role else ToyChat() for each in EMBEDDINGS[method].roles)
        ).__aenter__()


@pytest.mark.parametrize("specs", [[], None, "spec", [{}]])
async def test_a_launch_of_no_spec_is_refused(specs: Any) -> None:
    with pytest.raises(UsageError, match="given as specs cannot be used: give one spec, or a list"):
        await anext(aiter(stream(specs)))


def test_options_of_another_kind_are_refused() -> None:
    faults: list[dict[str, Any]] = [{"runs": "runs"}, {"env": ["KEY"]}, {"cache": 3}]
    for options in faults:
        with pytest.raises(UsageError, match="cannot be used"):
            LaunchOptions(**options)
    with pytest.raises(UsageError, match="given as options cannot be used: give LaunchOptions"):
        Launch([sim_spec()], {"runs": None})  # type: ignore[arg-type]


async def test_a_run_id_is_under_way_once_in_a_process_and_free_when_its_stream_is_left() -> None:
    options, before = (
        LaunchOptions(new_id=lambda: "same", clock=Clock(now=lambda: START)),
        asyncio.all_tasks(),
    )
    for _ in range(2):
        events = aiter(stream(sim_spec(n=2, max_depth=1), options))
        await anext(events)
        with pytest.raises(UsageError, match="is under way already"):
            await anext(aiter(stream(sim_spec(n=2, max_depth=1), options)))
        await events.aclose()  # type: ignore[attr-defined]
        assert asyncio.all_tasks() == before


class Refusing(ToyChat):
    """Its endpoint will not serve it."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        raise EndpointRefused("there is no such model")


@every_method
async def test_a_run_that_fails_streams_its_notice_and_its_end(method: str) -> None:
    told: list[Event] = []

    async def listen(graph: Any, given: Any) -> None:
        async for _, part in graph.astream(given, stream_mode="custom", subgraphs=True):
            told.append(EVENT.validate_python(part))

    async with opened(method, Refusing()) as (graph, given):
        with pytest.raises(EndpointRefused):
            await listen(graph, given)
    notice, end = told[-2:]
    assert (notice.type, getattr(notice, "message", "")) == ("notice", "there is no such model")
    assert (end.type, getattr(end, "status", "")) == ("run_finished", "failed")


@every_method
async def test_a_journal_is_written_by_one_graph_at_a_time(method: str, tmp_path: Path) -> None:
    journal = tmp_path / "run.jsonl"
    async with opened(method, ToyChat(), journal=journal):
        with pytest.raises(
            UsageError, match=r"run\.jsonl is in use by another graph or process: wait"
        ):
            await opened("eqt", ToyChat(), journal=journal).__aenter__()
    async with opened(method, ToyChat(), journal=journal):
        pass
