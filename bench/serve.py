"""The service under listeners, kills and clients. Prints, asserts nothing.

    python bench/serve.py [--kills 10] [--listeners 200] [--slow 50] [listen|kill|share|store|day …]

listen: many listeners on one run, some of them slow: who got the journal to the byte, and what the
server held. kill: server and run killed with -9 at random moments, one listener that goes on by the
id it has. share, store:
one study at two servers, over one folder or one database. day: four clients and one day's budget.
"""

import argparse
import asyncio
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import aiohttp

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support import postgres
from tests.support.command_line import PROGRAM
from tests.support.service import SERVE, STUDY, Program, children, started, until

LIVE: dict[str, Any] = {**STUDY, "probes": 20, "max_depth": 4, "sim": {"latency": 0.2}}


@contextmanager
def program(runs: Path, *words: str, cache: Path) -> Iterator[Program]:
    """The installed program, as it starts anew."""
    command = [PROGRAM, *SERVE, "--runs", str(runs), *words]
    env = {**os.environ, "FATHOM_CACHE": str(cache)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            yield started(process, runs)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def listen(folder: Path, options: argparse.Namespace) -> None:
    """All on one run, from its first event to its last."""
    with program(folder / "runs", cache=folder / "cache.sqlite") as server:
        study = server.ask("/v1/studies", LIVE)["id"]
        run = until(lambda: server.ask(f"/v1/studies/{study}")["cells"][0]["run"])
        until(lambda: (folder / "runs" / run).is_dir())
        began = time.monotonic()
        bodies, first = asyncio.run(_all(server, run, options.listeners, options.slow))
        journal = (folder / "runs" / run / "events.jsonl").read_bytes()
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        stat = Path(f"/proc/{server.process.pid}/stat").read_text().split()
    equal = sum(body == journal for body in bodies)
    cpu = (int(stat[13]) + int(stat[14])) / os.sysconf("SC_CLK_TCK")
    memory = int(status.split("VmHWM:")[1].split()[0]) / 1024
    print(
        f"listen: {equal} of {len(bodies)} byte-identical ({options.slow} slow), journal "
        f"{len(journal):,} bytes, {time.monotonic() - began:.1f} s; fast ones ended within "
        f"{max(first):.1f} s (median {statistics.median(first):.1f}); server {cpu:.1f} s of CPU, "
        f"{memory:.0f} MB at most"
    )


async def _all(
    server: Program, run: str, listeners: int, slow: int
) -> tuple[list[bytes], list[float]]:
    headers = {"Authorization": f"Bearer {server.token}", "Accept": "application/x-ndjson"}
    connector, times = aiohttp.TCPConnector(limit=0), list[float]()
    timeout, began = aiohttp.ClientTimeout(total=None), time.monotonic()

    async def one(session: aiohttp.ClientSession, pause_s: float) -> bytes:
        body = bytearray()
        async with session.get(f"{server.url}/v1/runs/{run}/events") as answer:
            while piece := await answer.content.read(4096):
                body += piece
                await asyncio.sleep(pause_s)
        if not pause_s:
            times.append(time.monotonic() - began)
        return bytes(body)

    async with aiohttp.ClientSession(
        connector=connector, headers=headers, timeout=timeout, read_bufsize=4096
    ) as session:
        pauses = [0.15 if number < slow else 0.0 for number in range(listeners)]
        return await asyncio.gather(*(one(session, pause) for pause in pauses)), times


def kill(folder: Path, options: argparse.Namespace) -> None:
    """One listener over all the kills of a study, and one from its beginning at the end."""
    random, runs, cache = Random(options.seed), folder / "runs", folder / "cache.sqlite"
    lines, last, study, moments = list[bytes](), "", "", list[str]()
    for number in range(options.kills + 1):
        with program(runs, cache=cache) as server:
            study = study or server.ask("/v1/studies", LIVE)["id"]
            some = random.randrange(1, 40) if number < options.kills else sys.maxsize
            for id_, line in server.lines(f"/v1/studies/{study}/events", last):
                last = id_
                lines.append(line)
                some -= 1
                if not some:
                    break
            if number < options.kills:
                pids = children(server.process.pid)
                moments.append(str(len(lines)))
                both = random.random() < 0.7  # else the run outlives its server for a moment
                server.kill()
                for pid in pids if both else []:
                    os.kill(pid, signal.SIGKILL)
                continue
            state = server.ask(f"/v1/studies/{study}")
            (journal,) = runs.glob("*/events.jsonl")
            whole = journal.read_bytes()
            again = b"".join(line for _, line in server.lines(f"/v1/studies/{study}/events"))
    same = b"".join(lines) == whole
    print(
        f"kill: after events {', '.join(moments)}: the listener's stream is "
        f"{'byte-identical' if same else 'DIFFERENT'}, one from the beginning "
        f"{'too' if again == whole else 'NOT'}; {len(lines)} events, {state['state']}"
    )


def share(folder: Path, _: argparse.Namespace) -> None:
    """Two servers over one folder."""
    runs = folder / "runs"
    _shared("share", (runs, runs), (), folder)


def store(folder: Path, _: argparse.Namespace) -> None:
    """Two servers with a folder each, over one PostgreSQL database."""
    with postgres.serving() as database:
        words = ("--store", database.address)
        _shared("store", (folder / "one", folder / "other"), words, folder)


def _shared(scene: str, runs: tuple[Path, Path], words: tuple[str, ...], folder: Path) -> None:
    """Posted to both at once: each of its runs is one, and both say the same of it."""
    cache, (first, second) = folder / "cache.sqlite", runs
    study = {**LIVE, "target": ["sim:student", "sim:expert"], "probes": 8}
    with (
        program(first, *words, cache=cache) as one,
        program(second, *words, cache=cache) as other,
    ):
        names = {server.ask("/v1/studies", study)["id"] for server in (one, other)}
        (name,) = names
        documents = [_ended(server, name) for server in (one, other)]
    folders = {path.parent.name for place in runs for path in place.glob("*/events.jsonl")}
    cells = zip(*(document["cells"] for document in documents), strict=True)
    unlike = {key for one, other in cells for key in one if one[key] != other.get(key)}
    states = {cell["status"] for cell in documents[0]["cells"]}
    print(
        f"{scene}: {len(names)} study at two servers, {len(folders)} runs for its 2 cells, "
        f"{', '.join(states)}; both show {'other ' + ', '.join(sorted(unlike)) if unlike else 'the same'}"
    )


def day(folder: Path, _: argparse.Namespace) -> None:
    """Four clients post until they are refused; then what was spent is counted."""
    words = ("--day-calls", "200", "--max-calls", "60")
    with program(folder / "runs", *words, cache=folder / "cache.sqlite") as server:
        answers = asyncio.run(_four(server))
        taken = [name for status, name in answers if status == 202]
        calls = sum(cell["calls"] for name in taken for cell in _ended(server, name)["cells"])
    refused = sum(status == 429 for status, _ in answers)
    print(
        f"day: {len(answers)} posts of 4 clients: {len(taken)} taken, {refused} refused (429); "
        f"{calls} of 200 calls made"
    )


async def _four(server: Program) -> list[tuple[int, str]]:
    headers = {"Authorization": f"Bearer {server.token}"}

    async def client(session: aiohttp.ClientSession, number: int) -> list[tuple[int, str]]:
        answers = []
        for seed in range(4):
            body = {**LIVE, "seed": 10 * number + seed, "sim": {"latency": 0.05}}
            async with session.post(f"{server.url}/v1/studies", json=body) as answer:
                answers.append((answer.status, (await answer.json()).get("id", "")))
        return answers

    async with aiohttp.ClientSession(headers=headers) as session:
        each = await asyncio.gather(*(client(session, number) for number in range(4)))
    return [answer for answers in each for answer in answers]


def _ended(server: Program, name: str) -> Any:
    return until(
        lambda: (study := server.ask(f"/v1/studies/{name}"))["code"] is not None and study, 300
    )


SCENES: dict[str, Callable[[Path, argparse.Namespace], None]] = {
    "listen": listen,
    "kill": kill,
    "share": share,
    "store": store,
    "day": day,
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scene", nargs="*", default=list(SCENES), choices=SCENES)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--listeners", type=int, default=200)
    parser.add_argument("--slow", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for name in options.scene:
        with tempfile.TemporaryDirectory() as folder:
            SCENES[name](Path(folder), options)


if __name__ == "__main__":
    main()
