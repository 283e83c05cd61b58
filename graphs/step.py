"""One journalled step of a method without depths: its calls, what was first sent, and its time."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeVar

from ..state.errors import CallFailed, ReplyUnreadable
from ..state.events import ItemFinished
from ..state.items import AnyItem
from ..state.records import Call, Role, Sent, Stage, Unscored
from ..tools.models.chat import Chat, ChatReply, ChatRequest, Payer
from ..tools.models.usage import Metered
from .run.deps import DrillDeps
from .run.emit import emit

I = TypeVar("I", bound=AnyItem)  # noqa: E741 - an item
Admission = AbstractAsyncContextManager[Payer | None]
ORDER: tuple[Role, ...] = ("examiner", "generator", "evaluator", "target", "judge")


class Step:
    """Collects what belongs to one item while it comes about."""

    def __init__(
        self, deps: DrillDeps, item_id: str, payer: Payer | None, earlier: Sequence[Call] | None = None, **place: Any
    ) -> None:
        """`earlier`: the calls of a first try that came to nothing, and were paid for; None: this is the first try.
        `place`: fields by which the item knows its part of the run."""
        self._deps, self._id, self._payer, self._place = deps, item_id, payer, place
        self._earlier = earlier
        self._calls: list[Call] = []
        self._prompt: tuple[Sent, ...] = ()
        self._began = deps.clock.seconds()

    def model(self, role: Role) -> Chat:
        """The model in this role; what is first asked of any is kept as the step's prompt."""
        bound = {
            "target": self._deps.target,
            "judge": self._deps.judge,
            "generator": self._deps.generator or self._deps.evaluator,
        }.get(role, self._deps.evaluator)
        return _Heard(Metered(bound, role, self._calls, self._payer), self)

    @property
    def added(self) -> int | None:
        """How many of its calls are new; None when all are."""
        return None if self._earlier is None else len(self._calls)

    def note(self, request: ChatRequest) -> None:
        """Keep the first request's messages."""
        self._prompt = self._prompt or tuple(Sent(role=m.role, text=m.content) for m in request.messages)

    def fields(self) -> dict[str, Any]:
        """What every item has, by field name. Calls stand in the order of the roles, then of their completion."""
        return {
            "id": self._id,
            **self._place,
            "prompt": self._prompt,
            "calls": (*(self._earlier or ()), *sorted(self._calls, key=lambda call: ORDER.index(call.role))),
            "elapsed_s": self._deps.clock.seconds() - self._began,
        }


class _Heard:
    """A Chat whose first request is noted."""

    def __init__(self, inner: Chat, step: Step) -> None:
        self._inner, self._step = inner, step

    @property
    def name(self) -> str:
        return self._inner.name

    async def complete(self, request: ChatRequest) -> ChatReply:
        self._step.note(request)
        return await self._inner.complete(request)


class Steps:
    """The steps of one run. One that several parts of the run need is done by whoever comes first."""

    def __init__(self, deps: DrillDeps, run_id: str) -> None:
        self.deps, self.run_id = deps, run_id
        self.short_id = run_id.rsplit("-", 1)[-1]
        """What the ids of its items begin with."""
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def do(
        self,
        item_id: str,
        make: Callable[[Step], Awaitable[I]],
        admission: Callable[[], Admission] = nullcontext,
        **place: Any,
    ) -> I:
        """The item: as the journal has it, else made and journalled. `admission`: who pays for it, asked for only when
        it has to be made; `place`: see `Step`."""
        async with self._locks[item_id]:
            known = self.deps.sink.item(self.run_id, item_id)
            if known is not None and item_id not in self.deps.sink.run(self.run_id).redo:
                return known  # type: ignore[return-value]  # an id says what kind of item it names
            # who waits for the budget has not begun: the gate comes after it
            async with admission() as payer, self.deps.gate:
                step = Step(self.deps, item_id, payer, known.calls if known else None, **place)
                made = await make(step)
                await emit(self.deps, ItemFinished(run_id=self.run_id, item=made, added=step.added))
                return made


T = TypeVar("T")


async def attempt(stage: Stage, work: Callable[[], Awaitable[T]]) -> T | Unscored:
    """The one boundary where a failed call becomes data: the stage and kind of the failure, never a wrong answer.

    `work` is called here, so that an attempt that is cancelled before it begins leaves no coroutine behind.
    """
    try:
        return await work()
    except (CallFailed, ReplyUnreadable) as error:
        return Unscored(stage=stage, kind=error.kind, message=str(error))
