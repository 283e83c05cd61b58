"""Figures of a text, in whatever form another text may give them."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER = re.compile("⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_YEARS = re.compile(r"\b(\d\d)(\d\d)([-–/])(\d\d)\b")
_HALF = re.compile(r"(\d)½")
_AND_A_HALF = re.compile(r"\band (?:a|one) half\b", re.IGNORECASE)
# not the 2 of H2O and CO2: it is part of a name that has others
_FIGURE = re.compile(
    r"(?<![^\W_])(?:"
    r"(?:(?P<factor>[0-9]{1,9}(?:[.,][0-9]{1,9})?)\s?(?:[×x*·⋅]|\\times|\\cdot)\s?)?"
    r"10(?:\^|\*\*)\{?(?P<power>[-−]?[0-9]{1,2})\b"
    r"|(?<![0-9][./,])(?P<over>[0-9]{1,3})/(?P<under>[0-9]{1,3})(?![\w/]|[.,][0-9])"
    r"|(?P<figure>\d+(?:[.,'’]\d+|(?<!\d{4})[ \u00a0\u202f]\d{3}\b)*)"
    r"(?:\s(?P<scale>hundred|thousand|million|billion|trillion)\b|(?P<percent>\s?(?:%|percent\b|per "
    r"cent\b)))?)",
    re.IGNORECASE,
)
_PART = re.compile(r"\d+(?:[.,]\d+)?")
_GROUPS = re.compile(r"(\d{1,3}(?:([.,'’ \u00a0\u202f])\d{3})(?:\2\d{3})*)(?:[.,](\d+))?")
_DECIMAL = re.compile(r"\d+(?:\.\d+)?", re.ASCII)

_COUNTS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen"
    " eighteen nineteen twenty"
)
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth"
    " fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ROMAN = "N I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI"
_TENS = {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_SCALES = {
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_ORDINAL = {word: number for number, word in enumerate(_ORDINALS.split())} | {
    f"{word.removesuffix('y')}ieth": number for word, number in _TENS.items()
}
_COMPOSED = (
    {word: number for number, word in enumerate(_COUNTS.split())} | _ORDINAL | _TENS | _SCALES
)
_CARDINAL = _COMPOSED.keys() - _ORDINAL.keys()
_OTHER_WORDS = {
    "single": 1, "once": 1, "both": 2, "twice": 2, "double": 2, "squared": 2, "triple": 3, "cubed": 3, "dozen": 12,
}  # fmt: skip
_ALONE = {word: number for number, word in enumerate(_ROMAN.split())} | _OTHER_WORDS
_PARTS = {word: number for word, number in _ORDINAL.items() if number > 2} | {
    "half": 2,
    "halve": 2,
    "quarter": 4,
}
"""The lower number of a fraction. A second is none."""
_AND_HALF = frozenset({("and", "a", "half"), ("and", "one", "half")})
_NUMBER_WORD = re.compile(r"\b[IVX]+\b|[A-Z]?[a-z]+")
_LINK = re.compile(r"[\s‐‑-]{1,2}")


class _Figure(NamedTuple):
    """A figure as it is written, the numbers that it may be, and those that it is made of where it
    is made of some."""

    written: str
    numbers: set[str]
    parts: tuple[set[str], ...] = ()

    def kept(self, numbers: set[str]) -> bool:
        return bool(self.numbers & numbers) or (
            bool(self.parts) and all(part & numbers for part in self.parts)
        )


def lost_figure(text: str, reworded: str) -> str | None:
    """The first figure of a text that another wording lacks in every form; None when it lacks
    none."""
    return next(_lost(text, reworded), None)


def lost_figures(text: str, reworded: str) -> list[str]:
    """The figures of a text, as it writes them, that another wording lacks in every form; each
    once.

    1,000 may be 1000 there; 2 may be two, II or second; 25 twenty-five; 50 % half; 10^6 one
    million; 1914–18 may be 1914 to 1918.
    """
    return list(dict.fromkeys(_lost(text, reworded)))


def number_in_words(words: Sequence[str]) -> Fraction | None:
    """The number that words in small letters say together: twenty five, two thirds, three and a
    half, a dozen.

    None where they say an ordinal, several numbers or anything else.
    """
    if tuple(words[-3:]) in _AND_HALF and (whole := _count(words[:-3])) is not None:
        return whole + Fraction(1, 2)
    *head, last = words or ("",)
    part = _number_word(last)
    if part in _PARTS:
        over = _count(head) if head or part not in ("half", "quarter") else 1
        plural = last != part if head[1:] or head[:1] not in ([], ["a"], ["one"]) else last == part
        return Fraction(over, _PARTS[part]) if over is not None and plural else None
    times = 12 if last == "dozen" else 1
    number = _count(words) if times == 1 else _count(head or ("one",))
    return (
        Fraction(number * times)
        if number is not None and len(words) > (words[0] in ("a", "an"))
        else None
    )


def is_number_word(word: str) -> bool:
    """Whether a word in small letters may begin or continue a number of `number_in_words`."""
    return word in _CARDINAL or word == "dozen" or _number_word(word) in _PARTS


def _count(words: Sequence[str]) -> int | None:
    """A cardinal number in words, "a" being one; None where they are not exactly one."""
    counted = ["one", *words[1:]] if words and words[0] in ("a", "an") else list(words)
    known = [word for word in counted if word != "and"]
    if (
        not known
        or "and" in (counted[0], counted[-1])
        or not all(word in _CARDINAL for word in known)
    ):
        return None
    sums = _sums(known)
    return sums[0] if len(sums) == 1 else None


def _lost(text: str, reworded: str) -> Iterator[str]:
    numbers = _in_words(reworded)
    for found in _figures(reworded):
        # not the 6 of 10^-6: 10^6 is another number
        numbers.update(found.numbers, *(found.parts if "/" in found.written else ()))
    return (figure.written for figure in _figures(text) if not figure.kept(numbers))


def _figures(text: str) -> Iterator[_Figure]:
    plain = _POWER.sub(lambda power: f"^{power[0].translate(_RAISED)}", text)
    plain = _HALF.sub(r"\1.5", plain).replace("½", "1/2")
    plain = _YEARS.sub(r"\1\2\3\1\4", plain)
    return map(_figure, _FIGURE.finditer(plain))


def _figure(found: re.Match[str]) -> _Figure:
    if found["figure"] is not None:
        text = found[0] if found["scale"] else found["figure"]
        return _Figure(text, _plain_numbers(found))
    parts = tuple(_numbers(part) for part in _PART.findall(found[0]))
    if found["under"] is not None:
        over, under = int(found["over"]), int(found["under"])
        share = {_share(Decimal(over) / under)} if under else set()
        return _Figure(found[0], share | {found[0]}, parts)
    power = int(found["power"].replace("−", "-"))
    number = Decimal((found["factor"] or "1").replace(",", ".")).scaleb(power)
    return _Figure(found[0], {_plain(number), _share(number)}, parts)


def _plain_numbers(found: re.Match[str]) -> set[str]:
    numbers = _numbers(found["figure"], found["scale"] or "")
    values = [Decimal(number) for number in numbers if _DECIMAL.fullmatch(number)]
    if found["percent"]:
        values = [value / 100 for value in values]
    return numbers | {_share(value) for value in values}


def _numbers(figure: str, scale: str = "") -> set[str]:
    """What a figure may stand for: 1.125 is more than a thousand in some languages."""
    spellings = {figure.replace(",", ".")}
    if grouped := _GROUPS.fullmatch(figure):
        spellings.add(re.sub(r"\D", "", grouped[1]) + (f".{grouped[3]}" if grouped[3] else ""))
    numbers = [Decimal(spelling) for spelling in spellings if _DECIMAL.fullmatch(spelling)]
    numbers += [number * _SCALES[scale.lower()] for number in numbers if scale]
    return spellings | {_plain(number) for number in numbers}


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


def _share(number: Decimal) -> str:
    """A number as a part of one, apart from the figures: 50 % is half and so is 0.5, but 50 % is
    not 0.5 %."""
    return f"={number.normalize()}"


def _in_words(text: str) -> set[str]:
    """The numbers that a text gives in words."""
    kept: set[str] = set()
    run: list[str] = []
    end = 0
    text = _AND_A_HALF.sub("and half", text)
    for found in _NUMBER_WORD.finditer(text):
        word = _number_word(found[0])
        if run and not _LINK.fullmatch(text, end, found.start()):
            kept |= _run(run)
            run = []
        if word in _COMPOSED or (word == "and" and run):
            run += ["-"] * (text[end : found.start()] in ("-", "‐", "‑")) + [word]
        else:
            kept |= _run(run, word) | _alone(word, run)
            run = []
        end = found.end()
    return kept | _run(run)


def _number_word(found: str) -> str:
    """A word as the tables have it: fivefold is five, thirds are a third; seconds are no
    numbers."""
    if found.isupper():
        return found
    word = found.lower().removesuffix("fold")
    singular = word.removesuffix("s")
    return singular if singular in _PARTS or singular in _SCALES else word


def _alone(word: str, run: list[str]) -> set[str]:
    """What a word says that is not part of a longer number; `run`: the number words in front of
    it."""
    kept = {str(_ALONE[word])} if word in _ALONE else set()
    if word in _PARTS:  # half or quarter
        over = max([1, *_sums(run)])
        kept |= {
            str(_PARTS[word]),
            _share(Decimal(1) / _PARTS[word]),
            _share(Decimal(over) / _PARTS[word]),
        }
    return kept


def _run(run: list[str], following: str = "") -> set[str]:
    """What number words in a row say, and their parts between each "and": from one hundred and one
    and two hundred."""
    words = [word for word in run if word != "-"]
    ands = [-1, *(place for place, word in enumerate(words) if word == "and"), len(words)]
    spans = [
        (begin + 1, end) for place, begin in enumerate(ands) for end in ands[place + 1 : place + 4]
    ]
    sums = [number for begin, end in spans for number in _sums(words[begin:end])]
    kept = {str(number) for number in sums} | _read_otherwise(run)
    if words and following == "half" and words[-1] == "and":
        kept |= {f"{number}.5" for number in sums}
    return kept


def _read_otherwise(run: list[str]) -> set[str]:
    """Twenty second breaks are 20 of them or the 22nd, and two thirds are a fraction."""
    kept: set[str] = set()
    for before, link, word in zip(["", "", *run], ["", *run], run, strict=False):
        first = before if link == "-" else link
        if word in _ORDINAL and first in _COMPOSED and (link != "-" or word == "second"):
            kept |= {str(_COMPOSED[first]), str(_ORDINAL[word])}
        if word in _PARTS:
            kept |= {_share(Decimal(over) / _PARTS[word]) for over in (1, _COMPOSED.get(first, 1))}
    return kept


def _sums(words: list[str]) -> list[int]:
    """The numbers that words make together: twenty one is 21, two hundred is 200, two three are two
    numbers."""
    numbers: list[int] = []
    total, current = 0, None
    for word in words:
        number = _COMPOSED.get(word)
        if number is None:
            continue
        if number == 100:
            current = (current or 1) * number
        elif number > 100:
            total, current = total + (current or 1) * number, 0
        elif current is None or _goes_on(current, number):
            current = (current or 0) + number
        else:
            numbers.append(total + current)
            total, current = 0, number
    return numbers if current is None else [*numbers, total + current]


def _goes_on(current: int, number: int) -> bool:
    """Whether a number below 100 may follow in the same number, as 1 after 20 and 20 after 200."""
    rest = current % 100
    return rest == 0 or (rest >= 20 and rest % 10 == 0 and 0 < number < 10)
