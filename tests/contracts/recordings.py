"""Recorded runs as folders, and what of a run may differ when it is run again."""

import json
import lzma
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fathom.state.result import FORMAT

CONTRACTS = Path(__file__).parent
ARCHIVES = CONTRACTS / "recorded"
METHODS = sorted(path.name.partition(".")[0] for path in ARCHIVES.glob("*.json.xz"))
"""A replay that only judges anew has a result of its own kind: here it stands as a method."""
KINDS = ("complete", "faults", "stopped")

PASSING = {"at", "seq", "latency_s", "elapsed_s", "wall_s", "retrieved_at"}
"""Fields of a run that time decides."""
FIRST = {"cached", "attempts", "saved_usd", "request"}
"""Fields of a call: of two calls that ask the very same the first to come is paid for; and the
digest of what is asked says which simulated world it is asked of, which the day and the world's own
program decide."""
AROUND = {"environment", "libraries", "python", "version", "fathom"}
"""With which libraries, and which version of the program, a run was made."""


@dataclass(frozen=True)
class Recording:
    """A run as it was recorded. `cut`: the same run, whose journal ends before it does."""

    name: str
    """Of its folder."""
    words: tuple[str, ...]
    """What was typed."""
    inputs: dict[str, str]
    """Files that the words name."""
    files: dict[str, str]

    @property
    def journal(self) -> list[str]:
        return self.files["events.jsonl"].splitlines()

    @property
    def short(self) -> str:
        return self.name.rpartition("-")[2]

    def write(self, runs: Path) -> None:
        folder = runs / self.name
        folder.mkdir(parents=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")


def of_today(files: dict[str, str]) -> dict[str, str]:
    """The files with a result of today's format, which is all that differs."""
    result = files.get("result.json", "").replace('"format": 1', f'"format": {FORMAT}')
    return files | ({"result.json": result} if result else {})


@cache
def recordings(method: str) -> dict[str, Recording]:
    """By kind: those of `KINDS`, and `cut`, which is the complete one cut off."""
    held = json.loads(lzma.decompress((ARCHIVES / f"{method}.json.xz").read_bytes()))
    found = {
        k: Recording(
            held[k]["run"],
            tuple(held[k]["words"]),
            held[k]["inputs"],
            of_today(held[k]["files"]),
        )
        for k in KINDS
    }
    return found | {"cut": cut(found["complete"], "c")}


@cache
def made_again(method: str) -> dict[str, Recording]:
    """By kind, what the same words come to today: the recording itself, unless the simulated world
    has been rebuilt since and the run was recorded once more."""
    held = json.loads(lzma.decompress((ARCHIVES / f"{method}.json.xz").read_bytes()))
    own = {kind: held.get(f"{kind} again", held[kind]) for kind in ("complete", "faults")}
    return {
        k: Recording(run["run"], tuple(run["words"]), run["inputs"], of_today(run["files"]))
        for k, run in own.items()
    }


def cut(run: Recording, sign: str) -> Recording:
    """The run as a kill leaves it after nine tenths of its lines, where some parts are closed and
    others are not; under an id of its own, which begins with `sign`."""
    short = f"{sign * 4}{run.short[4:]}"
    journal = "".join(f"{line}\n" for line in run.journal[: len(run.journal) * 9 // 10])
    files = {name: run.files[name] for name in ("spec.json", "launch.json")} | {
        "events.jsonl": journal
    }
    renamed = {name: text.replace(run.short, short) for name, text in files.items()}
    return Recording(run.name.replace(run.short, short), run.words, run.inputs, renamed)


def lasting(value: Any, *runs: str) -> Any:
    """A result or an event without what may differ when its run is made again: the ids of these
    runs among that."""
    text = json.dumps(value)
    for run in runs:
        text = text.replace(run, "RUN").replace(run.rpartition("-")[2], "RUN")
    return _lasting(json.loads(text))


LATER = {"bounds", "letters", "notes"}
"""Fields that only events and results have which were recorded later, or earlier; and sentences."""
CAUSES = ("Unscored probes: ", "Steps that failed: ")
"""How notes on causes begin, which runs that were recorded earlier do not tell."""


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        gone = PASSING | AROUND | LATER | (FIRST if "request" in value else set())
        gone |= {"reference"} if {"mode", "accuracy"} <= set(value) else set()
        return {key: _lasting(each) for key, each in value.items() if key not in gone}
    if not isinstance(value, list):
        return value
    return [
        _lasting(each)
        for each in value
        if not (isinstance(each, str) and each.startswith(CAUSES))
    ]


def happened(journal: str, run: str) -> Counter[str]:
    """The events, in whatever order; not those that earlier journals did not have."""
    events = [json.loads(line) for line in journal.splitlines()]
    return Counter(
        json.dumps(lasting(event, run)) for event in events if event["type"] != "passages_found"
    )
