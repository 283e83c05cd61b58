"""Journals as streams: server-sent events whose ids say where to go on, or plain lines."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

from aiohttp import web

from ..state.errors import UsageError
from ..tools.runs.folders import EVENTS

POLL_S, MOST_LINES = 0.2, 200
LINES = "application/x-ndjson"
Offsets = dict[int, int]
"""Place of a run among those of the stream → byte of its journal from which to go on."""
Look = Callable[[], Awaitable[tuple[Sequence[Path], bool]]]
"""The runs of the stream as they stand, and whether no more will be written."""


def lines_behind(folder: Path, offset: int) -> list[tuple[int, bytes]]:
    """Whole lines of the run's journal from this byte on, each with the byte behind it; some at
    a time, none where there is no more yet."""
    lines = list[tuple[int, bytes]]()
    with (
        suppress(FileNotFoundError),
        (folder / EVENTS).open("rb") as file,
    ):  # a name comes first
        if offset:
            file.seek(offset - 1)
            offset += len(file.readline()) - 1  # to the next line, from within one
        while len(lines) < MOST_LINES and (line := file.readline()).endswith(b"\n"):
            offset += len(line)
            lines.append((offset, line))
    return lines


async def follow(
    look: Look, offsets: Offsets, closing: asyncio.Event
) -> AsyncGenerator[bytes, None]:
    """The lines of these journals as they are written, until all is over; `offsets` is behind the
    line when it comes."""
    while not closing.is_set():
        folders, is_over = await look()
        quiet = True
        for place, folder in enumerate(folders):
            for end, line in lines_behind(folder, offsets.get(place, 0)):
                offsets[place], quiet = end, False
                yield line
        if quiet and is_over:
            return
        if quiet:
            with suppress(TimeoutError):
                await asyncio.wait_for(closing.wait(), POLL_S)


def _written(offsets: Offsets) -> str:
    """The id of an event: the byte of the first run's journal, `PLACE:BYTE` of each further one."""
    pairs = sorted(offsets.items())
    return " ".join(f"{place}:{byte}" if place else f"{byte}" for place, byte in pairs)


def _offsets_in(text: str, folders: Sequence[Path]) -> Offsets:
    """The offsets in an id of a stream of these runs. Raises UsageError."""
    offsets = Offsets()
    try:
        for pair in text.split():
            place, _, byte = pair.rpartition(":")
            run, end = int(place or 0), int(byte)
            if not 0 <= end <= (folders[run] / EVENTS).stat().st_size:
                raise ValueError
            offsets[run] = end
    except (ValueError, LookupError, OSError):
        raise UsageError(
            "The stream has no event of this id: send that of the last event."
        ) from None
    return offsets


async def respond(
    request: web.Request, look: Look, closing: asyncio.Event
) -> web.StreamResponse:
    """The journals of these runs, behind the id that the listener has."""
    from aiohttp_sse import sse_response  # an extra

    behind = request.headers.get("Last-Event-ID") or request.query.get("after", "")
    offsets = _offsets_in(behind, (await look())[0])
    async with aclosing(follow(look, offsets, closing)) as lines:
        if LINES in request.headers.get("Accept", ""):
            plain = web.StreamResponse(headers={"Content-Type": LINES})
            await plain.prepare(request)
            async for line in lines:
                await plain.write(line)
            return plain
        async with sse_response(request) as events:
            async for line in lines:
                await events.send(line[:-1].decode(), id=_written(offsets))
            if not closing.is_set():
                await events.send("over", event="end")
        return events
