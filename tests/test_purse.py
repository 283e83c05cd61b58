"""The purse: what is never exceeded, who waits, who is refused, and that the order of completion decides nothing."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.state.errors import BudgetSpent, UsageError
from fathom.tools.purse import Allowance, Amount, Need, Purse


def usd(base: float, extra: float = 0.0, *, calls: int = 1) -> Need:
    return Need(Amount(base, calls), Amount(extra))


async def turns(number: int = 20) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def soon(work: Awaitable[object]) -> "asyncio.Future[object]":
    """The work, begun and given time to end if nothing holds it up."""
    task = asyncio.ensure_future(work)
    await turns()
    return task


async def test_without_limits_everybody_is_admitted_and_the_spending_is_counted() -> None:
    purse = Purse(None, None, spent_usd=0.5, spent_calls=3)
    slots = [await purse.admit(Need(Amount(None, 5), Amount(None, 99))) for _ in range(50)]
    held = await slots[0].hold(None)
    slots[0].settle(held, 0.25)
    assert (purse.spent_usd, purse.spent_calls, purse.exhausted) == (0.75, 4, False)


async def test_an_unknown_price_has_no_place_under_a_budget_in_dollars() -> None:
    purse = Purse(1.0, None)
    with pytest.raises(UsageError, match="--price"):
        await purse.admit(Need(Amount(None, 1)))
    slot = await purse.admit(usd(0.5))
    with pytest.raises(UsageError, match="--price"):
        await slot.hold(None)


async def test_the_extra_must_be_free_but_is_set_aside_for_nobody() -> None:
    purse = Purse(10.0, None)
    for _ in range(6):  # with the extra set aside each time only two would fit
        await purse.admit(usd(1.0, 4.0))
    seventh = await soon(purse.admit(usd(1.0, 4.0)))  # 6 + 1 + 4 > 10
    assert not seventh.done()


async def test_a_waiting_slot_is_admitted_when_earlier_ones_cost_less_than_feared() -> None:
    purse = Purse(1.0, None)
    first = await purse.admit(usd(0.6))
    second = await soon(purse.admit(usd(0.6)))
    assert not second.done()
    first.settle(await first.hold(0.6), 0.1)
    await turns()
    assert not second.done()  # a slot keeps its base until it closes: it may have to ask again
    first.close()
    await turns()
    assert isinstance(second.result(), Allowance)


async def test_nobody_slips_in_behind_a_slot_that_waits_or_was_refused() -> None:
    purse = Purse(1.0, None)
    first = await purse.admit(usd(0.6))
    big, small = await soon(purse.admit(usd(0.7))), await soon(purse.admit(usd(0.1)))
    assert not big.done()
    assert not small.done()
    first.settle(await first.hold(0.6), 0.5)
    first.close()
    await turns()
    assert isinstance(big.exception(), BudgetSpent)
    assert isinstance(small.exception(), BudgetSpent)
    assert purse.exhausted
    with pytest.raises(BudgetSpent, match=r"USD 0\.5000 of 1 spent"):
        await purse.admit(usd(0.01))


async def test_calls_are_counted_one_per_hold_whether_or_not_they_succeed() -> None:
    purse = Purse(None, 4)
    slot = await purse.admit(usd(0.0, calls=2))
    for cost in (0.1, None):
        slot.settle(await slot.hold(0.5), cost)
    slot.close()
    assert purse.spent_calls == 2
    waiting = await soon(purse.admit(usd(0.0, calls=3)))
    with pytest.raises(BudgetSpent, match="2 of 4 calls spent"):
        waiting.result()


async def test_a_call_beyond_the_base_goes_before_new_slots() -> None:
    purse = Purse(1.0, None)
    first = await purse.admit(usd(0.4))
    second = await purse.admit(usd(0.4))
    held = await first.hold(0.4)
    beyond = await soon(first.hold(0.3))  # 0.8 are set aside
    third = await soon(purse.admit(usd(0.2)))  # would fit but for the call that waits
    assert not beyond.done()
    assert not third.done()
    second.close()
    await turns()
    assert beyond.done()  # 0.4 + 0.3
    assert third.done()  # + 0.2
    first.settle(held, 0.4)


async def test_a_call_that_can_never_fit_is_refused_and_nothing_hangs() -> None:
    purse = Purse(1.0, None)
    slot = await purse.admit(usd(0.4))
    with pytest.raises(BudgetSpent):
        await slot.hold(1.1)
    with pytest.raises(BudgetSpent):  # a slot that was cut is not fed any further
        await slot.hold(0.1)
    slot.close()
    assert purse.spent_usd == 0
    with pytest.raises(BudgetSpent):
        await purse.admit(usd(0.1))


async def test_when_nobody_can_go_on_the_latest_slot_gives_way() -> None:
    purse = Purse(1.0, None)
    early, late = await purse.admit(usd(0.5)), await purse.admit(usd(0.5))
    waiting = await soon(early.hold(0.8))
    assert not waiting.done()  # the late slot may still close
    refused = await soon(late.hold(0.7))
    assert isinstance(refused.exception(), BudgetSpent)
    late.close()
    await turns()
    assert waiting.result() == 0.8


async def test_a_small_call_of_a_later_slot_passes_a_large_one_that_waits() -> None:
    purse = Purse(1.0, None)
    early, late = await purse.admit(usd(0.4)), await purse.admit(usd(0.4))
    large = await soon(early.hold(0.9))
    late.settle(await late.hold(0.5), 0.05)
    late.close()
    await turns()
    assert large.result() == 0.9


async def test_who_is_cancelled_while_waiting_leaves_nothing_behind() -> None:
    purse = Purse(1.0, None)
    first, other = await purse.admit(usd(0.5)), await purse.admit(usd(0.2))
    second, third = await soon(purse.admit(usd(0.6))), await soon(purse.admit(usd(0.3)))
    beyond = await soon(first.hold(0.9))
    assert not any(task.done() for task in (second, third, beyond))
    beyond.cancel()
    second.cancel()
    await turns()
    for allowance in (first, other, third.result()):
        assert isinstance(allowance, Allowance)
        allowance.close()
    await purse.admit(usd(1.0))


async def test_who_is_cancelled_in_the_moment_of_the_answer_gives_it_back() -> None:
    purse = Purse(1.0, None)
    first = await purse.admit(usd(0.7))
    admission, beyond = await soon(purse.admit(usd(0.6))), await soon(first.hold(0.9))
    admission.cancel()
    await turns()
    assert beyond.done()  # nobody else is there
    first.settle(0.9, 0.0)
    admission, beyond = await soon(purse.admit(usd(1.0))), asyncio.ensure_future(first.hold(0.9))
    first.close()  # answers the admission …
    admission.cancel()  # … whose task has not seen it yet
    with pytest.raises(ValueError, match="closed"):
        await beyond
    await turns()
    assert isinstance(await purse.admit(usd(1.0)), Allowance)


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
CALL = st.tuples(PRICE, st.floats(0, 1)).map(lambda pair: (pair[0], round(pair[0] * pair[1], 3)))
SLOT = st.builds(Slot, PRICE, PRICE, st.lists(CALL, max_size=5).map(tuple))


@dataclass
class Outcome:
    admitted: list[bool]
    finished: list[bool]
    spent: float
    most_spent: float = 0.0


async def play(slots: Sequence[Slot], budget: float, most_calls: int | None, order: int) -> Outcome:
    """All slots ask in their order; then each goes at its own pace, two calls side by side at times."""
    purse, rng = Purse(budget, most_calls), Random(order)
    outcome = Outcome([False] * len(slots), [False] * len(slots), 0.0)

    async def call(allowance: Allowance, held: float, real: float) -> None:
        worst = await allowance.hold(held)
        await turns(rng.randrange(9))
        allowance.settle(worst, real)
        outcome.most_spent = max(outcome.most_spent, purse.spent_usd)

    async def one(index: int, slot: Slot) -> None:
        need = Need(Amount(slot.base, 2), Amount(slot.extra, 3))
        try:
            allowance = await purse.admit(need)
        except BudgetSpent:
            return
        outcome.admitted[index] = True
        try:
            await turns(rng.randrange(9))
            pairs = [slot.calls[i : i + 2] for i in range(0, len(slot.calls), 2)]
            for pair in pairs:
                done = await asyncio.gather(*(call(allowance, *c) for c in pair), return_exceptions=True)
                if any(isinstance(fault, BudgetSpent) for fault in done):
                    return
                assert done == [None] * len(pair)
                await turns(rng.randrange(5))
            outcome.finished[index] = True
        finally:
            allowance.close()

    async with asyncio.timeout(5):
        await asyncio.gather(*(one(index, slot) for index, slot in enumerate(slots)))
    outcome.spent = purse.spent_usd
    assert most_calls is None or purse.spent_calls <= most_calls
    assert all(pot.aside == 0 for pot in purse._pots)
    return outcome


@given(
    slots=st.lists(SLOT, min_size=1, max_size=9),
    budget=st.integers(0, 150).map(lambda cents: cents / 100),
    most_calls=st.none() | st.integers(0, 30),
    order=st.integers(0, 10**6),
)
@settings(max_examples=150)
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
        base, extra, tuple((base / len(shares), round(base / len(shares) * share, 3)) for share in shares)
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
@settings(max_examples=200)
async def test_the_order_of_completion_decides_nothing(
    slots: list[Slot], greedy: int, budget: float, orders: tuple[int, int]
) -> None:
    """One slot overdraws its base, as far as the extra goes; the others cost less than theirs."""
    if greedy < len(slots):
        plain = slots[greedy]
        slots[greedy] = Slot(plain.base, plain.extra, ((plain.base, plain.base), (plain.extra, plain.extra)))
    first, second = [await play(slots, budget, None, order) for order in orders]
    assert first.admitted == second.admitted
    assert first.finished == first.admitted  # what was admitted is finished
    assert first.spent == pytest.approx(second.spent)
    spent = 0.0
    for slot, admitted in zip(slots, first.admitted, strict=True):
        if not admitted:  # the first to be refused would not have fitted one after the other either
            assert spent + slot.base + slot.extra > budget - 1e-9
            break
        spent += slot.cost
