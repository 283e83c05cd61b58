"""How close the runner comes to the time that waiting alone would take. Prints figures, asserts
nothing.

The simulated world runs in a process of its own with a fixed latency L; F, the time of one look-up,
is measured on it. The ideal of a drill of D depths is D·(3 L + F) + L.
"""

import argparse
import asyncio
import contextlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from fathom.graphs.run.deps import utc_now
from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.state.spec import DrillSpec
from fathom.state.tiers import TIERS, Tier
from fathom.tools.facts.base import FactQuery
from fathom.tools.facts.registry import Sources
from fathom.tools.garbage import look_for_garbage_rarely
from fathom.tools.models.clients import Limits
from fathom.tools.net import preload

DOMAINS = [
    "Chemical elements",
    "Noble gases",
    "Alkali metals",
    "Transition metals",
    "Lanthanides",
    "Halogens",
]
TODAY = date(2026, 1, 1)


@contextlib.contextmanager
def world(latency_s: float) -> Iterator[str]:
    """The simulated world in another process; yields its base URL."""
    command = [
        sys.executable,
        "-m",
        "fathom",
        "sim",
        "--port",
        "0",
        "--sim",
        f"latency={latency_s}",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = ""
        while "http://" not in line:
            line = process.stderr.readline()
        try:
            yield "http://" + line.split("http://")[1].split()[0].split("/")[0]
        finally:
            process.terminate()


def spec(base: str, domain: str, target: str, max_depth: int = 15) -> DrillSpec:
    evaluator = f"sim@{base}/v1:evaluator"
    return DrillSpec(
        domain=domain,
        target=f"sim@{base}/v1:{target}",
        evaluator=evaluator,
        judge=evaluator,
        facts=dict.fromkeys(TIERS, (f"sim@{base}",)),
        max_depth=max_depth,
        as_of=TODAY,
    )


async def measure(
    specs: list[DrillSpec], connections: int, kept: Path | None = None
) -> tuple[float, float, list[RunReport], int]:
    """(wall s, CPU s of this process, reports, peak of calls in flight). `kept`: folder for run
    folders and cache."""
    limits = Limits(max_connections=connections)
    runs, cache = (kept / "runs", kept / "cache.sqlite") if kept else (None, None)
    launch = Launch(specs, LaunchOptions(limits=limits, runs=runs, cache=cache))
    begin, cpu = time.monotonic(), _cpu_s()
    reports = await launch.run()
    wall, used = time.monotonic() - begin, _cpu_s() - cpu
    return wall, used, reports, launch.clients.meter.peak if launch.clients else 0


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def look_up_s(base: str) -> float:
    """F: the median of one look-up of a page nobody has fetched yet."""
    sources = Sources({}, sim_url=base, clock=utc_now)
    times = []
    for title in ("Gold", "Silver", "Argon", "Iron", "Radon"):
        begin = time.monotonic()
        query = FactQuery(title, "Chemical elements", Tier.COMMON, TODAY)
        await sources.for_tier(("sim",))[0].find(query)
        times.append(time.monotonic() - begin)
    await sources.aclose()
    return sorted(times)[len(times) // 2]


def calls(reports: list[RunReport]) -> int:
    return sum(role.calls for r in reports if r.result for role in r.result.usage.values())


async def keeping(base: str, depth: int) -> None:
    """A drill as the command line runs it, journal and cache on disk; and once more
    from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("kept on disk", "from the cache"):
            drill = spec(base, DOMAINS[1], "omniscient", depth)
            wall, cpu, reports, _ = await measure([drill], 1000, Path(folder))
            per_call = cpu / calls(reports) * 1000
            made = f"one drill, {name}: {calls(reports)} calls"
            print(f"{made}, wall {wall:.2f} s; CPU {cpu:.2f} s, {per_call:.2f} ms per call")


async def main(latency_s: float, depth: int) -> None:
    await preload(["sim"])  # imports are paid once, not per drill
    look_for_garbage_rarely()  # as the program does
    with world(latency_s) as base:
        look_up = await look_up_s(base)
        print(f"L = {latency_s * 1000:.0f} ms, F = {look_up * 1000:.0f} ms")
        one, cpu, reports, peak = await measure(
            [spec(base, DOMAINS[0], "omniscient", depth)], 1000
        )
        depths = sum(len(r.result.depths) for r in reports if r.result)
        ideal = depths * (3 * latency_s + look_up) + latency_s
        print(
            f"one drill: {depths} depths, {calls(reports)} calls, wall {one:.2f} s, ideal "
            f"{ideal:.2f} s, "
            f"ratio {one / ideal:.2f}; CPU {cpu:.2f} s, {cpu / calls(reports) * 1000:.2f} ms per "
            "call; "
            f"peak {peak} in flight"
        )
        await keeping(base, depth)
        six, cpu, reports, peak = await measure(
            [spec(base, d, "omniscient", depth) for d in DOMAINS], 1000
        )
        bound = max(1.5 * one, 0.0025 * calls(reports))
        print(
            f"six drills: {calls(reports)} calls, wall {six:.2f} s, bound {bound:.2f} s; CPU "
            f"{cpu:.2f} s, "
            f"{cpu / calls(reports) * 1000:.2f} ms per call; peak {peak} in flight"
        )
        for connections in (1, 10, 100, 150):
            wall, _, reports, peak = await measure(
                [
                    spec(base, d, "omniscient", 1)
                    for d in DOMAINS[: 6 if connections > 1 else 1]
                ],
                connections,
            )
            print(
                f"--max-connections {connections}: peak {peak} in flight, {calls(reports)} "
                f"calls in {wall:.2f} s"
            )
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak memory {resident:.0f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds per call")
    parser.add_argument("--depth", type=int, default=15)
    options = parser.parse_args()
    asyncio.run(main(options.latency, options.depth))
