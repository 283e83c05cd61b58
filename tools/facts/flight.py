"""Ask once for what several ask for: single flight, and a bounded memory of what came back."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class SingleFlight(Generic[Key, Value]):
    """Callers with the same key share one call. Results are kept for the `keep` keys used last; failures are not kept.

    The call goes on when the caller that began it is cancelled: others may be waiting for it.
    """

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._tasks: OrderedDict[Key, asyncio.Task[Value]] = OrderedDict()

    async def get(self, key: Key, call: Callable[[], Awaitable[Value]]) -> Value:
        """The value for the key, from `call()` if nobody has asked before. Raises what the call raises."""
        task = self._tasks.get(key)
        if task is None:
            task = self._tasks[key] = asyncio.ensure_future(_run(call))
            task.add_done_callback(lambda done: self._settle(key, done))
        self._tasks.move_to_end(key)
        return await asyncio.shield(task)

    def _settle(self, key: Key, task: asyncio.Task[Value]) -> None:
        if task.cancelled() or task.exception() is not None:
            if self._tasks.get(key) is task:
                del self._tasks[key]
            return
        for old in [k for k, t in self._tasks.items() if t.done()][: max(0, len(self._tasks) - self._keep)]:
            del self._tasks[old]

    async def aclose(self) -> None:
        """Cancels what is still under way and forgets everything."""
        pending = [task for task in self._tasks.values() if not task.done()]
        self._tasks.clear()
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


async def _run(call: Callable[[], Awaitable[Value]]) -> Value:
    return await call()
