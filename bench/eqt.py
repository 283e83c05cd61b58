"""A whole Explain-Query-Test of 14 × 20 concepts as the command line runs it; and killed on the
way. Prints figures.

python bench/eqt.py [--concepts FILE] [--latency 0.2] [--kills 1]
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.whole_run import CONNECTIONS, measure
from tests.support.killed import FATHOM


def concepts_file(folder: Path) -> Path:
    """As many concepts in as many categories as the published ones have."""
    made = {
        f"field {letter}": [f"Concept {letter}{n}" for n in range(1, 21)]
        for letter in "ABCDEFGHIJKLMN"
    }
    path = folder / "concepts.json"
    path.write_text(json.dumps(made))
    return path


def summary(result: Any) -> str:
    numbers = result["numbers"]
    return (
        f"{len(result['concepts'])} concepts, {numbers['questions']} questions, "
        f"{numbers['all']['scored']} answers"
    )


def main(concepts: Path | None, latency_s: float, kills: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        asked = concepts or concepts_file(Path(name))

        def words(base: str, runs: Path) -> list[str]:
            common = [
                "--runs",
                str(runs),
                "--display",
                "none",
                "--max-connections",
                str(CONNECTIONS),
                "--open-book",
            ]
            return [
                *FATHOM,
                "eqt",
                "--concepts",
                str(asked),
                "--target",
                f"sim@{base}/v1:student",
                *common,
            ]

        measure(words, latency_s, kills, summary)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--concepts", type=Path, help="JSON or text; made up when it is not given"
    )
    parser.add_argument("--latency", type=float, default=0.2, help="seconds per call")
    parser.add_argument("--kills", type=int, default=1)
    options = parser.parse_args()
    main(options.concepts, options.latency, options.kills)
