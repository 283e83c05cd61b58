"""Records what the contracts are held against: `PYTHONPATH=. python -P -m tests.contracts.record
KIND …`. No test calls it.

`stopped`, `complete again` and `faults again` make runs of this version; `numbers` reads the figures
of every recorded journal anew; `old COMMIT FOLDER` packs the runs that an older commit has made
(`FOLDER/METHOD.run` names each, `FOLDER/METHOD.fathom` is its bundle).

It is legitimate to record `numbers` anew when METHODS.md changes a figure on purpose, in the same
commit, and the difference shows that figure alone. It is not when a test has failed: then the
program is wrong. Journals are never made anew, only added: each stands for the runs that people
have.
"""

import gzip
import json
import lzma
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CONTRACTS = Path(__file__).parent
ARCHIVES = CONTRACTS / "recorded"
EXAMPLES = CONTRACTS.parents[1] / "examples"
KEPT = ("spec.json", "launch.json", "events.jsonl", "result.json", "graph.json")
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
    "rejudge": "judge SOURCE --calibration 0 --judge sim:expert",
}
"""What is typed, by method."""
SMALL = {
    "drill": "drill 'Chemical elements' -t sim:student -e sim:evaluator --facts sim -n 4 --max-depth 4"
    " --threshold 0.001 --as-of 2026-11-20 --max-calls 60",
    "eqt": "eqt Iron Gold Argon Neon -t sim:student --questions 2 --paraphrases 1 --options 4 --open-book"
    " --max-calls 40",
    "depthqa_build": "depthqa build questions.csv --limit 3 -e sim:evaluator --width 2 --max-calls 13",
    "depthqa": "depthqa ask graph.json -t sim:student --judge sim:evaluator --mode zero-shot,prompt-pred"
    " --max-calls 40",
    "deepquestion": "deepquestion problems.jsonl --limit 4 -t sim:student --generator sim:generator"
    " -e sim:evaluator --max-calls 60",
    "replay": "replay SOURCE -t sim:expert --judge sim:evaluator --max-calls 13",
    "rejudge": "judge SOURCE --calibration 0 --judge sim:expert --max-calls 6",
}
"""What is typed for runs that their budget stops, amid faults."""
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
    faults = FAULTS.get(method, {}) if kind.startswith(("faults", "stopped")) else {}
    words = shlex.split(
        (SMALL if kind == "stopped" else WORDS)[method].replace("SOURCE", source)
    )
    return [
        *words,
        *(word for key, rate in faults.items() for word in ("--sim", f"{key}={rate}")),
    ]


def fathom(folder: Path, *words: str) -> None:
    environment = {**os.environ, "FATHOM_CACHE": str(folder / "cache.sqlite")}
    (folder / "cache.sqlite").unlink(
        missing_ok=True
    )  # what one run was told is not news to the next
    code = subprocess.run(
        [sys.executable, "-m", "fathom", *words], cwd=folder, env=environment, check=False
    ).returncode
    assert code in (0, 3), (words, code)  # 3: stopped by its budget


def recorded(folder: Path, method: str, kind: str) -> Path:
    """The folder of a new run in `folder/runs`."""
    runs = folder / "runs"
    before = {*runs.glob("*")}
    drills = sorted(runs.glob("*-drill-*"))  # the oldest is the one that was recorded first
    source = drills[0].name if drills else ""
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
        "3" if kind == "stopped" else "8",
    )
    (run,) = {*runs.glob("*")} - before
    inputs = {name: (folder / name).read_text() for name in words if (folder / name).is_file()}
    document = {"words": words, "inputs": inputs, "run": run.name}
    document["files"] = {
        name: (run / name).read_text() for name in KEPT if (run / name).is_file()
    }
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
        held = json.loads(lzma.decompress((ARCHIVES / "depthqa.json.xz").read_bytes()))
        of = "faults" if kind == "faults again" else "complete"
        (folder / "graph.json").write_text(held[of]["inputs"]["graph.json"])
        if again:
            drill = json.loads(lzma.decompress((ARCHIVES / "drill.json.xz").read_bytes()))[of]
            (folder / "runs" / drill["run"]).mkdir(parents=True)
            for file, text in drill["files"].items():
                (folder / "runs" / drill["run"] / file).write_text(text)
        for method in WORDS:
            recorded(folder, method, kind)


def pack(commit: str, folder: Path) -> None:
    """The runs and bundles in `folder`, made by an older commit, as one archive."""
    runs = {}
    for named in sorted(folder.glob("*.run")):
        run, bundle = folder / "runs" / named.read_text().strip(), named.with_suffix(".fathom")
        document: dict[str, Any] = {"words": [], "inputs": {}, "run": run.name}
        document["files"] = {
            name: (run / name).read_text() for name in KEPT if (run / name).is_file()
        }
        if bundle.is_file():
            header, _, events = gzip.decompress(bundle.read_bytes()).decode().partition("\n")
            assert events == document["files"]["events.jsonl"]
            document["bundle"] = header
        runs[named.stem] = document
    text = json.dumps(runs, ensure_ascii=False).encode()
    archive = CONTRACTS / "old" / f"{commit}.json.xz"
    archive.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))


def record_numbers() -> None:
    """The figures of all recorded journals, as this version computes them."""
    sys.path.insert(0, str(CONTRACTS.parents[1]))
    from tests.contracts.numbers import journals, numbers_of_journal, write
    from tests.contracts.test_contracts import WITHOUT_RESULT

    for name, journal in journals().items():
        if name not in WITHOUT_RESULT:
            write(name, numbers_of_journal(journal))


def main(words: list[str]) -> None:
    if words[0] == "old":
        pack(words[1], Path(words[2]))
    elif words == ["numbers"]:
        record_numbers()
    else:
        for kind in words:
            record(kind)


if __name__ == "__main__":
    main(sys.argv[1:])
