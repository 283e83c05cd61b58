"""The methods' graphs inside another LangGraph app: bound to a host's own models, or to provider strings."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from ...state.errors import UsageError
from .binding import Embedded as Embedded
from .binding import HostOptions as HostOptions
from .binding import Model as Model
from .binding import open_sink as open_sink
from .deepquestion import EmbeddedDeepQuestion as EmbeddedDeepQuestion
from .deepquestion import embed_deepquestion as embed_deepquestion
from .depthqa import EmbeddedDepthQA as EmbeddedDepthQA
from .depthqa import EmbeddedDepthQABuild as EmbeddedDepthQABuild
from .depthqa import embed_depthqa as embed_depthqa
from .depthqa import embed_depthqa_build as embed_depthqa_build
from .drill import EmbeddedDrill as EmbeddedDrill
from .drill import embed_drill as embed_drill
from .eqt import EmbeddedEqt as EmbeddedEqt
from .eqt import embed_eqt as embed_eqt

_MATERIAL: Mapping[str, tuple[Callable[..., AbstractAsyncContextManager[Embedded]], str]] = {
    "drill": (embed_drill, "facts"),
    "eqt": (embed_eqt, ""),
    "depthqa": (embed_depthqa, "questions"),
    "depthqa_build": (embed_depthqa_build, "similarity"),
    "deepquestion": (embed_deepquestion, "problems"),
}
"""Method → what embeds it, and what its graph is bound to besides models."""


def embed(
    method: str, models: Mapping[str, Model], *, material: Any = None, **host: Any
) -> AbstractAsyncContextManager[Embedded]:
    """A graph of any method, for as long as the block lasts. `models`: role → model; `material`: what the graph is
    bound to besides: fact sources of a drill, the question graph of DepthQA, the problems of DeepQuestion, the measure
    of likeness of a DepthQA build; `host`: as in `HostOptions`. Raises UsageError."""
    if method not in _MATERIAL:
        raise UsageError(f"There is no method {method!r} to embed; the methods are {', '.join(_MATERIAL)}.")
    function, name = _MATERIAL[method]
    if material is not None and not name:
        raise UsageError(f"The graph of {method} is bound to models alone: leave material out.")
    own = {} if material is None else {name: material}
    try:
        return function(**models, **own, **host)
    except TypeError as error:
        raise UsageError(f"The graph of {method} cannot be bound so: {error}.") from None
