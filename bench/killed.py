"""Runs of every method that are killed at random moments and resumed, beside the same runs left
alone. Prints, asserts nothing.

    python bench/killed.py [--kills 6] [--seed 1] [METHOD…]

A third of the kills come in the first 300 ms of a session, a third until the program has loaded, a
third at work. After half of them all is deleted but the journal, and the spec and the launch's
record that its folder is opened with: cache, log, inputs. What the program then says is done:
`fathom resume`, or the same command where nothing had begun. A reply is lost when the world sent it
and it is not on disk (any more): it has to be asked for again, and nothing else may be.
"""

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support.command_line import on_a_thread
from tests.support.killed import METHODS, Processes, faulty_world, go_on, picture, sent_by

LATENCY_S = 0.2
EARLY, LOADING, WORKING = (False, 0.0, 0.3), (False, 0.3, 2.0), (True, 0.0, 1.5)
"""After the start or (True) the first new event, and between which seconds."""


def campaign(method: str, kills: int, seed: int, folder: Path) -> list[str]:
    """One run that is killed, and one that is not; a row of the table."""
    rng, words, whole, cut = (
        Random(f"{seed}:{method}"),
        METHODS[method],
        folder / "whole",
        folder / "cut",
    )
    whole.mkdir(parents=True)
    cut.mkdir()
    kinds = [(EARLY, LOADING, WORKING)[number % 3] for number in range(kills)]
    rng.shuffle(kinds)
    robs = [number % 2 == 0 for number in range(kills)]
    rng.shuffle(robs)
    sit = Processes(cut, [(after, rng.uniform(least, most)) for after, least, most in kinds])
    with on_a_thread(partial(faulty_world, method, LATENCY_S)) as world:
        done = go_on(words(world.base_url, cut), cut, sit, partial(sent_by, world), robs)
        result, calls = picture(done.run, world.base_url), sent_by(world)
    with on_a_thread(partial(faulty_world, method)) as world:
        alone = go_on(
            words(world.base_url, whole), whole, Processes(whole, ()), partial(sent_by, world)
        )
        equal = result == picture(alone.run, world.base_url)
    marked = zip(done.lost, done.robbed, strict=True)
    lost = " ".join(f"{count}{'*' * robbed}" for count, robbed in marked)
    return [
        method,
        str(len(done.lost)),
        ", ".join(sit.killed),
        str(calls),
        lost,
        str(done.again),
        "yes" if equal else "NO",
    ]


def main(methods: list[str], kills: int, seed: int) -> None:
    table = Table(title="Killed with SIGKILL and resumed; * robbed of all but the journal")
    for head in ("method", "kills", "moments", "calls", "lost", "paid twice", "equal"):
        table.add_column(head, overflow="fold")
    with tempfile.TemporaryDirectory() as folder:
        for number, method in enumerate(methods or METHODS):
            table.add_row(*campaign(method, kills, seed, Path(folder, str(number))))
    Console(width=140).print(table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("methods", nargs="*", metavar="METHOD", choices=[*METHODS, []])
    parser.add_argument("--kills", type=int, default=6, help="kills of one run")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    main(options.methods, options.kills, options.seed)
