"""A campaign of many small cells against the simulated world in a process of its own: calls a second, CPU per call,
memory, and whether it survives what happens to machines. Prints, asserts nothing.

    python bench/campaign.py [--cells 1000] [--latency 0.2] [--connections 200] [--disturb]

First in one process, then on dask with a worker per core. With --disturb once more, and every 20 s something is killed:
two workers, the whole program, which is started again, and workers from then on. All results are held against those of
the one process.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.killed import FATHOM, environment, picture, world_process

KILL_EVERY_S = 20
STUDY = """method: drill
domains: [Chemical elements, Noble gases]
target: ["sim@{base}/v1:student", "sim@{base}/v1:novice"]
evaluator: "sim@{base}/v1:evaluator"
facts: "sim@{base}"
probes: 3
max_depth: 2
threshold: 0.001
repeats: {repeats}
max_connections: {connections}
timeout: 15
"""


@dataclass
class Watched:
    """What the program and its processes used, through all its starts."""

    began: float = field(default_factory=time.monotonic)
    wall_s: float = 0.0
    times: dict[int, float] = field(default_factory=dict)
    """Process → CPU seconds."""
    rss_mb: dict[int, list[float]] = field(default_factory=dict)
    code: int | None = None

    def look(self, process: psutil.Process) -> list[psutil.Process]:
        """Take in the processes as they are; returns the workers."""
        workers = []
        for each in [process, *process.children(recursive=True)]:
            try:
                used = each.cpu_times()
                self.times[each.pid] = used.user + used.system
                self.rss_mb.setdefault(each.pid, []).append(each.memory_info().rss / 1e6)
                workers += [each] if "spawn_main" in " ".join(each.cmdline()) else []
            except psutil.Error:  # it has just ended
                continue
        return workers

    def told(self, what: str) -> None:
        print(f"  {time.monotonic() - self.began:.0f} s: {what}", flush=True)


def played(study: Path, engine: Sequence[str], folder: Path, watched: Watched, *, disturb: bool = False) -> None:
    """Run the study to its end; once more where the program was killed, which is the third thing that is."""
    words = [*FATHOM, "run", str(study), "--runs", str(folder / "runs"), "--display", "none", *engine]
    kills = 0
    while watched.code is None:
        out = (folder / "out").open("ab")
        with out, subprocess.Popen(words, stdout=out, stderr=out, env=environment(folder)) as run:
            process = psutil.Process(run.pid)
            while run.poll() is None:
                time.sleep(0.5)
                workers = watched.look(process)
                if not disturb or not workers or time.monotonic() - watched.began < KILL_EVERY_S * (kills + 1):
                    continue
                kills += 1
                victim = process if kills == 3 else workers[kills % len(workers)]
                watched.told(f"{'the program' if kills == 3 else 'a worker'} is killed")
                victim.kill()
            watched.code = run.returncode if run.returncode != -signal.SIGKILL else None
    watched.wall_s = time.monotonic() - watched.began


def most_at_once(records: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Model → most calls that were under way at one moment, as the endpoint has it."""
    moments = [(r[at], step, r["model"]) for r in records if r["model"] for at, step in (("at_s", 1), ("done_s", -1))]
    now, most = Counter[str](), Counter[str]()
    for _, step, model in sorted(moments):
        now[model] += step
        most[model] = max(most[model], now[model])
    return dict(most)


def main(cells: int, latency: float, connections: int, disturb: bool) -> None:
    engines = {"one process": ["--engine", "local"], "dask": ["--engine", "dask"]}
    table = Table(title=f"{cells} cells, {latency:g} s a reply, at most {connections} calls at once")
    for head in (
        "engine",
        "exit",
        "s",
        "calls",
        "calls/s",
        "CPU ms/call",
        "most at once",
        "RSS MB",
        "asked twice",
        "equal",
    ):
        table.add_column(head, overflow="fold")
    with tempfile.TemporaryDirectory() as root:
        quiet: dict[str, Any] = {}
        runs = [(name, words, False) for name, words in engines.items()]
        runs += [("dask, disturbed", engines["dask"], True)] if disturb else []
        for number, (name, words, disturbed) in enumerate(runs):
            folder = Path(root, str(number))
            folder.mkdir()
            with world_process(folder, f"latency={latency}") as (base, log):
                study = folder / "study.yaml"
                study.write_text(STUDY.format(base=base, repeats=cells // 4, connections=connections))
                watched = Watched()
                print(name, flush=True)
                played(study, words, folder, watched, disturb=disturbed)
                records = [json.loads(line) for line in log.read_text().splitlines()]
                folders = [path for path in (folder / "runs").iterdir() if path.is_dir()]
                found = {key_of(run, base): picture(run, base) for run in folders if (run / "result.json").is_file()}
            chats = [r for r in records if r["kind"] in ("chat", "structured")]
            again = len(chats) - len({r["digest"] for r in chats})
            quiet = quiet or found
            equal = f"{sum(found.get(key) == value for key, value in quiet.items())} of {len(quiet)}"
            rss = ", ".join(f"{s[0]:.0f}→{max(s[len(s) // 2 :]):.0f}" for s in watched.rss_mb.values() if len(s) > 4)
            row: list[object] = [
                name,
                watched.code,
                f"{watched.wall_s:.0f}",
                len(chats),
                f"{len(chats) / watched.wall_s:.0f}",
            ]
            row += [f"{1000 * sum(watched.times.values()) / len(chats):.2f}", most_at_once(chats), rss, again, equal]
            table.add_row(*map(str, row))
            print("  CPU s:", *(f"{each:.1f}" for each in watched.times.values() if each > 0.3), flush=True)
            print(f"  {len(folders)} run folders, {len(found)} results", *row, sep=" | ", flush=True)
    Console(width=170).print(table)


def key_of(run: Path, base: str) -> str:
    spec = json.loads((run / "spec.json").read_text().replace(base, "WORLD"))
    return json.dumps({name: spec[name] for name in ("domain", "target", "seed")})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--disturb", action="store_true")
    options = parser.parse_args()
    main(options.cells, options.latency, options.connections, options.disturb)
