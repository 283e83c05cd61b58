"""Hedged calls: one second request when a reply is late, both paid for, and only for evaluator and
judge."""

import asyncio
import re
from dataclasses import replace

import pytest

from fathom.sim.server import Timing
from fathom.state.errors import CallFailed
from fathom.state.records import HEDGED
from fathom.tools.models import hedge
from fathom.tools.models.bound import BoundModel
from fathom.tools.models.budget import Amount, Budget, Cost
from fathom.tools.models.chat import ChatReply, ChatRequest
from fathom.tools.models.hedge import Hedge

from ...support.cached import REPLY, ask, failure, store
from ...support.drill.drills import drill, sim_spec


class Late:
    """A model whose first request from the 21st call on is never replied to, and whose second one
    brings `second`."""

    name = "openai:m"

    def __init__(
        self, second: ChatReply | Exception = REPLY, first: Exception | None = None
    ) -> None:
        self.calls, self.given_up = 0, 0
        self._second, self._first = second, first

    async def place(self) -> str:
        return "https://host/v1"

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.calls += 1
        if self.calls < 21:
            return REPLY
        if self.calls == 21:
            await self._nothing(request)
        if isinstance(self._second, Exception):
            raise self._second
        return self._second

    async def _nothing(self, request: ChatRequest) -> None:
        try:
            await asyncio.sleep(0.01 if self._first else 3600)
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        raise self._first or AssertionError


async def _after_twenty(chat: Late, monkeypatch: pytest.MonkeyPatch) -> BoundModel:
    monkeypatch.setattr(hedge, "_LEAST_S", 0.0)
    bound = BoundModel(chat, store=store(), role="judge", hedge=Hedge())
    for number in range(20):
        await bound.complete(ask(f"{number}?"))
    assert chat.calls == len(bound.calls) == 20
    return bound


async def test_a_late_call_is_sent_twice_and_both_are_paid_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chat = Late()
    bound = await _after_twenty(chat, monkeypatch)
    budget = Budget(None, 2)
    payer = await budget.admit(Cost(Amount(calls=2)))
    reply = await bound.complete(ask(payer=payer))
    assert replace(reply, request=None) == REPLY
    assert (chat.calls, chat.given_up) == (22, 1)
    given_up, counted = bound.calls[20:]
    assert (given_up.failure, counted.failure) == (HEDGED, None)
    assert given_up.cost_usd == counted.cost_usd == REPLY.cost_usd
    assert (bound.tally.calls, bound.tally.known) == (22, True)
    assert bound.tally.usd == pytest.approx(22 * 0.002)
    assert budget.spent_calls == 2
    again = await bound.complete(ask(payer=payer))  # of both the cache holds one
    assert again.cached
    assert chat.calls == 22


async def test_the_first_reply_that_is_none_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = await _after_twenty(Late(first=failure()), monkeypatch)
    assert (await bound.complete(ask())).text == REPLY.text


async def test_two_failures_are_the_failure_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = await _after_twenty(Late(CallFailed("server", "second."), failure()), monkeypatch)
    with pytest.raises(CallFailed, match="it broke"):
        await bound.complete(ask())


async def test_a_hedged_drill_says_so_and_measures_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Hedge, "late_s", 0.01)
    spec, timing = sim_spec(n=6, max_depth=2), Timing(jitter_s=0.03)
    plain, hedged = [(await drill(spec, timing=timing, hedge=on)).result for on in (False, True)]
    assert plain is not None
    assert hedged is not None
    assert "hedged" not in plain.provenance
    assert re.fullmatch(r"\d+ of \d+ calls were hedged; .+", str(hedged.provenance["hedged"]))
    assert [probe.outcome for probe in hedged.probes] == [probe.outcome for probe in plain.probes]
    roles = {call.role for probe in hedged.probes for call in probe.calls if call.failure == HEDGED}
    assert roles <= {"evaluator", "judge"}


async def test_who_tests_itself_is_not_hedged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hedge, "late_s", 0.01)
    spec = sim_spec(n=6, max_depth=1, target="sim:evaluator")
    result = (await drill(spec, timing=Timing(jitter_s=0.03), hedge=True)).result
    assert result is not None
    assert "hedged" not in result.provenance
