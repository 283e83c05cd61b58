"""Units and currencies of final answers: which are known, and how one converts into another."""

import re
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pint import Unit, UnitRegistry

_SYMBOL = re.compile(
    r"(?:da|[nuµμmcdhkMGTp])?(?:mol|cal|bar|Hz|Pa|eV|Wh|Bq|Sv|lm|lx|Wb|[mgsLlNJWVACFTMΩ])"
    r"|[kMGT]?(?:B|bit)|min|hr|h|d|K|t|u|ft|in|yd|mi|lb|lbs|oz|rad|sr|cd|Da|amu|atm|mph|kph|cc|pp[mbt]|ha|Å|°"
)
_ALIASES = {
    "c": "degC", "f": "degF", "celsius": "degC", "centigrade": "degC", "fahrenheit": "degF", "kmh": "km/hour",
    "kmph": "km/hour", "kgs": "kg", "kms": "km", "cms": "cm", "mms": "mm", "mls": "mL", "gm": "g", "gms": "g",
    "kwh": "kWh", "hz": "Hz", "khz": "kHz", "mhz": "MHz", "kj": "kJ", "kw": "kW", "ev": "eV", "pa": "Pa", "kpa": "kPa",
    "ml": "mL", "kg": "kg", "km": "km", "cm": "cm", "fluidounce": "fluid_ounce",
}  # fmt: skip
_EXACT = {
    "°": "degree",
    "°C": "degC",
    "°F": "degF",
    "°K": "K",
    "Nm": "(N*m)",
    "Cal": "kcal",
    "mmHg": "mmHg",
}
_JOINED = (
    (re.compile(r"\bmm\s(?=Hg\b)"), "mm"),
    (re.compile(r"\bfl(?:uid)?\.? ?(?:oz|ounces?)\b", re.IGNORECASE), "fluidounce"),
    (
        re.compile(
            r"(?:°|\bdeg(?:ree)?s?\.?)\s?([CFK])(?:elsius|entigrade|ahrenheit|elvin)?\b",
            re.IGNORECASE,
        ),
        r"°\1",
    ),
)
_WORDS = (
    "unit units cat cats point points hand hands bag bags count counts particle particles turn "
    "turns cycle cycles"
    " rpm revolution revolutions e c k pi n x y z a b i j p q r w stone stones link links chain "
    "chains rod rods"
    " percent perch pole poles drop drops dot dots line lines pH"
)
_NO_UNITS = frozenset(_WORDS.split())
"""What the registry knows as units, or as constants, and final answers hardly ever mean by them."""
_LOGARITHMIC = frozenset({"decade", "octave", "neper"})
_FACTOR = re.compile(
    r"(?:(?:(?P<square>square|sq)|(?P<cubic>cubic|cu)) )?(?P<name>°[CFK]?|[^\W\d_]+)"
    r"(?:\^?\(?(?P<power>[+-]?[1-6])\)?(?!\w))?(?:(?P<squared> squared)|(?P<cubed> cubed))?"
)
_MATTER = frozenset(
    {"g", "mg", "kg", "grams", "kilograms", "mol", "mmol", "moles", "molecules", "atoms"}
)
_SECOND = re.compile(r"(?<=\w)\s(?:of|in|a|an|each|every)\s(?=\w)(?:(?!\s?/|\sper\b).)*", re.DOTALL)
"""g of NaCl, hours a day"""
_SUBSTANCE = re.compile(r"(?<=\w) (?!K\b)[A-Z]\w*(?= ?/| per\b)")
"""mol NaCl/L"""
_NOUN = re.compile(r"[^\W\d_][^\W_]*")
_NO_NOUNS = frozenset({"a", "an", "the", "of", "in", "per", "each", "every"})
PARTS = {
    "ppm": Fraction(1, 10**6),
    "ppb": Fraction(1, 10**9),
    "ppt": Fraction(1, 10**12),
}
"""Parts of one."""
_MONEY = {
    "$ dollar buck": "USD AUD CAD NZD", "usd us$": "USD", "aud a$ au$": "AUD", "cad c$ ca$": "CAD", "€ eur euro": "EUR",
    "£ gbp quid": "GBP", "¥": "JPY CNY", "jpy yen": "JPY", "cny rmb yuan": "CNY", "rupee rs": "INR PKR", "₹ inr": "INR",
    "chf franc": "CHF", "cent ¢": "USD AUD CAD NZD EUR", "pence": "GBP", "penny pennie": "GBP USD",
}  # fmt: skip
_CURRENCIES = {
    sign: frozenset(codes.split()) for signs, codes in _MONEY.items() for sign in signs.split()
}
CENTS = frozenset({"cent", "¢", "pence", "penny", "pennie"})
_MONEY_BEHIND = re.compile(
    r" ?(?:(?P<us>us |u\.s\. |american )?(?P<word>[^\W\d_]+)|(?P<sign>[$€£¥₹¢]))"
)


