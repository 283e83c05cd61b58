"""What all runs of a launch share: clients, simulated world, sources, cache, budget; what each run
is bound to, and where its events and its log go."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import structlog

from ...state.errors import UsageError
from ...state.records import BESIDE, Call
from ...state.spec import Spec, WorldSpec
from ...state.tiers import Tier
from ...tools.cache.store import Store
from ...tools.facts.base import FactSource, Whole
from ...tools.facts.coverage import cover, covered
from ...tools.facts.plan import kind_of
from ...tools.facts.registry import Sources, cached_source
from ...tools.flight import SingleFlight
from ...tools.models.address import parse_model
from ...tools.models.budget import Budget
from ...tools.models.chat import Chat
from ...tools.models.clients import Clients, connections_that_fit
from ...tools.models.model import BoundModel
from ...tools.models.pricing import PriceList, Tally
from ...tools.models.providers import PROVIDERS
from ...tools.net import preload
from ...tools.offline import check_offline
from ...tools.runs.journal import Journal, Listener, MemorySink, Sink
from ...tools.runs.log import RunLog, get_logger
from ...tools.similarity import LexicalSimilarity, Similarity, similarity_of
from ..method import prompts_of
from .checks import check_embeddings, check_persona
from .deps import Gate, Pools, RunDeps
from .folder import RunFolder, run_name
from .options import LaunchOptions
from .resume_check import Resumption, Spent, most, spent_by

M = TypeVar("M")
NO_WORLD = "http://127.0.0.1:0/v1"
"""Stands for the simulated world's address while only names and keys are looked at."""


