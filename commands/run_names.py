"""Runs by the names that a person gives them."""

from collections.abc import Sequence
from pathlib import Path

import orjson

from ..state.errors import UsageError
from ..tools.runs.folders import SPEC, find_launch, find_run, run_paths

STUDIES = (".yaml", ".yml")


def named_folders(names: Sequence[str], runs: Path, bundle: str) -> list[Path]:
    """The folders of the runs, launches and studies, each once. Raises UsageError for one that there is not, and for a
    bundle: `bundle` says what is to be done instead, with `{}` for its name."""
    folders: dict[Path, Path] = {}
    for name in names:
        if name.endswith(".fathom") and Path(name).is_file():
            raise UsageError(f"{name} is a bundle, and {bundle.format(name)}.")
        studied = Path(name).suffix in STUDIES and Path(name).is_file()
        for folder in _of_study(name, runs) if studied else find_launch(runs, name) or [find_run(runs, name)]:
            folders.setdefault(folder.resolve(), folder)
    return list(folders.values())


def _of_study(name: str, runs: Path) -> list[Path]:
    """The latest run of each spec that a study file asks for, whatever the day it was run on."""
    from .study.command import specs_of

    held = {}
    for path in run_paths(runs):  # the oldest first
        if (path / SPEC).is_file():
            held[_key(orjson.loads((path / SPEC).read_bytes()))] = path
    found = [held[key] for spec in specs_of(name, runs) if (key := _key(spec.model_dump(mode="json"))) in held]
    if not found:
        raise UsageError(f"No run in {runs} is of the study {name}: `fathom run {name}` makes them.")
    return found


def _key(spec: dict[str, object]) -> bytes:
    return orjson.dumps({**spec, "as_of": None}, option=orjson.OPT_SORT_KEYS)
