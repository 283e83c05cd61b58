"""Single flight: one call for many who want the same, and nobody left behind when it fails."""

import asyncio
from dataclasses import replace

import pytest

from fathom.state.errors import BudgetSpent, CallFailed
from fathom.tools.models.chat import ChatReply

from ...support.cached import REPLY, PlacedChat, ask, cached, failure, store, turns


async def test_those_who_ask_together_share_one_call_over_runs_and_models_objects() -> None:
    shared, inner = store(), PlacedChat()
    inner.gate.clear()
    chats = [cached(inner, shared, f"run-{n}") for n in range(5)]
    tasks = [asyncio.ensure_future(chat.complete(ask())) for chat in chats]
    await turns()
    assert inner.calls == 1
    inner.gate.set()
    leader, *followers = await asyncio.gather(*tasks)
    assert inner.calls == 1
    assert (leader.cached, leader.cost_usd) == (False, 0.002)
    assert (
        followers
        == [replace(leader, cached=True, cost_usd=0.0, saved_usd=0.002, attempts=0)] * 4
    )
    assert not shared._pending


async def test_followers_of_a_failed_leader_try_one_after_the_other_until_one_succeeds() -> (
    None
):
    shared, inner = store(), PlacedChat(failure(), failure(), REPLY)
    inner.gate.clear()
    chat = cached(inner, shared)
    tasks = [asyncio.ensure_future(chat.complete(ask())) for _ in range(5)]
    await turns()
    inner.gate.set()
    said = await asyncio.gather(*tasks, return_exceptions=True)
    assert inner.calls == 3
    assert [type(one) for one in said[:2]] == [CallFailed, CallFailed]
    replies = [one for one in said if isinstance(one, ChatReply)]
    assert sorted(reply.cached for reply in replies) == [False, True, True]


async def test_a_reply_that_is_not_kept_is_not_shared() -> None:
    inner = PlacedChat(ChatReply("Half", "length"), REPLY)
    inner.gate.clear()
    chat = cached(inner, store())
    tasks = [asyncio.ensure_future(chat.complete(ask())) for _ in range(3)]
    await turns()
    inner.gate.set()
    said = await asyncio.gather(*tasks)
    assert [(one.text, one.cached) for one in said] == [
        ("Half", False),
        ("Neon.", False),
        ("Neon.", True),
    ]


async def test_a_cancelled_leader_leaves_the_lead_to_a_follower() -> None:
    inner = PlacedChat()
    inner.gate.clear()
    chat = cached(inner, store())
    leader, *followers = (asyncio.ensure_future(chat.complete(ask())) for _ in range(3))
    await turns()
    leader.cancel()
    await turns()
    assert inner.calls == 2
    inner.gate.set()
    said = await asyncio.gather(*followers)
    assert [one.cached for one in said] == [False, True]
    with pytest.raises(asyncio.CancelledError):
        await leader


async def test_a_cancelled_follower_takes_nobody_with_it() -> None:
    inner = PlacedChat()
    inner.gate.clear()
    chat = cached(inner, store())
    leader, second, third = (asyncio.ensure_future(chat.complete(ask())) for _ in range(3))
    await turns()
    second.cancel()
    await turns()
    inner.gate.set()
    assert not (await leader).cached
    assert (await third).cached
    assert second.cancelled()
    assert inner.calls == 1


class Poor:
    """A payer that has the money when the test says so, or never."""

    def __init__(self, *, broke: bool = False) -> None:
        self.has_money = asyncio.Event()
        self.broke = broke
        self.settled: list[tuple[float, float | None, int]] = []

    async def hold(self, worst_usd: float | None) -> float:
        await self.has_money.wait()
        if self.broke:
            raise BudgetSpent("no money.")
        return worst_usd or 0.0

    def settle(self, held_usd: float, cost_usd: float | None, calls: int = 1) -> None:
        self.settled.append((held_usd, cost_usd, calls))


async def test_nobody_waits_for_a_leader_that_waits_for_money() -> None:
    # the money may be set aside for the very one that would wait: both would wait for ever
    inner, waiting, rich = PlacedChat(), Poor(), Poor()
    rich.has_money.set()
    chat = cached(inner, store())
    first = asyncio.ensure_future(chat.complete(ask(payer=waiting)))
    await turns()
    assert not (await chat.complete(ask(payer=rich))).cached
    assert rich.settled == [(0.0, 0.002, 1)]
    waiting.has_money.set()
    assert (await first).cached
    assert waiting.settled == [(0.0, 0.0, 0)], "it was asked once, and paid once"
    assert inner.calls == 1
