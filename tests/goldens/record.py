"""Records the runs that the goldens are read from: `python tests/goldens/record.py [KIND …]`. No
test calls it.

What is recorded is kept: a run of an older version shows that its folder stays readable, and the
runs of this one pin the format of the journal and the numbers. Kinds: `complete` and `faults`,
`old`, for an older version of the program on `PYTHONPATH`, which freezes some of its runs too, and
`complete again` and `faults again` (recorded unless others are named), for what the same words come
to in a simulated world that was rebuilt; the first ones stay beside them.
"""

import json
import lzma
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

GOLDENS = Path(__file__).parent
ARCHIVES = GOLDENS / "recorded"
EXAMPLES = GOLDENS.parents[1] / "examples"
KEPT = ("spec.json", "launch.json", "events.jsonl", "result.json", "graph.json")
FROZEN = ("drill", "deepquestion")
"""Methods of which an older version freezes its run."""
REBUILT = ("eqt", "depthqa", "deepquestion")
"""Methods whose part of the simulated world was rebuilt."""
SLOW = ["--sim", "latency=0.005", "--sim", "jitter=0.02"]
"""So that durations are more than nothing, and calls overtake each other."""

WORDS = {
    "drill": "drill 'Chemical elements' -t sim:student -e sim:evaluator --facts sim -n 5 --max-depth 4"
    " --threshold 0.001 --as-of 2026-11-20",
    "eqt": "eqt Iron Gold Argon -t sim:student --questions 2 --paraphrases 1 --options 4 --open-book --attribute 2"
    " --verify-paraphrases",
    "depthqa_build": "depthqa build questions.csv --limit 2 -e sim:evaluator --classify --check --width 2",
    "depthqa": "depthqa ask graph.json -t sim:student --judge sim:evaluator --mode zero-shot,prompt-pred,multi-turn"
    " --logprobs",
    "deepquestion": "deepquestion problems.jsonl --limit 3 -t sim:student --generator sim:generator -e sim:evaluator"
    " --baseline 2 --distractors none,many",
    "replay": "replay SOURCE -t sim:expert --judge sim:evaluator",
    "rejudge": "replay SOURCE --judge sim:expert",
}
"""What is typed, by method."""
FAULTS: dict[str, dict[str, float]] = {
    "drill": {
        "rate_limit": 0.005,
        "server_error": 0.01,
        "malformed": 0.03,
        "refusal": 0.03,
        "cut_off": 0.05,
        "missing_page": 0.05,
    },
    "eqt": {"cut_off": 0.2},
    "depthqa_build": {"cut_off": 0.4},
    "depthqa": {"cut_off": 0.3},
    "deepquestion": {"cut_off": 0.08},
}
"""Of the simulated world; a replay takes the drill's, having no option for its own."""


def words_of(method: str, kind: str, source: str) -> list[str]:
    """What is typed."""
    faults = FAULTS.get(method, {}) if kind.startswith("faults") else {}
    words = shlex.split(WORDS[method].replace("SOURCE", source))
    return [*words, *(word for key, rate in faults.items() for word in ("--sim", f"{key}={rate}"))]


def fathom(folder: Path, *words: str) -> None:
    environment = {**os.environ, "FATHOM_CACHE": str(folder / "cache.sqlite")}
    (folder / "cache.sqlite").unlink(
        missing_ok=True
    )  # what one run was told is not news to the next
    subprocess.run(
        [sys.executable, "-m", "fathom", *words], cwd=folder, env=environment, check=True
    )


def recorded(folder: Path, method: str, kind: str) -> Path:
    """The folder of a new run in `folder/runs`."""
    runs = folder / "runs"
    before = {*runs.glob("*")}
    source = next((run.name for run in runs.glob("*-drill-*")), "")
    words = words_of(method, kind, source)
    fathom(
        folder,
        *words,
        *([] if source in words else SLOW),
        "--runs",
        "runs",
        "--display",
        "none",
        "--max-connections",
        "8",
    )
    (run,) = {*runs.glob("*")} - before
    inputs = {name: (folder / name).read_text() for name in words if (folder / name).is_file()}
    document = {"words": words, "inputs": inputs, "run": run.name}
    document["files"] = {name: (run / name).read_text() for name in KEPT if (run / name).is_file()}
    add(method, kind, document)
    return run


def add(method: str, kind: str, document: dict[str, Any]) -> None:
    """Put the run into the method's archive, beside those of other kinds."""
    archive = ARCHIVES / f"{method}.json.xz"
    held = json.loads(lzma.decompress(archive.read_bytes())) if archive.is_file() else {}
    text = json.dumps(held | {kind: document}, ensure_ascii=False)
    archive.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def record(kind: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "questions.csv").write_bytes((EXAMPLES / "depthqa_elements.csv").read_bytes())
        (folder / "problems.jsonl").write_bytes(
            (EXAMPLES / "deepquestion_chemistry.jsonl").read_bytes()
        )
        again = kind.endswith(" again")
        if again:
            held = json.loads(lzma.decompress((ARCHIVES / "depthqa.json.xz").read_bytes()))
            (folder / "graph.json").write_text(
                held[kind.removesuffix(" again")]["inputs"]["graph.json"]
            )
        for method in (
            REBUILT if again else WORDS
        ):  # in this order: a graph is built, then asked about
            run = recorded(folder, method, kind)
            if method == "depthqa_build":
                (folder / "graph.json").write_bytes((run / "graph.json").read_bytes())
            if kind == "old" and method in FROZEN:
                fathom(
                    folder,
                    "freeze",
                    str(run),
                    "-o",
                    str(ARCHIVES / f"{method}-old.fathom"),
                    "--force",
                )


if __name__ == "__main__":
    ARCHIVES.mkdir(exist_ok=True)
    for each in sys.argv[1:] or ("complete again", "faults again"):
        record(each)
