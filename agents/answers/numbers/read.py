"""Numbers as final answers give them: in figures or words, with a currency, percent or a unit.

Texts are in plain signs (see `text`). Read are the common ways to write a number; what stands
beside one and is neither its unit nor words leaves it unread.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from ..figures import is_number_word, number_in_words
from ..lines import plain
from .scan import Found, Quantity, in_figures, with_unit
from .text import plain_math
from .units import CENTS, conversion, is_symbol

__all__ = ["Found", "Quantity", "bare", "numbers_in", "read_forms", "read_number"]

_JOINT = re.compile(r"(?:,? and|,)? ?")
_ABOUT = (
    r"approximately|approx\.?|about|around|roughly|circa|ca\.?|exactly|precisely|only|just|a total "
    r"of"
    r"|there (?:are|is|were|will be)"
)
_LEAD = re.compile(
    rf"(?:(?:{_ABOUT})(?: |$)|[=≈~:] ?|[A-Za-zͰ-Ͽ][\wͰ-Ͽ']{{0,11}}(?:\([\w, ]{{1,12}}\))? ?[=≈] ?)+",
    re.IGNORECASE,
)
_ASIDE = re.compile(r" \((?!or\b|and\b|maybe\b|perhaps\b)[^()0-9]*+\)$")
_WORD = re.compile(r"[A-Za-z]+")
_TAIL = re.compile(r"(?: (?:[^\W\d_]|[-'])+){0,6}")
_NO_TAILS = (
    "and or not minus plus times versus vs over divided if unless wrong incorrect false wait "
    "actually most least"
)
_NO_TAIL = frozenset(_NO_TAILS.split())
"""Words behind a number that make it a part of something else, or deny it."""


@lru_cache(maxsize=256)
def read_number(text: str) -> Quantity | None:
    """The one number that a text says, with its unit, and nothing else that matters; None when it
    says anything else.

    Read are 1,000, 1 000, 1'000, 1.000,0 and 1,00,000 (a single comma before three figures sets off
    thousands, a single point never does), 0,5, 3 × 10^5, 3e5, 10⁵, 3/4, 2½, 25 %, $18, 45 g, 3 h 20
    min, twelve, two thirds, all of it also in LaTeX. Not read are bounds, ranges, ratios, times,
    dates, ordinals, other powers, roots, sums and products, 5!,
    |5|, 0.33… and 12K, whatever stands beside a LaTeX command that is not known, and names that
    begin with a number word, such as Seven Samurai.
    """
    if len(text) > 200:
        return None
    said = bare(text)
    found = numbers_in(said, words=True)
    if (
        len(found) != 1
        or found[0].start
        or found[0].quantity is None
        or re.search(r"[0-9]-[^\W\d_]", said)
    ):
        return None  # 2-propanol and an 18-wheeler are none
    quantity, rest = found[0].quantity, said[found[0].end :]
    told = [*quantity.unit.split(), *rest.split()]
    names = sum(
        word[0].isupper() and not is_symbol(word) for word in re.findall(r"[^\W_]+", " ".join(told))
    )
    if names and said[:1].isalpha() and not quantity.currency and told[0][0].isupper():
        return None
    ends = _TAIL.fullmatch(rest) is not None and not _NO_TAIL & {word.casefold() for word in told}
    return quantity if ends and names < 2 else None


def read_forms(text: str) -> list[Quantity]:
    """The number that a text says, and another form of it in brackets: 0.100 mol (5.84 g). Empty:
    it says none."""
    if (one := read_number(text)) is not None:
        return [one]
    if len(text) > 200:
        return []
    two = re.fullmatch(r"([^()]++)(?<= )\(([^()]++)\)", bare(text))
    if two is None:
        return []
    forms = [form for part in two.groups() if (form := read_number(part))]
    if len(forms) < 2:
        return []
    other = forms[1]
    return forms if other.unit or other.currency or other.percent else []


def bare(text: str) -> str:
    """A short text in plain signs, without quotes, brackets, emphasis, and words such as "about" in
    front of it."""
    said = " ".join(plain(plain_math(text)).split())
    for _ in range(3):
        said = said.strip(" \"'").rstrip(".,;:!")
        if said[:1] + said[-1:] in ("()", "[]", "<>") and not re.search(
            r"[0-9],[0-9]|[()\[\]]", said[1:-1]
        ):
            said = said[1:-1].strip()
        lead = _LEAD.match(said)
        said = _ASIDE.sub("", said[lead.end() :] if lead else said)
    return re.sub(r"^([-+]) (?=[0-9])", r"\1", said)


def numbers_in(text: str, *, words: bool = False) -> list[Found]:
    """The numbers of a text in plain signs, in order; those that are one quantity (3 h 20 min) as
    one. `words`: also those in words."""
    found = list(in_figures(text))
    if words:
        found = sorted([*found, *_in_words(text, found)], key=lambda number: number.start)
    joined = list[Found]()
    for number in found:
        last = (
            joined[-1] if joined and _JOINT.fullmatch(text, joined[-1].end, number.start) else None
        )
        joint = _together(last, number) if last else None
        joined[-1:] = [joint] if joint else [*joined[-1:], number]
    return joined


def _together(first: Found, second: Found) -> Found | None:
    """Two numbers as one quantity in the second one's unit, such as 3 hours and 20 minutes; None
    unless that is a smaller unit of the same kind and there are less of it than one of the first
    has."""
    large, small = first.quantity, second.quantity
    if (
        large is None
        or small is None
        or not (large.unit or large.currency)
        or large.value.denominator != 1
    ):
        return None
    if (
        large.currency
        and not large.unit
        and small.currency in CENTS
        and large.currency not in CENTS
    ):
        total = large.value + small.value / 100  # 4 dollars and 50 cents are 4.50, not 450
        amount = replace(
            large,
            value=total,
            step=Fraction(1, 100),
            digits=len(str(int(total * 100))),
            decimal=True,
        )
        return Found(first.start, second.end, amount) if 0 <= small.value < 100 else None
    unit = small.unit.split(" ")[0]  # 20 min later
    scale = (
        conversion(large.unit, unit)
        if unit and large.unit and not large.currency + small.currency
        else None
    )
    if (
        scale is None
        or scale.factor <= 1
        or scale.offset
        or not 0 <= small.value < scale.factor
        or large.value < 0
    ):
        return None
    value = large.value * scale.factor + small.value
    return Found(first.start, second.end, replace(small, value=value, digits=len(str(int(value)))))


def _in_words(text: str, figures: Sequence[Found]) -> Iterator[Found]:
    """The numbers in words that do not stand within those in figures."""
    taken = [False] * (len(text) + 1)
    for figure in figures:
        taken[figure.start : figure.end] = [True] * (figure.end - figure.start)
    found = [word for word in _WORD.finditer(text) if not taken[word.start()]]
    at = 0
    while at < len(found):
        number = _worded(text, found[at : at + 9])
        if number is not None:
            yield number
        at += 1
        while number is not None and at < len(found) and found[at].start() < number.end:
            at += 1


def _worded(text: str, found: Sequence[re.Match[str]]) -> Found | None:
    """The longest number that begins with the first of these words."""
    words = list[str]()
    for place, word in enumerate(found):
        spoken = word[0].lower()
        link = text[found[place - 1].end() : word.start()] if place else " "
        if link not in (" ", "-") or not (
            is_number_word(spoken) or spoken in ("a", "an", "and", "one")
        ):
            break
        words.append(spoken)
    for count in range(len(words), 0, -1):
        value = number_in_words(words[:count])
        if value is not None:
            start, sign = found[0].start(), 1
            if before := re.search(
                r"\b(?:minus|negative) $", text[max(start - 10, 0) : start], re.IGNORECASE
            ):
                start, sign = start - len(before[0]), -1
            if text[max(start - 5, 0) : start] == " and " and words[0] == "a":  # an hour and a half
                return Found(start, found[count - 1].end(), None)
            step, digits = Fraction(value.denominator == 1), len(str(int(value)))
            return with_unit(
                text, start, found[count - 1].end(), Quantity(sign * value, step, digits)
            )
    return None
