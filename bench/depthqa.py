"""1,571 real questions with real answers, judged by the simulated judge, as the command line does
it; and a graph of element questions asked in all modes. Each also killed on the way. Prints
figures; all of them are SIMULATED.

    python bench/depthqa.py [--answers FILE] [--latency 0.2] [--kills 1] [--trees 60]
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.whole_run import CONNECTIONS, measure
from tests.support.depthqa.elements import graph_of
from tests.support.killed import FATHOM

from fathom.tools.files.question_graph import write_graph

REAL = Path(__file__).resolve().parents[2] / "shared/data/depthqa/llama3_8b_zero-shot.json"


def summary(result: Any) -> str:
    scored = {row["mode"]: row["accuracy"]["overall"]["scored"] for row in result["modes"]}
    graph = result["graph"]
    return f"{graph['trees']} trees, {graph['questions']} questions, scored {scored}"


def main(answers: Path, latency_s: float, kills: int, trees: int) -> None:
    if answers.is_file():

        def judging(base: str, runs: Path) -> list[str]:
            words = [
                "depthqa",
                "ask",
                "--answers",
                str(answers),
                "--judge",
                f"sim@{base}/v1:evaluator",
            ]
            return [*FATHOM, *words, *_common(runs)]

        measure(judging, latency_s, kills, summary)
    else:
        print("The real answers do not lie beside this clone; name them with --answers.")
    with tempfile.TemporaryDirectory() as name:
        graph = Path(name, "graph.json")
        write_graph(graph_of(trees, seed=1), graph)

        def asking(base: str, runs: Path) -> list[str]:
            models = [
                "--target",
                f"sim@{base}/v1:student",
                "--judge",
                f"sim@{base}/v1:evaluator",
                "--logprobs",
            ]
            modes = ["--mode", "zero-shot,prompt-gold,prompt-pred,multi-turn"]
            return [*FATHOM, "depthqa", "ask", str(graph), *models, *modes, *_common(runs)]

        measure(asking, latency_s, kills, summary)


def _common(runs: Path) -> list[str]:
    return ["--runs", str(runs), "--display", "none", "--max-connections", str(CONNECTIONS)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--answers",
        type=Path,
        default=REAL,
        help="the published form: qid → question, answer, …",
    )
    parser.add_argument("--latency", type=float, default=0.2, help="seconds per call")
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--trees", type=int, default=60)
    options = parser.parse_args()
    main(options.answers, options.latency, options.kills, options.trees)
