"""Runs by the names that a person gives them."""

from collections.abc import Sequence
from pathlib import Path

from ..state.errors import UsageError
from ..tools.runs.folders import find_launch, find_run


def named_folders(names: Sequence[str], runs: Path, bundle: str) -> list[Path]:
    """The folders of the runs and launches, each once. Raises UsageError for one that there is not, and for a bundle:
    `bundle` says what is to be done instead, with `{}` for its name."""
    folders: dict[Path, Path] = {}
    for name in names:
        if name.endswith(".fathom") and Path(name).is_file():
            raise UsageError(f"{name} is a bundle, and {bundle.format(name)}.")
        for folder in find_launch(runs, name) or [find_run(runs, name)]:
            folders.setdefault(folder.resolve(), folder)
    return list(folders.values())
