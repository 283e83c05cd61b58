"""The purse: who is admitted, who waits, who is refused."""

import asyncio
from collections.abc import Awaitable

import pytest

from fathom.state.errors import BudgetSpent, UsageError
from fathom.tools.models.budget import Amount, Budget, Cost, Reservation


def usd(base: float, extra: float = 0.0, *, calls: int = 1) -> Cost:
    return Cost(Amount(base, calls), Amount(extra))


async def turns(number: int = 20) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


async def soon(work: Awaitable[object]) -> "asyncio.Future[object]":
    """The work, begun and given time to end if nothing holds it up."""
    task = asyncio.ensure_future(work)
    await turns()
    return task


async def test_without_limits_everybody_is_admitted_and_the_spending_is_counted() -> None:
    budget = Budget(None, None, spent_usd=0.5, spent_calls=3)
    slots = [await budget.admit(Cost(Amount(None, 5), Amount(None, 99))) for _ in range(50)]
    held = await slots[0].hold(None)
    slots[0].settle(held, 0.25)
    assert (budget.spent_usd, budget.spent_calls) == (0.75, 4)


async def test_an_unknown_price_has_no_place_under_a_budget_in_dollars() -> None:
    budget = Budget(1.0, None)
    with pytest.raises(UsageError, match="--price"):
        await budget.admit(Cost(Amount(None, 1)))
    slot = await budget.admit(usd(0.5))
    with pytest.raises(UsageError, match="--price"):
        await slot.hold(None)


async def test_the_extra_must_be_free_but_is_set_aside_for_nobody() -> None:
    budget = Budget(10.0, None)
    for _ in range(6):  # with the extra set aside each time only two would fit
        await budget.admit(usd(1.0, 4.0))
    seventh = await soon(budget.admit(usd(1.0, 4.0)))  # 6 + 1 + 4 > 10
    assert not seventh.done()


async def test_a_waiting_slot_is_admitted_when_earlier_ones_cost_less_than_feared() -> None:
    budget = Budget(1.0, None)
    first = await budget.admit(usd(0.6))
    second = await soon(budget.admit(usd(0.6)))
    assert not second.done()
    first.settle(await first.hold(0.6), 0.1)
    await turns()
    assert not second.done()  # a slot keeps its base until it closes: it may have to ask again
    first.close()
    await turns()
    assert isinstance(second.result(), Reservation)


async def test_calls_are_counted_one_per_hold_whether_or_not_they_succeed() -> None:
    budget = Budget(None, 4)
    slot = await budget.admit(usd(0.0, calls=2))
    for cost in (0.1, None):
        slot.settle(await slot.hold(0.5), cost)
    slot.close()
    assert budget.spent_calls == 2
    waiting = await soon(budget.admit(usd(0.0, calls=3)))
    with pytest.raises(BudgetSpent, match="2 of 4 calls spent"):
        waiting.result()


async def test_a_call_beyond_the_base_goes_before_new_slots() -> None:
    budget = Budget(1.0, None)
    first = await budget.admit(usd(0.4))
    second = await budget.admit(usd(0.4))
    held = await first.hold(0.4)
    beyond = await soon(first.hold(0.3))  # 0.8 are set aside
    third = await soon(budget.admit(usd(0.2)))  # would fit but for the call that waits
    assert not beyond.done()
    assert not third.done()
    second.close()
    await turns()
    assert beyond.done()  # 0.4 + 0.3
    assert third.done()  # + 0.2
    first.settle(held, 0.4)


async def test_a_call_that_can_never_fit_is_refused_and_nothing_hangs() -> None:
    budget = Budget(1.0, None)
    slot = await budget.admit(usd(0.4))
    with pytest.raises(BudgetSpent):
        await slot.hold(1.1)
    with pytest.raises(BudgetSpent):  # a slot that was cut is not fed any further
        await slot.hold(0.1)
    slot.close()
    assert budget.spent_usd == 0
    with pytest.raises(BudgetSpent):
        await budget.admit(usd(0.1))


async def test_when_nobody_can_go_on_the_latest_slot_gives_way() -> None:
    budget = Budget(1.0, None)
    early, late = await budget.admit(usd(0.5)), await budget.admit(usd(0.5))
    waiting = await soon(early.hold(0.8))
    assert not waiting.done()  # the late slot may still close
    refused = await soon(late.hold(0.7))
    assert isinstance(refused.exception(), BudgetSpent)
    late.close()
    await turns()
    assert waiting.result() == 0.8


async def test_a_slot_that_waits_for_an_earlier_one_does_not_hold_it_up_for_ever() -> None:
    budget = Budget(1.0, None)
    early, late = await budget.admit(usd(0.5)), await budget.admit(usd(0.5))
    first_question = asyncio.get_running_loop().create_future()
    waiting = await soon(late.while_idle(first_question))
    refused = await soon(early.hold(0.8))
    assert isinstance(refused.exception(), BudgetSpent)
    waiting.cancel()


async def test_who_is_cancelled_while_waiting_leaves_nothing_behind() -> None:
    budget = Budget(1.0, None)
    first, other = await budget.admit(usd(0.5)), await budget.admit(usd(0.2))
    second, third = await soon(budget.admit(usd(0.6))), await soon(budget.admit(usd(0.3)))
    beyond = await soon(first.hold(0.9))
    assert not any(task.done() for task in (second, third, beyond))
    beyond.cancel()
    second.cancel()
    await turns()
    for allowance in (first, other, third.result()):
        assert isinstance(allowance, Reservation)
        allowance.close()
    await budget.admit(usd(1.0))


async def test_a_call_waits_for_another_of_its_own_slot() -> None:
    budget = Budget(1.0, None)
    slot = await budget.admit(usd(0.4))
    held = await slot.hold(0.4)
    second = await soon(slot.hold(0.7))
    assert not second.done()
    slot.settle(held, 0.1)
    await turns()
    assert second.result() == 0.7


async def test_after_a_refused_call_nobody_waits_for_admission_any_more() -> None:
    budget = Budget(1.0, None)
    slot = await budget.admit(usd(0.8))
    waiting = await soon(budget.admit(usd(0.3)))
    with pytest.raises(BudgetSpent):
        await slot.hold(1.2)
    await turns()
    assert isinstance(waiting.exception(), BudgetSpent)
