"""Ask once for what several ask for: single flight, a bounded memory of what came back, many keys
in one request; and requests at an even pace."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from itertools import islice
from math import inf
from typing import Generic, TypeVar


class Pace:
    """`per_s` a second, of which `burst` may come at once; in any window of t seconds no more than
    `burst + per_s * t`. Times are seconds on one clock. Pure."""

    def __init__(
        self,
        per_s: float = inf,
        burst: float = 1.0,
    ) -> None:
        self._apart_s, self._burst = 1 / per_s, burst
        self._even_s = -inf
        """When the next one would be due, had all so far come evenly."""

    def due_s(self, now_s: float) -> float:
        """When the next one may come, `now_s` at the earliest."""
        return max(now_s, self._even_s - (self._burst - 1) * self._apart_s)

    def count(
        self,
        at_s: float,
        amount: float = 1.0,
    ) -> None:
        """So many have come; below 0: fewer than were counted."""
        self._even_s = max(at_s, self._even_s) + amount * self._apart_s

    def change(
        self,
        now_s: float,
        times: float,
        burst: float,
    ) -> None:
        """From now on so many times as fast; what came too early so far is made up for at the new
        pace."""
        self._even_s = now_s + max(0.0, self._even_s - now_s) / times
        self._apart_s, self._burst = self._apart_s / times, burst


Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
MOST_CHARS = 30_000_000
"""Of all the texts that one memory keeps: a hundred pages of the greatest length, some thousands of
the usual one."""


class Memory(Generic[Key, Value]):
    """The values that were used last: at most `most`, with no more than `MOST_CHARS` characters by
    `chars`."""

    def __init__(
        self,
        most: int,
        chars: Callable[[Value], int] = lambda _: 0,
    ) -> None:
        self._most, self._count_chars = most, chars
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._chars = 0

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def __getitem__(self, key: Key) -> Value:
        self._values.move_to_end(key)
        return self._values[key][0]

    def first(
        self,
        key: Key,
        value: Value,
    ) -> Value:
        """What is kept under the key; this value where nothing is, which is kept then."""
        if key in self:
            return self[key]
        self.put(key, value)
        return value

    def put(
        self,
        key: Key,
        value: Value,
    ) -> None:
        self._values[key] = value, self._count_chars(value)
        self._chars += self._values[key][1]
        while len(self._values) > self._most or self._chars > MOST_CHARS:
            _, (_, chars) = self._values.popitem(last=False)
            self._chars -= chars


class SingleFlight(Generic[Key, Value]):
    """Callers with the same key share one call. Results are kept in a `Memory`; failures are not
    kept.

    The call goes on when the caller that began it is cancelled: others may be waiting for it.
    """

    def __init__(
        self,
        keep: int,
        chars: Callable[[Value], int] = lambda _: 0,
    ) -> None:
        self._memory: Memory[Key, Value] = Memory(keep, chars)
        self._pending: dict[Key, asyncio.Task[Value]] = {}

    async def get(
        self,
        key: Key,
        call: Callable[[], Awaitable[Value]],
    ) -> Value:
        """The value for the key, from `call()` if nobody has asked before. Raises what the call
        raises."""
        if key in self._memory:
            return self._memory[key]
        if key not in self._pending:
            task = self._pending[key] = asyncio.create_task(_run(call))
            task.add_done_callback(lambda task: self._settle(key, task))
        return await asyncio.shield(self._pending[key])

    def know(
        self,
        key: Key,
        value: Value,
    ) -> None:
        """Keep a value that came along with another one."""
        if key not in self._pending and key not in self._memory:
            self._memory.put(key, value)

    def _settle(
        self,
        key: Key,
        task: asyncio.Task[Value],
    ) -> None:
        if self._pending.get(key) is task:  # else closed in the meantime
            del self._pending[key]
            if not task.cancelled() and task.exception() is None:
                self._memory.put(key, task.result())

    async def aclose(self) -> None:
        """Cancels what is still under way."""
        pending, self._pending = list(self._pending.values()), {}
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


WINDOW_S = 0.01
"""How long the first of a batch waits for others; the longer, the fewer requests may be out at
once."""
WINDOWS = 10
"""How often so long it waits at most while others keep coming."""


class Batches(Generic[Key, Value]):
    """What several ask for at nearly the same time goes out together, at most `most` keys in a
    request and `at_once` requests; while all of them are out, what is asked for waits and shares
    the next. A request that fails is split in two, so that a bad key fails alone, unless `final`
    says of the failure that asking again would not help."""

    def __init__(
        self,
        ask: Callable[[Sequence[Key]], Awaitable[Mapping[Key, Value]]],
        *,
        most: int,
        at_once: int,
        final: Callable[[Exception], bool] = lambda _: False,
    ) -> None:
        self._ask, self._most, self._final = ask, most, final
        self._slots = asyncio.Semaphore(at_once)
        self._window_s = WINDOW_S * max(1, 8 // at_once)
        self._waiting: dict[Key, asyncio.Future[Value]] = {}
        self._senders: set[asyncio.Task[None]] = set()
        self._idle = 0
        """Senders that have not taken their keys."""

    async def get(self, key: Key) -> Value:
        """The value for the key. Raises what the request for it alone raises."""
        future = self._waiting.get(key)
        if future is None:
            future = self._waiting[key] = asyncio.get_running_loop().create_future()
            future.add_done_callback(
                lambda done: done.cancelled() or done.exception()
            )  # whoever asked may be gone
            if len(self._waiting) > self._idle * self._most:
                self._idle += 1
                sender = asyncio.ensure_future(self._send())
                self._senders.add(sender)
                sender.add_done_callback(self._senders.discard)
        return await asyncio.shield(future)

    async def _send(self) -> None:
        waiting = 0
        for _ in range(WINDOWS):  # who comes too late may have to wait for a whole reply
            if len(self._waiting) == waiting or len(self._waiting) >= self._most:
                break
            waiting = len(self._waiting)
            await asyncio.sleep(self._window_s)
        async with self._slots:
            self._idle -= 1
            batch = dict(islice(self._waiting.items(), self._most))
            for key in batch:
                del self._waiting[key]
            await self._fill(batch)

    async def _fill(self, batch: Mapping[Key, "asyncio.Future[Value]"]) -> None:
        keys = list(batch)
        try:
            answers = await self._ask(keys)
            values = {key: answers[key] for key in keys}
        except asyncio.CancelledError:
            for future in batch.values():
                future.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - it is raised to everybody who waits for it
            if len(keys) == 1 or self._final(error):
                for future in batch.values():
                    future.set_exception(error)
                return
            half = len(keys) // 2
            for part in (keys[:half], keys[half:]):
                await self._fill({key: batch[key] for key in part})
            return
        for key, future in batch.items():
            future.set_result(values[key])

    async def aclose(self) -> None:
        """Ends what is under way."""
        for task in self._senders:
            task.cancel()
        await asyncio.gather(*self._senders, return_exceptions=True)
        for future in self._waiting.values():
            future.cancel()
        self._waiting.clear()


async def _run(call: Callable[[], Awaitable[Value]]) -> Value:
    return await call()
