"""What a method's graph is bound to when it is built, never taken from the run's context, which may
be a host's; the aspects that the runs of a launch share, and look-ups side by side."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from ...agents.prompt_template import Prompt
from ...state.deepquestion.items import ProblemSet
from ...state.depthqa.items import Material
from ...state.errors import UsageError
from ...state.events import Event, Opened, RunStarted
from ...state.records import Probe
from ...state.spec import DrillSpec, Spec
from ...state.tiers import Tier
from ...tools.facts.base import FactSource, Whole
from ...tools.flight import SingleFlight
from ...tools.models.budget import Budget
from ...tools.models.chat import Chat
from ...tools.models.pricing import PriceList
from ...tools.runs.folders import read_events
from ...tools.runs.journal import Sink
from ...tools.similarity import LexicalSimilarity, Similarity


@dataclass(frozen=True, slots=True)
class Pool:
    """The aspects of a domain, and per call how many were asked for, given and new."""

    aspects: tuple[str, ...]
    account: str = ""


Pools = SingleFlight[tuple[str, ...], Pool]
"""Aspects by domain, evaluator and everything else that decides them: named once for all runs of a
launch."""


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """The only clock of a run: wall time for records, monotonic seconds for durations."""

    now: Callable[[], datetime] = utc_now
    seconds: Callable[[], float] = time.monotonic


class Gate:
    """Lets probes in until it is closed; those inside may finish, later ones wait to be
    cancelled."""

    def __init__(self) -> None:
        self._closed = False
        self.inside = 0
        """How many are inside."""
        self._empty = asyncio.Event()
        self._cut = asyncio.Event()
        self.reason = ""
        """Why the gate was cut; empty when it was not."""

    def close(self) -> None:
        self._closed = True
        if self.inside == 0:
            self._empty.set()

    def cut(self, reason: str) -> None:
        """Close the gate because the run cannot go on as it is; those inside may finish."""
        self.reason = self.reason or reason
        self.close()
        self._cut.set()

    async def wait_cut(self) -> None:
        """Returns when the gate was cut and nobody is inside."""
        await self._cut.wait()
        await self._empty.wait()

    async def wait_empty(self) -> None:
        """Returns when the gate is closed and nobody is inside."""
        await self._empty.wait()

    async def pass_through(self) -> None:
        """Returns at once while the gate is open; never when it is closed (the runner cancels who
        waits here)."""
        if self._closed:
            await asyncio.Event().wait()

    async def __aenter__(self) -> None:
        await self.pass_through()
        self.inside += 1

    async def __aexit__(self, *exc: object) -> None:
        self.inside -= 1
        if self._closed and self.inside == 0:
            self._empty.set()


def require_names(spec: Spec, bound: Mapping[str, str]) -> None:
    """Raises UsageError unless the spec names the bound models (role → name): a result must not
    mislabel what it measured."""
    for role, name in bound.items():
        if getattr(spec, role) != name:
            raise UsageError(
                f"The spec's {role} is {getattr(spec, role)!r} but the graph is bound to "
                f"{name!r}; name the same."
            )


def require_bound(deps: "DrillDeps", spec: DrillSpec) -> None:
    """Raises UsageError unless the spec names the bound models: a result must not mislabel what it
    measured."""
    require_names(
        spec, {role: getattr(deps, role).name for role in ("target", "evaluator", "judge")}
    )
    unserved = [tier.value for tier in spec.facts if not deps.sources.get(tier)]
    if unserved:
        raise UsageError(
            f"The spec names fact sources for {', '.join(unserved)}, but the graph is bound "
            "to none there."
        )


@dataclass(frozen=True, slots=True)
class DrillDeps:
    """Models, sources, sink and clock of one run. An EQT's examiner is bound as `evaluator`, and it
    has no sources."""

    target: Chat
    evaluator: Chat
    judge: Chat
    sources: Mapping[Tier, Sequence[FactSource]]
    sink: Sink
    prompts: Mapping[str, Prompt]
    clock: Clock = field(default_factory=Clock)
    gate: Gate = field(default_factory=Gate)
    budget: Budget | None = None
    """The budget of the launch; None: there is none."""
    questions: Mapping[str, Sequence[Probe]] = field(default_factory=dict)
    """For replays: digest of the questions → the probes of the drill they come from."""
    generator: Chat | None = None
    """Who drafts and writes in DeepQuestion; None: nobody, or the evaluator."""
    material: Material | None = None
    """What a DepthQA run that begins asks about."""
    problems: ProblemSet | None = None
    """What a DeepQuestion run that begins asks about."""
    similarity: Similarity = field(default_factory=LexicalSimilarity)
    """What tells which questions are alike, for building a DepthQA graph."""
    prices: PriceList = field(default_factory=PriceList)
    """What calls cost, for the budget."""
    connections: int = 200
    """Calls that may be in flight at once; how many concepts of an EQT are worked on side by side
    follows from it."""
    pools: Pools = field(default_factory=lambda: SingleFlight(keep=1000))
    remarks: Callable[[], Sequence[str]] = tuple
    """What went wrong beside the run without touching its numbers, in sentences for the result's
    notes."""
    notices: Sequence[str] = ()
    """What the user should know when the run begins, such as files of a folder that were passed
    over."""
    stream: bool = True
    """Also write each event to LangGraph's custom stream, for hosts."""

    async def emit(self, event: Event) -> None:
        """Returns when the event is safe in the sink. A host sees it as a custom event, as JSON,
        with number and time."""
        kept = await self.sink.emit(event)
        if self.stream:
            from langgraph.config import get_stream_writer  # heavy: options are read without it

            get_stream_writer()((kept or event).model_dump(mode="json"))

    def bound(self, role: str) -> Chat:
        """The model in a role."""
        own = {"target": self.target, "judge": self.judge, "generator": self.generator}
        return own.get(role) or self.evaluator


