"""Runs of every method in a process that is killed and resumed, and a simulated world that counts
what it is asked."""

import asyncio
import atexit
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from tests.support.deepquestion.world_problems import problem_list

from fathom.graphs.outcome import list_runs
from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.sim.server import RunningWorld, Timing, start
from fathom.state.events import ItemFinished, Opened, ProbeJudged
from fathom.state.problems import ProblemSet
from fathom.state.records import Call
from fathom.state.spec import WorldSpec
from fathom.state.worlds import FaultRates
from fathom.tools.files.question_graph import write_graph
from fathom.tools.runs.folders import read_events

from .depthqa.elements import graph_of
from .drill import drills
from .drill.drills import sim_spec
from .eqt import eqts
from .eqt.eqts import ELEMENTS
from .paths import EXAMPLES

FATHOM = [sys.executable, "-m", "fathom"]
PASSING = drills.PASSING | eqts.PASSING | {"calls"}


@contextmanager
def world_process(folder: Path, *settings: str) -> Iterator[tuple[str, Path]]:
    """The simulated world in another process; yields its base URL and the file it logs every chat
    request in."""
    log = folder / "served.jsonl"
    log.touch()
    command = [sys.executable, "-m", "tests.support.serving_world", str(log), *settings]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env=environment(folder) | {"PYTHONPATH": "."},
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), log
        finally:
            process.terminate()


def environment(folder: Path) -> dict[str, str]:
    """With a cache in the folder, and backoffs that do not wait."""
    return {**os.environ, "PYTHONSAFEPATH": "1", "FATHOM_CACHE": str(folder / "cache.sqlite")}


# what is run: words for `fathom`, by the world's address and a folder of the run's own


def drill(base: str, folder: Path) -> list[str]:
    models = [
        "--target",
        f"sim@{base}/v1:student",
        "--evaluator",
        f"sim@{base}/v1:evaluator",
        "--facts",
        f"sim@{base}",
    ]
    return [
        "drill",
        "Chemical elements",
        *models,
        "-n",
        "4",
        "--max-depth",
        "3",
        "--threshold",
        "0.001",
        *common(folder),
    ]


def eqt(base: str, folder: Path) -> list[str]:
    size = [
        "--questions",
        "3",
        "--paraphrases",
        "2",
        "--options",
        "6",
        "--open-book",
        "--attribute",
        "4",
    ]
    return ["eqt", *ELEMENTS[:2], "--target", f"sim@{base}/v1:student", *size, *common(folder)]


def depthqa_build(base: str, folder: Path) -> list[str]:
    examples = EXAMPLES / "depthqa_elements.csv"
    return [
        "depthqa",
        "build",
        str(examples),
        "--limit",
        "3",
        "-e",
        f"sim@{base}/v1:evaluator",
        *common(folder),
    ]


def depthqa_ask(base: str, folder: Path) -> list[str]:
    write_graph(graph_of(2, seed=2), graph := folder / "graph.json")
    models = ["--target", f"sim@{base}/v1:student", "--judge", f"sim@{base}/v1:evaluator"]
    return [
        "depthqa",
        "ask",
        str(graph),
        *models,
        "--mode",
        "zero-shot,prompt-pred,multi-turn",
        *common(folder),
    ]


def deepquestion(base: str, folder: Path) -> list[str]:
    models = ["--target", f"sim@{base}/v1:student", "--evaluator", f"sim@{base}/v1:evaluator"]
    models += ["--generator", f"sim@{base}/v1:generator", "--baseline", "2"]
    return ["deepquestion", str(questions(folder, 3)), *models, *common(folder)]


def questions(folder: Path, count: int) -> Path:
    """A benchmark file of the simulated world's problems."""
    file = folder / "benchmark.jsonl"
    problems = ProblemSet(name="benchmark", problems=tuple(problem_list(count))).problems
    lines = (
        each.model_dump_json(include={"id", "question", "answer", "solution"})
        for each in problems
    )
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


