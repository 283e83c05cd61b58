"""A drill in a process of its own that is killed at random moments and resumed, and its world in another one."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

from fathom.state.result import DrillResult

from .drills import lasting

FATHOM = [sys.executable, "-m", "fathom"]
FAULTS = ("rate_limit=0.005", "server_error=0.015", "malformed=0.02", "cut_off=0.02")


@contextmanager
def world_process(folder: Path, *settings: str) -> Iterator[tuple[str, Path]]:
    """The simulated world in another process; yields its base URL and the file it logs every chat request in."""
    log = folder / "served.jsonl"
    command = [*FATHOM, "sim", "--port", "0", "--log", str(log), *(word for s in settings for word in ("--set", s))]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment(folder)) as process:
        assert process.stderr is not None
        line = ""
        while "http://" not in line:
            line = process.stderr.readline()
        try:
            yield "http://" + line.split("http://")[1].split()[0].split("/")[0], log
        finally:
            process.terminate()


def environment(folder: Path) -> dict[str, str]:
    """With a cache in the folder, and backoffs that do not wait."""
    return {**os.environ, "PYTHONSAFEPATH": "1", "FATHOM_CACHE": str(folder / "cache.sqlite")}


def drill_words(base: str, runs: Path, *more: str) -> list[str]:
    evaluator = f"sim@{base}/v1:evaluator"
    models = ["--target", f"sim@{base}/v1:student", "--evaluator", evaluator, "--facts", f"sim@{base}"]
    return [*FATHOM, "drill", "Chemical elements", *models, "--runs", str(runs), "--display", "none", *more]


def kill_and_resume(
    words: list[str],
    runs: Path,
    folder: Path,
    times: int,
    rng: Random,
    between_s: tuple[float, float],
    after_kill: Callable[[], None],
) -> tuple[Path, int]:
    """Start the drill, kill it `times` times a random while after the first new event of the sitting, resume it each
    time, and let the last sitting end. Returns the run's folder and how often it was really killed."""
    killed, env = 0, environment(folder)
    command = words
    for _ in range(times):
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        before = journal_size(runs)
        while process.poll() is None and journal_size(runs) <= before:
            time.sleep(0.01)
        time.sleep(rng.uniform(*between_s))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            killed += 1
        process.communicate()
        after_kill()
        (run,) = runs.iterdir()
        command = [*FATHOM, "resume", run.name, "--runs", str(runs), "--display", "none"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (run,) = runs.iterdir()
    return run, killed


def run_whole(words: list[str], runs: Path, folder: Path) -> Path:
    """Let the drill run to its end; returns its folder."""
    folder.mkdir(exist_ok=True)
    subprocess.run(words, env=environment(folder), stdout=subprocess.DEVNULL, timeout=120, check=True)
    (run,) = runs.iterdir()
    return run


def journal_size(runs: Path) -> int:
    return sum(path.stat().st_size for path in runs.glob("*/events.jsonl"))


def served(log: Path) -> int:
    """Chat replies the world has sent that a cache keeps."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    kept = [line for line in lines if line["kind"] in ("chat", "structured") and line["status"] == 200]
    return sum(line["fault"] not in ("cut_off", "malformed") for line in kept)


def persisted(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "cache.sqlite")) as store:
        return int(store.execute("SELECT count(*) FROM replies").fetchone()[0])


def picture(result: DrillResult | None, base: str) -> Any:
    """All of a result but times, the world's address, and the list of calls: of those that a kill cut off nobody knows,
    and a fault that was met before does not come again."""
    assert result is not None
    lasted = json.loads(json.dumps(lasting(result)).replace(base, "http://WORLD"))
    del lasted["provenance"]["spec_digest"]
    return lasted | {"probes": [{**probe, "calls": None} for probe in lasted["probes"]]}
