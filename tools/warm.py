"""Loading what is heavy before the first call, so that neither the screen nor a time limit waits for an import."""

import asyncio
from importlib import import_module

_HEAVY = (".models.wire", ".facts.mediawiki", ".facts.tavily")


async def warm_up() -> None:
    """Import the parts that talk HTTP, beside the event loop. Takes a second or two the first time, then nothing."""
    for module in _HEAVY:
        await asyncio.to_thread(import_module, module, __package__)
