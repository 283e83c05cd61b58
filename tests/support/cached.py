"""A store for tests, and a chat whose replies come when the test says so."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from fathom.state.errors import CallFailed
from fathom.state.records import Usage
from fathom.tools.cache.store import Store
from fathom.tools.models.chat import ChatReply, ChatRequest, Message
from fathom.tools.models.model import BoundModel

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
REPLY = ChatReply(
    "Neon.",
    usage=Usage(input_tokens=11, output_tokens=7),
    latency_s=0.4,
    model="served-model",
    attempts=3,
    cost_usd=0.002,
    reasoning="A noble gas.",
    logprobs=(-0.1, -1.5),
)


def noon() -> datetime:
    return NOON


def store() -> Store:
    return Store.memory(now=noon)


def ask(text: str = "Which gas glows red?", **changes: Any) -> ChatRequest:
    return ChatRequest(
        **{
            "messages": (Message("user", text),),
            "purpose": "answer",
            "max_tokens": 100,
            **changes,
        }
    )


class PlacedChat:
    """A model at a place that counts what it is asked. An exception among its replies is raised;
    the last reply is given again and again. While `gate` is closed, it does not reply."""

    def __init__(
        self,
        *replies: ChatReply | Exception,
        name: str = "openai:m",
        place: str = "https://host/v1",
    ) -> None:
        self.name = name
        self.gate = asyncio.Event()
        self.gate.set()
        self.calls = 0
        self.under_way = asyncio.Event()
        self._replies = list(replies) or [REPLY]
        self._place = place

    async def place(self) -> str:
        return self._place

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        mine = self._replies[min(self.calls, len(self._replies)) - 1]
        self.under_way.set()
        await self.gate.wait()
        if isinstance(mine, Exception):
            raise mine
        return mine


def failure() -> CallFailed:
    return CallFailed("server", "it broke.")


def cached(
    inner: Any, in_store: Store, run_id: str = "run-a", accounted: set[str] | None = None
) -> BoundModel:
    return BoundModel(
        inner,
        store=in_store,
        run_id=run_id,
        accounted=set() if accounted is None else accounted,
    )


async def turns(count: int = 20) -> None:
    """Lets everything that can go on go on."""
    for _ in range(count):
        await asyncio.sleep(0)
