"""Studies of small cells, what came of them, and how they are run and killed."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

from fathom.sim.server import Served

from .command_line import Caller
from .killed import picture

SIZE = {"probes": 3, "max_depth": 2, "threshold": 0.001}
DOMAINS = ["Chemical elements", "Noble gases"]


def study(folder: Path, base: str, **changes: Any) -> Path:
    """A file of drills at the world's address: by default four cells."""
    held = {
        "method": "drill",
        "domains": DOMAINS,
        "target": [f"sim@{base}/v1:student", f"sim@{base}/v1:novice"],
        "evaluator": f"sim@{base}/v1:evaluator",
        "facts": f"sim@{base}",
        **SIZE,
        **changes,
    }
    file = folder / "study.yaml"
    file.write_text(
        yaml.safe_dump({key: value for key, value in held.items() if value is not None})
    )
    return file


def words(file: Path, engine: str = "local", runs: Path | None = None) -> list[str]:
    place = ["--runs", str(runs or file.parent / "runs")]
    return ["run", str(file), *place, "--display", "none", "--engine", engine]


def results(runs: Path, base: str) -> dict[str, Any]:
    """Cell → the picture of its result. No cell has two runs."""
    found = [
        (_key(run, base), picture(run, base))
        for run in runs.iterdir()
        if (run / "result.json").is_file()
    ]
    assert len(dict(found)) == len(found)
    return dict(found)


def _key(run: Path, base: str) -> str:
    spec = json.loads((run / "spec.json").read_text().replace(base, "WORLD"))
    return f"{spec['domain']} {spec['target']} {spec['seed']}"


def statuses(call: Caller, file: Path, *more: str) -> Counter[str]:
    """As `fathom status` tells them."""
    return Counter(cell["status"] for cell in cells(call, file, *more))


def cells(call: Caller, file: Path, *more: str) -> list[dict[str, Any]]:
    said = call("status", str(file), "--runs", str(file.parent / "runs"), "--json", *more)
    assert said.code == 0, said.err
    found: list[dict[str, Any]] = json.loads(said.out)
    return found


def chats(log: Iterable[Served]) -> list[Served]:
    return [record for record in log if record.kind in ("chat", "structured")]


def most_at_once(log: Iterable[Served]) -> int:
    """Most calls of one model, of those that were answered, that were under way at one moment by
    the endpoint."""
    most, now = 0, Counter[str]()
    answered = [each for each in chats(log) if each.done_s]
    spans = [
        (at, step, each.model)
        for each in answered
        for at, step in ((each.at_s, 1), (each.done_s, -1))
    ]
    for _, step, model in sorted(spans):
        now[model] += step
        most = max(most, now[model])
    return most


def until(there: Callable[[], object], within_s: float = 60) -> None:
    """Returns as soon as that is so."""
    end = time.monotonic() + within_s
    while not there():
        assert time.monotonic() < end
        time.sleep(0.01)
