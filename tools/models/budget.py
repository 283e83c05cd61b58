"""The money and the calls of one launch, shared by all its runs: who may begin, and who may still
ask. Pure asyncio.

A slot (a probe, an opening) is admitted with a `Cost`: its base is set aside for it until it
closes, its extra has to be there when it is admitted and is set aside for nobody, so that many
slots run side by side over one contingency.

Slots are admitted strictly in the order in which they ask. Slot k is admitted when, for some m ≤ k,

    spent by slots before m  +  bases of the slots m … k−1  +  base and extra of k  ≤  budget

which can be seen as soon as the slots before m are closed. Each of these conditions rests on what
closed slots cost and on nothing else, so whichever slot of a run is finished first, the same slots
are admitted; only slots that together overdraw their bases by more than a whole extra can change
that. A slot is refused when all before it are closed and none of the conditions holds: a budget is
left unspent by less than the need of the slot that was refused.

What is spent stays within the budget as long as no call costs more than was held for it. Amounts
are whole picodollars, rounded up, so that no sum drifts.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable
from dataclasses import dataclass
from math import ceil, floor
from typing import Generic, TypeVar

from ...state.errors import BudgetSpent, UsageError

T = TypeVar("T")
_PER_USD = 10**12


@dataclass(frozen=True, slots=True)
class Amount:
    """So many US dollars (None: the price is unknown) and calls."""

    usd: float | None = 0.0
    calls: int = 0

    def __add__(self, more: "Amount") -> "Amount":
        calls = self.calls + more.calls
        if self.usd is None or more.usd is None:
            return Amount(None, calls)
        return Amount(self.usd + more.usd, calls)

    def __mul__(self, times: int) -> "Amount":
        return Amount(None if self.usd is None else self.usd * times, self.calls * times)


@dataclass(frozen=True, slots=True)
class Cost:
    """What a slot may cost: `base` is set aside when it is admitted, `extra` is the rest of its
    worst case."""

    base: Amount
    extra: Amount = Amount()


@dataclass(slots=True)
class _Pot:
    """One of the two things a budget may limit, counted in whole units."""

    budget: int | None
    spent: int
    aside: int = 0
    bases: int = 0
    """Of all slots admitted so far, and what was spent before them."""
    gain: int = 0
    """What the slots of the closed prefix cost beyond their bases; below 0 when they cost less."""
    lowest: int = 0
    """The lowest `gain` there has been: it decides, so that what was once certain stays certain."""

    def fits(self, more: int) -> bool:
        return self.budget is None or self.spent + self.aside + more <= self.budget

    def promises(self, whole: int) -> bool:
        return self.budget is None or self.lowest + self.bases + whole <= self.budget

    def close(
        self,
        cost: int,
        base: int,
    ) -> None:
        self.gain += cost - base
        self.lowest = min(self.lowest, self.gain)


@dataclass(slots=True)
class _Asker(Generic[T]):
    """Somebody who waits: for admission with a base and an extra, or for `units` of an
    allowance."""

    answer: "asyncio.Future[T]"
    units: tuple[int, int]
    extra: tuple[int, int] = (0, 0)


class Reservation:
    """What one admitted slot may spend; a `Payer`. Close it when the slot is finished, however it
    ended.

    What a settled call has left over stays with the slot, up to its base, until the slot closes.
    """

    def __init__(
        self,
        budget: "Budget",
        base: tuple[int, int],
    ) -> None:
        self._budget = budget
        self._base = base
        self._spent, self._held = [0, 0], [0, 0]
        self._waiting: list[_Asker[None]] = []
        self._closed = self._refused = self._idle = False

    async def while_idle(self, others: Awaitable[T]) -> T:
        """Wait for what earlier slots do. What is set aside for this one must not keep all of them
        waiting for ever."""
        self._idle = True
        self._budget._serve()
        try:
            return await others
        finally:
            self._idle = False

    async def hold(self, worst_usd: float | None) -> float:
        """Set aside one call and its worst price, from the slot's own base first. Waits while
        others may settle.

        Raises BudgetSpent when it never will fit, and from then on for every call of this slot;
        UsageError when a budget in USD meets an unknown price.
        """
        held_usd = self._budget._priced(worst_usd)
        units = (_units(held_usd), 1)
        if self._closed:
            raise ValueError("the allowance is closed")
        if self._refused:
            raise self._budget._spent()
        asker = _Asker[None](asyncio.get_running_loop().create_future(), units)
        self._waiting.append(asker)
        self._budget._serve()
        try:
            await asker.answer
        except asyncio.CancelledError:
            if _granted(asker):
                self._change(held=(-units[0], -1))
            self._waiting = [waiting for waiting in self._waiting if waiting is not asker]
            self._budget._serve()
            raise
        return held_usd

    def settle(
        self,
        held_usd: float,
        cost_usd: float | None,
        calls: int = 1,
    ) -> None:
        """One held call is over and cost this much (None: nothing that is known of)."""
        self._change(held=(-_units(held_usd), -1), spent=(_units(cost_usd or 0.0), calls))
        self._budget._serve()

    def close(self) -> None:
        """The slot is finished: what it has not spent is free for others. Calls under way settle
        later."""
        if not self._closed:
            self._change(close=True)
            self._budget._serve()

    @property
    def _over(self) -> bool:
        """Whether its cost is final."""
        return self._closed and self._held[1] == 0

    @property
    def _stuck(self) -> bool:
        """Whether it can go on only when somebody else frees what is set aside."""
        waits = self._idle or bool(self._waiting)
        return not self._closed and waits and self._held[1] == 0

    def _left(self, kind: int) -> int:
        return (
            0
            if self._closed
            else max(0, self._base[kind] - self._spent[kind] - self._held[kind])
        )

    def _more(
        self,
        kind: int,
        units: int,
    ) -> int:
        """What a hold takes beyond what is set aside for the slot already."""
        return max(0, units - self._left(kind))

    def _change(
        self,
        *,
        held: tuple[int, int] = (0, 0),
        spent: tuple[int, int] = (0, 0),
        close: bool = False,
    ) -> None:
        before = [self._held[kind] + self._left(kind) for kind in (0, 1)]
        self._closed = self._closed or close
        for kind, pot in enumerate(self._budget._pots):
            self._held[kind] += held[kind]
            self._spent[kind] += spent[kind]
            pot.spent += spent[kind]
            pot.aside += self._held[kind] + self._left(kind) - before[kind]


class Budget:
    """A budget in USD and in calls (None: no limit) for all runs of a launch; `spent_…` is what a
    resumed launch has spent before. An owner of an open allowance must not ask for another one: it
    would wait for itself."""

    def __init__(
        self,
        usd: float | None,
        calls: int | None,
        *,
        spent_usd: float = 0.0,
        spent_calls: int = 0,
    ) -> None:
        before = (_units(spent_usd), spent_calls)
        budgets = (None if usd is None else floor(usd * _PER_USD), calls)
        self._usd, self._calls = usd, calls
        self._pots = tuple(
            _Pot(most, spent, bases=spent) for most, spent in zip(budgets, before, strict=True)
        )
        self._order: deque[Reservation] = deque()
        """Admitted slots in their order, but for those of the prefix that is closed."""
        self._asking: deque[_Asker[Reservation]] = deque()
        self._exhausted = False
        self._reason = ""

    @property
    def spent_usd(self) -> float:
        """Spent so far, that of a resumed launch's earlier part included."""
        return self._pots[0].spent / _PER_USD

    @property
    def spent_calls(self) -> int:
        return self._pots[1].spent

    async def admit(self, need: Cost) -> Reservation:
        """Wait for a place in the budget, first come first served.

        Raises BudgetSpent when the need does not fit and nothing can come free any more, and from
        then on at once; UsageError when a budget in USD meets an unknown price.
        """
        base = (_units(self._priced(need.base.usd)), need.base.calls)
        extra = (_units(self._priced(need.extra.usd)), need.extra.calls)
        if self._exhausted:
            raise self._spent()
        asker = _Asker[Reservation](asyncio.get_running_loop().create_future(), base, extra)
        self._asking.append(asker)
        self._serve()
        try:
            return await asker.answer
        except asyncio.CancelledError:
            if _granted(asker):
                asker.answer.result().close()
            self._serve()
            raise

    def _priced(self, usd: float | None) -> float:
        if usd is None and self._usd is not None:
            raise UsageError(
                "A budget in USD needs the price of every model: give the missing ones with "
                "--price."
            )
        return usd or 0.0

    def _spent(self, whole: tuple[int, int] | None = None) -> BudgetSpent:
        """`whole`: what the slot that did not fit could cost."""
        spent = [] if self._usd is None else [f"USD {self.spent_usd:.4f} of {self._usd:g}"]
        spent += (
            [] if self._calls is None else [f"{self.spent_calls:,} of {self._calls:,} calls"]
        )
        usd, calls = whole or (0, 0)
        step = (
            f"the next step (up to USD {usd / _PER_USD:.4f}, {calls} calls)"
            if whole
            else "a call"
        )
        self._reason = self._reason or (
            f"Budget reached: {' and '.join(spent)} spent, and {step} could cost more than is left; "
            "raise --budget or --max-calls and resume."
        )
        return BudgetSpent(self._reason)

    def _serve(self) -> None:
        """Answer everybody who can be answered: calls of admitted slots first, then who asks for
        admission."""
        while self._order and self._order[0]._over:
            done = self._order.popleft()
            for pot, cost, base in zip(
                self._pots,
                done._spent,
                done._base,
                strict=True,
            ):
                pot.close(cost, base)
        while self._grant_a_hold():
            pass
        waiting = [reservation for reservation in self._order if reservation._waiting]
        if waiting and all(
            reservation._stuck for reservation in self._order if not reservation._over
        ):
            self._refuse(waiting[-1])
        self._admit_in_order(held_up=bool(waiting))

    def _grant_a_hold(self) -> bool:
        """The first call that fits, the earliest slot's first. Not strictly in line: a small call
        of a later slot may be what lets it close, and what the earlier one waits for."""
        for reservation in self._order:
            reservation._waiting = [
                asker for asker in reservation._waiting if not asker.answer.done()
            ]
            for asker in reservation._waiting:
                if all(
                    pot.fits(reservation._more(kind, asker.units[kind]))
                    for kind, pot in enumerate(self._pots)
                ):
                    reservation._waiting.remove(asker)
                    reservation._change(held=asker.units)
                    asker.answer.set_result(None)
                    return True
        return False

    def _refuse(self, reservation: Reservation) -> None:
        """Nobody can go on: the latest slot gives way, so that those before it can finish."""
        self._exhausted = reservation._refused = True
        for asker in reservation._waiting:
            asker.answer.set_exception(self._spent())
        reservation._waiting = []

    def _admit_in_order(self, *, held_up: bool) -> None:
        while self._asking:
            asker = self._asking[0]
            if not asker.answer.done():  # else it was cancelled while it waited
                if not self._exhausted and not held_up and self._is_certain(asker):
                    asker.answer.set_result(self._admitted(asker))
                elif self._exhausted or not self._order:
                    self._exhausted = True
                    whole = asker.units[0] + asker.extra[0], asker.units[1] + asker.extra[1]
                    asker.answer.set_exception(self._spent(whole))
                else:
                    return
            self._asking.popleft()

    def _is_certain(self, asker: _Asker[Reservation]) -> bool:
        return all(
            pot.promises(base + extra) and pot.fits(base)
            for pot, base, extra in zip(
                self._pots,
                asker.units,
                asker.extra,
                strict=True,
            )
        )

    def _admitted(self, asker: _Asker[Reservation]) -> Reservation:
        reservation = Reservation(self, asker.units)
        self._order.append(reservation)
        for pot, base in zip(self._pots, asker.units, strict=True):
            pot.aside += base
            pot.bases += base
        return reservation


def _units(usd: float) -> int:
    return ceil(usd * _PER_USD)


def _granted(asker: "_Asker[T]") -> bool:  # in the moment in which its task was cancelled
    return (
        asker.answer.done()
        and not asker.answer.cancelled()
        and asker.answer.exception() is None
    )