class Resources:
    """Closed by the stack it was given; of a launch it takes the specs at once, of a session as
    they come."""

    def __init__(
        self,
        specs: Sequence[Spec],
        options: LaunchOptions,
        stack: AsyncExitStack,
        at_once: int | None = None,
    ) -> None:
        """Whatever can be refused without touching anything. `at_once`: runs that go on side by
        side, if not all. Raises UsageError."""
        self.options, self._stack = options, stack
        self._specs = dict[str, Spec]()
        self.prices = PriceList.parse(options.prices, options.env)
        self.limits = replace(
            options.limits, most_connections=connections_that_fit(at_once or len(specs))
        )
        self.clients = Clients(options.env, self.limits)
        stack.push_async_callback(self.clients.aclose)
        self.pools: Pools = SingleFlight(keep=1000)
        stack.push_async_callback(self.pools.aclose)
        self.budget: Budget | None = None
        """That of all launches of a session; each other launch has its own."""
        self.launches = set[Any]()
        """Those that are under way with them."""
        self._closed = False
        self._world: str | None = None
        self._sources: dict[str, Sources] = {}
        self._notices: dict[tuple[str, str], str] = {}
        self._found: dict[tuple[str, str], FactSource] = {}
        self._covered: list[str] = []
        self._similar: dict[str, Similarity] = {}
        self.admit(specs)

    def admit(self, specs: Sequence[Spec]) -> None:
        """Take specs in, those that are new. Raises UsageError for what is refused without touching
        anything."""
        options = self.options
        models = [name for spec in specs for name in spec.models.values()]
        measures = [name for spec in specs for name in spec.embeddings]
        for spec in specs:
            prompts_of(spec)
        if options.budget_usd is not None:
            self.prices.require(models)
        for name in models:
            check_persona(name)
        for name in measures:
            check_embeddings(name)
        if options.offline:
            names = {*models, *measures}
            sources = {name for spec in specs for name in spec.sources}
            check_offline(sorted(names), sorted(sources), options.env)
        for name in models:
            self.clients.get(name)
        for name in measures:
            self.similarity(name)
        together = self._specs | {spec.digest: spec for spec in specs}
        if len({spec.world for spec in together.values() if spec.world}) > 1:
            raise UsageError(
                "All runs of one launch share one simulated world; start the others on their own."
            )
        self._specs = together

    async def open(self) -> None:
        """Open the cache, then what the specs need. Raises UsageError."""
        options, clock = self.options, self.options.clock.now
        self.store = (
            await Store.open(options.cache, now=clock)
            if options.cache
            else Store.memory(now=clock)
        )
        self._stack.push_async_callback(self.store.aclose)
        await self.supply([*self._specs.values()])

    async def supply(self, specs: Sequence[Spec]) -> None:
        """Start the simulated world and find the sources, as far as these specs need them and they
        are not there yet. Raises UsageError."""
        await preload({kind_of(name) for spec in specs for name in spec.sources})
        if any(spec.own_world for spec in specs):
            await self.start_world(
                next((spec.world for spec in specs if spec.world), WorldSpec())
            )
        for spec in specs:
            for name in spec.sources:
                await self.source(_language(spec), name)
            for name in spec.embeddings:
                self._similar[name] = self.similarity(name)
        first: Any = specs[0] if specs else None
        if getattr(first, "facts", None) and getattr(first, "topics", None):
            # all runs of a launch have the same
            self._covered = covered(await cover(self._sources[first.language], first))

    def require_open(self) -> None:
        """Raises UsageError once they are closed."""
        if self._closed:
            raise UsageError("The session is over: use it within its `async with` block.")

    async def interrupt(self) -> None:
        """Let no further launch begin, interrupt those under way, and wait until they are kept."""
        self._closed = True
        launches = [*self.launches]
        for launch in launches:
            launch.stop()
        await asyncio.gather(*(launch.ended.wait() for launch in launches))

    def _opened_sources(self, language: str) -> Sources:
        options = self.options
        sources = Sources(
            options.env,
            sim_url=self._world,
            language=language,
            clock=options.clock.now,
            max_connections=self.limits.connections(),
            time_limit_s=min(30.0, options.limits.timeout_s),
            data=options.data,
        )
        self._stack.push_async_callback(sources.aclose)
        return sources

    def deps(self, run: "PlannedRun", budget: Budget | None, options: LaunchOptions) -> RunDeps:
        """The dependencies of one run. `options`: those of its launch, which hold its questions."""
        spec, sink = run.spec, run.sink
        accounted: set[str] = {
            call.request for call in _calls(sink, run.run_id) if call.request
        }

        def bound(name: str) -> BoundModel:
            return BoundModel(
                self.clients.get(name),
                self.prices,
                run.tally,
                self.store,
                run.run_id,
                accounted,
            )

        anchors: dict[str, Chat] = {
            role: bound(name) for role, name in spec.models.items() if role in BESIDE
        }
        notices = [self._notices.get((_language(spec), name)) for name in spec.sources]
        return RunDeps(
            **{field: bound(name) for field, name in deps_roles(spec.models).items()},
            anchors=anchors,
            sources=self.by_tier(spec),
            sink=sink,
            prompts=prompts_of(spec),
            clock=options.clock,
            gate=run.gate,
            budget=budget,
            prices=self.prices,
            connections=self.clients.capacity,
            questions=options.questions,
            similarity=next(
                (self._similar[name] for name in spec.embeddings), LexicalSimilarity()
            ),
            material=options.materials.get(getattr(spec, "material", "")),
            problems=options.problem_sets.get(getattr(spec, "material", "")),
            notices=[*filter(None, notices), *self._covered],
            pools=self.pools,
            remarks=partial(self._remarks, spec),
            stream=False,
        )

    def spent(self, path: Path) -> Spent:
        """USD and calls the run in a folder has used so far: what its journal tells, or the cache
        when that is more."""
        calls, usd = self.store.spent(path.name)
        return most(spent_by(path, cached=self.options.cache is not None), (usd, calls))

    def by_tier(self, spec: Spec) -> Mapping[Tier, Sequence[FactSource]]:
        """The sources of each tier of a drill; of another method none."""
        facts: Mapping[Tier, Sequence[str]] = getattr(spec, "facts", {})
        return {
            tier: [self._found[_language(spec), name] for name in names]
            for tier, names in facts.items()
        }

    async def source(self, language: str, name: str) -> FactSource:
        """A source behind the cache; it has read beforehand what it has to. Raises UsageError."""
        if (language, name) in self._found:
            return self._found[language, name]
        if language not in self._sources:
            self._sources[language] = self._opened_sources(language)
        (source,) = self._sources[language].for_tier([name])
        if isinstance(source, Whole):
            await source.prepare()
            notice: str | None = getattr(source, "notice", None)
            if notice:
                self._notices[language, name] = notice
        self._found[language, name] = cached_source(source, self.store)
        return self._found[language, name]

    def similarity(self, name: str) -> Similarity:
        """What tells which questions are alike. Raises UsageError."""
        return similarity_of(
            name, self.options.env, self.clients.sim_url or NO_WORLD, limits=self.limits
        )

    def _remarks(self, spec: Spec) -> tuple[str, ...]:
        trouble = self.store.trouble
        paid = [name for name in spec.embeddings if costs(name)]
        return (
            *([f"The cache could not keep everything: {trouble}"] if trouble else []),
            *(f"What the embeddings of {name} cost is not counted." for name in paid),
        )

    async def start_world(self, world: WorldSpec) -> None:
        """Start the simulated world, unless it is there."""
        if self._world is not None:
            return
        from ...sim.server import start  # heavy: only where there is a simulated world

        running = await start(world, self.options.timing)
        self._stack.push_async_callback(running.aclose)
        self.clients.sim_url = running.api_url
        self._world = running.base_url
        self._sources.clear()  # those made before cannot reach it


