"""Journals as streams: server-sent events whose ids say where to go on, or plain lines."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

from aiohttp import web
from aiohttp_sse import sse_response

from ..state.errors import UsageError
from ..tools.runs.folders import EVENTS

POLL_S, MOST_LINES, MOST_SIGNS = 0.2, 200, 24
LINES = "application/x-ndjson"
Offsets = dict[int, int]
"""Place of a run among those of the stream → byte of its journal from which to go on."""
Paths = Callable[[], Awaitable[Sequence[Path]]]


def lines_behind(folder: Path, offset: int) -> list[tuple[int, bytes]]:
    """Whole lines of the run's journal from this byte on, each with the byte behind it; some at
    a time, none where there is no more yet."""
    lines = list[tuple[int, bytes]]()
    try:
        with (folder / EVENTS).open("rb") as file:
            if offset:
                file.seek(offset - 1)
                offset += len(file.readline()) - 1  # to the next line, from within one
            while len(lines) < MOST_LINES and (line := file.readline()).endswith(b"\n"):
                offset += len(line)
                lines.append((offset, line))
    except FileNotFoundError:  # the run has its name before its folder
        pass
    return lines


async def follow(
    paths: Paths, over: Callable[[], Awaitable[bool]], offsets: Offsets, closing: asyncio.Event
) -> AsyncGenerator[bytes, None]:
    """The lines of these journals as they are written, until all is over; `offsets` is behind the
    line when it comes."""
    while not closing.is_set():
        ended, quiet = await over(), True
        for place, folder in enumerate(await paths()):
            for end, line in lines_behind(folder, offsets.get(place, 0)):
                offsets[place], quiet = end, False
                yield line
        if quiet and ended:
            return
        if quiet:
            with suppress(TimeoutError):
                await asyncio.wait_for(closing.wait(), POLL_S)


def written(offsets: Offsets, single: bool) -> str:
    """The id of an event: `BYTE` of one run, `PLACE:BYTE …` of several."""
    if single:
        return str(offsets[0])
    places = sorted(offsets)
    return " ".join(f"{place}:{offsets[place]}" for place in places)


def read(text: str, single: bool) -> Offsets:
    """The offsets in an id. Raises UsageError."""
    offsets = Offsets()
    for pair in [f"0:{text}"] if single and text else text.split():
        place, _, byte = pair.partition(":")
        if not place.isdecimal() or not byte.isdecimal() or len(pair) > MOST_SIGNS:
            raise UsageError("This is no id of the stream's events: send that of the last one.")
        offsets[int(place)] = int(byte)
    return offsets


async def respond(
    request: web.Request,
    paths: Paths,
    over: Callable[[], Awaitable[bool]],
    closing: asyncio.Event,
    *,
    single: bool,
) -> web.StreamResponse:
    """The journals of these runs, behind the id that the listener has."""
    last = request.headers.get("Last-Event-ID") or request.query.get("after", "")
    offsets = read(last, single)
    async with aclosing(follow(paths, over, offsets, closing)) as lines:
        if LINES in request.headers.get("Accept", ""):
            plain = web.StreamResponse(headers={"Content-Type": LINES})
            await plain.prepare(request)
            async for line in lines:
                await plain.write(line)
            return plain
        async with sse_response(request) as events:
            async for line in lines:
                await events.send(line[:-1].decode(), id=written(offsets, single))
            if not closing.is_set():
                await events.send("over", event="end")
        return events
