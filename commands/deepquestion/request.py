"""What `fathom deepquestion` is to run, checked; and the file of texts that it can leave beside its
folder."""

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...reports.page import figures
from ...state.deepquestion.result import DeepQuestionResult
from ...state.errors import RunFailed, UsageError
from ...state.events import RunStarted
from ...state.problems import ProblemSet
from ...state.spec import DeepQuestionSpec
from ...tools.files.benchmark import ProblemRow, read_benchmark
from ...tools.files.rows import parse_columns
from ...tools.files.transformed import read_transformed, texts_made, write_transformed
from ...tools.runs.folders import read_events
from ..finished import FinishedRun, results_of
from ..request import CommandInput, PlannedRuns
from ..show_options import Write, shown_beside
from ..writable import require_file

CUT = ("interrupted", "partial")
"""Of these runs more is to come."""
USUAL = {name: field.default for name, field in DeepQuestionSpec.model_fields.items()}


def ask(words: CommandInput) -> PlannedRuns:
    """A run of each target. Raises UsageError with the first fault."""
    write = texts_into(words["output"], force=bool(words["force"]))
    shown_with = shown_beside(words.values, write=write)
    problems = _problems(words)
    shared: dict[str, Any] = {
        "benchmark": problems.name,
        "material": problems.digest,
        "problems": len(problems.problems),
        "given": problems.transformed is not None,
    }
    usual = _texts_of(problems)
    shared |= {name: texts for name, texts in usual.items() if words[name] is None}
    specs: list[DeepQuestionSpec] = words.specs(words.targets, **shared)
    for name, available in usual.items():
        for wanted in getattr(specs[0], name):
            if wanted not in available:
                raise UsageError(
                    f"--{name} {wanted} is not in {problems.name}, whose texts were written for"
                    f" {', '.join(available)}: choose among them."
                )
    material = {"problem_sets": {problems.digest: problems}}
    return PlannedRuns(specs, problems.notices, problems, material, shown_with)


def _problems(words: CommandInput) -> ProblemSet:
    """The problems, with what was written from them where that is given."""
    seed = USUAL["seed"] if words["seed"] is None else words["seed"]
    if words["from"] is not None:
        return read_transformed(words["from"], limit=words["limit"], seed=seed)
    columns = parse_columns(words["columns"], ProblemRow)
    return read_benchmark(words["benchmark"], columns=columns, limit=words["limit"], seed=seed)


def _texts_of(problems: ProblemSet) -> dict[str, Any]:
    """Kinds and loads of texts that are given; empty where none are."""
    if problems.transformed is None:
        return {}
    if not problems.kinds:
        raise UsageError("None of the problems that --limit takes has a text: take more.")
    return {"kinds": problems.kinds, "distractors": problems.loads or USUAL["distractors"]}


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
    for result in results_of(runs, DeepQuestionResult):
        folder = next(run.folder for run in runs if run.result is result)
        if (
            folder is None
            or result.spec.given
            or result.status in CUT
            or not result.transformed
        ):
            continue
        events = read_events(folder)
        problems = next(
            (event.problems for event in events if isinstance(event, RunStarted)), None
        )
        if problems is None:
            raise RunFailed(f"The journal of {result.run_id} lacks its problems.")
        origin = texts_made(result, problems)
        count = write_transformed(file, problems, result.transformed, origin)
        share = f"{count:,} of {figures.count(len(problems.problems), 'problem')}"
        name = shlex.quote(str(file))
        command = f"fathom deepquestion --from {name} --target MODEL --evaluator MODEL"
        return f"The texts of {share} are written to {file}. Next: {command}", True
    return f"No run is complete that has texts of its own: {file} is not written.", False
