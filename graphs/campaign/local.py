"""A campaign in this process."""

from collections.abc import Mapping, Sequence

from ...state.campaign import CellState, WorkerState
from ...state.spec import Spec
from ...tools.runs.journal import Listener
from ..run.options import LaunchOptions
from .cell import Told
from .runner import CellRunner, Limit

AT_ONCE = 32
"""Cells side by side in one process: enough to keep its connections busy, few enough for its
memory."""


class LocalEngine:
    """Plays all cells here. `listeners` hear every event of their runs."""

    def __init__(
        self,
        specs: Mapping[str, Spec],
        options: LaunchOptions,
        *,
        store: str | None = None,
        listeners: Sequence[Listener] = (),
    ) -> None:
        self._specs, self._options, self._store, self._listeners = specs, options, store, listeners
        self._runner: CellRunner | None = None

    @property
    def slots(self) -> int:
        return AT_ONCE

    @property
    def workers(self) -> Sequence[WorkerState]:
        return [self._runner.now] if self._runner else []

    @property
    def in_flight(self) -> int:
        return self._runner.probes_in_flight if self._runner else 0

    async def open(self, begun: Mapping[str, str], tell: Told) -> None:
        self._runner = CellRunner(
            self._specs,
            self._options,
            tell,
            at_once=AT_ONCE,
            store=self._store,
            listeners=self._listeners,
        )
        await self._runner.open(begun)

    async def play(self, state: CellState, limit: Limit) -> CellState:
        assert self._runner is not None  # opened
        return await self._runner.play(state, limit)

    def stop(self) -> None:
        if self._runner is not None:
            self._runner.stop()

    async def aclose(self) -> None:
        if self._runner is not None:
            await self._runner.aclose()
