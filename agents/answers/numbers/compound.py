"""Numbers that are one quantity together: 3 hours and 20 minutes, 5 ft 6 in, 4 dollars and 50 cents."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

from .money import CENTS
from .scan import Found, Quantity

_TIME = {
    1: "s sec secs second seconds", 60: "min mins minute minutes", 3600: "h hr hrs hour hours", 86400: "d day days",
    604800: "week weeks",
}  # fmt: skip
_CHAINS: tuple[dict[int, str], ...] = (
    _TIME,
    {1: "month months", 12: "yr yrs year years"},
    {1: "in inch inches", 12: "ft foot feet", 36: "yd yard yards"},
    {1: "oz ounce ounces", 16: "lb lbs pound pounds"},
    {
        1: "mm millimeters",
        10: "cm centimeters centimetres",
        1000: "m meter meters metre metres",
        10**6: "km kilometers",
    },
    {1: "mg", 1000: "g gram grams", 10**6: "kg kilogram kilograms"},
    {1: "ml mL milliliters millilitres", 1000: "l L liter liters litre litres"},
)
_WORTH = {
    unit: (chain, Fraction(worth)) for chain, units in enumerate(_CHAINS) for worth, names in units.items()
    for unit in names.split()
}  # fmt: skip
_MONEY = -1
_AND = re.compile(r"(?:,? and|,)? ?")


def together(text: str, numbers: Iterable[Found]) -> Iterator[Found]:
    """The numbers of a text; those that are one quantity put together, in the smallest unit that it names."""
    last: Found | None = None
    for number in numbers:
        if last is not None and _AND.fullmatch(text, last.end, number.start):
            joint = _sum(last, number)
            if joint is not None:
                last = joint
                continue
        if last is not None:
            yield last
        last = number
    if last is not None:
        yield last


def _sum(first: Found, second: Found) -> Found | None:
    """Both as one; None unless the second one's unit is a smaller one of the same kind and it is less than one of the
    first one's."""
    if first.quantity is None or second.quantity is None:
        return None
    small_unit = second.quantity.unit.split(" ")[0]  # 20 min later
    large, small = _worth(first.quantity, first.quantity.unit), _worth(second.quantity, small_unit)
    if large is None or small is None or large[0] != small[0]:
        return None
    times = large[1] / small[1]
    if times <= 1 or first.quantity.value.denominator != 1 or first.quantity.value < 0:
        return None
    if not 0 <= second.quantity.value < times:
        return None
    value = first.quantity.value * times + second.quantity.value
    joint = replace(second.quantity, value=value, digits=len(str(int(value))))
    if large[0] == _MONEY:  # 4 dollars and 50 cents are 4.50, not 450
        joint = replace(joint.scaled(1 / times), currency=first.quantity.currency, decimal=True)
    return Found(first.start, second.end, joint)


def _worth(quantity: Quantity, unit: str) -> tuple[int, Fraction] | None:
    """The kind of a quantity's unit, and what the unit is worth in the smallest one."""
    if quantity.currency and not unit:
        return _MONEY, Fraction(1 if quantity.currency in CENTS else 100)
    return _WORTH.get(unit) if not quantity.currency else None
