"""Loading what is heavy before the first call, so that neither the screen nor a time limit waits for an import; and
how often a program that makes thousands of calls looks for garbage."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

_HEAVY = (".models.transport", ".facts.mediawiki", ".facts.tavily")


async def preload() -> None:
    """Import the parts that talk HTTP, beside the event loop. Takes a second or two the first time, then nothing."""
    for module in _HEAVY:
        await asyncio.to_thread(import_module, module, __package__)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for garbage in cycles every 20,000 new objects and not every 700, for as long as the block lasts.

    A call makes some thousand objects and next to no cycles; looking through them took a quarter of its time. For the
    program, which owns its process; a library leaves that to its host.
    """
    before = gc.get_threshold()
    gc.set_threshold(20_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)
