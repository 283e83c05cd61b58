"""The file that a DeepQuestion run can leave beside its folder: the texts that passed."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from ...reports.page import figures
from ...reports.page.sanitise import one_line
from ...state.deepquestion.result import DeepQuestionResult
from ...state.errors import RunFailed, UsageError
from ..finished import FinishedRun, problems_in, results_of
from ..writable import require_file, require_other

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
        for name, source in sources.items():
            if source is not None:
                require_other(self.export, OUTPUT, source, name)
        require_file(self.export, OUTPUT, ".jsonl", force=force)

    def require_from(self, runs: Sequence[FinishedRun]) -> None:
        """Raises UsageError when these runs were given their texts, which were written elsewhere,
        and when they differ in what is to be written."""
        results = results_of(runs, DeepQuestionResult)
        if self.export is None or not results:
            return
        if all(result.spec.given for result in results):
            names = ", ".join(result.run_id for result in results)
            raise UsageError(
                f"{OUTPUT} has nothing to write: {names} asked texts that were given to it with "
                "--from."
            )
        whole = [result for result in results if _has_texts(result)]
        texts = [(result.spec.material, result.transformed) for result in whole]
        if any(pair != texts[0] for pair in texts):
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
        results = results_of(runs, DeepQuestionResult)
        whole = next((result for result in results if _has_texts(result)), None)
        if whole is None:
            later = show_words(runs[0].run_id, runs[0].folder)
            sentence = (
                f"Nothing was written to {self.export}: no run is complete whose texts have passed "
                f"their checks. Of one that was cut off, {later} writes them later."
            )
        else:
            sentence = _export(self.export, runs, whole)
        if told:
            typer.echo(one_line(sentence), err=True)
        return whole is not None


NO_FILES = Files()


def _has_texts(result: DeepQuestionResult) -> bool:
    return result.status not in CUT and bool(result.transformed)


def _export(file: Path, runs: Sequence[FinishedRun], result: DeepQuestionResult) -> str:
    """A sentence about the file that was written."""
    from ...tools.files.deepquestion.transformed import texts_made, write_transformed

    folder = next(run.folder for run in runs if run.result is result)
    problems = problems_in(folder)
    origin = texts_made(result, problems)
    try:
        count = write_transformed(file, problems, result.transformed, origin)
    except UsageError as error:
        command = f"{show_words(result.run_id, folder)} writes it elsewhere"
        raise RunFailed(f"{error} The texts are kept in the run: {command}.") from error
    share = f"{count:,} of {figures.count(len(problems.problems), 'problem')}"
    command = (
        f"fathom deepquestion --from {shlex.quote(str(file))} --target MODEL --evaluator MODEL"
    )
    return f"The texts of {share} are written to {file}. Next: {command}"


def show_words(run_id: str, folder: Path | None) -> str:
    """The command that writes a file of a run later."""
    runs = folder.parent if folder is not None else Path("runs")
    option = "" if runs == Path("runs") else f" --runs {shlex.quote(str(runs))}"
    return f"fathom show {figures.short_id(run_id)} {OUTPUT} FILE{option}"
