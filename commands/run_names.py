"""Runs by the names that a person gives them."""

from collections.abc import Sequence
from pathlib import Path

from ..state.errors import UsageError
from ..tools.runs.folders import find_launch, find_run, is_run
from .environment import store_of

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
    """The runs of a study's cells."""
    from .study.command import specs_of
    from .study.standing import states_of

    store = store_of(None)
    states = states_of(specs_of(name, runs, store), runs, store, there=True) if runs.is_dir() or store else []
    found = [runs / state.run for state in states if state.run and is_run(runs / state.run)]
    if not found:
        raise UsageError(f"No run in {runs} is of the study {name}: `fathom run {name}` makes them.")
    return found
