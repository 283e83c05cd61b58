"""Finished runs, from their folders or from this very launch: the one reader of all commands that
look at runs."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..graphs.answers import rows_of
from ..graphs.method import steps_of
from ..graphs.outcome import entry_of, outcome_of
from ..state.errors import RunFailed, UsageError
from ..state.results import Result
from ..state.review import FILE
from ..state.rows import AnswerRow
from ..stats.review import with_review
from ..tools.runs.folders import read_events
from ..tools.runs.reviews import read_review

if TYPE_CHECKING:  # heavy: what shows a run needs no runner
    from ..graphs.run.folder import LaunchRecord
    from ..graphs.run.launch import RunReport
    from ..reports.progress import RunProgress

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """One run. `fragment`: what is known of one that has no result."""

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

    @property
    def spec(self) -> Mapping[str, Any]:
        """As it stands in a document; empty where it is not known."""
        return self.result.spec.model_dump() if self.result else self.fragment.get("spec") or {}

    @property
    def ending(self) -> str:
        """How a run without a result ended: `failed: why`."""
        parts = (self.fragment.get("status"), self.fragment.get("error"))
        return ": ".join(str(part) for part in parts if part)

    @property
    def rows(self) -> list[AnswerRow]:
        """Its answers, with what people said of them; none where it has no result. Raises RunFailed
        where a DepthQA run has lost its questions, and for a damaged review."""
        if self.result is None:
            return []
        rows = rows_of(self.result)
        return with_review(rows, read_review(self.folder)) if self.folder is not None else rows

    @property
    def is_reviewed(self) -> bool:
        """Whether people have said anything of its answers."""
        return self.folder is not None and (self.folder / FILE).is_file()

    @property
    def launch(self) -> "LaunchRecord | None":
        """How it was launched; None where that cannot be read."""
        from ..graphs.run.resume_check import record_in

        return record_in(self.folder) if self.folder is not None else None


# reading


def run_of_report(report: "RunReport[Any]") -> FinishedRun:
    """A run that has just ended."""
    fragment = {
        "method": report.spec.method,
        "run_id": report.run_id,
        "spec": report.spec.model_dump(mode="json"),
        "status": report.status,
        "error": report.error,
    }
    return FinishedRun(report.run_id, report.result, report.folder, fragment)


def run_in(folder: Path) -> FinishedRun:
    """A run by what its folder holds. Raises RunFailed when that cannot be read."""
    result = outcome_of(folder)
    if result is None:
        return FinishedRun(folder.name, None, folder, _so_far(folder), on_disk=True)
    return FinishedRun(result.run_id, result, folder, on_disk=True)


def run_or_fault_in(folder: Path) -> FinishedRun:
    """The same as one of many: a run that cannot be read is there with the reason, and the others
    are no worse for it."""
    try:
        return run_in(folder)
    except RunFailed as error:
        fragment = {
            "method": entry_of(folder).method or None,
            "run_id": folder.name,
            "status": "unreadable",
            "error": str(error).replace(f"{folder}{os.sep}", "").rstrip("."),
        }
        return FinishedRun(folder.name, None, folder, fragment, on_disk=True)


def progress_in(folder: Path) -> "RunProgress":
    """How far a run is, by its journal. Raises RunFailed for one that was damaged."""
    from ..reports.progress import RunProgress

    progress = RunProgress(folder.name, steps_of)
    for event in read_events(folder):
        progress.apply(event)
    return progress


def _so_far(folder: Path) -> dict[str, Any]:
    """What the run is and how far it is, under the field names of a result; what it has finished
    stands in its journal."""
    progress = progress_in(folder)
    spec, end = progress.scene and progress.scene.spec, progress.finished
    return {
        "method": spec.method if spec else None,
        "run_id": progress.run_id,
        "spec": spec.model_dump(mode="json") if spec else None,
        "simulated": progress.simulated,
        "status": end.status if end else "unfinished",
        **({"error": end.stop_detail} if end else {}),
        "finished": progress.steps,
        "evd": progress.evd,
        "depths": [row.model_dump(mode="json", by_alias=True) for row in progress.rows],
    }


# several


def results_of(runs: Iterable[FinishedRun], kind: type[T]) -> list[T]:
    """The results of this kind."""
    return [run.result for run in runs if isinstance(run.result, kind)]


def rows_of_runs(runs: Iterable[FinishedRun]) -> list[AnswerRow]:
    """The answers of all of them."""
    return [row for run in runs for row in run.rows]


def with_result(runs: Iterable[FinishedRun]) -> dict[str, list[FinishedRun]]:
    """Method → its runs that have a result."""
    groups: dict[str, list[FinishedRun]] = {}
    for run in runs:
        if run.result is not None:
            groups.setdefault(run.result.method, []).append(run)
    return groups


def require_one_method(runs: Sequence[FinishedRun], instead: str) -> str:
    """The method of all of them; `instead`: what to do where there are several. Raises
    UsageError."""
    methods = sorted({run.method or "no known method" for run in runs})
    if len(methods) > 1:
        raise UsageError(
            f"One method is looked at; these are of {', '.join(methods)}: {instead}."
        )
    return methods[0]