@cache
def drilled() -> Path:
    """A folder with the run of a drill."""
    runs = Path(mkdtemp())
    atexit.register(shutil.rmtree, runs)
    asyncio.run(Launch([sim_spec(n=6, max_depth=3)], LaunchOptions(runs=runs)).run())
    return runs


def replay(base: str, folder: Path) -> list[str]:
    """The questions of a drill, which is made the first time, put to another model."""
    source = folder.parent / "source"
    if not source.is_dir():
        shutil.copytree(drilled(), source)
    models = ["--target", f"sim@{base}/v1:expert", "--judge", f"sim@{base}/v1:evaluator"]
    return ["replay", str(next(source.iterdir())), *models, *common(folder)]


def common(folder: Path) -> list[str]:
    return ["--runs", str(folder / "runs"), "--display", "none", "--max-connections", "8"]


METHODS: dict[str, Callable[[str, Path], list[str]]] = {
    "drill": drill,
    "eqt": eqt,
    "depthqa build": depthqa_build,
    "depthqa ask": depthqa_ask,
    "deepquestion": deepquestion,
    "replay": replay,
}
IN_FLIGHT = 18
"""Calls at once in one of these runs, at most."""


FAULTS = {"drill": FaultRates(rate_limit=0.01, server_error=0.03, malformed=0.04, cut_off=0.04)}
"""The other methods' worlds only cut replies off: the same is then said again, at once. A question
that was malformed is written anew, and which try is malformed depends on how often it was asked: a
reply that a kill took is one more."""


@asynccontextmanager
async def faulty_world(method: str, latency_s: float = 0.0) -> AsyncIterator[RunningWorld]:
    spec = WorldSpec(faults=FAULTS.get(method, FaultRates(cut_off=0.03)))
    running = await start(spec, Timing(latency_s=latency_s, jitter_s=2 * latency_s))
    try:
        yield running
    finally:
        await running.aclose()


@dataclass
class Resumed:
    """A run that was killed and resumed until it was over. `lost`: replies that the world sent and
    that are not kept, by kill; `robbed`: the kills after which only the journal was left; `again`:
    kept replies that were asked for all the same."""

    run: Path
    lost: list[int]
    robbed: list[bool]
    again: int


def go_on(
    words: list[str],
    folder: Path,
    sit: Callable[[list[str]], int],
    sent: Callable[[], int],
    robs: Iterable[bool] = repeat(False),
) -> Resumed:
    """Run the words, and after each kill what the program says to do: resume, or the same words
    where nothing had begun. `sit` runs words and returns the exit code; `sent` counts the replies
    the world has sent; `robs`: for each kill whether all but the journal is taken away then."""
    lost, runs, command, begun = list[int](), folder / "runs", words, list[Path]()
    robbed, robs, kept = list[bool](), iter(robs), set[str]()
    while (code := sit(command)) == -signal.SIGKILL or _never_began(code, folder):
        if code != -signal.SIGKILL:
            shutil.rmtree(begun.pop())
        else:
            begun = [entry.path for entry in list_runs(runs)]
            robbed.append(next(robs))
            if robbed[-1]:
                kept |= {request for run in begun for request in journalled(run)}
                rob(folder, begun)
            lost.append(sent() - len(kept | cached(folder)) - sum(lost))
        resume = [
            ["resume", run.name, "--runs", str(runs), "--display", "none"] for run in begun
        ]
        command = resume[0] if resume else words
    assert code == 0, (folder / "said.txt").read_text()
    (run,) = (entry.path for entry in list_runs(runs))
    return Resumed(run, lost, robbed, sent() - len(kept | cached(folder)) - sum(lost))


OPENS = {"events.jsonl", "spec.json", "launch.json"}
"""The journal, and what a run's folder is opened with."""


