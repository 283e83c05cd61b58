"""The files that a DeepQuestion run can leave beside its folder: the texts that passed, and the
prompts behind them."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import typer

from ... import __version__
from ...reports.page import figures
from ...reports.page.sanitise import one_line
from ...state.deepquestion.items import ProblemSet
from ...state.deepquestion.result import DeepQuestionResult, PromptHistory
from ...state.errors import RunFailed, UsageError
from ..ended import Ended, problems_in, results_of
from ..writable import require_file, require_other

T = TypeVar("T")
OUTPUT, SAVE_PROMPTS = "--output", "--save-prompts"
CUT = ("interrupted", "partial")
"""Of these runs more is to come."""


@dataclass(frozen=True, slots=True)
class Files:
    """Where the texts and the prompts are wanted."""

    export: Path | None = None
    prompts: Path | None = None

    def require(self, sources: Mapping[str, Path | None], *, force: bool) -> None:
        """Raises UsageError for a file that cannot be written, that is there already unless that is
        meant (`force`), or that is one of those to read (`sources`, by what they are called)."""
        for file, flag, suffixes in (
            (self.export, OUTPUT, (".jsonl",)),
            (self.prompts, SAVE_PROMPTS, (".json", ".yaml", ".yml")),
        ):
            if file is None:
                continue
            for called, source in sources.items():
                if source is not None:
                    require_other(file, flag, source, called)
            require_file(file, flag, *suffixes, force=force)
        if self.export is not None and self.prompts is not None:
            require_other(self.prompts, SAVE_PROMPTS, self.export, f"the file of {OUTPUT}")

    def require_from(self, runs: Sequence[Ended]) -> None:
        """Raises UsageError when these runs were given their texts, which were written elsewhere,
        and when they differ in what is to be written."""
        done = results_of(runs, DeepQuestionResult)
        if self.wanted and done and all(result.spec.given for result in done):
            flag = OUTPUT if self.export is not None else SAVE_PROMPTS
            names = ", ".join(result.run_id for result in done)
            raise UsageError(
                f"{flag} has nothing to write: {names} asked texts that were given to it with "
                "--from."
            )
        whole = [found for run in runs if (found := _whole(run)) is not None]
        if self.export is not None:
            texts = [
                (run.run_id, (run.spec.material, run.transformed))
                for run in whole
                if run.transformed
            ]
            _require_alike(texts, OUTPUT, "texts")
        if self.prompts is not None:
            prompts = [
                (run.run_id, [(h.kind, h.guide) for h in _usable(run)])
                for run in whole
                if _usable(run)
            ]
            _require_alike(prompts, SAVE_PROMPTS, "prompts")

    @property
    def wanted(self) -> bool:
        return self.export is not None or self.prompts is not None

    def save(self, runs: Sequence[Ended], *, told: bool = True) -> bool:
        """Write the files by the first run that has something for them, since the runs of a launch
        share what is written, and say so on stderr. Returns whether every file that is wanted was
        written; a run that was cut off writes none. Raises RunFailed for a file that cannot be
        written."""
        ways = ((self.export, _export), (self.prompts, _save_prompts))
        said = [write(file, runs) for file, write in ways if file is not None]
        if told:
            for sentence, _ in said:
                typer.echo(one_line(sentence), err=True)
        return all(written for _, written in said)


NO_FILES = Files()
Said = tuple[str, bool]
"""A sentence about a file, and whether it was written."""


def _require_alike(held: Sequence[tuple[str, Any]], flag: str, what: str) -> None:
    """Raises UsageError unless all of these runs, by their ids, hold the same."""
    other = next((run for run, said in held if said != held[0][1]), None)
    if other is not None:
        raise UsageError(
            f"{flag} writes the {what} of one run, and {held[0][0]} and {other} differ in "
            "theirs: name one."
        )


def _export(file: Path, runs: Sequence[Ended]) -> Said:
    from ...tools.files.deepquestion.transformed import write_transformed

    whole = ((run, result) for run in runs if (result := _whole(run)) and result.transformed)
    run, result = next(whole, (None, None))
    if run is None or result is None:
        return _nothing(file, runs, OUTPUT, "no text has passed its checks"), False
    problems = problems_in(run.folder)
    made = texts_made(result, problems)
    written = _write(
        lambda: write_transformed(file, problems, result.transformed, made), run, OUTPUT
    )
    of = f"{written:,} of {figures.count(len(problems.problems), 'problem')}"
    again = f"fathom deepquestion --from {shlex.quote(str(file))} --target MODEL --evaluator MODEL"
    return f"The texts of {of} are written to {file}. Next: {again}", True


def _save_prompts(file: Path, runs: Sequence[Ended]) -> Said:
    from ...tools.files.deepquestion.guides import write_guides

    whole = ((run, result) for run in runs if (result := _whole(run)) and _usable(result))
    run, result = next(whole, (None, None))
    if run is None or result is None:
        short = [said for each in runs if (found := _whole(each)) for said in _not_converged(found)]
        return _nothing(
            file, runs, SAVE_PROMPTS, short[0] if short else "no prompt was drafted"
        ), False
    histories = _usable(result)
    _write(lambda: write_guides(file, histories, _origin(result)), run, SAVE_PROMPTS)
    kinds = " and ".join(history.kind for history in histories)
    told = f"The transformation prompts of {kinds} are written to {file}: use them with --prompts."
    return " ".join((told, *(f"Left out: {said}." for said in _not_converged(result)))), True


def _usable(result: DeepQuestionResult) -> list[PromptHistory]:
    """The prompts by which anything was to be written: none that did not reach the threshold,
    unless that is meant."""
    from ...stats.deepquestion.prompts import goes_ahead

    return [
        history for history in result.prompts if history.guide and goes_ahead(result.spec, history)
    ]


def _not_converged(result: DeepQuestionResult) -> list[str]:
    """The other ones."""
    from ...stats.deepquestion.prompts import goes_ahead

    return [
        f"the prompt for {history.kind} did not reach {result.spec.threshold}/10"
        + (
            f" ({history.score}/10 at best, which --use-best takes)"
            if history.score is not None
            else ""
        )
        for history in result.prompts
        if history.guide and not goes_ahead(result.spec, history)
    ]


def _whole(run: Ended) -> DeepQuestionResult | None:
    """The result of a run to which nothing is added any more."""
    result = run.result
    return (
        result
        if result is not None and result.method == "deepquestion" and result.status not in CUT
        else None
    )


def _status(run: Ended) -> str:
    return run.result.status if run.result is not None else str(run.fragment.get("status"))


def _nothing(file: Path, runs: Sequence[Ended], flag: str, why: str) -> str:
    cut = next((run for run in runs if _status(run) in (*CUT, "unfinished")), None)
    if cut is None:
        return f"Nothing was written to {file}: {why}."
    then = f"once it is complete, {show_words(cut.run_id, cut.folder, flag)} writes it"
    return f"Nothing was written to {file}, because the run was cut off: {then}."


def show_words(run_id: str, folder: Path | None, flag: str = OUTPUT) -> str:
    """The command that writes a file of a run later."""
    runs = folder.parent if folder is not None else Path("runs")
    place = "" if runs == Path("runs") else f" --runs {shlex.quote(str(runs))}"
    return f"fathom show {figures.short_id(run_id)} {flag} FILE{place}"


def _origin(result: DeepQuestionResult) -> dict[str, str]:
    spec = result.spec
    return {
        "generator": spec.generator,
        "evaluator": spec.evaluator,
        "run": result.run_id,
        "version": __version__,
        "simulated": _yes(result.simulated),
    }


def texts_made(result: DeepQuestionResult, problems: ProblemSet) -> dict[str, str]:
    """How the texts came about: by whom and in which run, the seed, how many problems were drawn,
    and of each kind's prompt where it is from, its best score, its drafts, and whether it reached
    the threshold."""
    spec = result.spec
    made = _origin(result) | {"seed": str(spec.seed), "language": spec.language}
    made |= {"drawn": problems.made["drawn"]} if "drawn" in problems.made else {}
    if any(history.source == "optimised" for history in result.prompts):
        made |= {
            "threshold": str(spec.threshold),
            "rounds": str(spec.rounds),
            "use_best": _yes(spec.use_best),
        }
    for history in result.prompts:
        made[f"{history.kind}_prompt"] = history.source
        if history.source != "given":
            score = "none" if history.score is None else str(history.score)
            told = {
                "score": score,
                "drafts": str(len(history.rounds)),
                "converged": _yes(bool(history.converged)),
            }
            made |= {f"{history.kind}_{name}": value for name, value in told.items()}
    return made


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _write(write: Callable[[], T], run: Ended, flag: str) -> T:
    try:
        return write()
    except UsageError as error:
        again = f"{show_words(run.run_id, run.folder, flag)} writes it elsewhere"
        raise RunFailed(f"{error} What was found is kept: {again}.") from error
