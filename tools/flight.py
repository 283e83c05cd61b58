"""Ask once for what several ask for: single flight, and a bounded memory of what came back."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
MOST_CHARS = 30_000_000
"""Of all the texts that one memory keeps: a hundred pages of the greatest length, some thousands of the usual one."""


class SingleFlight(Generic[Key, Value]):
    """Callers with the same key share one call. Results are kept for the `keep` keys used last, as long as they hold no
    more than `MOST_CHARS` characters by `chars`; failures are not kept.

    The call goes on when the caller that began it is cancelled: others may be waiting for it.
    """

    def __init__(self, keep: int, chars: Callable[[Value], int] = lambda _: 0) -> None:
        self._keep, self._chars = keep, chars
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
        sizes = {k: self._chars(t.result()) for k, t in self._tasks.items() if t.done()}
        held = sum(sizes.values())
        for old, size in sizes.items():
            if len(self._tasks) <= self._keep and held <= MOST_CHARS:
                break
            del self._tasks[old]
            held -= size

    async def aclose(self) -> None:
        """Cancels what is still under way and forgets everything."""
        pending = [task for task in self._tasks.values() if not task.done()]
        self._tasks.clear()
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)


class FirstTexts:
    """The text that each page or work was first cut from, so that its passages never overlap; of those used last, as
    much as `MOST_CHARS` characters."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._held = 0

    def get(self, name: str, text: str) -> str:
        """The text under the name; this one if there is none."""
        if name not in self._texts:
            self._texts[name] = text
            self._held += len(text)
        self._texts.move_to_end(name)
        kept = self._texts[name]
        while self._held > MOST_CHARS:
            self._held -= len(self._texts.popitem(last=False)[1])
        return kept


async def _run(call: Callable[[], Awaitable[Value]]) -> Value:
    return await call()
