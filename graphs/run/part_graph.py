"""The nodes that graphs have in common whose runs consist of parts (concepts, trees, problems): how
a run begins, goes on behind a host's checkpoint, pays for a part, and ends."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Generic, TypeVar

import structlog

from ...state.channels import Stop
from ...state.errors import BudgetSpent
from ...state.spec import SPEC
from ...tools.models.chat import Payer
from ..method import result_of
from ..step import admitted
from .deps import (
    RunDeps,
    begin,
    caveats,
    last_begin,
    require_bound,
    wait_for_cancel,
    wait_while_stopping,
)
from .due import PlannedCall, part_cost
from .record import RunRecord, ending, record_now, with_causes_told

P = TypeVar("P")


class PartNodes(Generic[P]):
    """Nodes bound to their dependencies. A method says what the parts of a run are played with
    (`P`) and how it stops; it begins a run with `begin`, and plays each part in
    `play_part` with what `paid` gives."""

    def __init__(self, deps: RunDeps) -> None:
        self.deps = deps
        self._plays: dict[str, P] = {}
        """By run: a host may have several under way."""
        self._at_work = 0
        self._spent = ""
        """Why no further part fits the budget."""

    def prepare(self, spec: Any, run_id: str) -> P:
        """What all parts of a run are played with. Raises UsageError where something for that is
        missing."""
        raise NotImplementedError

    def stop_of(self, play: P, record: RunRecord) -> Stop:
        """How a run ends that has asked all it could."""
        raise NotImplementedError

    def about(self, play: P) -> dict[str, Any]:
        """What the run asks about, for its journal."""
        return {}

    async def begin(self, state: Any, steps: int) -> P:
        """Begin the run, or go on with it. `steps`: supersteps at most."""
        spec, run_id = SPEC.validate_python(state["spec"]), state["run_id"]
        require_bound(self.deps, spec)
        play = self._plays[run_id] = self.prepare(
            spec, run_id
        )  # an earlier one is of a run that a host has broken off
        await begin(self.deps, run_id, spec, steps, **self.about(play))
        return play

    def playing(self, run_id: str) -> P:
        """The run's play, also where a checkpoint lies behind `begin`. Raises RunFailed as `begun`
        does."""
        if run_id not in self._plays:
            self._plays[run_id] = self.prepare(last_begin(self.deps, run_id).spec, run_id)
        return self._plays[run_id]

    async def play_part(
        self, run_id: str, part: int, work: Callable[[], Awaitable[None]], **named: str
    ) -> bool:
        """Play a part unless it has closed; whether the budget left room for it. `named`: what its
        log lines say."""
        memory = self.deps.sink.run(run_id)
        if part in memory.parts and part not in memory.reopened:
            return True
        with structlog.contextvars.bound_contextvars(**named):
            try:
                await work()
                return True
            except BudgetSpent as spent:
                self._spent = self._spent or str(spent)
        self._cut_when_idle()
        return False

    async def wait_unless(self, *finished: bool) -> dict[str, Any]:
        """The node's update when all its parts have been played; else it waits for the run to be
        cut off."""
        return {} if all(finished) else await wait_for_cancel()

    @asynccontextmanager
    async def paid(self, left: Sequence[PlannedCall]) -> AsyncIterator[Payer | None]:
        """Room in the budget for what is left of a part; for nothing none is needed. Raises
        BudgetSpent."""
        await self.deps.gate.pass_through()
        async with admitted(
            self.deps.budget if left else None, lambda: part_cost(self.deps, left)
        ) as payer:
            self._at_work += 1
            try:
                yield payer
            finally:
                self._at_work -= 1
                self._cut_when_idle()

    def _cut_when_idle(self) -> None:
        """Once the budget is used up, those who were admitted finish; then the run is cut off."""
        if self._spent and not self._at_work:
            self.deps.gate.cut(self._spent)

    async def step_paid(
        self, work: Callable[[], Awaitable[None]], **named: str
    ) -> dict[str, Any]:
        """A step that stands by itself; where the budget has no room for it, the run is cut off at
        once."""
        with structlog.contextvars.bound_contextvars(**named):
            try:
                await work()
                return {}
            except BudgetSpent as spent:
                self.deps.gate.cut(str(spent))
        return await wait_for_cancel()

    async def finish(self, state: Any) -> dict[str, Any]:
        """The result, from what the journal holds."""
        sink, run_id = self.deps.sink, state["run_id"]
        await wait_while_stopping(self.deps, run_id)
        play = self.playing(run_id)
        unknown, at, remarks = (
            Stop(reason="all_asked", detail=""),
            self.deps.clock.now(),
            caveats(self.deps),
        )
        event = ending(sink, run_id, at, "complete", unknown, remarks)
        record = record_now(
            sink, run_id, event
        )  # the journal is read once: a large run's takes seconds
        event = ending(sink, run_id, at, "complete", self.stop_of(play, record), remarks)
        record = with_causes_told(replace(record, finished=event))
        result = await asyncio.to_thread(result_of, record)
        await self.deps.emit(record.finished.model_copy(update={"cost_usd": result.cost_usd}))
        sink.forget(run_id)
        self._plays.pop(run_id, None)
        return {"result": result.model_dump(mode="json", by_alias=True)}
