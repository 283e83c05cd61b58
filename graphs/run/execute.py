"""One run of a launch, from its spec to its report. Whatever goes wrong stays with this run."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, cast

import structlog
from langchain_core.runnables import RunnableConfig
from typing_extensions import TypeVar

from ... import __version__
from ...state.channels import Stop
from ...state.errors import FathomError, RunFailed
from ...state.events import Notice, RunFinished, RunResumed
from ...state.result import DrillResult, Status, StopReason
from ...state.results import RESULTS, Result, with_material
from ...state.spec import Spec
from ...tools.models.pricing import Tally
from ...tools.runs.folders import read_outcome
from ...tools.runs.journal import removed
from ...tools.runs.log import get_logger
from ..method import METHODS
from .deps import RunDeps, caveats
from .folder import RunFolder
from .record import ending, record_now, with_causes_told, with_numbers
from .resume_check import Spent

R = TypeVar("R", default=DrillResult)
"""The kind of result the method of a run has."""
EXIT_CODES: dict[Status, int] = {
    "complete": 0,
    "failed": 1,
    "partial": 3,
    "interrupted": 130,
}
ENDED: dict[Status, StopReason] = {
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
        if (found := read_outcome(self.folder)) is None:
            raise RunFailed(removed(self.folder))
        return cast("R", found)

    @property
    def futile(self) -> bool:
        """Whether it failed with nothing to show."""
        return self.status == "failed" and not (
            self.stop_reason or self.probes or self.closed or self.at_fault
        )

    @property
    def exit_code(self) -> int:
        """0 complete, 1 failed, ended by faults of the infrastructure, without a question to ask or
        without a prompt that is good enough, 3 cut off by its budget, 130 interrupted."""
        return EXIT_CODES[self.status]


@dataclass(frozen=True, slots=True)
class Session:
    """What a resumed run is told at its start."""

    forced: tuple[str, ...] = ()
    """Differences to the start of the run that are overridden."""
    reopens: bool = False
    """Whether the depth at which faults ended the run is asked anew."""
    spent: Spent = (0.0, 0)
    """What earlier sessions have paid."""


class Execution:
    """A run with its folder (None: kept in memory). `stopping` tells an interrupt from any other
    cancellation."""

    def __init__(
        self,
        run_id: str,
        spec: Spec,
        deps: RunDeps,
        folder: RunFolder | None,
        stopping: asyncio.Event,
        max_concurrency: int | None,
        *,
        session: Session | None = None,
        spent: Callable[[], Spent] = lambda: (None, 0),
        ended: Sequence[tuple[int, int]] = (),
    ) -> None:
        """`session`: the run is resumed; its sink holds what was finished. `spent`: what was paid
        in all sessions. `ended` holds what was finished (`RunMemory.done`) as soon as the run's
        last event is written."""
        self._run_id, self._spec, self._deps, self._folder = run_id, spec, deps, folder
        self._method = METHODS[spec.method]
        self._stopping, self._max_concurrency = stopping, max_concurrency
        self._session, self._spent = session, spent
        self._ended = ended
        self._result: Result | None = None
        """The result as soon as there is one."""
        self._at_fault = False

    async def run(self) -> RunReport[Any]:
        """The report. Raises nothing but a CancelledError that is no interrupt."""
        structlog.contextvars.bind_contextvars(run=self._run_id, domain=self._spec.domain)
        log = get_logger()
        log.info(
            "run resumed" if self._session else "run started",
            target=self._spec.target,
            spec=self._spec.digest,
        )
        status, result, error = await self._guarded(self._measure())
        if result is None:
            status = "partial" if self._deps.gate.reason and status == "complete" else status
            _, result, trouble = await self._guarded(
                self._cut_short(status, error or self._deps.gate.reason or status)
            )
            error = error or trouble or (self._deps.gate.reason if status == "partial" else None)
        unkept = self._keep(status, result)
        if result is not None and status == "complete" != result.status:
            status, error = result.status, f"{result.stop_detail.rstrip('.')}."
        error = unkept or error
        folder = self._folder.path if self._folder else None
        if folder is not None and not folder.is_dir():  # whatever failed for it, that is the reason
            status, error, folder = "failed", removed(folder), None
        status = "failed" if error and status == "complete" else status
        log.info(
            "run ended",
            status=status,
            error=error,
            evd=getattr(result, "evd", None),
        )
        # a run that is complete is forgotten by its sink
        probes, closed = self._ended[-1] if self._ended else self._deps.sink.run(self._run_id).done
        held, reason = (
            None if folder and not unkept else result,
            result.stop_reason if result else None,
        )
        return RunReport(
            self._run_id,
            self._spec,
            status,
            held,
            error,
            folder,
            probes,
            closed,
            self._at_fault,
            reason,
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
            return ("complete", self._result, None) if self._result else ("interrupted", None, None)
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
        if self._session:
            await self._resume(self._session)
        graph = self._method.build_graph(self._deps)
        config = RunnableConfig(
            recursion_limit=self._method.recursion_limit(self._spec),
            max_concurrency=self._max_concurrency,
        )
        start = {"spec": self._spec.model_dump(mode="json"), "run_id": self._run_id}
        playing = asyncio.ensure_future(graph.ainvoke(start, config))
        cut = asyncio.ensure_future(self._deps.gate.wait_cut())
        try:
            await self._until(playing, cut)
            if not playing.done():
                return None
            told = (await playing)["result"]
            started = self._deps.sink.run(self._run_id).started
            result = RESULTS[told["method"]].model_validate(told)
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
            if not self._ended:
                raise
            await asyncio.wait({playing})

    async def _resume(self, session: Session) -> None:
        """Tell that the run goes on. It runs through its journal, in which every finished probe
        is found again."""
        memory = self._deps.sink.run(self._run_id)
        if memory.started is None:
            return
        event = RunResumed(
            run_id=self._run_id,
            spec=self._spec,
            version=__version__,
            probes=len(memory.probe_ids) + len(memory.item_ids),
            forced=session.forced,
            reopened=len(memory.closed) + 1 if session.reopens else None,
            spent_usd=session.spent[0],
            spent_calls=session.spent[1],
        )
        await self._deps.sink.emit(event)

    async def _cut_short(self, status: Status, reason: str) -> Result | None:
        """What a run that did not finish amounts to; None when there is nothing to report."""
        deps, sink = self._deps, self._deps.sink
        stop = Stop(reason=ENDED[status], detail=reason)
        usd, calls = self._spent()
        ended = ending(sink, self._run_id, deps.clock.now(), status, stop, caveats(deps))
        ended = ended.model_copy(update={"spent_usd": usd, "spent_calls": calls})
        result = None
        if sink.run(self._run_id).started is not None:
            record = with_causes_told(record_now(sink, self._run_id, ended))
            ended = record.finished
            if sink.run(self._run_id).reportable:
                result = self._method.result_of(record)
        try:
            if status == "failed":
                await sink.emit(Notice(run_id=self._run_id, level="error", message=reason))
            await sink.emit(with_numbers(ended, result) if result else self._nothing(ended))
        except (
            FathomError
        ) as fault:  # a journal that cannot be written must not cost what was measured
            get_logger().error("the end of the run could not be journalled", fault=str(fault))
        return result

    def _nothing(self, ended: RunFinished) -> RunFinished:
        return ended.model_copy(update={"cost_usd": ended.spent_usd})

    def _keep(self, status: Status, result: Result | None) -> str | None:
        """Write the result; why that was not possible, or None."""
        if self._folder is None or result is None:
            return None
        try:
            self._folder.write_result(result)
        except OSError as fault:
            return (
                f"The result cannot be written to {self._folder.path} ({fault.strerror}): free the "
                "disk or fix the"
                " folder, then resume the run."
            )
        return None


def spent_with(earlier: Spent, tally: Tally) -> Spent:
    """What was paid before and in this session; USD None when a price is unknown."""
    usd = earlier[0] + tally.usd if earlier[0] is not None and tally.known else None
    return usd, earlier[1] + tally.calls
