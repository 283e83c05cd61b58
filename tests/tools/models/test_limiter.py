"""How many requests are in flight at once, and what a 429 does to the others."""

import asyncio

from aiohttp import web
from tests.support.model_server import (
    FakeTime,
    ModelServer,
    ask,
    clients_at,
    completion,
    ok,
    refuse,
    serving,
)

from fathom.tools.models.chat import ChatReply
from fathom.tools.models.limiter import Limiter, Meter, Places


class Gate:
    """A step that holds every request until `wanted` of them are open at once."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.full = asyncio.Event()

    async def __call__(self, server: ModelServer, request: web.Request) -> web.StreamResponse:
        if server.open >= self.wanted:
            self.full.set()
        await self.full.wait()
        return web.json_response(completion())


async def test_more_than_a_hundred_requests_are_in_flight_at_once() -> None:
    async with serving(Gate(150)) as server, clients_at(max_connections=150) as clients:
        chat = clients.get(f"openai@{server.base_url}:m")
        async with asyncio.timeout(20):  # with a cap of 100 somewhere the gate would never open
            await asyncio.gather(*(chat.complete(ask(str(i))) for i in range(300)))
    assert server.peak == 150
    assert (clients.meter.peak, clients.meter.in_flight, clients.meter.queued) == (150, 0, 0)


async def test_all_models_of_an_endpoint_share_its_limit() -> None:
    async with serving(ok()) as server, clients_at(max_connections=3) as clients:
        chats = [clients.get(f"openai@{server.base_url}:m{i}") for i in range(4)]
        await asyncio.gather(*(chat.complete(ask(str(i))) for i in range(10) for chat in chats))
    assert server.peak <= 3
    assert (server.calls, clients.meter.peak) == (40, 3)


async def test_time_in_the_queue_is_outside_the_time_limit() -> None:
    async def slow(server: ModelServer, request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.1)
        return web.json_response(completion())

    async with (
        serving(slow) as server,
        clients_at(max_connections=1, timeout_s=0.5, attempts=1) as clients,
    ):
        chat = clients.get(f"openai@{server.base_url}:m")
        replies = await asyncio.gather(
            *(chat.complete(ask(str(i))) for i in range(10))
        )  # a second in all
    assert all(isinstance(reply, ChatReply) and reply.latency_s < 0.5 for reply in replies)


class HeldTime(FakeTime):
    """A clock that stands still until the test moves it."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = asyncio.Condition()

    async def sleep(self, seconds: float) -> None:
        until = self.now + seconds
        async with self.changed:
            self.slept.append(seconds)
            self.changed.notify_all()
            await self.changed.wait_for(lambda: self.now >= until)

    async def sleepers(self, number: int) -> None:
        async with self.changed:
            await self.changed.wait_for(lambda: len(self.slept) >= number)

    async def move(self, seconds: float) -> None:
        async with self.changed:
            self.now += seconds
            self.changed.notify_all()


async def test_a_429_pauses_the_model_for_its_retry_after_and_no_other_model_there() -> None:
    time = HeldTime()
    async with (
        serving(refuse(429, Retry_After="20"), ok()) as server,
        clients_at(time, max_connections=1) as clients,
    ):
        model, other = (
            clients.get(f"openai@{server.base_url}:{name}") for name in ("m", "other")
        )
        first = asyncio.create_task(model.complete(ask("first")))
        await time.sleepers(1)
        second = asyncio.create_task(model.complete(ask("second")))
        await time.sleepers(2)
        assert (
            time.slept[1] == 20.0
        )  # the second call waits for the end of the pause that the first one met
        assert (server.calls, clients.meter.in_flight, clients.meter.queued) == (1, 0, 1)
        await other.complete(ask("third"))
        assert server.calls == 2, (
            "what waits for the end of a pause holds none of the endpoint's places"
        )
        await time.move(21.0)
        await asyncio.gather(first, second)
    assert server.calls == 4


async def test_a_pause_that_begins_in_the_queue_for_a_place_is_waited_for() -> None:
    time, places = FakeTime(), Places(1)
    limiter = Limiter(5, time.timing, Meter(), places=places)
    await places.acquire()
    waiting = asyncio.create_task(limiter.__aenter__())
    await asyncio.sleep(0)
    limiter.refused(30.0, sent_at=time.now)
    places.release()
    await waiting
    assert time.slept == [30.0]


async def test_a_burst_of_429s_under_way_does_not_push_the_pause_on() -> None:
    time = FakeTime()
    limiter = Limiter(100, time.timing, Meter())
    sent_at = time.now
    time.now += 1.0
    for _ in range(50):  # fifty answers to one overload, a tenth of a second apart
        limiter.refused(10.0, sent_at)
        time.now += 0.1
    async with limiter:
        assert time.now == sent_at + 1.0 + 10.0


async def test_a_cancelled_wait_leaves_the_queue_and_the_place() -> None:
    meter = Meter()
    limiter = Limiter(1, FakeTime().timing, meter)

    async def enter() -> None:
        async with limiter:
            raise AssertionError("the place is taken")

    async with limiter:
        waiting = asyncio.create_task(enter())
        await asyncio.sleep(0)
        assert (meter.queued, meter.in_flight) == (1, 1)
        waiting.cancel()
        await asyncio.wait({waiting})
        assert waiting.cancelled()
        assert (meter.queued, meter.in_flight) == (0, 1)
    async with limiter:
        assert meter.in_flight == 1
