"""A campaign of many small cells against the simulated world in a process of its own: calls a second, CPU per call,
memory, and whether it survives what happens to machines. Prints, asserts nothing.

    python bench/campaign.py [--cells 1000] [--latency 0.2] [--connections 200] [--workers N] [--disturb]
    python bench/campaign.py --refuse [--cells 120]

First in one process, then on dask with a worker per core; with --workers on so many that were started by hand. With
--disturb once more, and every 20 s something is killed: two workers, the whole program, which is started again, and
workers from then on. All results are held against those of the one process.

--refuse asks another question: whether models are slowed when another one answers half of its calls with 429. Twice
in turn without and with, 1 s a reply, until the other models are done.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.killed import FATHOM, environment, picture, world_process

KILL_EVERY_S = 20
MOMENTS = 10
"""Of which the memory of a process is printed."""
HEADS = (
    "engine",
    "exit",
    "s",
    "calls",
    "calls/s",
    "CPU ms/call",
    "most at once",
    "again",
    "equal",
)
STUDY = """method: drill
domains: [Chemical elements, Noble gases]
target: {targets}
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

    others: Sequence[psutil.Process] = ()
    """Processes that belong to it and are not below it."""
    began: float = field(default_factory=time.monotonic)
    wall_s: float = 0.0
    cpu_s: dict[int, float] = field(default_factory=dict)
    """By process, as `rss_mb`."""
    rss_mb: dict[int, list[float]] = field(default_factory=dict)
    code: int | None = None

    def look(self, program: psutil.Process) -> list[psutil.Process]:
        """Take in the processes as they are; returns the workers."""
        workers, forking = [], set[int]()
        for each in [
            p
            for root in (program, *self.others)
            for p in (root, *root.children(recursive=True))
        ]:
            try:
                used = each.cpu_times()
                self.cpu_s[each.pid] = used.user + used.system
                self.rss_mb.setdefault(each.pid, []).append(each.memory_info().rss / 1e6)
                workers += [each] if each.ppid() in forking else []
                forking |= {each.pid} if "forkserver" in " ".join(each.cmdline()) else set()
            except psutil.Error:  # it has just ended
                continue
        return workers

    def print_processes(self) -> None:
        for pid, used in self.cpu_s.items():
            seen = self.rss_mb[pid]
            if used > 1 and len(seen) > MOMENTS:
                moments = (
                    seen[(len(seen) - 1) * nth // (MOMENTS - 1)] for nth in range(MOMENTS)
                )
                print(
                    f"  a process: {used:.0f} s of CPU, MB of memory:",
                    *(f"{mb:.0f}" for mb in moments),
                    flush=True,
                )


def played(
    study: Path,
    engine: str,
    watched: Watched,
    *,
    disturb: bool = False,
    until: Callable[[], bool] = lambda: False,
) -> None:
    """Run the study to its end, or until that is so; once more where the program was killed, as the
    third of all."""
    words = [
        *FATHOM,
        "run",
        str(study),
        "--runs",
        str(study.parent / "runs"),
        "--display",
        "none",
    ]
    words += ["--engine", engine]
    kills = 0
    while watched.code is None:
        out = (study.parent / "out").open("ab")
        with (
            out,
            subprocess.Popen(
                words, stdout=out, stderr=out, env=environment(study.parent)
            ) as run,
        ):
            program = psutil.Process(run.pid)
            while run.poll() is None:
                time.sleep(0.5)
                workers = watched.look(program)
                if until():
                    run.kill()
                    watched.code = -signal.SIGKILL
                due = watched.began + KILL_EVERY_S * (kills + 1)
                if not disturb or not workers or time.monotonic() < due:
                    continue
                kills += 1
                whole = kills == 3
                print(
                    (
                        f"  {due - watched.began:.0f} s: {'the program' if whole else 'a worker'} "
                        "is killed"
                    ),
                    flush=True,
                )
                (program if whole else workers[kills % len(workers)]).kill()
            if run.returncode != -signal.SIGKILL:
                watched.code = run.returncode
    watched.wall_s = time.monotonic() - watched.began


@contextmanager
def workers_by_hand(folder: Path, count: int) -> Iterator[tuple[str, list[psutil.Process]]]:
    """A scheduler and workers in processes of their own; yields the scheduler's address and all of
    them."""
    file = folder / "scheduler.json"
    dask = [
        sys.executable,
        "-m",
        "distributed.cli.dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
    ]
    work = [
        sys.executable,
        "-m",
        "distributed.cli.dask_worker",
        "--nworkers",
        str(count),
        "--nthreads",
        "16",
    ]
    processes, quiet = (
        list[psutil.Process](),
        {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL},
    )
    for words in (dask, work):
        words += ["--scheduler-file", str(file), "--no-dashboard"]
        processes.append(psutil.Popen(words, env=environment(folder), cwd=folder, **quiet))
        while not file.is_file() or not file.read_text():
            time.sleep(0.1)
    try:
        yield json.loads(file.read_text())["address"], processes
    finally:
        for process in processes:
            process.terminate()
            process.wait()


def most_at_once(records: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Model → most calls that were under way at one moment, as the endpoint has it."""
    moments = [
        (r[at], step, r["model"])
        for r in records
        if r["model"]
        for at, step in (("at_s", 1), ("done_s", -1))
    ]
    now, most = Counter[str](), Counter[str]()
    for _, step, model in sorted(moments):
        now[model] += step
        most[model] = max(most[model], now[model])
    return dict(most)


def asked_again(records: Iterable[dict[str, Any]]) -> str:
    """How many requests came although the same one had been replied to, or was under way."""
    seen, after = dict[str, float](), Counter[str]()
    for record in sorted(records, key=lambda r: float(r["at_s"])):
        digest, done_s = record["digest"], record["done_s"]
        if digest in seen:
            after["replied" if seen[digest] < record["at_s"] else "under way"] += 1
        seen[digest] = min(seen.get(digest, done_s), done_s)
    return f"{after['replied']} replied to, {after['under way']} under way"


def served(log: Path) -> list[dict[str, Any]]:
    """The requests to models that a world was asked."""
    records = (
        [json.loads(line) for line in log.read_text().splitlines()] if log.is_file() else []
    )
    return [record for record in records if record["kind"] in ("chat", "structured")]


def main(cells: int, latency: float, connections: int, by_hand: int, disturb: bool) -> None:
    table = Table(
        *HEADS,
        title=f"{cells} cells, {latency:g} s a reply, at most {connections} calls at once",
    )
    quiet: dict[str, Any] = {}
    names = [
        "one process",
        "dask",
        *[f"dask, {by_hand} workers by hand"] * bool(by_hand),
        *["dask, disturbed"] * disturb,
    ]
    for name in names:
        print(name, flush=True)
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            base, log = stack.enter_context(world_process(folder, f"latency={latency}"))
            engine, others = (
                "local" if name == "one process" else "dask",
                list[psutil.Process](),
            )
            if "by hand" in name:
                address, others = stack.enter_context(workers_by_hand(folder, by_hand))
                engine = f"dask:{address}"
            study, watched = folder / "study.yaml", Watched(others)
            targets = json.dumps([f"sim@{base}/v1:{who}" for who in ("student", "novice")])
            study.write_text(
                STUDY.format(
                    base=base, targets=targets, repeats=cells // 4, connections=connections
                ),
                encoding="utf-8",
            )
            played(study, engine, watched, disturb="disturbed" in name)
            chats = served(log)
            folders = [path for path in (folder / "runs").iterdir() if path.is_dir()]
            found = {
                key_of(run, base): picture(run, base)
                for run in folders
                if (run / "result.json").is_file()
            }
        watched.print_processes()
        quiet = quiet or found
        row = (
            name,
            watched.code,
            f"{watched.wall_s:.0f}",
            len(chats),
            f"{len(chats) / watched.wall_s:.0f}",
            f"{1000 * sum(watched.cpu_s.values()) / len(chats):.2f}",
            most_at_once(chats),
            asked_again(chats),
            f"{sum(found.get(key) == value for key, value in quiet.items())} of {len(quiet)}",
        )
        table.add_row(*map(str, row))
        print(
            f"  {len(folders)} run folders, {len(found)} results", *row, sep=" | ", flush=True
        )
    Console(width=150).print(table)


def key_of(run: Path, base: str) -> str:
    spec = json.loads((run / "spec.json").read_text().replace(base, "WORLD"))
    return json.dumps({name: spec[name] for name in ("domain", "target", "seed")})


def refusing(cells: int, engine: str) -> None:
    """Calls a second of two models while a third one, at another endpoint, refuses none of its
    calls or half."""
    for rate in (0, 0.5, 0, 0.5):
        with ExitStack() as folders:
            here, there = (
                Path(folders.enter_context(tempfile.TemporaryDirectory())) for _ in range(2)
            )
            with (
                world_process(here, "latency=1") as (base, log),
                world_process(there, "latency=1", f"rate_limit={rate}") as (busy, refused),
            ):
                targets = [
                    f"sim@{base}/v1:student",
                    f"sim@{base}/v1:expert",
                    f"sim@{busy}/v1:novice",
                ]
                study = here / "study.yaml"
                told = STUDY.format(
                    base=base, targets=json.dumps(targets), repeats=cells // 6, connections=200
                )
                study.write_text(told, encoding="utf-8")
                others = partial(done, here / "runs", cells * 2 // 3, besides="novice")
                played(study, engine, Watched(), until=others)
            calls, theirs = (
                [r for r in served(log) if r["model"] != "evaluator"],
                served(refused),
            )
        took_s = max(r["done_s"] for r in calls) - min(r["at_s"] for r in calls)
        print(
            f"{sum(r['status'] == 429 for r in theirs)} of {len(theirs)} calls of the third model "
            "refused:"
            f" {len(calls)} calls of the others in {took_s:.1f} s, {len(calls) / took_s:.2f} a "
            "second",
            flush=True,
        )


def done(runs: Path, cells: int, *, besides: str) -> bool:
    """Whether there are as many results of other targets."""
    specs = (
        json.loads((path.parent / "spec.json").read_text())
        for path in runs.glob("*/result.json")
    )
    return sum(besides not in spec["target"] for spec in specs) >= cells


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int, default=1000)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--disturb", action="store_true")
    parser.add_argument("--refuse", action="store_true")
    parser.add_argument("--engine", default="local")
    options = parser.parse_args()
    if options.refuse:
        refusing(options.cells, options.engine)
    else:
        main(
            options.cells,
            options.latency,
            options.connections,
            options.workers,
            options.disturb,
        )
