"""Runs by the names that a person gives them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..state.errors import UsageError
from ..tools.runs.folders import LAST, find_launch, find_run, is_run, launch_fields, run_paths
from .declare import Given
from .environment import runs_dir, store_of
from .finished import FinishedRun, run_in

STUDIES = (".yaml", ".yml")


def named_runs(values: Given) -> list[FinishedRun]:
    """The runs that the command names, each once. Raises UsageError for one that there is not, and
    RunFailed for one that cannot be read."""
    return [run_in(folder) for folder in named_folders(values["run"], runs_dir(values["runs"]))]


def named_folders(names: Sequence[str], runs: Path) -> list[Path]:
    """The folders of the runs, launches and studies, each once. Raises UsageError for one that
    there is not, and for a bundle."""
    folders: dict[Path, Path] = {}
    for name in names:
        if name.endswith(".fathom") and Path(name).is_file():
            raise UsageError(
                f"{name} is a bundle: name the run it was frozen from, or see its result with "
                f"fathom replay {name}."
            )
        if Path(name).suffix in STUDIES:
            several = _of_study(name, runs)
        elif is_run(runs / name):
            several = [runs / name]
        else:
            several = _of_last(runs) if name == LAST else find_launch(runs, name)
        for folder in several or [find_run(runs, name)]:
            folders.setdefault(folder.resolve(), folder)
    return list(folders.values())


def _of_study(name: str, runs: Path) -> list[Path]:
    """The runs of a study's cells."""
    from .study.command import cells_of

    store = store_of(None)
    begun = runs.is_dir() or store or not Path(name).is_file()  # which is said of it there
    states = cells_of(name, runs, store, there=True) if begun else []
    folders = [runs / state.run for state in states if state.run and is_run(runs / state.run)]
    if not folders:
        raise UsageError(
            f"No run in {runs} is of the study {name}: `fathom run {name}` makes them."
        )
    return folders


def _of_last(runs: Path) -> list[Path]:
    """The runs of the newest launch, or of all of the campaign that the newest run is part of: by
    its study, where that is there."""
    campaign = _last_campaign(runs)
    if not campaign:
        return find_launch(runs, LAST)
    if Path(campaign).suffix in STUDIES and Path(campaign).is_file():
        return _of_study(campaign, runs)
    return [path for path in run_paths(runs) if launch_fields(path).get("campaign") == campaign]


def _last_campaign(runs: Path) -> str:
    """That of the newest run; empty where it is of none."""
    paths = run_paths(runs)
    return str(launch_fields(paths[-1]).get("campaign") or "") if paths else ""


def stated_rule(names: Sequence[str], runs: Path) -> Mapping[str, Any]:
    """What the first study file among these names says of the decision, or that of the `last`
    runs. Raises UsageError."""
    named = [*names, _last_campaign(runs)] if LAST in names else names
    studies = [Path(name) for name in named if Path(name).suffix in STUDIES]
    if not studies or (LAST in names and not studies[0].is_file()):
        return {}
    from .study.read import decide_block, read_file

    return decide_block(read_file(studies[0]))
