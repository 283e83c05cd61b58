"""The example benchmark with three loads of distractors and Q2I as the command line does it, and
more problems of the same kind; each also killed on the way. Prints figures; all of them are
SIMULATED.

    python bench/deepquestion.py [--problems 300] [--latency 0.2] [--kills 1]
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.whole_run import CONNECTIONS, measure
from tests.support.killed import FATHOM, questions


def summary(result: Any) -> str:
    rows = [
        f"{row['load']} {row['accuracy']['count']}/{row['accuracy']['n']}"
        for row in result["q2s"]
    ]
    valid, original = result["q2i"]["accuracy"], result["original"]
    told = (
        f"original {original['count']}/{original['n']}, Q2S {', '.join(rows)}, Q2I "
        f"{valid['count']}/{valid['n']}"
    )
    return f"{len(result['problems'])} problems, {told}, {len(result['rejected'])} rejected"


def main(problems: int, latency_s: float, kills: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        file = questions(Path(name), problems)

        def asking(base: str, runs: Path) -> list[str]:
            models = ["-t", f"sim@{base}/v1:student", "-e", f"sim@{base}/v1:evaluator"]
            models += [
                "--generator",
                f"sim@{base}/v1:generator",
                "--distractors",
                "none,some,many",
            ]
            common = [
                "--runs",
                str(runs),
                "--display",
                "none",
                "--max-connections",
                str(CONNECTIONS),
            ]
            return [*FATHOM, "deepquestion", str(file), *models, *common]

        measure(asking, latency_s, kills, summary)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", type=int, default=300)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds per call")
    parser.add_argument("--kills", type=int, default=1)
    options = parser.parse_args()
    main(options.problems, options.latency, options.kills)