class Scale(NamedTuple):
    """How a value converts: `value * factor + offset`."""

    factor: Fraction
    offset: Fraction
    sure: bool = True
    """False: the words at the two numbers differ, and no table says whether they mean the same."""


class _Read(NamedTuple):
    """What the words at a number say."""

    unit: "Unit | None"
    nouns: frozenset[str]
    """The words that are no unit: NaCl of "g of NaCl"."""


def money_behind(text: str, at: int) -> tuple[str, int]:
    """The currency that stands at a position behind a number, as the table has it, and where it
    ends; "" if none."""
    found = _MONEY_BEHIND.match(text[at : at + 40].casefold())
    if found is None:
        return "", at
    word = found["sign"] or (
        found["word"] if len(found["word"]) < 4 else found["word"].removesuffix("s")
    )
    if word not in _CURRENCIES:
        return "", at
    return ("usd" if found["us"] and word == "dollar" else word), at + found.end()


def currency_of(written: str) -> str:
    """A sign or code before a number as the table has it."""
    return written.strip().casefold().removesuffix(".")


def same_currency(one: str, other: str) -> bool:
    """Whether two signs or words may mean the same currency."""
    return bool(_CURRENCIES.get(one, frozenset()) & _CURRENCIES.get(other, frozenset()))


def is_symbol(text: str) -> bool:
    """Whether letters that stand at a number without a space are a unit, as in 45g, not as in
    3x."""
    return _SYMBOL.fullmatch(text) is not None


@lru_cache(maxsize=1024)
def conversion(source: str, target: str) -> Scale | None:
    """How a value in one unit becomes one in another; None: it cannot, the dimensions differ.

    Where one of them is no known unit, or both are spelled alike, a value stays as it is. It is
    `sure` where no word stands against another: 3 mol is 3 mol of HCl, but 3 mol of NaCl need not
    be. A bare "degrees" is an angle, but a temperature beside one; ppm beside a unit may be mg/L.
    Temperatures are those of a thermometer: 0 °C is 273.15 K.
    """
    as_it_is = Scale(Fraction(1), Fraction(0))
    if _spelled(source) == _spelled(target):
        return as_it_is
    said, meant = _read(source), _read(target)
    sure = said.nouns <= meant.nouns or meant.nouns <= said.nouns
    if said.unit is None or meant.unit is None:
        return as_it_is._replace(sure=sure and said.unit is meant.unit)
    from pint import PintError

    given, wanted = _beside(source, said.unit, meant.unit), _beside(target, meant.unit, said.unit)
    if given.dimensionality != wanted.dimensionality:
        return (
            as_it_is._replace(sure=False) if given.dimensionless or wanted.dimensionless else None
        )
    try:
        zero, one = (
            _registry().Quantity(Fraction(number), given).to(wanted).magnitude for number in (0, 1)
        )
    except PintError:  # a temperature within a product of units
        return None
    return Scale(Fraction(one) - Fraction(zero), Fraction(zero), sure)


def is_unit(text: str) -> bool:
    """Whether a unit with a dimension is known by this name."""
    known = _read(text).unit if text else None
    return known is not None and not known.dimensionless


def load_units() -> None:
    """Read the definitions of all units, some .5 s of work, so that the first comparison need
    not."""
    _registry()


@lru_cache(maxsize=1)
def _registry() -> "UnitRegistry[Fraction]":
    # half a second, once, and only where two units have to be converted
    from pint import UnitRegistry

    registry: UnitRegistry[Fraction] = UnitRegistry(cache_folder=None, non_int_type=Fraction)
    for name in ("ppb", "ppt"):
        registry.define(f"{name} = {PARTS[name].numerator} / {PARTS[name].denominator}")
    return registry


