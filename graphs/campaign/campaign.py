"""A campaign from its cells to their results: what is due is played, what was finished stays, what
fails is tried again for as long as that brings anything."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from ...state.campaign import CellState, WorkerState, cell_of
from ...state.errors import FathomError, RunFailed
from ...state.spec import Spec
from ...tools.runs.index import Index
from ..run.deps import Clock
from ..run.folder import run_name, short_id
from .runner import Limit, Tell

T = TypeVar("T")
WRITE_S = 1.0
"""Time between two writes of the index."""


class Engine(Protocol):
    """Where cells are played."""

    @property
    def slots(self) -> int:
        """How many may go on at once."""
        ...

    @property
    def workers(self) -> Sequence[WorkerState]:
        """What each process is doing."""
        ...

    @property
    def in_flight(self) -> int:
        """What has begun and is not finished: steps of runs, or calls."""
        ...

    async def open(self, begun: Mapping[str, str], tell: Tell) -> None:
        """`begun`: cell → run, of those that were begun before; `tell` hears how cells stand.
        Raises UsageError."""
        ...

    async def play(self, state: CellState, limit: Limit) -> CellState:
        """The cell as it stands when its run has ended. Raises RunFailed when nothing can be played
        any more."""
        ...

    def stop(self) -> None:
        """Let what goes on come to its end; called again: at once."""
        ...

    async def aclose(self) -> None: ...


def in_rounds(cells: Iterable[CellState]) -> list[CellState]:
    """Every domain once before any is repeated."""
    counts, rounds = Counter[tuple[str, str]](), dict[str, int]()
    for state in cells:
        rounds[state.cell] = counts[state.target, state.domain]
        counts[state.target, state.domain] += 1
    return sorted(cells, key=lambda state: rounds[state.cell])


@dataclass
class Campaign:
    """`run` once; `stop` from a signal handler, a second time to hurry."""

    specs: Mapping[str, Spec]
    """Cell → its spec."""
    open_index: Callable[[], Awaitable[Index]]
    limit: Limit = (None, None)
    """Most USD and calls of all cells, earlier sessions included."""
    need: Limit = (None, None)
    """What a cell is expected to take, where that is known."""
    retry_failed: bool = False
    """Those that failed in earlier sessions are tried again."""
    tell: Tell = lambda _: None
    """Hears of every change."""
    clock: Clock = field(default_factory=Clock)
    states: dict[str, CellState] = field(init=False)
    _index: Any = None  # until it is read
    _engine: Engine | None = None
    _unwritten: dict[str, CellState] = field(default_factory=dict)
    _reserved: dict[str, Limit] = field(default_factory=dict)
    _progressed: dict[str, bool] = field(default_factory=dict)
    _stopping: bool = False

    def __post_init__(self) -> None:
        self.states = {cell: cell_of(spec) for cell, spec in self.specs.items()}

    async def read(self) -> Mapping[str, CellState]:
        """The cells as they stand by the index, in the order of the specs. Raises UsageError where
        that fails."""
        self._index = await self.open_index()
        self.states |= await self._index.read(list(self.states))
        return self.states

    @property
    def due(self) -> list[CellState]:
        """The cells that are to be played."""
        settled_states = {"complete"} if self.retry_failed else {"complete", "failed"}
        return [state for state in self.states.values() if state.status not in settled_states]

    def stop(self) -> None:
        """Begin no further cell, and let those under way come to an end; called again: at once."""
        self._stopping = True
        if self._engine is not None:
            self._engine.stop()

    async def aclose(self) -> None:
        """Close the index, if it was read."""
        if self._index is not None:
            await self._index.aclose()

    async def run(self, engine: Engine) -> list[CellState]:
        """Play what is due; all cells as they stand at the end, in the order of the specs. Raises
        UsageError before anything is asked, and RunFailed when nothing can be played any more."""
        due = self.due
        if not due:
            return list(self.states.values())
        runs = {cell: state.run for cell, state in self.states.items() if state.run}
        self._engine = engine
        writing = asyncio.ensure_future(self._write_now_and_then())
        try:
            await engine.open(runs, self._hear)
            due = await self._name_runs(due)
            while due and not self._stopping:
                await self._play(engine, due)
                due = self._to_retry()
        finally:
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)
            await engine.aclose()
            await self._write()
        return list(self.states.values())

    async def _name_runs(self, due: Sequence[CellState]) -> list[CellState]:
        """The cells with their runs, which have their names before they begin: whoever is killed,
        whoever goes on, and two programs that begin the same study, mean the same ones."""
        for state in due:
            if not state.run:
                run = run_name(self.specs[state.cell], self.clock.now(), short_id())
                self._hear(state.model_copy(update={"run": run}))
        if self._unwritten:
            await self._write()
            cells = [state.cell for state in due]
            self.states |= await self._indexed(lambda index: index.read(cells))
        return [self.states[state.cell] for state in due]

    async def _play(self, engine: Engine, due: Iterable[CellState]) -> None:
        waiting, under_way = in_rounds(due), set[asyncio.Task[None]]()
        try:
            while waiting or under_way:
                free = 0 if self._stopping else max(1, engine.slots) - len(under_way)
                for slots in range(min(self._lasting(free), len(waiting)), 0, -1):
                    state = self._next(waiting)
                    waiting.remove(state)
                    self._reserved[state.cell] = self._share(state, slots)
                    under_way.add(asyncio.ensure_future(self._play_cell(engine, state)))
                if not under_way:
                    return
                done, under_way = await asyncio.wait(
                    under_way, return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    task.result()
        finally:
            for task in under_way:
                task.cancel()
            await asyncio.gather(*under_way, return_exceptions=True)

    def _next(self, waiting: Iterable[CellState]) -> CellState:
        """The first of the target that has the fewest under way: one that is slow, or refuses calls,
        does not come to hold all the places."""
        busy = Counter(self.states[cell].target for cell in self._reserved)
        return min(waiting, key=lambda state: busy[state.target])

    async def _play_cell(self, engine: Engine, state: CellState) -> None:
        try:
            after = await engine.play(state, self._reserved[state.cell])
        finally:
            del self._reserved[state.cell]
        self._progressed[state.cell] = (
            after.share > state.share or state.cell not in self._progressed
        )
        self._hear(after)

    def _to_retry(self) -> list[CellState]:
        """What is to be played once more, of what was lost or cut off in this session: for the
        first time, and then for as long as it gets further. All of what is left of a budget goes to
        one cell after the other."""
        moved = [self.states[cell] for cell, moved in self._progressed.items() if moved]
        failed = [state for state in moved if state.status in ("failed", "interrupted")]
        return failed or [state for state in moved if state.status == "partial"][:1]

    # what cells may cost: together never more than the campaign may

    @property
    def _left(self) -> Limit:
        """What no cell has spent or may spend yet."""
        usd, calls = self.limit
        if usd is None and calls is None:
            return self.limit
        done = [state for state in self.states.values() if state.cell not in self._reserved]
        reserved = list(self._reserved.values())
        if usd is not None:
            usd -= sum(state.usd or 0.0 for state in done) + sum(
                amount or 0.0 for amount, _ in reserved
            )
        if calls is not None:
            calls -= sum(state.calls for state in done) + sum(
                amount or 0 for _, amount in reserved
            )
        return usd, calls

    def _lasting(self, free: int) -> int:
        """For how many cells, of so many that could begin, what is left lasts: better some to their
        end than all half way. When it has not lasted for one, nothing is to be lost any more."""
        pairs = zip(self._left, self.need, strict=True)
        lasts = [int(left / need) for left, need in pairs if left is not None and need]
        if not lasts or any(self.states[cell].status == "partial" for cell in self._progressed):
            return free
        return min(
            [free, *lasts] if self._reserved else [free, *(max(1, cells) for cells in lasts)]
        )

    def _share(self, state: CellState, slots: int) -> Limit:
        """Of what is left, what one of so many cells that may begin now may spend, with what it has
        spent before."""
        usd, calls = self._left
        return (
            None if usd is None else (state.usd or 0.0) + max(0.0, usd) / slots,
            None if calls is None else state.calls + max(0, calls) // slots,
        )

    # the index

    def _hear(self, state: CellState) -> None:
        self.states[state.cell] = self._unwritten[state.cell] = state
        self.tell(state)

    async def _write(self) -> None:
        """Write what has changed. Raises RunFailed and UsageError when that cannot be."""
        if not (states := dict(self._unwritten)):
            return
        await self._indexed(lambda index: index.write(states.values()))
        self._unwritten = {
            cell: state
            for cell, state in self._unwritten.items()
            if states.get(cell) is not state
        }

    async def _indexed(self, work: Callable[[Index], Awaitable[T]]) -> T:
        """What the index says to it; asked once more where a database was away, which may be
        back."""
        try:
            return await work(self._index)
        except RunFailed:
            await self._index.aclose()
            self._index = await self.open_index()
            return await work(self._index)

    async def _write_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(WRITE_S)
            with suppress(
                FathomError
            ):  # it is tried again, and at the end it has to be possible
                await self._write()
