"""`fathom watch URL|RUN`, and `fathom run STUDY --server URL`: the live screen of runs elsewhere."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import orjson
from pydantic import ValidationError

from ..graphs.method import figure_of
from ..reports.live.display import Gauge
from ..state.errors import FathomError, RunFailed, UsageError
from ..state.events import EVENT, Event
from ..state.option import Option
from .declare import Command, Given
from .environment import environment, runs_dir
from .launch import FaultTolerantDisplay, Signals, attended, display_of, pick_display, say
from .options.shared import DISPLAY, RUNS
from .streams import print_blocks, print_json

if TYPE_CHECKING:
    import aiohttp

TOKEN = "FATHOM_TOKEN"
AGAIN_S, TRIES = 1.0, 60
PASSING = (502, 503, 504)
"""Answers of whoever stands before a server that is not there at the moment."""
EPILOG = """Examples:
  fathom watch last
  fathom watch http://127.0.0.1:8787/v1/studies/0123456789abcdef
  FATHOM_TOKEN=… fathom watch https://fathom.example/v1/runs/7f3a9c01

Exit codes:
  0 it has ended, 1 the server failed, 2 refused (no such run)
"""


def _watch(values: Given) -> None:
    name, display = values["run"], pick_display(values["display"], False)
    if name.casefold().startswith(("http:", "https:")):
        url = f"{_address(name)}/events"
        asyncio.run(_show(lambda: _sent(url), display))
        return
    from ..tools.runs.folders import find_run

    folder = find_run(runs_dir(values["runs"]), name)
    asyncio.run(_show(lambda: _journal(folder), display))


async def _show(events: Callable[[], AsyncIterator[Event]], display: Any) -> None:
    """Show the events until they end, or until Ctrl-C, which stops the watching only."""
    gauge = Gauge(0, 0, 0, 0, idle="watching; Ctrl-C leaves, the run goes on")

    async def read() -> None:
        async for event in events():
            guarded.handle(event)

    def leave() -> None:
        reading.cancel()

    reading = asyncio.ensure_future(read())
    guarded = FaultTolerantDisplay(display_of(display, lambda: gauge), display, leave)
    signals = Signals(leave, lambda: 0, "", in_footer=True)
    with suppress(asyncio.CancelledError):
        await attended(lambda: reading, guarded, signals, display)


async def _journal(folder: Path) -> AsyncIterator[Event]:
    """The events of a run on this machine, until no process works on it."""
    from ..service.stream import follow
    from ..tools.runs.folders import is_running

    async def look() -> tuple[list[Path], bool]:
        return [folder], not is_running(folder)

    async for line in follow(look, {}, asyncio.Event()):
        yield _event(line, folder)


async def _sent(url: str) -> AsyncIterator[Event]:
    """The events that a server sends; where the connection is lost it is asked for the rest."""
    import aiohttp

    last, tries = "", 0
    async with _session() as session:
        while tries < TRIES:
            headers = {"Accept": "text/event-stream", "Last-Event-ID": last}
            with suppress(aiohttp.ClientError, TimeoutError):
                async with session.get(url, headers=headers) as response:
                    if response.status not in PASSING:
                        if response.status >= 400:
                            await _object_in(response)
                        name = ""
                        async for key, value in _fields(response):
                            if key == "event" and value == "end":
                                return
                            if key == "data" and value:
                                yield _event(value, url)
                                tries, last = 0, name
                            name = value if key == "id" else name
            tries += 1
            await asyncio.sleep(AGAIN_S)
    raise RunFailed(f"The server at {urlsplit(url).netloc} does not answer: see that it runs.")


async def _fields(response: "aiohttp.ClientResponse") -> AsyncIterator[tuple[str, str]]:
    """The whole lines of a stream until it ends. Raises RunFailed for what is no text."""
    try:
        while (line := await response.content.readuntil(b"\n")).endswith(b"\n"):
            key, _, value = line.decode().rstrip("\r\n").partition(": ")
            yield key, value
    except ValueError:
        raise _foreign(str(response.url)) from None


def _event(data: str | bytes, place: object) -> Event:
    """Raises RunFailed for what is none."""
    try:
        return EVENT.validate_json(data)
    except ValueError:
        raise _foreign(place) from None


def _foreign(place: object) -> RunFailed:
    return RunFailed(
        f"What comes from {place} is not Fathom's: see that it is of this version."
    )


def _address(text: str) -> str:
    """The address of a server. Raises UsageError."""
    try:
        url = urlsplit(text)
        is_address = url.scheme in ("http", "https") and bool(url.hostname) and url.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise UsageError(
            f"{text!r} is no address of a server: write it as in http://127.0.0.1:8787."
        )
    return text.rstrip("/")


def _session() -> "aiohttp.ClientSession":
    import aiohttp

    token = environment().get(TOKEN, "").strip()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=60)
    return aiohttp.ClientSession(headers=headers, timeout=timeout, read_bufsize=2**26)


async def _object_in(response: "aiohttp.ClientResponse") -> dict[str, Any]:
    """The JSON object of an answer; empty where there is none. Raises the sentence of a problem:
    UsageError where the request was wrong, else RunFailed."""
    try:
        content = orjson.loads(await response.read())
    except ValueError:
        content = None
    document: dict[str, Any] = content if isinstance(content, dict) else {}
    if response.status < 400:
        return document
    sentence = str(document.get("detail", f"The server answered {response.status}."))
    if response.status == 401:
        sentence = f"{sentence} Set {TOKEN} to the server's token."
    kind: type[FathomError] = UsageError if response.status < 500 else RunFailed
    raise kind(sentence)


def run_at(server: str, values: Given) -> int:
    """Run the study at a server, show it live, and print its cells; returns its exit code."""
    from ..reports.views.campaign import campaign_blocks
    from ..state.campaign import CellState
    from .study.read import read_file

    server = _address(server)
    content = dict(read_file(Path(values["study"])).content)
    for key in ("budget", "max_calls"):
        if values[key] is not None:
            content[key] = values[key]
    display = pick_display(values["display"], bool(values["json"]))
    try:
        data = orjson.dumps(content)
    except TypeError as error:
        raise UsageError(f"{values['study']} cannot be sent as JSON ({error}).") from None
    try:
        study = asyncio.run(_run_at(server, data, display))
        cells = [CellState.model_validate(cell) for cell in study["cells"]]
        trouble, code = study["error"], study["code"]
    except (ValidationError, KeyError):
        raise _foreign(server) from None
    if values["json"]:
        print_json(study)
    else:
        print_blocks(campaign_blocks(cells, figure_of))
    say(f"Error: {trouble}" if trouble else None)
    return 130 if code is None else code


async def _run_at(server: str, data: bytes, display: Any) -> dict[str, Any]:
    import aiohttp

    headers = {"Content-Type": "application/json"}
    async with _session() as session:
        try:
            posted = await session.post(f"{server}/v1/studies", data=data, headers=headers)
            url = f"{server}/v1/studies/{(await _object_in(posted))['id']}"
            say(f"Study: {url}")
            await _show(lambda: _sent(f"{url}/events"), display)
            async with session.get(url) as response:
                return await _object_in(response)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise RunFailed(f"The server at {server} cannot be reached ({error}).") from None


WATCHED = Option(
    "",
    "URL|RUN",
    "Address of a study or run at a server; or a run's folder, its id, or `last`.",
    name="run",
    kind="run",
    required=True,
)
WATCH = Command(
    _watch,
    """Show a run live that goes on elsewhere: in another process, or at a server of `fathom serve`.

Leaving with Ctrl-C stops nothing. The token of a server is read from FATHOM_TOKEN.""",
    (WATCHED, DISPLAY, RUNS),
    EPILOG,
)
