"""The methods' graphs inside another LangGraph app: bound to a host's own models, or to provider
strings. What a method takes is imported when the block is entered, in a thread, so that the host's
loop goes on meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, overload

from typing_extensions import Unpack

from ...state.errors import UsageError
from ..method import METHODS, served

if TYPE_CHECKING:
    from ...state.results import Result
    from ...tools.models.as_chat import Model
    from .binding import Embedded, HostOptions
    from .methods import (
        EmbeddedDeepQuestion,
        EmbeddedDepthQA,
        EmbeddedDepthQABuild,
        EmbeddedDrill,
        EmbeddedEqt,
    )

    Models = Mapping[str, Model]


@overload
def embed(
    method: Literal["drill"], models: "Models", **host: "Unpack[HostOptions]"
) -> "AbstractAsyncContextManager[EmbeddedDrill]": ...
@overload
def embed(
    method: Literal["eqt"], models: "Models", **host: "Unpack[HostOptions]"
) -> "AbstractAsyncContextManager[EmbeddedEqt]": ...
@overload
def embed(
    method: Literal["depthqa"], models: "Models", **host: "Unpack[HostOptions]"
) -> "AbstractAsyncContextManager[EmbeddedDepthQA]": ...
@overload
def embed(
    method: Literal["depthqa_build"], models: "Models", **host: "Unpack[HostOptions]"
) -> "AbstractAsyncContextManager[EmbeddedDepthQABuild]": ...
@overload
def embed(
    method: Literal["deepquestion"], models: "Models", **host: "Unpack[HostOptions]"
) -> "AbstractAsyncContextManager[EmbeddedDeepQuestion]": ...
@overload
def embed(
    method: str, models: "Models", **host: "Unpack[HostOptions]"
) -> "AbstractAsyncContextManager[Embedded[Result]]": ...
@asynccontextmanager
async def embed(method: str, models: "Models", **host: Any) -> AsyncIterator[Any]:
    """A method's graph, for as long as the block lasts; what is opened for it is closed at its end.
    `models`: role → a provider string, a LangChain chat model of your own, or an `AppChat`; a role
    that is left out is played by another. Raises UsageError."""
    if method not in served():
        raise UsageError(
            f"There is no method {method!r} to embed; the methods are {', '.join(served())}."
        )
    kind = await asyncio.to_thread(lambda: METHODS[method].embedded)
    binding = import_module(".binding", __name__)
    async with binding.bound_graph(kind, models, host) as embedded:
        yield embedded
