"""Figures of a text, in whatever form another text may give them."""

import re
from decimal import Decimal

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_POWER = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_YEARS = re.compile(r"\b(\d\d)(\d\d)([-–/])(\d\d)\b")
# not the 2 of H2O and CO2: it is part of a name that has others
_FIGURE = re.compile(
    r"(?<![^\W_])(?P<figure>\d+(?:[.,'’]\d+|(?<!\d{4})[ \u00a0\u202f]\d{3}\b)*)"
    r"(?:\s(?P<scale>thousand|million|billion|trillion)\b)?",
    re.IGNORECASE,
)
_GROUPS = re.compile(r"(\d{1,3}(?:([.,'’ \u00a0\u202f])\d{3})(?:\2\d{3})*)(?:[.,](\d+))?")
_DECIMAL = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_COUNTS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty",
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth"
    " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
    "N I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX",
)
_OTHER_WORDS = {
    "single": 1, "once": 1, "half": 2, "both": 2, "twice": 2, "double": 2, "squared": 2, "triple": 3, "cubed": 3,
    "quarter": 4, "dozen": 12, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
_IN_WORDS = {word: number for words in _COUNTS for number, word in enumerate(words.split())} | _OTHER_WORDS
_NUMBER_WORD = re.compile(r"\b[IVX]+\b|[A-Z]?[a-z]+")


def lost_figure(text: str, reworded: str) -> str | None:
    """The first figure of a text that another wording lacks in every form; None when it lacks none.

    1,000 may be 1000 there; 2 may be two, II or second; 1914–18 may be 1914 to 1918.
    """
    found = _NUMBER_WORD.findall(reworded)
    words = [word if word.isupper() else word.lower().removesuffix("fold") for word in found]
    kept = {str(_IN_WORDS[word]) for word in words if word in _IN_WORDS}
    kept.update(*(values for _, values in _figures(reworded)))
    return next((figure for figure, values in _figures(text) if not values & kept), None)


def _figures(text: str) -> list[tuple[str, set[str]]]:
    """Each figure as it is written, with the numbers that it may be."""
    plain = _POWER.sub(lambda power: f"^{power[0].translate(_RAISED)}", text)
    plain = _YEARS.sub(r"\1\2\3\1\4", plain)
    return [(found[0], _numbers(found["figure"], found["scale"] or "")) for found in _FIGURE.finditer(plain)]


def _numbers(figure: str, scale: str) -> set[str]:
    """What a figure may stand for: 1.125 is more than a thousand in some languages."""
    spellings = {figure.replace(",", ".")}
    if grouped := _GROUPS.fullmatch(figure):
        spellings.add(re.sub(r"\D", "", grouped[1]) + (f".{grouped[3]}" if grouped[3] else ""))
    numbers = [Decimal(spelling) for spelling in spellings if _DECIMAL.fullmatch(spelling)]
    numbers += [number * _IN_WORDS[scale.lower()] for number in numbers if scale]
    return spellings | {f"{number.normalize():f}" for number in numbers}
