"""A whole Explain-Query-Test of 14 × 20 concepts as the command line runs it; and killed on the way. Prints figures.

    python bench/eqt.py [--concepts FILE] [--latency 0.2] [--kills 1]

The simulated world runs in a process of its own with a fixed latency. The bound is the larger of 1.2 × the time that
waiting alone would take, calls × latency / connections, and 2.5 ms of CPU for each call.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.killed import FATHOM, environment, kill_and_resume, persisted, served, world_process

CONNECTIONS = 200


def concepts_file(folder: Path) -> Path:
    """As many concepts in as many categories as the published ones have."""
    made = {f"field {letter}": [f"Concept {letter}{n}" for n in range(1, 21)] for letter in "ABCDEFGHIJKLMN"}
    path = folder / "concepts.json"
    path.write_text(json.dumps(made))
    return path


def words(base: str, runs: Path, concepts: Path, *more: str) -> list[str]:
    common = ["--runs", str(runs), "--display", "none", "--max-connections", str(CONNECTIONS), "--open-book"]
    return [*FATHOM, "eqt", "--concepts", str(concepts), "--target", f"sim@{base}/v1:student", *common, *more]


def picture(run: Path, base: str) -> Any:
    """All of a result but times, the world's address, run id and usage."""
    short = run.name.rpartition("-")[2]
    text = (run / "result.json").read_text().replace(base, "http://WORLD").replace(run.name, "RUN")
    result = orjson.loads(text.replace(f'"{short}/', '"RUN/'))
    for name in ("usage", "wall_s", "cost_usd", "provenance", "run_id"):
        result.pop(name, None)
    return result


def main(concepts: Path | None, latency_s: float, kills: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        concepts = concepts or concepts_file(folder)
        whole, cut = folder / "whole", folder / "cut"
        whole.mkdir()
        cut.mkdir()
        with world_process(whole, f"latency={latency_s}") as (base, log):
            begin, cpu = time.monotonic(), _children_s()
            done = subprocess.run(
                words(base, whole / "runs", concepts),
                env=environment(whole),
                capture_output=True,
                text=True,
                check=False,
            )
            wall, used = time.monotonic() - begin, _children_s() - cpu
            if done.returncode:
                sys.exit(done.stderr)
            (run,) = (whole / "runs").iterdir()
            calls = served(log)
            first = picture(run, base)
        waiting, working = calls * latency_s / CONNECTIONS, 0.0025 * calls
        numbers = first["numbers"]
        print(
            f"{len(first['concepts'])} concepts, {numbers['questions']} questions, {numbers['all']['scored']} answers;"
            f" {calls:,} calls in {wall:.1f} s, bound {max(1.2 * waiting, working):.1f} s"
            f" (waiting {waiting:.1f} s); CPU {used:.1f} s, {used / calls * 1000:.2f} ms per call;"
            f" journal {(run / 'events.jsonl').stat().st_size / 1e6:.0f} MB,"
            f" result {(run / 'result.json').stat().st_size / 1e6:.0f} MB"
        )
        if kills:
            killed(cut, concepts, latency_s, kills, wall, first)


def killed(folder: Path, concepts: Path, latency_s: float, kills: int, wall: float, whole: Any) -> None:
    """The same run with a new world, killed on the way and resumed."""
    lost: list[int] = []
    with world_process(folder, f"latency={latency_s}") as (base, log):

        def after_kill() -> None:
            lost.append(served(log) - persisted(folder) - sum(lost))

        command = words(base, folder / "runs", concepts)
        between = (0.1 * wall, 0.6 * wall)
        run, times = kill_and_resume(command, folder / "runs", folder, kills, Random(), between, after_kill)
        again = served(log) - persisted(folder) - sum(lost)
        ids = [
            orjson.loads(line)["item"]["id"] for line in (run / "events.jsonl").open("rb") if b'"item_finished"' in line
        ]
        print(
            f"killed {times} time(s): {sum(lost)} replies lost in flight, {again} asked for although they were kept,"
            f" {len(ids) - len(set(ids))} steps done twice; result as if not killed:"
            f" {'yes' if picture(run, base) == whole else 'NO'}"
        )


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--concepts", type=Path, help="JSON or text; made up when it is not given")
    parser.add_argument("--latency", type=float, default=0.2, help="seconds per call")
    parser.add_argument("--kills", type=int, default=1)
    options = parser.parse_args()
    main(options.concepts, options.latency, options.kills)
