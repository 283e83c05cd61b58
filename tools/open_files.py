"""What this process holds open and has loaded: how many connections fit into the system's limit, and heavy imports
before the first call."""

import asyncio
from importlib import import_module

from ..state.errors import UsageError
from .runs.log import get_logger

_ENOUGH = 8192
_OWN = 48
"""What the interpreter, the log, the cache and the libraries hold open."""
_PER_RUN = 8
"""Journal, log, lock, and a checkpoint with its side files."""
_PER_CONNECTION = 4
"""A connection to a model and one to a source, both of which a simulated world holds a second time."""


def connections_that_fit(runs: int) -> int | None:
    """Most connections for a launch of so many runs, after raising the process's own limit as far as it may be.

    None where there is no such limit. Raises UsageError when not even two fit.
    """
    limit = _raised()
    if limit is None:
        return None
    fitting = (limit - _OWN - runs * _PER_RUN) // _PER_CONNECTION
    if fitting < 2:
        raise UsageError(
            f"{runs} runs at once need more open files than the {limit} this system allows: raise the limit"
            " (ulimit -n 4096), or name fewer domains, targets or repeats at a time."
        )
    if fitting < 200:
        get_logger().warning("few files may be open, so fewer calls go at once", limit=limit, connections=fitting)
    return fitting


def _raised() -> int | None:
    try:
        import resource
    except ImportError:  # a system without such limits
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted)


_HEAVY = (".models.transport", ".facts.mediawiki", ".facts.tavily")


async def preload() -> None:
    """Import the parts that talk HTTP, beside the event loop. Takes a second or two the first time, then nothing."""
    for module in _HEAVY:
        await asyncio.to_thread(import_module, module, __package__)
