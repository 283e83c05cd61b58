"""What a run still has to ask, declared once per method and read by plan, budget and window alike;
and what a part sets aside of the budget.

Each call is reckoned at its worst price: every byte sent taken for a token, the reply as long as
its limit allows. What a part needs beyond that, for what is rejected and for replies that are asked
for again, waits for what others have left over; the budget is never exceeded.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple, Protocol

from ...state.items import AnyItem
from ...state.records import Role
from ...tools.models.budget import Amount, Cost
from ...tools.models.chat import ChatRequest, Message
from ...tools.runs.journal import RunMemory, Sink
from .deps import RunDeps
from .spread import Spread, fixed

TEXT_BYTES = 1_500
"""Room for what is written only later (question, reference, concepts, an answer) in one request."""
LIMIT = 2_000
"""Token limit of the evaluator's replies, as the agents set it."""
ONCE = fixed(1.0)
"""Of a call, or a part, that comes about for certain."""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """Calls of one kind that are due."""

    role: Role
    purpose: str
    """The prompt they are made with."""
    number: Spread = ONCE
    """As many as there are when no reply has to be asked for again; a range where that depends on
    what is said."""
    room: int = TEXT_BYTES
    """Bytes beyond the prompt's own text that such a request has at most."""
    limit: int = LIMIT
    """Tokens of a reply at most."""
    known: float = 0.0
    """Characters beyond the prompt's own text that are known beforehand to be in such a request."""
    shared: Hashable = None
    """Equal for calls that are the same to the letter: those of one launch are made once. None:
    nobody else's."""


class CallStage(NamedTuple):
    """Calls of one kind that have to wait for each other, and for those of the link before."""

    role: Role | None
    """None: no call but a look-up."""
    purpose: str
    times: Spread = ONCE


class Calls(Protocol):
    """What one run asks, by its spec and what it asks about."""

    def __init__(
        self,
        spec: Any,
        material: Any = None,
    ) -> None: ...

    def parts(self, past: Sequence[Any] = ()) -> Sequence[tuple[int, Spread]]:
        """The run's parts (concepts, trees, problems, depths), and how likely each comes about.
        `past`: past runs, for what only they can tell."""
        ...

    def due(
        self,
        part: int,
        done: "FinishedItems",
    ) -> Iterable[PlannedCall]:
        """What is due of a part beyond what is done."""
        ...

    def chain(self, parts: Spread) -> Sequence[CallStage]:
        """The longest chain of calls that follow each other. `parts`: how many parts there are."""
        ...


class FinishedItems:
    """What a run's journal has, apart from what is to be done again. Without a journal: nothing."""

    def __init__(
        self,
        sink: Sink | None = None,
        run_id: str = "",
    ) -> None:
        self._sink, self.run_id = sink, run_id
        self.short_id = run_id.rsplit("-", 1)[-1]
        """What the ids of the run's items begin with."""

    @property
    def memory(self) -> RunMemory:
        return self._sink.run(self.run_id) if self._sink is not None else RunMemory()

    def has(self, item_id: str) -> bool:
        memory = self.memory
        return item_id in memory.item_ids and item_id not in memory.redo

    def number_missing(self, item_ids: Collection[str]) -> int:
        """How many of them are still to be done."""
        memory = self.memory
        return sum(
            item_id not in memory.item_ids or item_id in memory.redo for item_id in item_ids
        )

    def item(self, item_id: str) -> AnyItem | None:
        """The finished item; None where it is still to be done."""
        return (
            self._sink.item(self.run_id, item_id)
            if self._sink is not None and self.has(item_id)
            else None
        )

    def empty(self, item_id: str) -> bool:
        """Whether the item is there and came to no text, so that nothing follows from it."""
        item = self.item(item_id)
        return item is not None and not getattr(item, "text", "")


NOTHING = FinishedItems()


def all_due(
    calls: Calls,
    part: int,
    done: FinishedItems = NOTHING,
) -> list[PlannedCall]:
    """What is due of a part, without what can no longer come about."""
    return [due for due in calls.due(part, done) if due.number.high > 0]


def side_by_side(
    dues: Iterable[PlannedCall],
    parts: int,
    sequence: int,
    connections: int,
) -> int:
    """Parts to work on at once: twice as many as keep all connections busy, since a part asks
    little at its beginning and much at its end. Not all of them: a run that is cut off should have
    whole parts to report. `dues`: of so many `parts`; `sequence`: calls that follow each other in a
    part."""
    calls = sum(due.number.high for due in dues) / max(1, parts)
    calls_of_part = max(1, round(calls))
    busy = -(-2 * connections * sequence // calls_of_part)
    return max(2, busy)


SCHEMA_BYTES = 1_500
"""Room for the shape of a reply, which is sent beside the prompt."""
WORST_SHARE = 6
"""So many times less than its worst price a part is taken to cost, for what has to be free beside
what it sets aside: a whole part at its worst is many times what one costs, and small budgets would
begin none."""


def worst(deps: RunDeps, dues: Sequence[PlannedCall]) -> Amount:
    """The worst price of all these calls together."""
    prices = (_worst_call(deps, due) * ceil(due.number.high) for due in dues)
    return sum(prices, start=Amount())


def part_cost(deps: RunDeps, dues: Sequence[PlannedCall]) -> Cost:
    """What is set aside for a part: in USD the dearest call, with a share of all others to be free;
    of calls all, with a quarter as many to be free for what is asked again. A part that does meet
    the end of the budget is left open."""
    whole = worst(deps, dues)
    repeated = ceil(whole.calls / 4)
    if whole.usd is None:
        return Cost(whole, Amount(0.0, repeated))
    dearest = max((_worst_call(deps, due).usd or 0.0 for due in dues), default=0.0)
    return Cost(
        Amount(dearest, whole.calls), Amount((whole.usd - dearest) / WORST_SHARE, repeated)
    )


def step_cost(deps: RunDeps, dues: Sequence[PlannedCall]) -> Cost:
    """What is set aside for a single step: its call, and once more for a reply that cannot be
    read."""
    one_call = worst(deps, dues)
    return Cost(one_call, one_call)


def _worst_call(deps: RunDeps, due: PlannedCall) -> Amount:
    text = deps.prompts[due.purpose].text + " " * (due.room + SCHEMA_BYTES)
    request = ChatRequest((Message("user", text),), due.purpose, due.limit)
    chat = deps.bound(due.role)
    return Amount(deps.prices.worst_usd(chat.name, request), 1)
