"""The figures of a result, by their names: where a figure stands may change, its name and its
number may not."""

import json
import lzma
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.graphs.method import result_of
from fathom.graphs.run.record import record_of
from fathom.state.events import EVENT

from .recordings import KINDS, METHODS, Recording, recordings

CONTRACTS = Path(__file__).parent
OLD = {
    path.name.partition(".")[0]: path for path in sorted((CONTRACTS / "old").glob("*.json.xz"))
}
"""Commit → the runs that it has made."""
RECORDS = {
    *("spec", "provenance", "probes", "answers", "problems", "transformed", "pairs", "nodes"),
    *("options", "order", "aspects", "concept_id"),
}
"""What is no figure: what was asked for, and what the journal itself holds."""
GONE = {"letters", "reference"}
"""Figures of older results that are measured no more."""
WRAPPERS = {"numbers"}
"""Names on the way to a figure that say nothing of it."""
IDS = (
    *("id", "depth", "mode", "load", "kind", "criterion", "letter", "label", "direction"),
    *("name", "node", "task"),
)
"""Fields by which the entries of a list are told apart."""
WORDS = ("status", "stop_reason", "censored")
"""Figures that are words."""
Figures = dict[str, list[Any]]
"""`N=3 by_tier COMMON: accuracy` → the numbers of that name in that place, most often one."""


def old_runs(commit: str) -> dict[str, Recording]:
    """By method, the runs that an older commit has made."""
    return {
        method: Recording(run["run"], (), {}, run["files"])
        for method, run in _old(commit).items()
    }


def old_bundles(commit: str) -> dict[str, bytes]:
    """By method, what an older commit has frozen, not yet packed."""
    return {
        method: f"{run['bundle']}\n{run['files']['events.jsonl']}".encode()
        for method, run in _old(commit).items()
        if "bundle" in run
    }


def _old(commit: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(lzma.decompress(OLD[commit].read_bytes()))
    return found


def journals() -> dict[str, Sequence[str]]:
    """Every recorded journal, by the name of its numbers."""
    found: dict[str, Sequence[str]] = {
        f"{method}.{kind}": recordings(method)[kind].journal
        for method in METHODS
        for kind in KINDS
    }
    for commit in OLD:
        found |= {f"{method}.{commit}": run.journal for method, run in old_runs(commit).items()}
    return found


def numbers_of_journal(journal: Sequence[str]) -> Figures:
    """The figures of the result that the journal amounts to."""
    result = result_of(record_of([EVENT.validate_json(line) for line in journal]))
    return numbers_of(json.loads(result.model_dump_json(by_alias=True)))


def numbers_of(result: Mapping[str, Any]) -> Figures:
    """The figures of a result as JSON."""
    found: Figures = {}
    for labels, name, value in _leaves(result, ()):
        place = " ".join(sorted({*labels} - WRAPPERS))
        found.setdefault(f"{place}: {name}" if place else name, []).append(value)
    return {key: sorted(found[key], key=lambda value: (value is None, value)) for key in found}


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, Any]]:
    """Where a figure stands, its name, its number."""
    if isinstance(value, dict):
        for key, each in value.items():
            if key not in RECORDS | GONE:
                yield from _leaves(each, (*path, key))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            if isinstance(each, dict):
                names = [f"{key}={each[key]}" for key in IDS if each.get(key) is not None]
                yield from _leaves(each, (*path, *(names or [str(place)])))
            elif isinstance(each, int | float) and len(value) == 2:
                yield path[:-1], f"{path[-1]} {('low', 'high')[place]}", each
    elif isinstance(value, int | float) or value is None or path[-1] in WORDS:
        yield path[:-1], path[-1], value


def file_of(name: str) -> Path:
    return CONTRACTS / "numbers" / f"{name}.json.xz"


def read(name: str) -> Figures:
    found: Figures = json.loads(lzma.decompress(file_of(name).read_bytes()))
    return found


def write(name: str, figures: Figures) -> None:
    text = json.dumps(figures, ensure_ascii=False, sort_keys=True, indent=0).encode()
    file_of(name).write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))