def deps_roles(by_role: Mapping[str, M]) -> dict[str, M]:
    """Field of `RunDeps` → what is bound to it, by what each role of a method is bound to. Who is
    asked nothing needs no model of his own: another role's stands in."""
    ranked = ("judge", "evaluator", "examiner", "target")
    stand_in = next(by_role[role] for role in ranked if role in by_role)
    writer = by_role.get("examiner") or by_role.get("evaluator") or stand_in
    fields = {
        "target": by_role.get("target", stand_in),
        "evaluator": writer,
        "judge": by_role.get("judge", writer),
    }
    return fields | ({"generator": by_role["generator"]} if "generator" in by_role else {})


def _language(spec: Spec) -> str:
    return getattr(spec, "language", "en")


def costs(name: str) -> bool:
    """Whether calls to a model may cost money."""
    provider = PROVIDERS.get(parse_model(name).provider)
    return provider is None or not provider.free


def _calls(sink: Sink, run_id: str) -> list[Call]:
    memory = sink.run(run_id)
    calls = [*(memory.opened.calls if memory.opened else ()), *memory.look_up_calls]
    for item in (*sink.probes(run_id), *sink.items(run_id)):
        calls += item.calls
    return calls


@dataclass(slots=True)
class PlannedRun:
    """A run of a launch, and what it writes to. `folder` is None for a run that is kept in memory,
    `resumption` for a new one."""

    spec: Spec
    run_id: str
    folder: RunFolder | None
    resumption: Resumption | None
    sink: MemorySink
    gate: Gate = field(default_factory=Gate)
    tally: Tally = field(default_factory=Tally)
    """What this session pays."""
    forced: tuple[str, ...] = ()
    """Differences to the start of a resumed run that are overridden."""
    spent_before: Spent = (0.0, 0)
    """What earlier sessions have paid."""

    @property
    def finished(self) -> tuple[int, int] | None:
        """What was finished when the run's last event was written."""
        return self.sink.done.get(self.run_id)

    @property
    def spent(self) -> Spent:
        """What was paid in all sessions; USD None when a price is unknown."""
        usd, calls = self.spent_before
        is_known = usd is not None and self.tally.known
        return (
            usd + self.tally.usd if is_known and usd is not None else None,
            calls + self.tally.calls,
        )


def open_run(
    stack: AsyncExitStack,
    options: LaunchOptions,
    listeners: Sequence[Listener],
    spec: Spec,
    folder: RunFolder | None,
    resumption: Resumption | None = None,
) -> PlannedRun:
    """Open what the run writes to; `stack` closes it. Raises UsageError when that cannot be
    written."""
    clock = options.clock.now
    if folder is None:
        run_id, sink = run_name(spec, clock(), options.new_id()), MemorySink(clock, listeners)
    else:
        run_id, sink = folder.run_id, _open_journal(stack, options, listeners, folder)
        if resumption and (bytes_cut := sink.reload()):
            with structlog.contextvars.bound_contextvars(run=run_id):
                get_logger().warning(
                    "a line that was being written when the run ended was cut off",
                    bytes=bytes_cut,
                )
    return PlannedRun(spec, run_id, folder, resumption, sink)


def _open_journal(
    stack: AsyncExitStack,
    options: LaunchOptions,
    listeners: Sequence[Listener],
    folder: RunFolder,
) -> Journal:
    journal = Journal(folder.events, options.clock.now, listeners, copy=options.copy)
    stack.callback(journal.close)
    log = RunLog(folder.log, folder.run_id)
    log.attach()
    stack.callback(log.detach)
    return journal
