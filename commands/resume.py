"""`fathom resume RUN`: go on with a run, or a whole launch, that was cut off."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..graphs.outcome import entry_of
from ..state.decision import Policy
from ..state.errors import UsageError
from ..state.option import Option
from ..state.spec import is_simulated, label_of
from ..tools.env import env_notices
from ..tools.runs.folders import find_launch, find_run, is_elsewhere
from .declare import Command, Given
from .environment import environment, runs_dir
from .options.shared import LAUNCHING, ONE_RUN, launch_options

if TYPE_CHECKING:
    from ..graphs.run.folder import LaunchRecord
    from ..graphs.run.launch import RunReport
    from ..graphs.run.resume_check import Resumption


def _resume(values: Given) -> None:
    from ..graphs.run.launch import Launch
    from ..graphs.run.resume_check import is_over, record_in, take_up
    from .finished import run_in, run_of_report
    from .launch import pick_display, run_launch, tell
    from .show_options import ShowOptions

    display, as_json = pick_display(values["display"], values["json"]), bool(values["json"])
    env = environment()
    tell(env_notices(Path.cwd(), env), display)
    where = runs_dir(values["runs"], env)
    folders = find_launch(where, values["run"]) or [find_run(where, values["run"])]
    left = [folder for folder in folders if not is_over(folder)]
    if not left:
        _say_over(folders, as_json)
        return
    record = next(filter(None, map(record_in, folders)), None)
    resumptions: list[Resumption] = []
    try:
        for folder in left:
            resumptions.append(take_up(folder, record))  # noqa: PERF401 - those before one that is refused are released
        for resumption in resumptions:
            _require_own(resumption, where)
        before = resumptions[0].launch
        options = replace(
            launch_options(env, left[0].parent, _as_before(values, before)),
            timing=before.timing,
            campaign=before.campaign,
        )
        launch = Launch(
            [], options, resumed=resumptions, launch=before.launch, force=bool(values["force"])
        )

        def show(reports: "Sequence[RunReport[Any]]") -> None:
            ended_runs = {report.run_id: run_of_report(report) for report in reports}
            runs = [
                ended_runs.get(folder.name) or run_in(folder)
                for folder in _among(folders, resumptions[0])
            ]
            options = ShowOptions(policy=before.policy or Policy())
            options.show(runs, as_json=as_json, told=display != "events")

        code = run_launch(launch, display, show)
    finally:
        for resumption in resumptions:
            resumption.folder.release()
    raise typer.Exit(code)


def _as_before(values: Given, before: "LaunchRecord") -> Given:
    """The options, those that were not given as they were in the launch."""
    was = {
        "max_connections": before.max_connections,
        "rate": list(before.rates),
        "timeout": before.timeout_s,
        "budget": before.budget_usd,
        "max_calls": before.max_calls,
        "until_decided": before.until_decided,
        "price": list(before.prices),
        "no_cache": not before.cached,
        "offline": before.offline,
    }
    return was | {
        key: value for key, value in values.items() if value is not None or key not in was
    }


RESUME = Command(
    _resume,
    """Resume a run that was interrupted, killed, stopped by its budget or ended by infrastructure faults.

No finished probe is asked again; methods that work in steps repeat only what faults prevented, even after the run has \
ended. Output files named at the start (-o, --plots) are not written: a graph is saved in the run's \
folder, and `fathom show RUN -o FILE` writes texts. Budgets count from the start of the launch. Options not given keep \
the values of the launch.""",
    (
        ONE_RUN,
        Option(
            "--force",
            "",
            "Resume even if a prompt, a source or the version has changed.",
            "",
        ),
        *(
            replace(option, default="") if option.key == "timeout" else option
            for option in LAUNCHING
        ),
    ),
)


def _require_own(resumption: "Resumption", runs: Path) -> None:
    """A run that anybody may have made must not lead your keys to an address of its maker's choice.
    Raises UsageError."""

    if not is_elsewhere(path := resumption.folder.path, runs):
        return
    for name in (*resumption.spec.asked, *resumption.spec.sources):
        chosen = " key=" in name or "header=" in name
        if chosen or ("@http" in name and not is_simulated(name)):
            raise UsageError(
                f"The run {path} lies outside {runs} and asks {label_of(name)}, at an address of "
                "its own or with a key"
                f" or headers that it chooses: resume it with --runs {path.parent} if it is yours."
            )


def _among(folders: list[Path], resumption: "Resumption") -> list[Path]:
    """The runs that the end is about: those that were named; of repeats all, since they are one
    figure, and of methods whose runs are compared."""
    is_alone = resumption.spec.method in ("drill", "depthqa_build")
    if is_alone and getattr(resumption.spec, "repeats", 1) == 1:
        return folders
    siblings = (resumption.folder.path.parent / run for run in resumption.launch.runs)
    return [folder for folder in siblings if folder.is_dir()]


def _say_over(folders: list[Path], as_json: bool) -> None:
    from .finished import run_in
    from .print_results import launch_document
    from .streams import print_json

    for folder in folders:
        status = entry_of(folder).status
        typer.echo(f"{folder.name} is {status}: there is nothing to resume.", err=True)
    if as_json:
        print_json(launch_document([run_in(folder) for folder in folders]))
