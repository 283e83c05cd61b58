"""Whether two numbers are the same answer: bare ones when equal, others by their written precision,
across units."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from .read import Quantity
from .units import CENTS, PARTS, conversion, is_unit, same_currency

_ENOUGH = 3
"""Significant digits from which a rounded number is as good as the number."""
_CENT = Fraction(1, 100)
_CONVENTION = Fraction(1, 10**6)
"""Relative difference that comes from how units are defined: 760 mmHg are 1.00000014 atm."""


class _Pair(NamedTuple):
    """Two numbers in the reference's unit."""

    answer: Quantity
    reference: Quantity
    converted: bool = False
    sure: bool = True
    """Whether what stands at them is known to be of one kind."""

    @property
    def gap(self) -> Fraction:
        return abs(self.answer.value - self.reference.value)

    @property
    def money(self) -> bool:
        return bool(self.answer.currency or self.reference.currency)

    @property
    def equal(self) -> bool:
        return self.gap <= (_CONVENTION * abs(self.reference.value) if self.converted else 0)


def same_quantity(
    answer: Quantity, reference: Quantity, tolerance: float | None = None
) -> bool | None:
    """Whether an answer is the reference, in the reference's unit. What only one of them has does
    not count.

    None: the numbers agree, but the words at them differ, such as 3 protons and 3 electrons. A bare
    number is met by what is equal to it, 5 by 5.00, but 1/3 not by 0.333. With a unit, a currency
    or a percent sign a whole number and a fraction are met exactly; so is a decimal number of one
    digit. Any other decimal number is met by what rounds to it. With a unit of measurement and at
    least three significant digits a decimal number is also met within one unit of its last place,
    and a whole one (158 g) by a decimal number that rounds to it. Money is met to the cent. Except
    of money, an answer with at least three significant digits also meets a fraction, a finer
    decimal number, or what a conversion between units made of a whole number, when that rounds to
    it. `tolerance`: a relative difference that is allowed besides.
    """
    met = [
        pair.sure for pair in _alike(answer, reference) if _meets(pair) or _within(pair, tolerance)
    ]
    return True if any(met) else None if met else False


def equal_quantity(one: Quantity, other: Quantity) -> bool:
    """Whether two numbers are equal, in the other's unit, however they are written."""
    return any(pair.equal for pair in _alike(one, other))


def _meets(pair: _Pair) -> bool:
    answer, reference, allowed = pair.answer, pair.reference, Fraction(0)
    if not (reference.unit or reference.currency or reference.percent):
        return pair.equal
    rounded = answer.digits >= _ENOUGH and answer.step > 0 and not pair.money
    if reference.decimal:
        step = min(reference.step, _CENT) if pair.money else reference.step
        allowed = step / 2 if reference.digits > 1 else allowed
        rounded = rounded and answer.step >= reference.step
    elif reference.step:
        rounded = rounded and pair.converted
    return (
        pair.equal or pair.gap <= max(allowed, answer.step / 2 if rounded else 0) or _measured(pair)
    )


def _measured(pair: _Pair) -> bool:
    """Whether a measured quantity is met within one unit of its last place, which rounding on the
    way may change; one that is a whole number, by a decimal number that rounds to it."""
    reference = pair.reference
    exact = pair.money or reference.percent or reference.digits < _ENOUGH
    if not reference.decimal:
        allowed, exact = (
            Fraction(1, 2),
            exact or reference.step != 1 or pair.converted or not pair.answer.decimal,
        )
    else:
        allowed = reference.step
    return (
        not exact and pair.gap <= allowed and (reference.unit in PARTS or is_unit(reference.unit))
    )


def _within(pair: _Pair, tolerance: float | None) -> bool:
    return tolerance is not None and pair.gap <= Fraction(str(tolerance)) * abs(
        pair.reference.value
    )


def _alike(answer: Quantity, reference: Quantity) -> Iterator[_Pair]:
    """The ways in which two numbers are comparable; none where they are of different kinds."""
    if answer.currency and reference.currency:
        if same_currency(answer.currency, reference.currency):
            yield from _in_unit(_whole_money(answer), _whole_money(reference))
    elif answer.currency or reference.currency:
        yield from _money(answer, reference)
    elif answer.percent != reference.percent:
        yield from _share(answer, reference)
    else:
        yield from _in_unit(answer, reference)


def _share(answer: Quantity, reference: Quantity) -> Iterator[_Pair]:
    """A percentage beside another number: 25 % is 25, and 0.25."""
    other = answer if reference.percent else reference
    if (part := PARTS.get(other.unit)) is not None:
        shares = [each.scaled(_CENT if each.percent else part) for each in (answer, reference)]
        yield _Pair(shares[0], shares[1], converted=True)
    elif not is_unit(other.unit):
        yield _Pair(answer, reference, sure=not other.unit)
        hundredth = [each.scaled(_CENT) if each.percent else each for each in (answer, reference)]
        yield _Pair(hundredth[0], hundredth[1], sure=not other.unit)


def _money(answer: Quantity, reference: Quantity) -> Iterator[_Pair]:
    """Money beside a number without a currency."""
    money, bare = (answer, reference) if answer.currency else (reference, answer)
    each = bare.unit.startswith(("per ", "/"))
    if bare.unit.casefold() in ("pound", "pounds") and same_currency(money.currency, "£"):
        yield _Pair(answer, reference)
    elif money.unit and bare.unit:
        yield from _in_unit(answer, reference)
    elif not bare.percent and (each or not is_unit(bare.unit)):
        yield _Pair(answer, reference, sure=each or not bare.unit)
        if money.currency in CENTS:  # 45 cents for 0.45
            yield _Pair(_whole_money(answer), _whole_money(reference), sure=each or not bare.unit)


def _whole_money(amount: Quantity) -> Quantity:
    return amount.scaled(_CENT) if amount.currency in CENTS else amount


def _in_unit(answer: Quantity, reference: Quantity) -> Iterator[_Pair]:
    if not (answer.unit and reference.unit):
        yield _Pair(answer, reference)
        return
    scale = conversion(answer.unit, reference.unit)
    if scale is not None:
        # 20 °C is 293 K to whoever adds 273, so that no temperature is exact that was converted
        wanted = replace(reference, decimal=True) if scale.offset else reference
        yield _Pair(
            answer.scaled(scale.factor, scale.offset), wanted, scale.factor != 1, scale.sure
        )
