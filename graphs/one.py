"""One run of a launch, from its spec to its report. Whatever goes wrong stays with this run."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import structlog

from ..state.channels import Stop
from ..state.errors import FathomError
from ..state.events import Notice, RunFinished
from ..state.result import DrillResult
from ..state.spec import DrillSpec
from ..tools.log import get_logger
from ..tools.models.chat import Chat, ChatReply, ChatRequest
from .deps import DrillDeps
from .drill import build_graph, recursion_limit
from .folder import RunFolder
from .result import Status, build_result, finished, wall_s


@dataclass(frozen=True, slots=True)
class RunReport:
    """How one run ended. `result` is None when no depth was closed; `error` says why a run failed."""

    run_id: str
    spec: DrillSpec
    status: Status
    result: DrillResult | None
    error: str | None = None
    folder: Path | None = None
    probes: int = 0
    """Finished probes, those of a depth that was not closed included."""

    @property
    def exit_code(self) -> int:
        """0 complete, 1 failed or ended by a fault of the infrastructure, 130 interrupted."""
        if self.status == "interrupted":
            return 130
        ended_by_fault = self.result is not None and self.result.stop_reason == "infrastructure"
        return 1 if self.status == "failed" or ended_by_fault else 0


class _Priced:
    """A model that notes the price in USD (None: unknown) of every call that was answered and not cached."""

    def __init__(self, inner: Chat, prices: list[float | None]) -> None:
        self._inner, self._prices = inner, prices

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the model's client could not send as asked."""
        return tuple(getattr(self._inner, "caveats", ()))

    async def complete(self, request: ChatRequest) -> ChatReply:
        reply = await self._inner.complete(request)
        if not reply.cached:
            self._prices.append(reply.cost_usd)
        return reply


class OneRun:
    """A drill with its folder (None: kept in memory). `stopping` tells an interrupt from any other cancellation."""

    def __init__(
        self,
        run_id: str,
        spec: DrillSpec,
        deps: DrillDeps,
        folder: RunFolder | None,
        stopping: asyncio.Event,
        max_concurrency: int | None,
    ) -> None:
        self._prices: list[float | None] = []
        target, evaluator, judge = (_Priced(chat, self._prices) for chat in (deps.target, deps.evaluator, deps.judge))
        self._deps = replace(deps, target=target, evaluator=evaluator, judge=judge)
        self._run_id, self._spec, self._folder = run_id, spec, folder
        self._stopping, self._max_concurrency = stopping, max_concurrency

    async def run(self) -> RunReport:
        """The report. Raises nothing but a CancelledError that is no interrupt."""
        structlog.contextvars.bind_contextvars(run=self._run_id, domain=self._spec.domain)
        log = get_logger()
        log.info("run started", target=self._spec.target, evaluator=self._spec.evaluator, spec=self._spec.digest)
        status, result, error = await self._guarded(self._drill())
        if status != "complete":
            _, result, trouble = await self._guarded(self._partial(status, error or status))
            error = error or trouble
        if self._folder and result:
            try:
                self._folder.write_result(result)
            except OSError as fault:
                status, error = "failed", f"The result cannot be written to {self._folder.path} ({fault.strerror})."
        log.info("run ended", status=status, error=error, evd=result.evd if result else None)
        folder = self._folder.path if self._folder else None
        probes = len(result.probes if result else self._deps.sink.run(self._run_id).probe_ids)
        return RunReport(self._run_id, self._spec, status, result, error, folder, probes)

    async def _guarded(self, work: Awaitable[DrillResult | None]) -> tuple[Status, DrillResult | None, str | None]:
        try:
            return "complete", await work, None
        except FathomError as failure:
            return "failed", None, str(failure)
        except asyncio.CancelledError:
            if not self._stopping.is_set():
                raise
            return "interrupted", None, "interrupted"
        except Exception as bug:  # noqa: BLE001 - one run's bug must not take the other runs' results with it
            get_logger().exception("unexpected error")
            return "failed", None, f"Unexpected {type(bug).__name__}: {bug}. This is a fault of Fathom; see its log."

    async def _drill(self) -> DrillResult:
        output = await build_graph(self._deps).ainvoke(
            {"spec": self._spec.model_dump(mode="json"), "run_id": self._run_id},
            {"recursion_limit": recursion_limit(self._spec), "max_concurrency": self._max_concurrency},
        )
        return DrillResult.model_validate(output["result"])

    async def _partial(self, status: Status, reason: str) -> DrillResult | None:
        """What the closed depths of a run that did not finish amount to; None when no depth was closed."""
        sink, ended = self._deps.sink, _ended(status)
        result = None
        if sink.run(self._run_id).closed:
            result = build_result(self._deps, self._spec, self._run_id, status, Stop(reason=ended, detail=reason))
        try:
            if status == "failed":
                await sink.emit(Notice(run_id=self._run_id, level="error", message=reason))
            await sink.emit(finished(result) if result else self._nothing(status))
        except FathomError as fault:  # a journal that cannot be written must not cost what was measured
            get_logger().error("the end of the run could not be journalled", fault=str(fault))
        return result

    def _nothing(self, status: Status) -> RunFinished:
        return RunFinished(
            run_id=self._run_id,
            status=status,
            stop_reason=status,
            evd=None,
            evd_ci=None,
            cost_usd=_total(self._prices),
            wall_s=wall_s(self._deps, self._run_id),
        )


def _total(prices: list[float | None]) -> float | None:
    """The sum; None when any of them is unknown."""
    known = [price for price in prices if price is not None]
    return sum(known, 0.0) if len(known) == len(prices) else None


def _ended(status: Status) -> Literal["failed", "interrupted"]:
    return "interrupted" if status == "interrupted" else "failed"
