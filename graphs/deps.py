"""What a drill's graph is bound to when it is built; never taken from the run's context, which may be a host's."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..agents.prompting import Prompt
from ..state.errors import UsageError
from ..state.spec import DrillSpec
from ..state.tiers import Tier
from ..tools.facts.base import FactSource
from ..tools.journal import Sink
from ..tools.models.chat import Chat


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """The only clock of a run: wall time for records, monotonic seconds for durations."""

    now: Callable[[], datetime] = utc_now
    seconds: Callable[[], float] = time.monotonic


class Gate:
    """Lets probes in until it is closed; those inside may finish, later ones wait to be cancelled."""

    def __init__(self) -> None:
        self._closed = False
        self._inside = 0
        self._empty = asyncio.Event()

    @property
    def inside(self) -> int:
        """How many are inside."""
        return self._inside

    def close(self) -> None:
        self._closed = True
        if self._inside == 0:
            self._empty.set()

    async def wait_empty(self) -> None:
        """Returns when the gate is closed and nobody is inside."""
        await self._empty.wait()

    async def pass_through(self) -> None:
        """Returns at once while the gate is open; never when it is closed (the runner cancels who waits here)."""
        if self._closed:
            await asyncio.Event().wait()

    async def __aenter__(self) -> None:
        await self.pass_through()
        self._inside += 1

    async def __aexit__(self, *exc: object) -> None:
        self._inside -= 1
        if self._closed and self._inside == 0:
            self._empty.set()


def require_bound(deps: "DrillDeps", spec: DrillSpec) -> None:
    """Raises UsageError unless the spec names the bound models: a result must not mislabel what it measured."""
    for role, chat in (("target", deps.target), ("evaluator", deps.evaluator), ("judge", deps.judge)):
        if getattr(spec, role) != chat.name:
            raise UsageError(
                f"The spec's {role} is {getattr(spec, role)!r} but the graph is bound to {chat.name!r}; name the same."
            )
    unserved = [tier.value for tier in spec.facts if not deps.sources.get(tier)]
    if unserved:
        raise UsageError(
            f"The spec names fact sources for {', '.join(unserved)}, but the graph is bound to none there."
        )


@dataclass(frozen=True, slots=True)
class DrillDeps:
    """Models, sources, sink and clock of one drill."""

    target: Chat
    evaluator: Chat
    judge: Chat
    sources: Mapping[Tier, Sequence[FactSource]]
    sink: Sink
    prompts: Mapping[str, Prompt]
    clock: Clock = field(default_factory=Clock)
    gate: Gate = field(default_factory=Gate)
    stream: bool = True
    """Also write each event to LangGraph's custom stream, for hosts."""
