"""Drills that are killed again and again and resumed, beside the same drills left alone. Prints, asserts nothing.

    python bench/killed.py [--kills 20] [--per-run 5]

The simulated world runs in a process of its own, with faults, and logs what it serves. A reply is lost when the world
sent it and the kill came before it was on disk: it has to be asked for again, and nothing else may be.
"""

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.killed import FAULTS, drill_words, kill_and_resume, persisted, picture, run_whole, served, world_process

from fathom.tools.runs import read_events, read_result

SIZE = ("-n", "12", "--max-depth", "6", "--threshold", "0.001")
SLOW = ("latency=0.05", "jitter=0.1")
BETWEEN_S = (0.05, 0.9)


@dataclass
class Killed:
    """One drill and what became of it."""

    seed: int
    kills: int
    lost: list[int] = field(default_factory=list)
    again: int = 0
    """Replies that were on disk and were asked for all the same."""
    played_twice: int = 0
    probes: int = 0
    calls: int = 0
    equal: bool = False
    wall_s: float = 0.0
    alone_s: float = 0.0


def drill(folder: Path, seed: int, kills: int) -> Killed:
    done = Killed(seed, kills)
    cut, alone = folder / "cut", folder / "alone"
    cut.mkdir(parents=True)
    alone.mkdir()
    more = (*SIZE, "--seed", str(seed))
    with world_process(cut, *FAULTS, *SLOW) as (base, log):

        def after_kill() -> None:
            done.lost.append(served(log) - persisted(cut) - sum(done.lost))

        begin = time.monotonic()
        words = drill_words(base, cut / "runs", *more)
        run, done.kills = kill_and_resume(words, cut / "runs", cut, kills, Random(seed), BETWEEN_S, after_kill)
        done.wall_s = time.monotonic() - begin
        done.calls = served(log)
        done.again = done.calls - persisted(cut) - sum(done.lost)
        result = picture(read_result(run), base)
    judged = [event.probe.id for event in read_events(run) if event.type == "probe_judged"]
    done.probes, done.played_twice = len(judged), len(judged) - len(set(judged))
    whole, done.alone_s = _alone(alone, more)
    done.equal = result == whole
    return done


def _alone(folder: Path, more: tuple[str, ...]) -> tuple[Any, float]:
    with world_process(folder, *FAULTS, *SLOW) as (base, _):
        begin = time.monotonic()
        run = run_whole(drill_words(base, folder / "runs", *more), folder / "runs", folder)
        return picture(read_result(run), base), time.monotonic() - begin


def main(kills: int, per_run: int) -> None:
    table = Table(title="Drills killed with SIGKILL and resumed")
    for head in ("seed", "kills", "calls", "replies lost, each kill", "asked again", "probes", "played twice"):
        table.add_column(head, justify="right", overflow="fold")
    for head in ("as if not killed", "wall s", "alone s"):
        table.add_column(head, justify="right")
    left, seed, done = kills, 1, list[Killed]()
    with tempfile.TemporaryDirectory() as folder:
        while left > 0:
            one = drill(Path(folder) / str(seed), seed, min(per_run, left))
            done.append(one)
            left, seed = left - max(one.kills, 1), seed + 1
            table.add_row(
                str(one.seed), str(one.kills), str(one.calls), " ".join(map(str, one.lost)), str(one.again),
                str(one.probes), str(one.played_twice), "yes" if one.equal else "NO", f"{one.wall_s:.1f}",
                f"{one.alone_s:.1f}",
            )  # fmt: skip
    Console(width=140).print(table)
    lost = [count for one in done for count in one.lost]
    print(
        f"{sum(one.kills for one in done)} kills; {sum(lost)} replies lost in flight, at most {max(lost, default=0)} at"
        f" once; {sum(one.again for one in done)} asked for although they were kept;"
        f" {sum(one.played_twice for one in done)} probes played twice; equal: {sum(one.equal for one in done)} of"
        f" {len(done)} drills"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--per-run", type=int, default=5, help="kills of one drill")
    options = parser.parse_args()
    main(options.kills, options.per_run)
