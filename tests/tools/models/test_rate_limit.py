"""Endpoints that say 429: how long they are spared, how calls come back, and when a call gives up.
No real waiting."""

import asyncio
import heapq

import pytest
from tests.support.model_server import (
    FakeTime,
    ask,
    clients_at,
    ok,
    refuse,
    serving,
)

from fathom.state.errors import CallFailed
from fathom.tools.models.chat import ChatReply
from fathom.tools.models.faults import AttemptFailed, retry_after
from fathom.tools.models.limiter import Limiter, Limits, Meter, RetryLoop, Timing


class VirtualTime:
    """A clock that moves to the next sleeper's hour once nobody has anything else to do."""

    def __init__(self) -> None:
        self.now = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0

    async def sleep(self, seconds: float) -> None:
        self._count += 1
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self.now + seconds, self._count, turn))
        await turn

    async def run(
        self, calls: "list[asyncio.Task[ChatReply]]"
    ) -> list[ChatReply | BaseException]:
        everything = asyncio.gather(*calls, return_exceptions=True)
        while not everything.done():
            for _ in range(20):
                await asyncio.sleep(0)
            if self._sleepers:
                until, _, turn = heapq.heappop(self._sleepers)
                self.now = max(self.now, until)
                if not turn.done():
                    turn.set_result(None)
        return await everything

    @property
    def timing(self) -> Timing:
        return Timing(clock=lambda: self.now, wall=lambda: 0.0, sleep=self.sleep)


