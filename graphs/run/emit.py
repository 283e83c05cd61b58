"""Telling what happens: to the sink, and to a host that streams the graph."""

from langgraph.config import get_stream_writer

from ...state.events import Event
from .deps import DrillDeps


async def emit(deps: DrillDeps, event: Event) -> None:
    """Returns when the event is safe in the sink. A host sees it as a custom event, as JSON, with number and time."""
    kept = await deps.sink.emit(event)
    if deps.stream:
        get_stream_writer()((kept or event).model_dump(mode="json"))
