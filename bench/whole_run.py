"""A whole run as the command line makes it, and the same run killed on the way. Prints figures,
asserts nothing.

The simulated world runs in a process of its own with a fixed latency. The bound is the larger of
1.2 × the time that waiting alone would take, calls × latency / connections, and 2.5 ms of CPU for
each call.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.killed import FATHOM, Processes, environment, go_on, served, world_process

CONNECTIONS = 200
Words = Callable[[str, Path], list[str]]
"""The command for a world's address and a folder for runs."""


def picture(run: Path, base: str) -> Any:
    """All of a result but times, the world's address, run id and usage."""
    short = run.name.rpartition("-")[2]
    text = (
        (run / "result.json").read_text().replace(base, "http://WORLD").replace(run.name, "RUN")
    )
    result = orjson.loads(text.replace(f'"{short}/', '"RUN/'))
    for name in ("usage", "wall_s", "cost_usd", "provenance", "run_id"):
        result.pop(name, None)
    return result


def measure(words: Words, latency_s: float, kills: int, summary: Callable[[Any], str]) -> None:
    """Run once, then (with `kills`) once more, killed and resumed. `summary`: a result in a few
    words."""
    with tempfile.TemporaryDirectory() as name:
        whole, cut = Path(name, "whole"), Path(name, "cut")
        whole.mkdir()
        cut.mkdir()
        with world_process(whole, f"latency={latency_s}") as (base, log):
            begin, cpu = time.monotonic(), _children_s()
            done = subprocess.run(
                words(base, whole / "runs"),
                env=environment(whole),
                capture_output=True,
                text=True,
                check=False,
            )
            wall, used = time.monotonic() - begin, _children_s() - cpu
            if done.returncode:
                sys.exit(done.stderr)
            (run,) = (whole / "runs").glob("2*")
            calls = served(log)
            first = picture(run, base)
        waiting, working = calls * latency_s / CONNECTIONS, 0.0025 * calls
        print(
            f"{summary(first)};"
            f" {calls:,} calls in {wall:.1f} s, bound {max(1.2 * waiting, working):.1f} s"
            f" (waiting {waiting:.1f} s); CPU {used:.1f} s, {used / calls * 1000:.2f} ms per call;"
            f" journal {(run / 'events.jsonl').stat().st_size / 1e6:.0f} MB,"
            f" result {(run / 'result.json').stat().st_size / 1e6:.0f} MB"
        )
        if kills:
            _killed(words, cut, latency_s, kills, wall, first)


def _killed(
    words: Words, folder: Path, latency_s: float, kills: int, wall: float, whole: Any
) -> None:
    """The same run with a new world, killed on the way and resumed."""
    sit = Processes(
        folder, [(True, Random().uniform(0.1 * wall, 0.6 * wall)) for _ in range(kills)]
    )
    with world_process(folder, f"latency={latency_s}") as (base, log):
        done = go_on(
            words(base, folder / "runs")[len(FATHOM) :], folder, sit, partial(served, log)
        )
        run, times, lost, again = done.run, len(done.lost), done.lost, done.again
        ids = [
            orjson.loads(line)["item"]["id"]
            for line in (run / "events.jsonl").open("rb")
            if b'"item_finished"' in line
        ]
        print(
            f"killed {times} time(s): {sum(lost)} replies lost in flight, {again} asked for "
            "although they were kept,"
            f" {len(ids) - len(set(ids))} steps done twice; result as if not killed:"
            f" {'yes' if picture(run, base) == whole else 'NO'}"
        )


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
