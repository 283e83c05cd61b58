"""One step of an Explain-Query-Test: its calls, what was first sent, and its time."""

from collections.abc import Sequence
from typing import Any

from ..state.eqt import Sent
from ..state.records import Call, Role
from ..tools.models.chat import Chat, ChatReply, ChatRequest, Payer
from ..tools.models.meter import Metered
from .deps import DrillDeps

ORDER: tuple[Role, ...] = ("examiner", "target", "judge")


class Step:
    """Collects what belongs to one item while it comes about."""

    def __init__(
        self, deps: DrillDeps, concept: int, item_id: str, payer: Payer | None, earlier: Sequence[Call] | None = None
    ) -> None:
        """`earlier`: the calls of a first try that came to nothing, and were paid for; None: this is the first try."""
        self._deps, self._concept, self._id, self._payer = deps, concept, item_id, payer
        self._earlier = earlier
        self._calls: list[Call] = []
        self._prompt: tuple[Sent, ...] = ()
        self._began = deps.clock.seconds()

    def model(self, role: Role) -> Chat:
        """The model in this role; what is first asked of any is kept as the step's prompt."""
        bound = {"target": self._deps.target, "examiner": self._deps.evaluator, "judge": self._deps.judge}[role]
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
            "concept": self._concept,
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
