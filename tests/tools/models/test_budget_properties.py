"""The purse under random interleavings: the budget holds, nobody hangs, the order of completion
decides nothing."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.state.errors import BudgetSpent
from fathom.tools.models.budget import Amount, Budget, Cost, Reservation

from .test_budget import turns


@dataclass(frozen=True)
class Slot:
    """A need, and calls as (held, real) prices; each call counts one."""

    base: float
    extra: float
    calls: tuple[tuple[float, float], ...]

    @property
    def cost(self) -> float:
        return sum(real for _, real in self.calls)


PRICE = st.integers(0, 40).map(lambda cents: cents / 100)
CALL = st.tuples(PRICE, st.floats(0, 1)).map(
    lambda pair: (pair[0], round(pair[0] * pair[1], 3))
)
SLOT = st.builds(Slot, PRICE, PRICE, st.lists(CALL, max_size=5).map(tuple))


@dataclass
class Outcome:
    admitted: list[bool]
    finished: list[bool]
    spent: float
    most_spent: float = 0.0


async def play(
    slots: Sequence[Slot], usd: float, most_calls: int | None, order: int
) -> Outcome:
    """All slots ask in their order; then each goes at its own pace, two calls side by side at
    times."""
    budget, rng = Budget(usd, most_calls), Random(order)
    outcome = Outcome([False] * len(slots), [False] * len(slots), 0.0)

    async def call(allowance: Reservation, held: float, real: float) -> None:
        worst = await allowance.hold(held)
        await turns(rng.randrange(9))
        allowance.settle(worst, real)
        outcome.most_spent = max(outcome.most_spent, budget.spent_usd)

    async def one(index: int, slot: Slot) -> None:
        need = Cost(Amount(slot.base, 2), Amount(slot.extra, 3))
        try:
            allowance = await budget.admit(need)
        except BudgetSpent:
            return
        outcome.admitted[index] = True
        try:
            await turns(rng.randrange(9))
            pairs = [slot.calls[i : i + 2] for i in range(0, len(slot.calls), 2)]
            for pair in pairs:
                done = await asyncio.gather(
                    *(call(allowance, *c) for c in pair), return_exceptions=True
                )
                if any(isinstance(fault, BudgetSpent) for fault in done):
                    return
                assert done == [None] * len(pair)
                await turns(rng.randrange(5))
            outcome.finished[index] = True
        finally:
            allowance.close()

    async with asyncio.timeout(5):
        await asyncio.gather(*(one(index, slot) for index, slot in enumerate(slots)))
    outcome.spent = budget.spent_usd
    assert most_calls is None or budget.spent_calls <= most_calls
    assert all(pot.aside == 0 for pot in budget._pots)
    return outcome


@given(
    slots=st.lists(SLOT, min_size=1, max_size=9),
    budget=st.integers(0, 150).map(lambda cents: cents / 100),
    most_calls=st.none() | st.integers(0, 30),
    order=st.integers(0, 10**6),
)
@settings(max_examples=40)
async def test_the_budget_holds_and_everybody_is_answered(
    slots: list[Slot], budget: float, most_calls: int | None, order: int
) -> None:
    outcome = await play(slots, budget, most_calls, order)
    assert outcome.most_spent <= budget + 1e-9
    refused = outcome.admitted.index(False) if False in outcome.admitted else len(slots)
    assert not any(outcome.admitted[refused:])  # no later slot slips in
    if all(outcome.finished[:refused]) and refused < len(slots) and most_calls is None:
        assert outcome.spent > budget - slots[refused].base - slots[refused].extra - 1e-9


MODEST = st.builds(
    lambda base, shares, extra: Slot(
        base,
        extra,
        tuple((base / len(shares), round(base / len(shares) * share, 3)) for share in shares),
    ),
    st.integers(10, 40).map(lambda cents: cents / 100),
    st.lists(st.floats(0, 0.95), min_size=1, max_size=4),
    st.just(0.3),
)


@given(
    slots=st.lists(MODEST, min_size=2, max_size=12),
    greedy=st.integers(0, 11),
    budget=st.integers(30, 250).map(lambda cents: cents / 100),
    orders=st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)),
)
@settings(max_examples=40)
async def test_the_order_of_completion_decides_nothing(
    slots: list[Slot], greedy: int, budget: float, orders: tuple[int, int]
) -> None:
    """One slot overdraws its base, as far as the extra goes; the others cost less than theirs."""
    if greedy < len(slots):
        plain = slots[greedy]
        slots[greedy] = Slot(
            plain.base, plain.extra, ((plain.base, plain.base), (plain.extra, plain.extra))
        )
    first, second = [await play(slots, budget, None, order) for order in orders]
    assert first.admitted == second.admitted
    assert first.finished == first.admitted  # what was admitted is finished
    assert first.spent == pytest.approx(second.spent)
    spent = 0.0
    for slot, admitted in zip(slots, first.admitted, strict=True):
        if (
            not admitted
        ):  # the first to be refused would not have fitted one after the other either
            assert spent + slot.base + slot.extra > budget - 1e-9
            break
        spent += slot.cost
