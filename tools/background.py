"""Async work for callers that are not: in the loop it belongs to, else in one loop of a thread of
its own."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any

from ..state.errors import UsageError

Loop = asyncio.AbstractEventLoop


def synchronous(work: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Any]:
    """The async function for synchronous callers. Connections that stay open between calls belong
    to the loop they were opened in: it runs in the loop in which this door was made while that is
    running (a host's worker threads are beside it), else always in the same one.

    What it returns raises UsageError in a running loop, which would stand still meanwhile.
    """
    home = _running()

    def call(**values: Any) -> Any:
        if _running() is not None:
            raise UsageError(
                "A synchronous call would stop the event loop it comes from: use `await "
                "…ainvoke(…)`."
            )
        loop = home if home is not None and home.is_running() else _own()
        future = asyncio.run_coroutine_threadsafe(work(**values), loop)
        try:
            return future.result()
        finally:
            future.cancel()  # an interrupt of the caller ends the work too

    return call


def _running() -> Loop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


@cache
def _own() -> Loop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="fathom-tools", daemon=True).start()
    return loop
