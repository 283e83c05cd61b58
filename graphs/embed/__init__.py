"""The methods' graphs inside another LangGraph app: bound to a host's own models, or to provider
strings. What a method takes is imported when the block is entered, in a thread, so that the host's
loop goes on meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ...state.errors import UsageError

if TYPE_CHECKING:
    from ...state.results import Result
    from ...tools.models.as_chat import Model
    from .binding import Embedded
    from .deepquestion import embed_deepquestion as embed_deepquestion
    from .depthqa import embed_depthqa as embed_depthqa
    from .depthqa import embed_depthqa_build as embed_depthqa_build
    from .drill import embed_drill as embed_drill
    from .eqt import embed_eqt as embed_eqt

_MATERIAL = {
    "drill": ("drill", "facts"),
    "eqt": ("eqt", ""),
    "depthqa": ("depthqa", "questions"),
    "depthqa_build": ("depthqa", "similarity"),
    "deepquestion": ("deepquestion", "problems"),
}
"""Method → the module that embeds it, and what its graph is bound to besides models."""


def embed(
    method: str, models: "Mapping[str, Model]", *, material: Any = None, **host: Any
) -> "AbstractAsyncContextManager[Embedded[Result]]":
    """A graph of any method, for as long as the block lasts. `models`: role → model; `material`:
    what the graph is bound to besides: fact sources of a drill, the question graph of DepthQA, the
    problems of DeepQuestion, the measure of likeness of a DepthQA build; `host`: as in
    `HostOptions`. Raises UsageError."""
    if method not in _MATERIAL:
        raise UsageError(
            f"There is no method {method!r} to embed; the methods are {', '.join(_MATERIAL)}."
        )
    name = _MATERIAL[method][1]
    if material is not None and not name:
        raise UsageError(f"The graph of {method} is bound to models alone: leave material out.")
    own = {} if material is None else {name: material}
    return _embedded(method, **models, **own, **host)


@asynccontextmanager
async def _embedded(method: str, /, *args: Any, **options: Any) -> "AsyncIterator[Embedded[Any]]":
    module = await asyncio.to_thread(import_module, f".{_MATERIAL[method][0]}", __name__)
    try:
        opened = getattr(module, f"embed_{method}")(*args, **options)
    except TypeError as error:
        raise UsageError(f"The graph of {method} cannot be bound so: {error}.") from None
    async with opened as embedded:
        yield embedded


def __getattr__(name: str) -> Any:
    method = name.removeprefix("embed_")
    if name == method or method not in _MATERIAL:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return partial(_embedded, method)