def rob(folder: Path, begun: list[Path]) -> None:
    """Take away all but the journals of the runs: the cache, logs, results; and what was to be read
    when the first of them began."""
    journals = [run for run in begun if any(read_events(run))]
    for file in (each for run in begun for each in run.iterdir() if each.name not in OPENS):
        file.unlink()
    for file in (
        each for each in folder.iterdir() if each.is_file() and each.name != "said.txt"
    ):
        if journals or file.name.startswith("cache.sqlite"):
            file.unlink()


def journalled(run: Path) -> set[str]:
    """The requests that were replied to, as the journal of a run tells."""
    calls: list[Call] = []
    for event in read_events(run):
        if isinstance(event, Opened):
            calls += event.calls
        elif isinstance(event, ProbeJudged | ItemFinished):
            calls += (event.probe if isinstance(event, ProbeJudged) else event.item).calls
    return {call.request for call in calls if call.request and not call.failure}


def _never_began(code: int, folder: Path) -> bool:
    said = (folder / "said.txt").read_text() if code in (1, 2) else ""
    return "so nothing was asked and nothing paid: start it again" in said or (
        "and no model was called: start the run again" in said
    )


class Processes:
    """Runs the program in processes of their own, killed at `moments`, one each: so many seconds
    after the start, or (True) after the first new event. When none is left, or the program was
    quicker, it is let be."""

    def __init__(self, folder: Path, moments: Iterable[tuple[bool, float]]) -> None:
        self._folder, self._moments, self.killed = folder, list(moments), list[str]()

    def __call__(self, words: list[str]) -> int:
        before = self._events()
        with (self._folder / "said.txt").open("w") as said:
            process = subprocess.Popen(
                [*FATHOM, *words], env=environment(self._folder), stdout=said, stderr=said
            )
        if self._moments:
            after_event, seconds = self._moments.pop(0)
            while after_event and process.poll() is None and self._events() == before:
                time.sleep(0.005)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                self.killed.append(
                    f"{'event' if after_event else 'start'} + {seconds * 1000:.0f} ms"
                )
        return process.wait()

    def _events(self) -> int:
        return sum(
            path.stat().st_size for path in (self._folder / "runs").glob("*/events.jsonl")
        )


def sent_by(world: RunningWorld) -> int:
    """Chat replies the world has sent that a cache keeps. One that is on its way to a program that
    was killed is sent by then."""
    while world.in_flight:
        time.sleep(0.01)
    kept = [
        record
        for record in world.log
        if record.kind in ("chat", "structured") and record.status == 200
    ]
    return sum(record.fault not in ("cut_off", "malformed") for record in kept)


def served(log: Path) -> int:
    """Chat replies the world has sent that a cache keeps."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    kept = [
        line
        for line in lines
        if line["kind"] in ("chat", "structured") and line["status"] == 200
    ]
    return sum(line["fault"] not in ("cut_off", "malformed") for line in kept)


def persisted(folder: Path) -> int:
    return len(cached(folder))


def cached(folder: Path) -> set[str]:
    """The requests that the cache has replies to."""
    if not (folder / "cache.sqlite").is_file():
        return set()
    with closing(sqlite3.connect(folder / "cache.sqlite")) as store:
        made = store.execute(
            "SELECT count(*) FROM sqlite_master WHERE name = 'entries'"
        ).fetchone()[0]
        return (
            {row[0] for row in store.execute("SELECT key FROM entries WHERE kind = 'reply'")}
            if made
            else set()
        )


def picture(run: Path, base: str) -> Any:
    """All of a result but times, run id, usage, the world's address, and the list of calls: of
    those that a kill cut off nobody knows, and a fault that was met before does not come again."""
    short = run.name.rpartition("-")[2]
    text = (
        (run / "result.json").read_text().replace(base, "http://WORLD").replace(run.name, "RUN")
    )
    return _lasting(json.loads(text.replace(f'"{short}/', '"RUN/')))


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _lasting(each) for key, each in value.items() if key not in PASSING}
    return [_lasting(each) for each in value] if isinstance(value, list) else value
