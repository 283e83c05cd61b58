"""Runs that have ended, from this very launch or from their folders."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..graphs.answers import rows_of
from ..graphs.outcome import outcome_of
from ..state.errors import RunFailed
from ..state.events import RunStarted
from ..state.problems import ProblemSet
from ..state.results import Result
from ..state.rows import AnswerRow
from ..tools.runs.folders import entry_of, read_events
from .fragment import unfinished_document

if TYPE_CHECKING:  # heavy: what shows a run needs no runner
    from ..graphs.run.launch import RunReport

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """One run of a launch. `fragment`: what is known of one that has no result."""

    run_id: str
    result: Result | None
    folder: Path | None
    fragment: Mapping[str, Any] = field(default_factory=dict)
    on_disk: bool = False
    """Whether it was read from its folder; the others are of this very launch."""

    @property
    def method(self) -> str | None:
        """None where not even that is known."""
        return self.result.method if self.result is not None else self.fragment.get("method")

    @property
    def document(self) -> dict[str, Any]:
        """The result, or what is known of a run without one."""
        if self.result is not None:
            return self.result.model_dump(mode="json", by_alias=True)
        return dict(self.fragment)


def ended(report: "RunReport[Any]") -> FinishedRun:
    """A run that has just ended."""
    fragment = {
        "method": report.spec.method,
        "run_id": report.run_id,
        "spec": report.spec.model_dump(mode="json"),
        "status": report.status,
        "error": report.error,
    }
    return FinishedRun(report.run_id, report.result, report.folder, fragment)


def ended_in(folder: Path) -> FinishedRun:
    """A run by what its folder holds. Raises RunFailed when that cannot be read."""
    result = outcome_of(folder)
    return FinishedRun(
        folder.name, result, folder, {} if result else unfinished_document(folder), on_disk=True
    )


def listed_in(folder: Path) -> FinishedRun:
    """The same as one of many: a run that cannot be read is there with the reason, and the others
    are no worse for it."""
    try:
        return ended_in(folder)
    except RunFailed as error:
        why = str(error).replace(f"{folder}{os.sep}", "").rstrip(".")
        known = {
            "method": entry_of(folder).method or None,
            "run_id": folder.name,
            "status": "unreadable",
            "error": why,
        }
        return FinishedRun(folder.name, None, folder, known, on_disk=True)


def results_of(runs: Iterable[FinishedRun], kind: type[T]) -> list[T]:
    """The results of this kind."""
    return [run.result for run in runs if isinstance(run.result, kind)]


def kept(runs: Iterable[FinishedRun]) -> dict[str, Path]:
    """Run id → folder."""
    return {run.run_id: run.folder for run in runs if run.folder is not None}


def answers_of(run: FinishedRun) -> list[AnswerRow]:
    """The rows of a run's answers; none where it has no result. Raises RunFailed where a DepthQA
    run has lost its questions."""
    return rows_of(run.result) if run.result is not None else []


def problems_in(folder: Path | None) -> ProblemSet:
    """What a DeepQuestion run was about, as its journal has it. Raises RunFailed where it has
    not."""
    events = read_events(folder) if folder is not None else iter(())
    problems = next((event.problems for event in events if isinstance(event, RunStarted)), None)
    if problems is None:
        name = folder.name if folder is not None else "a run that was not kept"
        raise RunFailed(f"The journal of {name} lacks its problems: nothing can be written of it.")
    return problems
