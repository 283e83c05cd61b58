"""The place of a part in the budget: what it sets aside when it is admitted, from the calls that are due of it.

Each call is reckoned at its worst price: every byte sent taken for a token, the reply as long as its limit allows. What
a part needs beyond that, for what is rejected and for replies that are asked for again, waits for what others have left
over; the budget is never exceeded.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from math import ceil

from ...tools.models.budget import Amount, Budget, Cost
from ...tools.models.chat import ChatRequest, Message, Payer
from .deps import DrillDeps
from .due import Due

SCHEMA_BYTES = 1_500
"""Room for the shape of a reply, which is sent beside the prompt."""
WORST_SHARE = 6
"""So many times less than its worst price a part is taken to cost, for what has to be free beside what it sets aside: a
whole part at its worst is many times what one costs, and small budgets would begin none."""


@asynccontextmanager
async def admitted(budget: Budget | None, need: Callable[[], Cost]) -> AsyncIterator[Payer | None]:
    """The slot's allowance for as long as the block lasts; None without a budget. Raises BudgetSpent."""
    if budget is None:
        yield None
        return
    reservation = await budget.admit(need())
    try:
        yield reservation
    finally:
        reservation.close()


def worst(deps: DrillDeps, dues: Sequence[Due]) -> Amount:
    """The worst price of all these calls together."""
    return sum((_each(deps, due) * ceil(due.number.high) for due in dues), start=Amount())


def part_cost(deps: DrillDeps, dues: Sequence[Due]) -> Cost:
    """What is set aside for a part: in USD the dearest call, with a share of all others to be free; of calls all, with
    a quarter as many to be free for what is asked again. A part that does meet the end of the budget is left open."""
    whole = worst(deps, dues)
    again = ceil(whole.calls / 4)
    if whole.usd is None:
        return Cost(whole, Amount(0.0, again))
    dearest = max((_each(deps, due).usd or 0.0 for due in dues), default=0.0)
    return Cost(Amount(dearest, whole.calls), Amount((whole.usd - dearest) / WORST_SHARE, again))


def step_cost(deps: DrillDeps, dues: Sequence[Due]) -> Cost:
    """What is set aside for a single step: its call, and once more for a reply that cannot be read."""
    once = worst(deps, dues)
    return Cost(once, once)


def _each(deps: DrillDeps, due: Due) -> Amount:
    text = deps.prompts[due.purpose].text + " " * (due.room + SCHEMA_BYTES)
    request = ChatRequest((Message("user", text),), due.purpose, due.limit)
    return Amount(deps.prices.worst_usd(deps.bound(due.role).name, request), 1)