def _spelled(text: str) -> str:
    """A unit without spaces, dots and the s of a plural."""
    return re.sub(r"(?<=[a-z]{3})s\b|[\s·*]", "", text)


def _beside(text: str, unit: "Unit", other: "Unit") -> "Unit":
    """A unit beside another one: C, F and degrees are temperatures beside a temperature, u is g/mol
    beside one."""
    bare = text.strip()
    if other.dimensionality == {"[mass]": 1, "[substance]": -1} and bare in ("u", "amu", "Da"):
        return _registry().parse_units("g/mol")
    if other.dimensionality != {"[temperature]": 1} or unit.dimensionality == other.dimensionality:
        return unit
    if bare.casefold() in ("°", "deg", "degree", "degrees"):
        return other
    return _registry().parse_units(_ALIASES[bare.casefold()]) if bare in ("C", "F") else unit


@lru_cache(maxsize=1024)
def _read(text: str) -> _Read:
    """The unit that a text begins with, None if it begins with no known one, and the words beside
    it (45 g NaCl)."""
    plain, beside = _SECOND.sub("", text.strip())[:60], list[str]()
    if substance := _SUBSTANCE.search(plain):
        plain, beside = plain.replace(substance[0], "", 1), [substance[0]]
    for pattern, joined in _JOINED:
        plain = pattern.sub(joined, plain)
    words, end, unit = plain.split(" "), 0, None
    for count in range(len(words), 0, -1):
        if unit is None and (unit := _unit(" ".join(words[:count]))) is not None:
            end = count
    seconds = (second[0] for second in _SECOND.finditer(text.strip()))
    rest = " ".join([*words[end:], *beside, *seconds])
    words = [word for word in _NOUN.findall(rest) if word.casefold() not in _NO_NOUNS]
    return _Read(unit, frozenset(_noun(word) for word in words))


def _noun(word: str) -> str:
    """A word in one form; a formula or symbol such as CO, Co, H2 as it is."""
    if len(word) < 3:
        return word
    if any(sign.isupper() or sign.isdigit() for sign in word[1:]):
        return word
    return word.casefold().removesuffix("s")


def _unit(text: str) -> "Unit | None":
    """The unit that a text is altogether."""
    from pint import PintError

    over, _, under = text.replace(" per ", "/").partition("/")
    factors = list[str]()
    for part, sign in ((over, 1), (under, -1)):  # J/kg K is meant as J/(kg·K)
        last = ""
        if _FACTOR.sub("", part).strip("·*/() "):
            return None
        for factor in _FACTOR.finditer(part):
            name, power = factor["name"], int(factor["power"] or 1)
            substance = last in _MATTER and name[:1].isupper() and name != "K" and power > 0
            if (
                substance or (spelled := _named(name)) is None
            ):  # g H2 and mol Fe, but J/mol K and mol L^-1
                return None
            power *= (
                2
                if factor["square"] or factor["squared"]
                else 3
                if factor["cubic"] or factor["cubed"]
                else 1
            )
            factors.append(f"{spelled}**{power if power < 0 else sign * power}")
            last = name
    try:
        unit = _registry().parse_units(" * ".join(factors)) if factors else None
        return unit if unit is not None and unit.dimensionality is not None else None
    except PintError:  # a logarithmic unit, which has no power
        return None


@lru_cache(maxsize=1024)
def _named(name: str) -> str | None:
    """A unit's name as the registry has it; None when it has none that a final answer would
    mean."""
    bare = name.replace(" ", "")
    if bare in _EXACT:
        return _EXACT[bare]
    alias = _ALIASES.get(bare.casefold(), "") if len(bare) > 1 else ""
    small = bare.lower() if len(bare) > 2 else ""
    return next(
        (spelled for spelled in (bare, alias, small) if spelled not in _NO_UNITS and _has(spelled)),
        None,
    )


def _has(name: str) -> bool:
    """Whether the registry has a name, whose prefix is no mere letter unless it is a symbol: cats
    are no centi-at-s."""
    if not name or (not name.isascii() and not is_symbol(name)):
        return False
    found = _registry().parse_unit_name(name)
    if any(
        unit in _LOGARITHMIC or unit.startswith("decibel") for _, unit, _ in found
    ):  # no factor converts them
        return False
    return any(not prefix or name.startswith(prefix) or is_symbol(name) for prefix, _, _ in found)
