"""Runs by the names that a person gives them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..state.errors import UsageError
from ..tools.runs.folders import LAST, find_launch, find_run, is_run, launch_fields, run_paths
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
            else _of_last(runs)
            if name == LAST
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
    from .study.command import cells_of

    store = store_of(None)
    begun = runs.is_dir() or store or not Path(name).is_file()  # which is said of it there
    states = cells_of(name, runs, store, there=True) if begun else []
    found = [runs / state.run for state in states if state.run and is_run(runs / state.run)]
    if not found:
        raise UsageError(
            f"No run in {runs} is of the study {name}: `fathom run {name}` makes them."
        )
    return found


def _of_last(runs: Path) -> list[Path]:
    """The runs of the newest launch, or of all of the campaign that the newest run is part of: by
    its study, where that is there."""
    paths, campaign = run_paths(runs), _last_campaign(runs)
    if not campaign:
        return find_launch(runs, LAST)
    held = _of_study(campaign, runs) if _is_study(campaign) else []
    same = [path for path in paths if launch_fields(path).get("campaign") == campaign]
    return held if paths[-1] in held else same


def _last_campaign(runs: Path) -> str:
    """That of the newest run; empty where it is of none."""
    newest = run_paths(runs)[-1:]
    return str(launch_fields(newest[0]).get("campaign") or "") if newest else ""


def _is_study(name: str) -> bool:
    return Path(name).suffix in STUDIES and Path(name).is_file()


def decide_block_of(names: Sequence[str], runs: Path) -> Mapping[str, Any]:
    """What the first study file among these names says of the decision, or that of the `last`
    runs. Raises UsageError."""
    campaign = _last_campaign(runs) if LAST in names else ""
    studies = [Path(name) for name in names if Path(name).suffix in STUDIES]
    studies += [Path(campaign)] if _is_study(campaign) else []
    if not studies:
        return {}
    from .study.read import decide_block, read_file

    return decide_block(read_file(studies[0]))
