"""The file that a DeepQuestion run can leave beside its folder: the texts that passed."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import typer

from ...reports.page import figures
from ...reports.page.sanitise import one_line
from ...state.deepquestion.result import DeepQuestionResult
from ...state.errors import RunFailed, UsageError
from ..finished import FinishedRun, problems_in, results_of
from ..writable import require_file, require_other

T = TypeVar("T")
OUTPUT = "--output"
CUT = ("interrupted", "partial")
"""Of these runs more is to come."""


@dataclass(frozen=True, slots=True)
class Files:
    """Where the texts are wanted."""

    export: Path | None = None

    def require(self, sources: Mapping[str, Path | None], *, force: bool) -> None:
        """Raises UsageError for a file that cannot be written, that is there already unless that is
        meant (`force`), or that is one of those to read (`sources`, by what they are called)."""
        if self.export is None:
            return
        for called, source in sources.items():
            if source is not None:
                require_other(self.export, OUTPUT, source, called)
        require_file(self.export, OUTPUT, ".jsonl", force=force)

    def require_from(self, runs: Sequence[FinishedRun]) -> None:
        """Raises UsageError when these runs were given their texts, which were written elsewhere,
        and when they differ in what is to be written."""
        if self.export is None:
            return
        done = results_of(runs, DeepQuestionResult)
        if done and all(result.spec.given for result in done):
            names = ", ".join(result.run_id for result in done)
            raise UsageError(
                f"{OUTPUT} has nothing to write: {names} asked texts that were given to it with "
                "--from."
            )
        whole = [found for run in runs if (found := _whole(run)) is not None]
        texts = [(run.spec.material, run.transformed) for run in whole if run.transformed]
        other = next((place for place, text in enumerate(texts) if text != texts[0]), None)
        if other is not None:
            raise UsageError(
                f"{OUTPUT} writes the texts of one run, and these differ in theirs: name one."
            )

    @property
    def wanted(self) -> bool:
        return self.export is not None

    def save(self, runs: Sequence[FinishedRun], *, told: bool = True) -> bool:
        """Write the file by the first run that has something for it, since the runs of a launch
        share what is written, and say so on stderr. Returns whether a file that is wanted was
        written; a run that was cut off writes none. Raises RunFailed for a file that cannot be
        written."""
        if self.export is None:
            return True
        sentence, written = _export(self.export, runs)
        if told:
            typer.echo(one_line(sentence), err=True)
        return written


NO_FILES = Files()


def _export(file: Path, runs: Sequence[FinishedRun]) -> tuple[str, bool]:
    """A sentence about the file, and whether it was written."""
    from ...tools.files.deepquestion.transformed import texts_made, write_transformed

    whole = ((run, result) for run in runs if (result := _whole(run)) and result.transformed)
    run, result = next(whole, (None, None))
    if run is None or result is None:
        return _nothing(file, runs), False
    problems = problems_in(run.folder)
    made = texts_made(result, problems)
    written = _write(lambda: write_transformed(file, problems, result.transformed, made), run)
    of = f"{written:,} of {figures.count(len(problems.problems), 'problem')}"
    again = f"fathom deepquestion --from {shlex.quote(str(file))} --target MODEL --evaluator MODEL"
    return f"The texts of {of} are written to {file}. Next: {again}", True


def _whole(run: FinishedRun) -> DeepQuestionResult | None:
    """The result of a run to which nothing is added any more."""
    result = run.result
    return (
        result
        if result is not None and result.method == "deepquestion" and result.status not in CUT
        else None
    )


def _status(run: FinishedRun) -> str:
    return run.result.status if run.result is not None else str(run.fragment.get("status"))


def _nothing(file: Path, runs: Sequence[FinishedRun]) -> str:
    cut = next((run for run in runs if _status(run) in (*CUT, "unfinished")), None)
    if cut is None:
        return f"Nothing was written to {file}: no text has passed its checks."
    then = f"once it is complete, {show_words(cut.run_id, cut.folder)} writes it"
    return f"Nothing was written to {file}, because the run was cut off: {then}."


def show_words(run_id: str, folder: Path | None) -> str:
    """The command that writes a file of a run later."""
    runs = folder.parent if folder is not None else Path("runs")
    place = "" if runs == Path("runs") else f" --runs {shlex.quote(str(runs))}"
    return f"fathom show {figures.short_id(run_id)} {OUTPUT} FILE{place}"


def _write(write: Callable[[], T], run: FinishedRun) -> T:
    try:
        return write()
    except UsageError as error:
        again = f"{show_words(run.run_id, run.folder)} writes it elsewhere"
        raise RunFailed(f"{error} What was found is kept: {again}.") from error
