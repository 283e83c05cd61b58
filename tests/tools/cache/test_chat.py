"""Replies that are kept: what a hit looks like, who pays, and what is not kept."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from fathom.agents.judge.verdict import Marking
from fathom.state.errors import CallFailed
from fathom.tools.cache.store import Store
from fathom.tools.models.chat import Chat, ChatReply

from ...support.cached import REPLY, PlacedChat, ask, cached, failure, noon, store
from ...support.scripted_chat import Scripted

SOUND = '{"reason": "x", "verdict": "asserts"}'


async def test_a_hit_of_another_run_is_the_whole_reply_for_nothing() -> None:
    inner, shared = PlacedChat(), store()
    asked = await cached(inner, shared).complete(ask())
    hit = await cached(inner, shared, "run-b").complete(ask())
    assert inner.calls == 1
    assert asked == replace(REPLY, request=asked.request)
    assert asked.request is not None
    assert hit == replace(asked, cached=True, cost_usd=0.0, saved_usd=0.002, attempts=0)


async def test_the_file_gives_back_every_field(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    odd = replace(
        REPLY, text="½ \ud800 \x00 'x'", refusal="No.", cost_usd=0.1 + 0.2, logprobs=None
    )
    first = await Store.open(path, now=noon)
    await cached(PlacedChat(REPLY), first).complete(ask())
    await cached(PlacedChat(odd), first).complete(ask("odd"))
    await first.aclose()
    inner, again = PlacedChat(), await Store.open(path, now=noon)
    chat = cached(inner, again, "run-b")
    full, strange = await chat.complete(ask()), await chat.complete(ask("odd"))
    await again.aclose()
    assert inner.calls == 0
    for hit, original in ((full, REPLY), (strange, odd)):
        back = replace(
            hit, cached=False, cost_usd=hit.saved_usd, saved_usd=None, attempts=3, request=None
        )
        assert back == original


async def test_a_reply_has_its_log_probabilities_again_and_one_without_is_another(
    tmp_path: Path,
) -> None:
    path, sentinel = tmp_path / "cache.sqlite", (-0.1, -9999.0, 0.0, -1e-07)
    first = await Store.open(path, now=noon)
    asked = PlacedChat(replace(REPLY, logprobs=sentinel), replace(REPLY, logprobs=None))
    await cached(asked, first).complete(ask(logprobs=True))
    await cached(asked, first).complete(ask())
    await first.aclose()
    inner, again = PlacedChat(), await Store.open(path, now=noon)
    chat = cached(inner, again, "run-b")
    hits = [await chat.complete(ask(logprobs=wanted)) for wanted in (True, False)]
    await again.aclose()
    assert [hit.logprobs for hit in hits] == [sentinel, None]
    assert (asked.calls, inner.calls) == (2, 0)


async def test_deliberate_repeats_are_asked_each_and_kept_each() -> None:
    inner, shared = PlacedChat(*(replace(REPLY, text=f"reply {n}") for n in range(3))), store()
    first = [(await cached(inner, shared).complete(ask(sample=n))).text for n in range(3)]
    again = [
        (await cached(inner, shared, "run-b").complete(ask(sample=n))).text for n in range(3)
    ]
    assert first == again == ["reply 0", "reply 1", "reply 2"]
    assert inner.calls == 3


async def test_a_reply_paid_for_by_this_run_and_not_yet_in_its_figures_comes_at_its_price_once() -> (
    None
):
    inner, shared = PlacedChat(), store()
    asked = await cached(inner, shared, "run-a").complete(ask())
    resumed: set[str] = set()
    chat = cached(inner, shared, "run-a", resumed)
    recalled, later = await chat.complete(ask()), await chat.complete(ask())
    assert recalled == asked  # as the call it was: price, attempts and all
    assert (later.cached, later.cost_usd, later.saved_usd) == (True, 0.0, 0.002)
    assert resumed == {asked.request}
    assert inner.calls == 1


async def test_a_reply_that_is_in_the_figures_already_is_free() -> None:
    inner, shared = PlacedChat(), store()
    accounted: set[str] = set()
    asked = await cached(inner, shared, "run-a", accounted).complete(ask())
    assert accounted == {asked.request}
    hit = await cached(inner, shared, "run-a", accounted).complete(ask())
    assert hit.cached
    assert hit.cost_usd == 0.0


async def test_an_unknown_price_stays_unknown(tmp_path: Path) -> None:
    inner, shared = (
        PlacedChat(replace(REPLY, cost_usd=None)),
        await Store.open(tmp_path / "cache", now=noon),
    )
    await cached(inner, shared).complete(ask())
    hit = await cached(inner, shared, "run-b").complete(ask())
    assert (hit.cost_usd, hit.saved_usd) == (0.0, None)
    assert shared.spent("run-a") == (1, None)
    await shared.aclose()


async def test_what_a_run_has_spent_is_what_it_paid_for(tmp_path: Path) -> None:
    shared = await Store.open(tmp_path / "cache", now=noon)
    await cached(PlacedChat(), shared, "run-a").complete(ask("1"))
    await cached(PlacedChat(), shared, "run-a").complete(ask("2"))
    await cached(PlacedChat(), shared, "run-b").complete(ask("2"))
    calls, usd = shared.spent("run-a")
    assert calls == 2
    assert usd == pytest.approx(0.004)
    assert shared.spent("run-b") == (0, 0.0)
    await shared.aclose()


@pytest.mark.parametrize(
    "reply",
    [
        ChatReply("Half an ans", "length"),
        ChatReply("", "content_filter"),
        ChatReply("Something", "content_filter"),
        ChatReply(""),
        ChatReply(" \n"),
    ],
)
async def test_cut_off_filtered_and_empty_replies_are_not_kept(reply: ChatReply) -> None:
    inner, shared, accounted = PlacedChat(reply, REPLY), store(), set[str]()
    chat = cached(inner, shared, accounted=accounted)
    assert await chat.complete(ask()) == reply
    assert accounted == set()
    assert not (await chat.complete(ask())).cached
    assert inner.calls == 2


@pytest.mark.parametrize(
    "reply", [ChatReply("", refusal="I will not."), ChatReply('{"right": tr'), ChatReply("No.")]
)
async def test_refusals_and_unreadable_replies_are_kept_because_they_are_replies(
    reply: ChatReply,
) -> None:
    inner, shared = PlacedChat(reply, REPLY), store()
    await cached(inner, shared).complete(ask())
    hit = await cached(inner, shared, "run-b").complete(ask())
    assert (hit.text, hit.refusal, hit.cached) == (reply.text, reply.refusal, True)


async def test_failures_are_not_kept() -> None:
    inner, shared = PlacedChat(failure(), REPLY), store()
    chat = cached(inner, shared)
    with pytest.raises(CallFailed):
        await chat.complete(ask())
    assert (await chat.complete(ask())).text == "Neon."
    assert (await chat.complete(ask())).cached
    assert inner.calls == 2


@pytest.mark.parametrize(
    "inner", [Scripted("a", "b"), PlacedChat(replace(REPLY, text="a"), REPLY, place="")]
)
async def test_a_model_without_a_place_of_its_own_is_asked_each_time(inner: Chat) -> None:
    chat = cached(inner, store())
    replies = [await chat.complete(ask()) for _ in range(2)]
    assert replies[0].text != replies[1].text
    assert [reply.cached for reply in replies] == [False, False]
    assert [reply.request for reply in replies] == [None, None]
    assert await chat.place() == ""


@pytest.mark.parametrize("garbage", ["upstream connect error", '{"reason": "x"}', "```json\n{"])
async def test_what_cannot_be_read_as_the_json_that_was_asked_for_is_not_kept(
    garbage: str,
) -> None:
    inner, shared = (
        PlacedChat(replace(REPLY, text=garbage), replace(REPLY, text=SOUND)),
        store(),
    )
    request = ask(schema=Marking)
    assert (await cached(inner, shared).complete(request)).text == garbage
    assert (await cached(inner, shared, "run-b").complete(request)).text == SOUND
    assert (await cached(inner, shared, "run-c").complete(request)).cached


async def test_an_evaluator_that_refuses_is_asked_again() -> None:
    refusal = replace(REPLY, text="", refusal="I cannot help with that.")
    inner, shared = PlacedChat(refusal, replace(REPLY, text=SOUND)), store()
    request = ask(schema=Marking)
    assert (await cached(inner, shared).complete(request)).refusal
    assert (await cached(inner, shared, "run-b").complete(request)).text == SOUND


async def test_a_reply_found_while_it_is_being_written_is_not_paid_for_twice(
    tmp_path: Path,
) -> None:
    shared = await Store.open(tmp_path / "cache.sqlite", now=noon)
    accounted: set[str] = set()
    chats = [cached(PlacedChat(REPLY), shared, "run-a", accounted) for _ in range(2)]
    first = asyncio.ensure_future(chats[0].complete(ask()))
    while not shared._arriving and not first.done():  # noqa: ASYNC110 - it is the store that has to have it
        await asyncio.sleep(0)
    second = await chats[1].complete(ask())
    paid = [reply.cost_usd for reply in (await first, second) if not reply.cached]
    await shared.aclose()
    assert paid == [REPLY.cost_usd]
