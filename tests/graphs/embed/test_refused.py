"""What a host of any method is refused before anything is asked, and what is left of a listener
that breaks off."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from fathom.state.errors import EndpointRefused, UsageError
from fathom.state.events import EVENT, Event
from fathom.tools.models.chat import ChatReply, ChatRequest

from ...support.drill.toy import ToyChat
from ...support.embedded import EMBEDDINGS, METHODS, asked, bound, given_to

every_method = pytest.mark.parametrize("method", METHODS)


@asynccontextmanager
async def opened(method: str, toy: Any, **options: Any) -> AsyncIterator[tuple[Any, Any]]:
    """The graph and an input of its own."""
    async with bound(method, toy, **options) as embedded:
        yield embedded.graph, given_to(embedded, method)


@every_method
async def test_a_listener_that_breaks_off_leaves_nothing(method: str) -> None:
    heard: list[Event] = []
    toy = EMBEDDINGS[method].toy("toy")
    async with opened(method, toy, listeners=[heard.append]) as (graph, given):
        before = asyncio.all_tasks()
        for _ in range(2):
            parts = graph.astream(given, stream_mode="custom")
            assert (await anext(parts))["type"] == "run_started"
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


@pytest.mark.parametrize(
    ("method", "role"), [(each, role) for each in METHODS for role in EMBEDDINGS[each].roles]
)
async def test_nothing_is_no_model(method: str, role: str) -> None:
    with pytest.raises(UsageError, match="model"):
        await bound(
            method, *([] if each == role else ToyChat() for each in EMBEDDINGS[method].roles)
        ).__aenter__()


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
