"""Hedged requests (Dean and Barroso, The Tail at Scale, 2013): when a reply is long in coming, one
second, identical request is sent; the first reply counts, and the other request is given up."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from math import ceil
from typing import Any

from .chat import ChatReply

_SEEN, _KEPT = 20, 500
"""Replies before any is taken to be late; and the newest ones, by which that is decided."""
_SHARE = 0.95
_LEAST_S = 1.0
"""No reply is late before."""


@dataclass(slots=True)
class Race:
    """One call: whether a second request was sent, and the reply that counts."""

    hedged: bool = False
    won: ChatReply | None = None


class Hedge:
    """How long one model takes to reply, waiting in the queue included; shared by the runs of a
    launch."""

    def __init__(self) -> None:
        self._took_s: deque[float] = deque(maxlen=_KEPT)

    @property
    def late_s(self) -> float | None:
        """Seconds after which a reply is late; None while too few have come."""
        if len(self._took_s) < _SEEN:
            return None
        return max(_LEAST_S, sorted(self._took_s)[ceil(_SHARE * len(self._took_s)) - 1])

    async def reply(
        self, race: Race, *asks: Callable[[], Coroutine[Any, Any, ChatReply]]
    ) -> ChatReply:
        """What the first of two requests to succeed brings; raises what the first one raises when
        neither does."""
        first, second = asks
        began = time.monotonic()
        tasks = [asyncio.ensure_future(first())]
        try:
            await asyncio.wait(tasks, timeout=self.late_s)
            race.hedged = not tasks[0].done()
            if race.hedged:
                tasks.append(asyncio.ensure_future(second()))
            while (won := _won(tasks)) is None:
                if not (waiting := [task for task in tasks if not task.done()]):
                    return await tasks[0]  # which raises
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            race.won = won
            self._took_s.append(time.monotonic() - began)
            return won
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def _won(tasks: list["asyncio.Task[ChatReply]"]) -> ChatReply | None:
    good = (
        task.result()
        for task in tasks
        if task.done() and not task.cancelled() and task.exception() is None
    )
    return next(good, None)
