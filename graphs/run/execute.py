"""One run of a launch, from its spec to its report. Whatever goes wrong stays with this run."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, cast

import structlog
from langchain_core.runnables import RunnableConfig
from typing_extensions import TypeVar

from ... import __version__
from ...state.channels import Stop
from ...state.errors import FathomError, RunFailed
from ...state.events import Notice, RunResumed
from ...state.result import DrillResult, Status, StopReason
from ...state.results import RESULTS, Result, with_material
from ...state.spec import Spec
from ...tools.runs.folders import read_outcome
from ...tools.runs.journal import RunMemory, removed
from ...tools.runs.log import get_logger
from ..method import METHODS
from .deps import RunDeps, caveats
from .record import ending, record_now, with_causes_told, with_numbers
from .resources import PlannedRun
from .resume_check import Resumption

R = TypeVar("R", default=DrillResult)
"""The kind of result the method of a run has."""
EXIT_CODES: dict[Status, int] = {
    "complete": 0,
    "failed": 1,
    "partial": 3,
    "interrupted": 130,
}
STOPS: dict[Status, StopReason] = {
    "partial": "budget",
    "interrupted": "interrupted",
    "failed": "failed",
}


@dataclass(frozen=True, slots=True)
class RunReport(Generic[R]):
    """How one run ended. `error` says why a run failed."""

    run_id: str
    spec: Spec
    status: Status
    held: R | None
    """The result, where no folder has it."""
    error: str | None = None
    folder: Path | None = None
    probes: int = 0
    """Finished probes (of an EQT: finished steps), those of a depth or concept that was not closed
    included."""
    closed: int = 0
    """Closed depths, or concepts."""
    at_fault: bool = False
    """It ended by a fault of Fathom's own, of which its log tells."""
    stop_reason: StopReason | None = None
    """That of the result; None when there is none."""

    @property
    def result(self) -> R | None:
        """None when there is nothing to report. Where the run has a folder it is read from there,
        each time: what runs have found is not held while others go on. Raises RunFailed when it is
        not there any more."""
        if self.stop_reason is None or self.held is not None or self.folder is None:
            return self.held
        if (result := read_outcome(self.folder)) is None:
            raise RunFailed(removed(self.folder))
        return cast("R", result)

    @property
    def exit_code(self) -> int:
        """0 complete, 1 failed, ended by faults of the infrastructure, without a question to ask or
        without a prompt that is good enough, 3 cut off by its budget, 130 interrupted."""
        return EXIT_CODES[self.status]


