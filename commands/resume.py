"""`fathom resume RUN`: go on with a run, or a whole launch, that was cut off."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from ..state.errors import UsageError
from .common import (
    Budget,
    Checkpoint,
    DisplayName,
    Json,
    MaxCalls,
    MaxConnections,
    NoCache,
    Offline,
    Prices,
    launch_options,
)
from .places import RunsDir, environment, runs_dir


def resume_command(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run's folder, name or id, `last`, or the id of a whole launch.")
    ],
    force: Annotated[
        bool, typer.Option("--force", help="Go on although spec, prompts, sources or version have changed.")
    ] = False,
    max_connections: MaxConnections = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", metavar="SECONDS", min=0.01, help="Time limit of one call.")
    ] = None,
    budget: Budget = None,
    max_calls: MaxCalls = None,
    price: Prices = None,
    no_cache: NoCache = False,
    checkpoint: Checkpoint = None,
    offline: Offline = False,
    runs: RunsDir = None,
    display: DisplayName = None,
    as_json: Json = False,
) -> None:
    """Go on with a run that was interrupted, killed, cut off by its budget or ended by faults of the infrastructure.

    No finished probe is asked again. Budgets count from the beginning of the launch. Options that are not given are
    those of the launch.
    """
    from ..graphs.resume import is_over, take_up
    from ..graphs.run import Launch
    from .launch import pick_display, run_launch

    shown = pick_display(display, as_json)
    env = environment()
    folders = _folders(runs_dir(runs, env), run)
    left = [folder for folder in folders if not is_over(folder)]
    if not left:
        _say_over(folders, as_json)
        return
    taken = []
    try:
        for folder in left:
            taken.append(take_up(folder))  # noqa: PERF401 - those before one that is refused are released
        before = taken[0].launch
        if before.postgres and not (checkpoint or env.get("FATHOM_CHECKPOINT", "").strip()):
            raise UsageError(
                "The run keeps its checkpoint in a PostgreSQL database: name it again with --checkpoint or"
                " FATHOM_CHECKPOINT."
            )
        options = launch_options(
            env,
            left[0].parent,
            max_connections=max_connections or before.max_connections,
            timeout=timeout or before.timeout_s,
            budget=budget if budget is not None else before.budget_usd,
            max_calls=max_calls if max_calls is not None else before.max_calls,
            price=price or list(before.prices),
            no_cache=no_cache or not before.cached,
            checkpoint=checkpoint,
            offline=offline or before.offline,
        )
        launch = Launch([], replace(options, timing=before.timing), resumed=taken, launch=before.launch, force=force)
        code = run_launch(launch, shown, as_json=as_json)
    finally:
        for resumption in taken:
            resumption.folder.release()
    raise typer.Exit(code)


def _folders(runs: Path, text: str) -> list[Path]:
    """The folder of the run, or those of all runs of the launch. Raises UsageError when there is neither."""
    from ..graphs.resume import members
    from ..tools.runs import find_run

    return members(runs, text) or [find_run(runs, text)]


def _say_over(folders: list[Path], as_json: bool) -> None:
    from ..tools.runs import read_outcome
    from .show import print_json

    for folder in folders:
        typer.echo(f"{folder.name} is complete: there is nothing to resume.", err=True)
    if as_json:
        documents = [result.model_dump(mode="json", by_alias=True) for f in folders if (result := read_outcome(f))]
        print_json(documents[0] if len(documents) == 1 else documents)
