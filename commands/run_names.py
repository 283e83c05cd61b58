"""Runs by the names that a person gives them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..state.errors import UsageError
from ..tools.runs.folders import find_launch, find_run, is_run, run_paths
from .environment import store_of

STUDIES = (".yaml", ".yml")


def named_folders(names: Sequence[str], runs: Path, bundle: str) -> list[Path]:
    """The folders of the runs, launches and studies, each once. Raises UsageError for one that
    there is not, and for a bundle: `bundle` says what is to be done instead, with `{}` for its
    name."""
    folders: dict[Path, Path] = {}
    known = _by_id(runs) if len(names) > 1 else {}  # one look at the folder for all
    for name in names:
        if name.endswith(".fathom") and Path(name).is_file():
            raise UsageError(f"{name} is a bundle, and {bundle.format(name)}.")
        studied = Path(name).suffix in STUDIES
        own = (
            _of_study(name, runs)
            if studied
            else [known[name]]
            if name in known
            else find_launch(runs, name)
        )
        for folder in own or [find_run(runs, name)]:
            folders.setdefault(folder.resolve(), folder)
    return list(folders.values())


def _by_id(runs: Path) -> dict[str, Path]:
    """The runs by their names and ids, where that is but one."""
    held: dict[str, set[Path]] = {}
    for path in run_paths(runs):
        for name in (path.name, path.name.rpartition("-")[2]):
            held.setdefault(name, set()).add(path)
    return {name: next(iter(paths)) for name, paths in held.items() if len(paths) == 1}


def _of_study(name: str, runs: Path) -> list[Path]:
    """The runs of a study's cells."""
    from .study.command import specs_of
    from .study.standing import states_of

    store = store_of(None)
    begun = runs.is_dir() or store or not Path(name).is_file()  # which is said of it there
    states = states_of(specs_of(name, runs, store), runs, store, there=True) if begun else []
    found = [runs / state.run for state in states if state.run and is_run(runs / state.run)]
    if not found:
        raise UsageError(
            f"No run in {runs} is of the study {name}: `fathom run {name}` makes them."
        )
    return found


def decide_block_of(names: Sequence[str]) -> Mapping[str, Any]:
    """What the first study file among these names says of the decision. Raises UsageError."""
    studies = [Path(name) for name in names if Path(name).suffix in STUDIES]
    if not studies:
        return {}
    from .study.read import decide_block, read_file

    return decide_block(read_file(studies[0]))
