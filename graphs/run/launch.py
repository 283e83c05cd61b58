"""The runner: several runs at once over one set of clients, from specs to results; new ones, or
ones to go on with."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Generic

from pydantic import BaseModel

from ...state.events import Event
from ...state.spec import Spec
from ...tools.models.budget import Budget
from ...tools.models.clients import Clients
from ...tools.models.pricing import Tally
from ...tools.runs.folders import read_events
from ...tools.runs.journal import Listener
from .deps import Gate, fill_pools, fingerprints
from .execute import Execution, R, RunReport, Session, spent_with
from .folder import RunFolder, hold_launch, short_id
from .options import LaunchOptions, only_once, require
from .resources import Outputs, Resources, open_outputs
from .resume_check import Resumption, differences, opened_budget, refuse

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

        New runs of `specs`, or the runs of `resumed` (then `specs` is empty, and `launch` is their
        launch's id); `force`: go on with them although something has changed. `shared`: what other
        launches use too, open already and left open; `folders`: those of the new runs, held, where
        they are there already. Raises UsageError when there is no run, or what is no spec or no
        options.
        """
        require(specs=None if resumed and not specs else specs or (), options=options)
        self.specs = [*specs, *(resumption.spec for resumption in resumed)]
        self.options = options
        self.id = launch or short_id()
        self._resumed, self._force = list(resumed), force
        self._listeners = tuple(listeners)
        self._gates: list[Gate] = []
        self._tallies: list[Tally] = []
        self._made: list[RunFolder] = []
        self._stopping, self._hurry = asyncio.Event(), asyncio.Event()
        self._resources: Resources | None = None
        self._shared, self._there = shared, folders
        self._budget: Budget | None = None

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
        return sum(gate.inside for gate in self._gates)

    @property
    def spent(self) -> tuple[float, int]:
        """Dollars, as far as prices are known, and calls of this session."""
        return sum(tally.usd for tally in self._tallies), sum(
            tally.calls for tally in self._tallies
        )

    def stop(self) -> None:
        """Let no further probe begin and give those in flight five seconds; called again: stop at
        once."""
        if self._stopping.is_set():
            self._hurry.set()
        self._stopping.set()

    async def run(self) -> list[RunReport[R]]:
        """All runs, in the order of the specs. Raises UsageError before anything is asked."""
        try:
            async with AsyncExitStack() as stack:
                runs = await self._unless_stopped(self._prepare(stack))
                if runs is None:
                    return [self._not_begun(spec) for spec in self.specs]
                tasks = [asyncio.ensure_future(run.run()) for run in runs]
                del runs  # each goes with its task
                return self._unless_futile(await self._supervise(tasks))
        finally:
            for resumption in self._resumed:
                resumption.folder.release()

    def _unless_futile(self, reports: list[RunReport[R]]) -> list[RunReport[R]]:
        """The reports. Where all runs of a new launch failed before anything was answered (a wrong
        address, a wrong key), there is nothing to go on with or to look at: they leave no folder.
        """
        if (
            self._resumed
            or any(tally.replies for tally in self._tallies)
            or not all(r.futile for r in reports)
        ):
            return reports
        for folder in reversed(self._made):
            folder.remove()
        return [replace(report, folder=None) for report in reports]

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
        held = next(
            (resumption.folder for resumption in self._resumed if resumption.spec is spec), None
        )
        return RunReport(
            held.run_id if held else "",
            spec,
            "interrupted",
            None,
            folder=held.path if held else None,
        )

    async def _prepare(self, stack: AsyncExitStack) -> list[Execution]:
        """Everything that can be refused, in the order of its cost; then the runs."""
        new, taken = self.specs[: len(self.specs) - len(self._resumed)], self._resumed
        resources = self._resources = self._shared or Resources(
            self.specs, self.options, stack, new=not taken
        )
        with self._folders(new) as folders:
            place = partial(open_outputs, stack, self.options, self._listeners)
            all_outputs = [place(spec, folder) for spec, folder in zip(new, folders, strict=True)]
            all_outputs += [place(r.spec, r.folder, r) for r in taken]
            for outputs in all_outputs:
                stack.enter_context(only_once(self.options.runs, outputs.run_id))
            if self._shared is None:
                await resources.open()
            sessions = [await self._session(resources, outputs) for outputs in all_outputs]
            self._open_budget(resources, stack, all_outputs, sessions)
            names = (
                taken[0].launch.runs if taken else tuple(outputs.run_id for outputs in all_outputs)
            )
            record = self.options.record(self.id, names)
            if taken:  # the rule is that of the beginning
                record = record.model_copy(update={"policy": taken[0].launch.policy})
            for outputs in all_outputs:
                if outputs.folder:
                    stack.callback(outputs.folder.release)
                    outputs.folder.write_launch(record)
        await self._fill_pools(resources, taken)
        return [self._one(resources, *place) for place in zip(all_outputs, sessions, strict=True)]

    def _open_budget(
        self,
        resources: Resources,
        stack: AsyncExitStack,
        all_outputs: Sequence[Outputs],
        sessions: Sequence[Session | None],
    ) -> None:
        """Set the budget going, with what all runs of the launch have spent so far; no other
        process may do so now. That of a session is under way."""
        if resources.budget is not None:
            self._budget = resources.budget
            return
        usd, calls = self.options.budget_usd, self.options.max_calls
        if usd is None and calls is None:
            return
        if self.options.runs and len(self._launched() or all_outputs) > 1:
            stack.enter_context(hold_launch(self.options.runs, self.id))
        others = {
            path
            for path in self._launched()
            if path.name not in {outputs.run_id for outputs in all_outputs}
        }
        spent = [*(s.spent for s in sessions if s), *(resources.spent(path) for path in others)]
        self._budget = opened_budget(usd, calls, spent)

    @contextmanager
    def _folders(self, specs: Sequence[Spec]) -> Iterator[list[RunFolder | None]]:
        """The folders of new runs, taken away again when one of them or what follows is refused."""
        runs, made = self.options.runs, list[RunFolder | None](self._there)
        try:
            for spec in specs[len(made) :]:
                now, new_id = self.options.clock.now(), self.options.new_id
                made.append(RunFolder.create(runs, spec, now, new_id) if runs else None)
            yield made
            self._made = [folder for folder in made if folder]
        except BaseException:  # a stop too: nothing has begun, so nothing is left behind
            for folder in reversed(made):  # the first one has made the folder of them all
                if folder:
                    folder.remove()
            raise

    async def _session(self, resources: Resources, outputs: Outputs) -> Session | None:
        """What a resumed run is told; None for a new one. Raises UsageError when something has
        changed."""
        if outputs.resumption is None:
            return None
        found = differences(outputs.resumption, await fingerprints(resources.by_tier(outputs.spec)))
        new = [difference for difference in found if difference not in outputs.resumption.forced]
        refuse(outputs.resumption, new, force=self._force)
        spent = resources.spent(outputs.resumption.folder.path)
        return Session(
            forced=found,
            reopens=outputs.resumption.reopens,
            spent=spent,
        )

    async def _fill_pools(self, resources: Resources, taken: Sequence[Resumption]) -> None:
        """Runs of this launch that have begun, those that are complete included, lend their pools
        to the others."""
        if taken:
            await fill_pools(
                resources.pools, self._launched(), resources.prompts[taken[0].spec.digest]
            )

    def _launched(self) -> list[Path]:
        """The folders of all runs of the launch that is resumed; those that are complete are among
        them."""
        folders = set[Path]()
        for resumption in self._resumed:
            runs = resumption.folder.path.parent
            folders |= {runs / run for run in resumption.launch.runs}
        return sorted(folders)

    def _one(self, resources: Resources, outputs: Outputs, session: Session | None) -> Execution:
        gate, tally = Gate(), Tally()
        self._gates.append(gate)
        self._tallies.append(tally)
        return Execution(
            outputs.run_id,
            outputs.spec,
            resources.deps(
                outputs.spec, outputs.run_id, outputs.sink, gate, tally, self._budget, self.options
            ),
            outputs.folder,
            self._stopping,
            self.options.max_concurrency,
            session=session,
            spent=partial(spent_with, session.spent if session else (0.0, 0), tally),
            ended=outputs.ended,
        )

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
        for gate in self._gates:
            gate.close()
        empty = asyncio.ensure_future(_all_empty(self._gates))
        hurry = asyncio.ensure_future(self._hurry.wait())
        try:
            await _first(everything, empty, hurry, timeout_s=GRACE_S)
        finally:
            empty.cancel()
            hurry.cancel()


async def _first(*futures: "asyncio.Future[Any]", timeout_s: float | None = None) -> None:
    """Returns when one of them is done, or the time is up."""
    await asyncio.wait(set(futures), timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)


async def _all_empty(gates: Sequence[Gate]) -> None:
    for gate in gates:
        await gate.wait_empty()


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
