"""Numbers as final answers give them, in plain forms with one unit, and when two are the same
(METHODS.md, section 5). What has another form is None, and the judge compares it."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pint import Unit, UnitRegistry

_DIGITS = r"\d{1,3}(?:[,\u202f\u00a0 ]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_NUMBER = re.compile(
    rf"(?P<sign>[-+−])?\s?(?P<currency>[$€£¥₹])?(?P<digits>{_DIGITS})"
    r"(?:\s?[×x*·]\s?10\s?(?:\^\s?\{?(?P<power>[-+−]?\d{1,3})\}?|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))"
    r"|[eE](?P<exponent>[-+−]?\d{1,3})|\s?/\s?(?P<divisor>[1-9]\d{0,8})(?![\d.,/]))?"
)
_NAME = r"°?[^\W\d_]+(?:\^-?\d|[²³])?"
_UNIT = re.compile(rf"{_NAME}(?:\s?[/*·]\s?{_NAME}|\s{_NAME}){{0,4}}")
_RAISED = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹−", "-+0123456789-")
_LONGEST = 80
_FEW_DIGITS = 3
"""Significant digits from which a rounded number stands for the number."""
_CENT = Fraction(1, 100)
_ROUNDING = Fraction(1, 10**6)
"""Relative difference that a conversion between units may leave."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what stands at it. `step`: the value of its last written place, 0 of a
    fraction; `digits`: significant ones."""

    value: Fraction
    step: Fraction
    digits: int
    decimal: bool = False
    unit: str = ""
    currency: str = ""
    percent: bool = False


@lru_cache(maxsize=1024)
def read_quantity(text: str) -> Quantity | None:
    """The one number that a line says, with its currency, percent sign or unit; None for anything
    beside these."""
    line = text.strip().removesuffix(".").strip(" $")
    line = f"${line}" if text.strip().startswith("$") and "$" not in text.strip()[1:] else line
    number = _NUMBER.match(line) if len(line) <= _LONGEST else None
    if number is None:
        return None
    behind = line[number.end() :].strip()
    is_percent = behind in ("%", "percent", "per cent")
    unit = "" if is_percent else behind
    if unit and (number["currency"] or unit_of(unit) is None):
        return None
    return _quantity(number, unit, is_percent)


def leading_number(text: str) -> Fraction | None:
    """The number that a text begins with, whatever stands behind it."""
    number = _NUMBER.match(text.strip())
    return _quantity(number, "", False).value if number else None


def numbers_in(text: str) -> list[Fraction]:
    """The values of all plain numbers of a text."""
    return [_quantity(number, "", False).value for number in _NUMBER.finditer(text)]


def _quantity(number: re.Match[str], unit: str, is_percent: bool) -> Quantity:
    digits = re.sub(r"[^\d.]", "", number["digits"])
    power = number["power"] or number["exponent"] or number["raised"] or "0"
    scale = Fraction(10) ** int(power.translate(_RAISED))
    places = len(digits.partition(".")[2])
    value, step = Fraction(digits) * scale, Fraction(1, 10**places) * scale
    divisor = int(number["divisor"] or 1)
    if number["divisor"] and divisor:
        value, step = value / divisor, Fraction(0)
    return Quantity(
        value=-value if number["sign"] in ("-", "−") else value,
        step=step,
        digits=len(digits.replace(".", "").lstrip("0")),
        decimal=places > 0 or power != "0",
        unit=unit,
        currency=number["currency"] or "",
        percent=is_percent,
    )


def same_quantity(
    answer: Quantity, reference: Quantity, tolerance: float | None = None
) -> bool | None:
    """Whether an answer is the reference: bare numbers when they are equal, measured ones to the
    precision written, across units. `tolerance`: a relative difference that is allowed besides.

    None: form cannot tell, and the judge has to: units that do not convert, a mark that only one of
    them has where the numbers differ, and a measured number that is one off in its last place.
    """
    converted = _in_unit_of(answer, reference)
    if converted is None:
        return None
    gap = abs(converted.value - reference.value)
    allowed = Fraction(str(tolerance or 0)) * abs(reference.value)
    marks = [_marks(converted), _marks(reference)]
    if marks[0] and marks[1] and marks[0] != marks[1]:
        return None
    if marks[0] == marks[1]:
        allowed = max(allowed, _written_precision(converted, reference))
    if gap <= allowed:
        return True
    is_near = reference.unit and gap <= max(reference.step, converted.step)
    return None if is_near or marks[0] != marks[1] else False


def _marks(number: Quantity) -> str:
    """What stands at a number."""
    return number.currency or ("%" if number.percent else "unit" if number.unit else "")


def _in_unit_of(answer: Quantity, reference: Quantity) -> Quantity | None:
    if answer.unit in ("", reference.unit) or not reference.unit:
        return answer
    from pint import PintError

    try:
        ends = [
            _registry().Quantity(float(value), unit_of(answer.unit)).to(unit_of(reference.unit))
            for value in (answer.value, answer.value + answer.step)
        ]
    except (
        PintError,
        OverflowError,
    ):  # other dimensions, a number beyond all bounds, or a temperature within a product of units
        return None
    value, beyond = (Fraction(end.magnitude) for end in ends)
    return Quantity(value, abs(beyond - value), answer.digits, True, reference.unit)


def _written_precision(answer: Quantity, reference: Quantity) -> Fraction:
    """How far an answer may be from a measured reference: half the last place of the reference, and
    of an answer that is rounded to three digits or more."""
    if not (reference.unit or reference.currency):
        return Fraction(0)
    is_rounded_itself = reference.decimal and reference.digits > 1
    allowed = reference.step / 2 if is_rounded_itself else _ROUNDING * abs(reference.value)
    if reference.currency:
        return min(allowed, _CENT / 2)
    is_rounded = answer.digits >= _FEW_DIGITS and answer.step >= reference.step
    return max(allowed, answer.step / 2 if is_rounded else Fraction(0))


@lru_cache(maxsize=1024)
def unit_of(text: str) -> "Unit | None":
    """The unit with a dimension that has this name; None for other words."""
    from pint import PintError

    if not _UNIT.fullmatch(text):
        return None
    try:
        unit = _registry().parse_units(text.replace("·", "*"))
        return None if unit.dimensionless else unit
    except (PintError, AssertionError, ValueError):  # its parser asserts, and refuses factors
        return None


def load_units() -> None:
    """Read the definitions of all units, some .5 s of work, so that the first comparison need
    not."""
    _registry()


@lru_cache(maxsize=1)
def _registry() -> "UnitRegistry[float]":
    from pint import UnitRegistry

    return UnitRegistry(autoconvert_offset_to_baseunit=False)
