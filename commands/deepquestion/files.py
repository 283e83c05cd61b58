"""The file that a DeepQuestion run can leave beside its folder: the texts that passed."""

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ...reports.page import figures
from ...state.deepquestion.result import DeepQuestionResult
from ...state.errors import RunFailed
from ...state.events import RunStarted
from ...tools.runs.folders import read_events
from ..finished import FinishedRun, results_of
from ..show_options import Write
from ..writable import require_file

CUT = ("interrupted", "partial")
"""Of these runs more is to come."""


def texts_into(file: Path | None, *, force: bool) -> Write | None:
    """What writes the texts into this file. Raises UsageError for one that cannot be written, or
    that is there already unless that is meant (`force`)."""
    if file is None:
        return None
    require_file(file, "--output", ".jsonl", force=force)
    return partial(_write, file)


def _write(file: Path, runs: Sequence[FinishedRun]) -> tuple[str, bool]:
    """Write the texts of the first run that has some, since the runs of a launch share them; a run
    that was cut off writes none."""
    from ...tools.files.transformed import texts_made, write_transformed

    for result in results_of(runs, DeepQuestionResult):
        folder = next(run.folder for run in runs if run.result is result)
        if folder is None or result.spec.given or result.status in CUT or not result.transformed:
            continue
        events = read_events(folder)
        problems = next((event.problems for event in events if isinstance(event, RunStarted)), None)
        if problems is None:
            raise RunFailed(f"The journal of {result.run_id} lacks its problems.")
        origin = texts_made(result, problems)
        count = write_transformed(file, problems, result.transformed, origin)
        share = f"{count:,} of {figures.count(len(problems.problems), 'problem')}"
        name = shlex.quote(str(file))
        command = f"fathom deepquestion --from {name} --target MODEL --evaluator MODEL"
        return f"The texts of {share} are written to {file}. Next: {command}", True
    return (
        f"Nothing was written to {file}: no run is complete that has written texts of its own. "
        "`fathom resume` goes on with one that was cut off, and `fathom show RUN -o FILE` writes "
        "its texts.",
        False,
    )
