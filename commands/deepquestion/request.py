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
    shared = {
        "benchmark": problems.name,
        "material": problems.digest,
        "problems": len(problems.problems),
        "given": problems.transformed is not None,
        **_texts_of(problems, words),
    }
    specs: list[DeepQuestionSpec] = words.specs(words.targets, **shared)
    _require_texts(problems, specs[0])
    return PlannedRuns(
        specs,
        problems.notices,
        problems,
        {"problem_sets": {problems.digest: problems}},
        shown_with,
    )


def _problems(words: CommandInput) -> ProblemSet:
    """The problems, with what was written from them where that is given."""
    seed = USUAL["seed"] if words["seed"] is None else words["seed"]
    if words["from"] is not None:
        return read_transformed(words["from"], limit=words["limit"], seed=seed)
    columns = parse_columns(words["columns"], ProblemRow)
    return read_benchmark(words["benchmark"], columns=columns, limit=words["limit"], seed=seed)


def _texts_of(problems: ProblemSet, words: CommandInput) -> dict[str, Any]:
    """Kinds and loads to ask where none are named: of texts that are given those that they have."""
    if problems.transformed is None:
        return {}
    if not problems.kinds:
        raise UsageError("None of the problems that --limit takes has a text: take more.")
    usual = {"kinds": problems.kinds, "distractors": problems.loads or USUAL["distractors"]}
    return {name: texts for name, texts in usual.items() if words[name] is None}


def _require_texts(problems: ProblemSet, spec: DeepQuestionSpec) -> None:
    """Raises UsageError for a kind or load of which no text is given."""
    if problems.transformed is None:
        return
    texts = {
        "--kinds": (spec.kinds, problems.kinds),
        "--distractors": (spec.distractors, problems.loads or spec.distractors),
    }
    for flag, (wanted, available) in texts.items():
        for name in wanted:
            if name not in available:
                raise UsageError(
                    f"{flag} {name} is not in {problems.name}, whose texts were written for"
                    f" {', '.join(available)}: choose among them."
                )


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
    return f"No run is complete that has texts of its own: {file} is not written.", False