class Windowed:
    """An endpoint that serves `k` requests in every window of time and answers the rest with a
    429."""

    def __init__(
        self, time: VirtualTime, k: int, window_s: float, *, told: bool = False
    ) -> None:
        self.time, self.k, self.window_s, self.told = time, k, window_s, told
        self.served: dict[int, int] = {}
        self.rejected = 0

    async def send(self, attempt: int) -> ChatReply:
        await self.time.sleep(0.05)
        window = int(self.time.now // self.window_s)
        if self.served.get(window, 0) >= self.k:
            self.rejected += 1
            left_s = (window + 1) * self.window_s - self.time.now
            raise AttemptFailed(
                "rate_limit", "429", retry_after_s=left_s if self.told else None
            )
        self.served[window] = self.served.get(window, 0) + 1
        await self.time.sleep(0.45)
        return ChatReply("Neon.", attempts=attempt)


@pytest.mark.parametrize("told", [True, False], ids=["told when", "told nothing"])
@pytest.mark.parametrize(
    ("calls", "k", "window_s"), [(120, 10, 10.0), (120, 20, 60.0), (20, 1, 1.0)]
)
async def test_all_calls_succeed_at_an_endpoint_that_serves_a_few_per_window(
    calls: int, k: int, window_s: float, told: bool
) -> None:
    time = VirtualTime()
    endpoint = Windowed(time, k, window_s, told=told)
    limits = Limits(attempts=2)
    limiter = Limiter(200, time.timing, Meter(), max_pause_s=limits.max_wait_s)
    efforts = [RetryLoop("m", ask(str(i)), limiter, limits, time.timing) for i in range(calls)]
    replies = await time.run(
        [asyncio.ensure_future(effort.run(endpoint.send)) for effort in efforts]
    )
    assert [reply.text for reply in replies if isinstance(reply, ChatReply)] == [
        "Neon."
    ] * calls
    windows = -(-calls // k)
    # the first bursts teach the limit; from then on a window costs a handful, however many calls
    # wait
    assert endpoint.rejected <= 2 * min(calls, 200) + windows * (k + 4)
    assert time.now <= 3 * windows * window_s + 120


async def test_after_a_wave_half_as_many_go_at_once_and_successes_bring_the_rest_back() -> None:
    time = FakeTime()
    limiter = Limiter(200, time.timing, Meter())
    sent_at, time.now = time.now, time.now + 1
    for _ in range(50):
        limiter.refused(None, sent_at)
    assert limiter.allowed == 100  # a burst in flight counts once
    limiter.succeeded(sent_at)
    assert limiter.allowed == 100  # sent before the wave: it says nothing of what is free now
    time.now += 1
    for _ in range(150):
        limiter.succeeded(time.now)
    assert limiter.allowed == 200


async def test_places_beyond_the_allowed_are_not_given_until_they_are_free_again() -> None:
    time = FakeTime()
    meter = Meter()
    limiter = Limiter(4, time.timing, meter)
    gate = asyncio.Event()

    async def hold() -> None:
        async with limiter:
            await gate.wait()

    tasks = [asyncio.ensure_future(hold()) for _ in range(10)]
    await asyncio.sleep(0)
    assert meter.in_flight == 4
    limiter.refused(0.0, time.now)
    assert limiter.allowed == 2
    gate.set()
    await asyncio.gather(*tasks)
    meter.peak = 0
    gate.clear()
    tasks = [asyncio.ensure_future(hold()) for _ in range(10)]
    await asyncio.sleep(0)
    assert (meter.in_flight, meter.queued) == (2, 8)
    gate.set()
    await asyncio.gather(*tasks)
    assert meter.peak == 2


def test_without_a_named_wait_the_pause_doubles_until_a_success() -> None:
    time = FakeTime()
    limiter = Limiter(10, time.timing, Meter(), max_pause_s=5.0)
    pauses = []
    for _ in range(4):
        time.now += 10
        pauses.append(limiter.refused(None, time.now))
    time.now += 10
    limiter.succeeded(time.now)
    time.now += 10
    pauses.append(limiter.refused(None, time.now))
    assert pauses == [1.0, 2.0, 4.0, 5.0, 1.0]


def test_a_named_wait_that_never_helps_is_not_believed_for_ever() -> None:
    time = FakeTime()
    limiter = Limiter(10, time.timing, Meter())
    pauses = []
    for _ in range(4):
        time.now += 100
        pauses.append(limiter.refused(0.02, time.now))
    assert pauses == pytest.approx([0.02, 0.02, 4.0, 8.0])


async def test_a_429_without_a_time_pauses_the_other_models_too() -> None:
    time = FakeTime()
    async with serving(refuse(429), ok()) as server, clients_at(time, backoff_s=0.0) as clients:
        chats = [clients.get(f"openai@{server.base_url}:{name}") for name in "ab"]
        began = time.now
        reply = await chats[0].complete(ask())
        await chats[1].complete(ask())
    assert (reply.attempts, time.now - began, server.calls) == (2, 1.0, 3)


async def test_429s_are_none_of_a_calls_attempts() -> None:
    steps = [refuse(429)] * 12 + [refuse(500), ok()]
    async with serving(*steps) as server, clients_at(FakeTime(), attempts=2) as clients:
        reply = await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert (reply.text, reply.attempts) == ("Neon.", 14)


async def test_a_call_gives_up_after_its_patience() -> None:
    time = FakeTime()
    async with (
        serving(refuse(429)) as server,
        clients_at(time, attempts=2, rate_limit_patience_s=300.0) as clients,
    ):
        with pytest.raises(CallFailed) as caught:
            await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert caught.value.kind == "rate_limit"
    assert caught.value.attempts == server.calls
    assert 240.0 <= sum(time.slept) <= 360.0
    assert server.calls < 15  # 1 + 2 + 4 + … up to a minute


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "2", "x-ratelimit-reset-requests": "9s"}, 2.0),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "20ms"}, 1.0),
        ({"x-ratelimit-reset-requests": "6m0s"}, 60.0),
        ({"x-ratelimit-reset-tokens": "2.5s"}, 2.5),
        (
            {
                "x-ratelimit-reset-requests": "30s",
                "x-ratelimit-reset-tokens": "20ms",
                "x-ratelimit-remaining-requests": "7",
                "x-ratelimit-remaining-tokens": "0",
            },
            0.02,
        ),
        ({"x-ratelimit-reset-requests": "soon"}, None),
        ({"retry-after-ms": "soon"}, None),
    ],
)
def test_other_ways_to_name_a_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, 0.0, 60.0) == seconds