class Execution:
    """Plays a run. `stopping` tells an interrupt from any other cancellation."""

    def __init__(self, run: PlannedRun, deps: RunDeps, stopping: asyncio.Event) -> None:
        self._run, self._deps, self._stopping = run, deps, stopping
        self._method = METHODS[run.spec.method]
        self._result: Result | None = None
        """The result as soon as there is one."""
        self._at_fault = False

    async def run(self) -> RunReport[Any]:
        """The report. Raises nothing but a CancelledError that is no interrupt."""
        run, spec = self._run, self._run.spec
        structlog.contextvars.bind_contextvars(run=run.run_id, domain=spec.domain)
        log = get_logger()
        begins = "run resumed" if run.resumption else "run started"
        log.info(begins, target=spec.target, spec=spec.digest)
        status, result, error = await self._guarded(self._measure())
        if result is None:
            status = "partial" if self._run.gate.reason and status == "complete" else status
            _, result, trouble = await self._guarded(
                self._cut_short(status, error or self._run.gate.reason or status)
            )
            error = error or trouble or (self._run.gate.reason if status == "partial" else None)
        unkept = self._keep(result)
        if result is not None and status == "complete" != result.status:
            status, error = result.status, f"{result.stop_detail.rstrip('.')}."
        error = unkept or error
        folder = run.folder.path if run.folder else None
        if (
            folder is not None and not folder.is_dir()
        ):  # whatever failed for it, that is the reason
            status, error, folder = "failed", removed(folder), None
        status = "failed" if error and status == "complete" else status
        log.info(
            "run ended",
            status=status,
            error=error,
            evd=getattr(result, "evd", None),
        )
        probes, closed = run.finished or run.sink.run(run.run_id).done
        return RunReport(
            run.run_id,
            spec,
            status,
            None if folder and not unkept else result,
            error,
            folder,
            probes,
            closed,
            self._at_fault,
            result.stop_reason if result else None,
        )

    async def _guarded(
        self, work: Awaitable[Result | None]
    ) -> tuple[Status, Result | None, str | None]:
        try:
            return "complete", await work, None
        except FathomError as failure:
            return "failed", None, str(failure)
        except asyncio.CancelledError:
            if not self._stopping.is_set():
                raise
            return (
                ("complete", self._result, None)
                if self._result
                else ("interrupted", None, None)
            )
        except Exception as bug:  # noqa: BLE001 - one run's bug must not take the other runs' results with it
            get_logger().exception("unexpected error")
            self._at_fault = True
            return (
                "failed",
                None,
                f"Unexpected {type(bug).__name__}: {bug}. This is a fault of Fathom; see its log.",
            )

    async def _measure(self) -> Result | None:
        """The result; None when the budget cut the run off."""
        if self._run.resumption:
            await self._resume(self._run.resumption)
        graph = self._method.build_graph(self._deps)
        config = RunnableConfig(recursion_limit=self._method.recursion_limit(self._run.spec))
        start = {"spec": self._run.spec.model_dump(mode="json"), "run_id": self._run.run_id}
        playing = asyncio.ensure_future(graph.ainvoke(start, config))
        cut = asyncio.ensure_future(self._run.gate.wait_cut())
        try:
            await self._until(playing, cut)
            if not playing.done():
                return None
            output = (await playing)["result"]
            started = self._memory.started
            result = RESULTS[output["method"]].model_validate(output)
            self._result = with_material(result, started.material if started else None)
            return self._result
        finally:
            for task in (playing, cut):
                task.cancel()
            await asyncio.gather(playing, cut, return_exceptions=True)

    async def _until(self, playing: "asyncio.Future[Any]", cut: "asyncio.Future[None]") -> None:
        """Returns when the run has ended or was cut off. With its last event written nothing is
        left to interrupt."""
        try:
            await asyncio.wait({playing, cut}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if self._run.finished is None:
                raise
            await asyncio.wait({playing})

    @property
    def _memory(self) -> RunMemory:
        return self._run.sink.run(self._run.run_id)

    async def _resume(self, resumption: Resumption) -> None:
        """Tell that the run goes on. It runs through its journal, in which every finished probe
        is found again."""
        run, memory = self._run, self._memory
        if memory.started is None:
            return
        event = RunResumed(
            run_id=run.run_id,
            spec=run.spec,
            version=__version__,
            probes=len(memory.probe_ids) + len(memory.item_ids),
            forced=run.forced,
            reopened=len(memory.closed) + 1 if resumption.reopens else None,
            spent_usd=run.spent_before[0],
            spent_calls=run.spent_before[1],
        )
        await run.sink.emit(event)

    async def _cut_short(self, status: Status, reason: str) -> Result | None:
        """What a run that did not finish amounts to; None when there is nothing to report."""
        run, deps, sink = self._run, self._deps, self._run.sink
        stop = Stop(reason=STOPS[status], detail=reason)
        usd, calls = run.spent
        event = ending(sink, run.run_id, deps.clock.now(), status, stop, caveats(deps))
        event = event.model_copy(update={"spent_usd": usd, "spent_calls": calls})
        result = None
        if self._memory.started is not None:
            record = with_causes_told(record_now(sink, run.run_id, event))
            event = record.finished
            if self._memory.reportable:
                result = self._method.result_of(record)
        numbers = (
            with_numbers(event, result)
            if result
            else event.model_copy(update={"cost_usd": usd})
        )
        try:
            if status == "failed":
                await sink.emit(Notice(run_id=run.run_id, level="error", message=reason))
            await sink.emit(numbers)
        except FathomError as fault:
            # a journal that cannot be written must not cost what was measured
            get_logger().error("the end of the run could not be journalled", fault=str(fault))
        return result

    def _keep(self, result: Result | None) -> str | None:
        """Write the result; why that was not possible, or None."""
        folder = self._run.folder
        if folder is None or result is None:
            return None
        try:
            folder.write_result(result)
        except OSError as fault:
            return (
                f"The result cannot be written to {folder.path} ({fault.strerror}): free the disk "
                "or fix the folder, then resume the run."
            )
        return None
