"""Drills that are killed at random moments and resumed: twenty kills, faults on, the world in a process of its own.

Prints for each drill whether its result equals that of one that was not killed, and what the kills cost in replies that
were on their way. Asserts nothing; `tests/test_killed.py` does, with three kills.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.killed import FAULTS, drill_words, kill_and_resume, persisted, picture, run_whole, served, world_process

from fathom.tools.runs import read_events, read_result

SIZE = ("-n", "10", "--max-depth", "6", "--threshold", "0.001")
KILLS_EACH = 5


def one_drill(number: int, seed: int) -> tuple[int, list[int], bool, int]:
    """(kills, replies lost by each, whether the results are equal, replies asked for again in the last sitting)."""
    lost: list[int] = []
    with tempfile.TemporaryDirectory() as place:
        whole, cut = Path(place, "whole"), Path(place, "cut")
        whole.mkdir()
        cut.mkdir()
        size = (*SIZE, "--seed", str(number))
        with world_process(whole, *FAULTS) as (base, _):
            expected = picture(
                read_result(run_whole(drill_words(base, whole / "runs", *size), whole / "runs", whole)), base
            )
        with world_process(cut, *FAULTS, "latency=0.08", "jitter=0.15") as (base, log):
            words, rng = drill_words(base, cut / "runs", *size), Random(f"{seed}:{number}")

            def after_kill() -> None:
                lost.append(served(log) - persisted(cut) - sum(lost))

            run, killed = kill_and_resume(words, cut / "runs", cut, KILLS_EACH, rng, (0.0, 0.8), after_kill)
            again = served(log) - persisted(cut) - sum(lost)
            equal = picture(read_result(run), base) == expected
            judged = [event.probe.id for event in read_events(run) if event.type == "probe_judged"]
        return killed, lost, equal and len(judged) == len(set(judged)), again


def main(kills: int, seed: int) -> None:
    done, equal, drills, begin = 0, 0, 0, time.monotonic()
    while done < kills:
        killed, lost, same, again = one_drill(drills, seed)
        done, drills, equal = done + killed, drills + 1, equal + same
        print(
            f"drill {drills}: killed {killed} times, replies on their way that were lost {lost}, "
            f"kept ones asked for again {again}, result {'equal' if same else 'DIFFERENT'}",
            flush=True,
        )
    print(f"{done} kills in {drills} drills, {equal} of them equal, {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    main(options.kills, options.seed)
