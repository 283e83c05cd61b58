"""The runner: several runs at once over one set of clients, from specs to results; new ones, or
ones to go on with."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Generic

from pydantic import BaseModel

from ...state.errors import UsageError
from ...state.events import Event
from ...state.spec import Spec
from ...tools.models.budget import Budget
from ...tools.models.clients import Clients
from ...tools.runs.folders import read_events
from ...tools.runs.journal import Listener
from .deps import fill_pools, fingerprints
from .execute import Execution, R, RunReport
from .folder import RunFolder, hold_launch, short_id
from .options import LaunchOptions
from .resources import PlannedRun, Resources, open_run
from .resume_check import Resumption, differences, opened_budget, require_spec

__all__ = ["GRACE_S", "Launch", "LaunchOptions", "RunReport", "stream"]

GRACE_S = 5.0
"""How long an interrupted launch waits for the probes in flight."""


class Launch(Generic[R]):
    """Several runs over one set of clients. `run` once; `stop` from a signal handler, a second time
    to hurry."""

    def __init__(
        self,
        specs: Sequence[Spec],
        options: LaunchOptions,
        listeners: Sequence[Listener] = (),
        *,
        resumed: Sequence[Resumption] = (),
        launch: str | None = None,
        force: bool = False,
        shared: Resources | None = None,
        folders: Sequence[RunFolder] = (),
    ) -> None:
        """`R` is the kind of result the runs' method has.

        New runs of `specs`, or the runs of `resumed` (then `specs` is empty); `force`: go on with
        them although something has changed. `shared`: what other launches use too, open already and
        left open; `folders`: those of the new runs, held, where they are there already. Raises
        UsageError when there is no run.
        """
        if not specs and not resumed:
            raise UsageError("There is nothing to run: give a spec.")
        self.specs = [*specs, *(resumption.spec for resumption in resumed)]
        self.options = options
        self.id = resumed[0].launch.launch if resumed else launch or short_id()
        self.ended = asyncio.Event()
        self._resumed, self._force = list(resumed), force
        self._listeners = tuple(listeners)
        self._runs: list[PlannedRun] = []
        self._stopping, self._hurry = asyncio.Event(), asyncio.Event()
        self._resources: Resources | None = None
        self._shared, self._folders_there = shared, folders

    def listen(self, listener: Listener) -> None:
        """Tell this one too what happens; before `run`."""
        self._listeners = (*self._listeners, listener)

    def history(self) -> Iterator[Event]:
        """What the runs that are resumed went through before, for a screen that shows them
        whole."""
        for resumption in self._resumed:
            yield from read_events(resumption.folder.path)

    @property
    def clients(self) -> Clients | None:
        """The clients while the launch runs: how many calls are in flight."""
        return self._resources.clients if self._resources else None

    @property
    def probes_in_flight(self) -> int:
        """Probes (and openings) that have begun and are not finished."""
        return sum(run.gate.inside for run in self._runs)

    @property
    def spent(self) -> tuple[float, int]:
        """Dollars, as far as prices are known, and calls of this session."""
        tallies = [run.tally for run in self._runs]
        return sum(tally.usd for tally in tallies), sum(tally.calls for tally in tallies)

    def stop(self) -> None:
        """Let no further probe begin and give those in flight five seconds; called again: stop at
        once."""
        if self._stopping.is_set():
            self._hurry.set()
        self._stopping.set()

    async def run(self) -> list[RunReport[R]]:
        """All runs, in the order of the specs. Raises UsageError before anything is asked."""
        launches = self._shared.launches if self._shared else set[Any]()
        if self._shared:
            self._shared.require_open()
        launches.add(self)
        try:
            async with AsyncExitStack() as stack:
                runs = await self._unless_stopped(self._prepare(stack))
                if runs is None:
                    return [self._not_begun(spec) for spec in self.specs]
                tasks = [asyncio.ensure_future(run.run()) for run in runs]
                del runs  # each goes with its task
                return await self._supervise(tasks)
        finally:
            for resumption in self._resumed:
                resumption.folder.release()
            launches.discard(self)
            self.ended.set()

    async def _unless_stopped(
        self, preparing: Coroutine[Any, Any, list[Execution]]
    ) -> list[Execution] | None:
        """What was prepared; None when the launch was stopped before that (indexing a folder may
        take minutes)."""
        task, stopping = (
            asyncio.ensure_future(preparing),
            asyncio.ensure_future(self._stopping.wait()),
        )
        try:
            await _first(task, stopping)
            return await task if task.done() else None
        finally:
            for future in (task, stopping):
                future.cancel()
            await asyncio.gather(task, stopping, return_exceptions=True)

    def _not_begun(self, spec: Spec) -> RunReport[R]:
        folders = [resumed.folder for resumed in self._resumed if resumed.spec is spec]
        run_id, path = (folders[0].run_id, folders[0].path) if folders else ("", None)
        return RunReport(run_id, spec, "interrupted", None, folder=path)

    async def _prepare(self, stack: AsyncExitStack) -> list[Execution]:
        """Everything that can be refused, in the order of its cost; then the runs."""
        resumed, options = self._resumed, self.options
        new = self.specs[: len(self.specs) - len(resumed)]
        resources = self._resources = self._shared or Resources(self.specs, options, stack)
        with self._folders(new) as folders:
            open_new = partial(open_run, stack, options, self._listeners)
            runs = [open_new(spec, folder) for spec, folder in zip(new, folders, strict=True)]
            runs += [
                open_new(resumption.spec, resumption.folder, resumption)
                for resumption in resumed
            ]
            if self._shared is None:
                await resources.open()
            for run in runs:
                await self._check(resources, run)
            budget = self._open_budget(resources, stack, runs)
            names = resumed[0].launch.runs if resumed else tuple(run.run_id for run in runs)
            record = options.record(self.id, names)
            if resumed:  # the rule is that of the beginning
                record = record.model_copy(update={"policy": resumed[0].launch.policy})
            for run in runs:
                if run.folder:
                    stack.callback(run.folder.release)
                    run.folder.write_launch(record)
        if resumed:  # runs that have begun, complete ones too, lend their pools to the others
            await fill_pools(resources.pools, self._launched())
        self._runs = runs
        return [
            Execution(run, resources.deps(run, budget, options), self._stopping) for run in runs
        ]

    async def _check(self, resources: Resources, run: PlannedRun) -> None:
        """Raises UsageError when something has changed since a resumed run began."""
        if run.resumption is None:
            return
        require_spec(run.resumption)
        run.forced = differences(
            run.resumption, await fingerprints(resources.by_tier(run.spec))
        )
        new = [name for name in run.forced if name not in run.resumption.forced]
        if new and not self._force:
            raise UsageError(
                f"The run {run.run_id} cannot simply go on: {'; '.join(new)}. Undo that, or resume "
                "with --force; the result will say so."
            )
        run.spent_before = resources.spent(run.resumption.folder.path)

    def _open_budget(
        self, resources: Resources, stack: AsyncExitStack, runs: Sequence[PlannedRun]
    ) -> Budget | None:
        """The budget, with what all runs of the launch have spent so far; no other process may
        spend of it now. That of a session is under way."""
        usd, calls = self.options.budget_usd, self.options.max_calls
        if resources.budget is not None or (usd is None and calls is None):
            return resources.budget
        launched, run_ids = self._launched(), {run.run_id for run in runs}
        if self.options.runs and len(launched or runs) > 1:
            stack.enter_context(hold_launch(self.options.runs, self.id))
        spent = [run.spent_before for run in runs if run.resumption]
        spent += [resources.spent(path) for path in launched if path.name not in run_ids]
        return opened_budget(usd, calls, spent)

    @contextmanager
    def _folders(self, specs: Sequence[Spec]) -> Iterator[list[RunFolder | None]]:
        """The folders of new runs, taken away again when one of them or what follows is refused."""
        runs, folders = self.options.runs, list[RunFolder | None](self._folders_there)
        is_first = runs is not None and not runs.exists()
        try:
            for spec in specs[len(folders) :]:
                at, new_id = self.options.clock.now(), self.options.new_id
                folders.append(RunFolder.create(runs, spec, at, new_id) if runs else None)
            yield folders
        except BaseException:  # a stop too: nothing has begun, so nothing is left behind
            for folder in folders:
                if folder:
                    folder.remove()
            if runs and is_first:
                with suppress(OSError):
                    runs.rmdir()
            raise

    def _launched(self) -> list[Path]:
        """The folders of all runs of the launch that is resumed; those that are complete are among
        them."""
        folders = set[Path]()
        for resumption in self._resumed:
            runs = resumption.folder.path.parent
            folders |= {runs / run for run in resumption.launch.runs}
        return sorted(folders)

    async def _supervise(self, tasks: list[asyncio.Task[RunReport[R]]]) -> list[RunReport[R]]:
        """Wait for all runs; when told to stop, give the probes in flight their grace and cancel
        the rest."""
        everything = asyncio.gather(*tasks)  # no report is lost: a run keeps its own troubles
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await _first(everything, stopping)
            if not everything.done():
                await self._let_finish(everything)
                for task in tasks:
                    task.cancel()
            return await everything
        finally:
            stopping.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(everything, *tasks, return_exceptions=True)

    async def _let_finish(self, everything: "asyncio.Future[list[RunReport[R]]]") -> None:
        for run in self._runs:
            run.gate.close()
        empty = asyncio.ensure_future(self._all_idle())
        hurry = asyncio.ensure_future(self._hurry.wait())
        try:
            await _first(everything, empty, hurry, timeout_s=GRACE_S)
        finally:
            empty.cancel()
            hurry.cancel()

    async def _all_idle(self) -> None:
        for run in self._runs:
            await run.gate.wait_empty()


async def _first(*futures: "asyncio.Future[Any]", timeout_s: float | None = None) -> None:
    """Returns when one of them is done, or the time is up."""
    await asyncio.wait(set(futures), timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)


def stream(
    specs: Spec | Sequence[Spec], options: LaunchOptions | None = None
) -> AsyncGenerator[Event, None]:
    """The events of one or several runs as they happen; ends when all have ended, raises UsageError
    at once.

    Leaving the iteration early cancels the runs.
    """
    return events_of(Launch(as_list(specs), options or LaunchOptions()))


def as_list(specs: Spec | Sequence[Spec]) -> Sequence[Spec]:
    """One spec as a list of one."""
    return [specs] if isinstance(specs, BaseModel) else specs


async def events_of(launch: Launch[Any]) -> AsyncGenerator[Event, None]:
    """Run it, and give its events as they happen. Leaving the iteration early cancels the runs."""
    queue: asyncio.Queue[Event | None] = asyncio.Queue()
    launch.listen(queue.put_nowait)
    task = asyncio.ensure_future(launch.run())
    task.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (event := await queue.get()) is not None:
            yield event
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
