"""One journalled step of a run: what it asks, its calls, what was first sent, and its time; and its
place in the budget."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

from ..agents.judge.verdict import judge
from ..agents.skill import Ask, Skill
from ..state.causes import all_alike, with_causes
from ..state.errors import CallFailed, ReplyUnreadable, RunFailed
from ..state.events import ItemFinished
from ..state.items import AnyItem
from ..state.records import BESIDE, Answer, Call, Outcome, Role, Scored, Sent, Unscored
from ..state.spec import ReplaySpec, Spec
from ..tools.models.budget import Budget, Cost, Reservation
from ..tools.models.chat import ChatRequest, Payer
from ..tools.models.model import BoundModel
from ..tools.runs.journal import RunMemory
from .run.deps import RunDeps

I = TypeVar("I", bound=AnyItem)  # noqa: E741 - an item
P = ParamSpec("P")
T = TypeVar("T")
Admission = AbstractAsyncContextManager[Payer | None]
FIRST = 20
"""Steps of a kind that may fail, all in one way that will not pass, before no further one is begun.
"""
ORDER: tuple[Role, ...] = ("examiner", "generator", "evaluator", "target", "judge", *BESIDE)


class Step:
    """Asks for one item, or probe, and collects what belongs to it while it comes about."""

    def __init__(
        self,
        deps: RunDeps,
        spec: Spec | ReplaySpec,
        item_id: str,
        payer: Payer | None,
        earlier: Sequence[Call] | None = None,
        **place: Any,
    ) -> None:
        """`earlier`: the calls of a first try that came to nothing, and were paid for; None: this
        is the first try. `place`: fields by which the item knows its part of the run."""
        self._deps, self._spec, self._payer, self._place = deps, spec, payer, place
        self.id = item_id
        self._earlier = earlier
        self.calls: list[Call] = []
        """In order of their completion."""
        self._requests: list[ChatRequest] = []
        self._began = deps.clock.seconds()

    async def ask(self, skill: Skill[P, T], *args: P.args, **kwargs: P.kwargs) -> T | Unscored:
        """What comes of a skill: asked of who plays its role, with the run's seed, language and
        prompts.

        The one boundary where a failed call becomes data: the stage and kind of the failure, never
        a wrong answer.
        """
        language: str = getattr(self._spec, "language", "en")  # some methods write nothing
        ask = Ask(self._model(skill.role), self._spec.seed, language, self._deps.prompts)
        try:
            return await skill(ask, *args, **kwargs)
        except (CallFailed, ReplyUnreadable) as error:
            return Unscored(stage=skill.stage, kind=error.kind, message=str(error))

    async def judge(self, question: str, reference: str, answer: Answer | Outcome) -> Outcome:
        """The verdict. A refusal the endpoint reports is abstaining, and so is an answer that
        somebody left blank; an answer that is lost has no verdict."""
        if not isinstance(answer, Answer):
            return answer
        is_blank = answer.finish == "given" and not answer.text.strip()
        if answer.refusal or is_blank:
            reason = "left blank" if is_blank else "the model refused to answer"
            return Scored(verdict="abstained", reason=reason, judge=self._deps.judge.name)
        return await self.ask(judge, question, reference, answer.text)

    def _model(self, role: Role) -> BoundModel:
        bound = self._deps.bound(role)
        model = bound if isinstance(bound, BoundModel) else BoundModel(bound)
        return replace(
            model,
            role=role,
            payer=self._payer,
            calls=self.calls,
            requests=self._requests,
        )

    @property
    def added(self) -> int | None:
        """How many of its calls are new; None when all are."""
        return None if self._earlier is None else len(self.calls)

    @property
    def elapsed_s(self) -> float:
        """Since it began."""
        return self._deps.clock.seconds() - self._began

    def fields(self) -> dict[str, Any]:
        """What every item has, by field name. Calls stand in the order of the roles, then of their
        completion; the prompt is what was sent first."""
        first = self._requests[0].messages if self._requests else ()
        return {
            "id": self.id,
            **self._place,
            "prompt": tuple(Sent(role=m.role, text=m.content) for m in first),
            "calls": (
                *(self._earlier or ()),
                *sorted(self.calls, key=lambda call: ORDER.index(call.role)),
            ),
            "elapsed_s": self.elapsed_s,
        }

    def item(
        self,
        kind: type[I],
        told: T | Unscored,
        says: Callable[[T], Mapping[str, Any]],
        /,
        **more: Any,
    ) -> I:
        """The item by what was told: the fields that say it, or the fault that kept it from being
        told."""
        own = {"fault": told} if isinstance(told, Unscored) else says(told)
        return kind(**self.fields(), **more, **own)


class Steps:
    """The steps of one run. One that several parts of the run need is done by whoever comes
    first."""

    def __init__(self, deps: RunDeps, run_id: str, spec: Spec) -> None:
        self.deps, self.run_id, self._spec = deps, run_id, spec
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
        """The item: as the journal has it, else made and journalled. `admission`: who pays for it,
        asked for only when it has to be made; `place`: see `Step`."""
        async with self._locks[item_id]:
            known = self.deps.sink.item(self.run_id, item_id)
            if known is not None and item_id not in self.deps.sink.run(self.run_id).redo:
                return known  # type: ignore[return-value]  # an id says what kind of item it names
            # who waits for the budget has not begun: the gate comes after it
            async with admission() as payer, self.deps.gate:
                require_hope(self.deps.sink.run(self.run_id))
                step = Step(
                    self.deps,
                    self._spec,
                    item_id,
                    payer,
                    known.calls if known else None,
                    **place,
                )
                made = await make(step)
                await self.deps.emit(
                    ItemFinished(
                        run_id=self.run_id,
                        item=made,
                        added=step.added,
                    )
                )
                return made


def require_hope(memory: RunMemory) -> None:
    """Raises RunFailed where all of the first steps of a kind have failed in one way that will not
    pass."""
    for failures in memory.vain.values():
        if len(failures) >= FIRST and all_alike(failures):
            raise RunFailed(
                f"{with_causes(f'The first {len(failures)} steps of a kind failed alike', failures)}."
            )


@asynccontextmanager
async def admitted(
    budget: Budget | None, need: Callable[[], Cost]
) -> AsyncIterator[Reservation | None]:
    """The slot's allowance for as long as the block lasts; None without a budget. Raises
    BudgetSpent."""
    if budget is None:
        yield None
        return
    reservation = await budget.admit(need())
    try:
        yield reservation
    finally:
        reservation.close()