def caveats(deps: DrillDeps) -> tuple[str, ...]:
    """What a model's client could not send as asked, such as a seed, and what else is to be said of
    the run."""
    chats = {
        chat.name: chat
        for chat in (deps.target, deps.generator or deps.evaluator, deps.evaluator, deps.judge)
    }
    sent = [
        f"{name}: {caveat}."
        for name, chat in chats.items()
        for caveat in getattr(chat, "caveats", ())
    ]
    return (*sent, *deps.remarks())


async def fingerprints(sources: Mapping[Tier, Sequence[FactSource]]) -> dict[str, str]:
    """Source → digest of its content, for those that can be read whole. Raises SourceFailed."""
    every = {source.name: source for own in sources.values() for source in own}
    return {
        name: await source.fingerprint()
        for name, source in sorted(every.items())
        if isinstance(source, Whole)
    }


PoolKey = tuple[str, ...]


def pool_key(spec: DrillSpec, prompts: Mapping[str, Prompt]) -> PoolKey:
    """Everything that decides a pool."""
    return (
        spec.domain,
        spec.language,
        spec.evaluator,
        str(pool_seed(spec)),
        str(spec.pool),
        prompts["aspects"].digest,
    )


def pool_seed(spec: DrillSpec) -> int:
    """The seed a pool is named with: all repeats share it."""
    return spec.seed if spec.pool_seed is None else spec.pool_seed


async def fill_pools(pools: Pools, journals: Iterable[Path], prompts: Mapping[str, Prompt]) -> None:
    """Take over the pools that earlier sessions drew from: runs that have not begun share them with
    those that have."""
    for folder in journals:
        spec: DrillSpec | None = None
        for event in read_events(folder):
            if isinstance(event, RunStarted):
                spec = event.spec if event.spec.method == "drill" else None
            if isinstance(event, Opened) and spec is not None:
                await pools.get(pool_key(spec, prompts), partial(_given, Pool(event.aspects)))
                break


async def _given(pool: Pool) -> Pool:
    return pool


async def together(*work: Awaitable[Any]) -> list[Any]:
    """Results in the order given; when one raises, the others are cancelled and awaited before it
    is raised."""
    tasks = [asyncio.ensure_future(w) for w in work]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
