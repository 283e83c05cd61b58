"""`fathom profile RUN…`: what runs of all methods say of each model together."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..state.errors import RunFailed, UsageError
from ..state.events import RunStarted
from ..state.option import Option
from ..tools.runs.folders import read_events
from .declare import Command, Given
from .ended import Ended, ended_in
from .environment import runs_dir
from .options.shared import AS_JSON, RUN, RUNS
from .run_names import named_folders
from .streams import print_json

if TYPE_CHECKING:
    from ..stats.profile.figures import Run

BUNDLE = "profile takes run folders: name the run it was frozen from"
EPILOG = """Examples:
  fathom profile 7f3a9c01 e9e9e9e9 d3d3d3d3
  fathom profile LAUNCH RUN RUN --domain Cardiology

Exit codes:
  0 done, 1 a run failed, 2 refused (no such run, or none
  with a figure)
"""


def _profile(given: Given) -> None:
    domain: str | None = given["domain"]
    if domain is not None and not domain.strip():
        raise UsageError("--domain is empty: give the domain's name, or leave the option out.")
    from ..reports.page.console import stdout_console
    from ..stats.profile.figures import profile_document

    held, notes = usable(
        [
            ended_in(folder)
            for folder in named_folders(given["run"], runs_dir(given["runs"]), BUNDLE)
        ]
    )
    document = profile_document(held, domain.strip() if domain else None, notes)
    if not document.profiles:
        raise UsageError(f"There is nothing to make a profile of. {' '.join(document.notes)}")
    if given["json"]:
        print_json(document.model_dump(mode="json"))
    else:
        from ..reports.page.terminal import rendered
        from ..reports.views.profile.summary import profile_blocks

        console = stdout_console()
        console.print(rendered(profile_blocks(document), console.width))


def usable(runs: Sequence[Ended]) -> tuple[list["Run"], list[str]]:
    """Those that can be part of a profile, and a sentence on each other one."""
    from ..reports.page import figures
    from ..stats.profile.figures import Run, why_not

    held, notes = [], []
    for run in runs:
        if run.result is None:
            status = run.fragment.get("status") or "unfinished"
            again = f"`fathom resume {figures.short_id(run.run_id)}` goes on with it"
            notes.append(f"{run.run_id} has no result ({status}): {again}.")
        elif (why := why_not(run.run_id, run.result)) is not None:
            notes.append(why)
        else:
            held.append(Run(run.result, _started(run.folder)))
    return held, notes


def _started(folder: Path | None) -> datetime | None:
    """When the run began, by its journal; None where that cannot be read, which costs a profile no
    more than a date."""
    try:
        first = next(read_events(folder), None) if folder is not None else None
    except RunFailed:
        return None
    return first.at if isinstance(first, RunStarted) else None


PROFILE = Command(
    _profile,
    """One profile per model: depth, accuracy, consistency, discrepancies and drops, each with its interval.

Figures that do not go together are pointed out where their intervals support it. Runs of one method are set against \
runs of another when their domains have the same name; --domain says that all belong together. Nothing is asked.""",
    (
        Option(
            "",
            "RUN",
            f"Runs of drill, eqt, depthqa and deepquestion. {RUN}, or the id of a launch.",
            name="run",
            type=list[str],
            kind="run",
            required=True,
        ),
        Option("--domain", "NAME", "Take all runs as being about this one domain.", ""),
        AS_JSON,
        RUNS,
    ),
    EPILOG,
)
