"""Numbers in figures within a text of plain signs: how they are written, their values, and what
stands at them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from ..figures import number_in_words
from .text import UNREAD
from .units import currency_of, is_symbol, money_behind

_LETTERS = "A-Za-zÀ-ɏͰ-Ͽ"  # of scripts that set spaces
_CORE = r"(?:[0-9]+(?:[.,'_][0-9]+|(?<![0-9]{4}) [0-9]{3}(?![0-9/]))*+|\.[0-9]+)"
_NUMBER = re.compile(
    rf"(?<![{_LETTERS}0-9_√^)\]])(?<![0-9][.,:/'])"
    r"(?P<minus>[-+](?=[0-9.$€£¥₹])|(?i:minus|negative) )?"
    r"(?:(?P<money>(?:US|AU|CA|[AC])?\$|[€£¥₹]|Rs\.?|(?:USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD)) "
    r"?(?P<inner>-)?"
    r"(?=[0-9.]))?"
    r"(?:(?P<whole>[0-9]{1,15}) (?:and )?(?P<over>[0-9]{1,15}) ?/ "
    r"?(?P<parts>[0-9]{1,15})(?![.,]?[0-9])"
    r"|10 ?\^ ?\(?(?P<ten>[+-]?[0-9]{1,3})\)?(?![0-9])"
    rf"|(?P<core>{_CORE})(?: ?/ ?(?P<under>{_CORE})|[eE](?P<e>[+-]?[0-9]{{1,3}})(?![0-9{_LETTERS}])"
    r"| ?[×xX·*] ?10 ?\^ ?\(?(?P<power>[+-]?[0-9]{1,3})\)?(?![0-9]))?)"
    r"(?P<half> and (?:a|one) half\b)?"
)
_GROUPED = re.compile(
    r"[0-9]{1,3}(?P<sep>[.,' "
    r"_])[0-9]{3}(?:(?P=sep)[0-9]{3})*+(?:(?!(?P=sep))[.,](?P<places>[0-9]+))?"
    r"|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?:\.(?P<indian>[0-9]+))?"
)
_SCALES = {
    "hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12,
    "lakh": 10**5, "crore": 10**7, "k": 10**3, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9,
}  # fmt: skip
_SCALE = re.compile(
    r"[ -]?(hundred|thousand|million|billion|trillion|dozen|lakh|crore)s?\b", re.IGNORECASE
)
_AFTER_MONEY = re.compile(r" ?(k|mn?|bn|b)\b", re.IGNORECASE)
_PERCENT = re.compile(
    r" ?(?:(?P<of>mol|wt|vol|mass|weight)[ .-]{0,2}%|%|(?P<mille>‰)|per ?cent\b|pct\b)",
    re.IGNORECASE,
)

# what makes a number a part of something else
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_BEHIND = re.compile(
    rf" ?[\^√π∞±{UNREAD}\u0300-\u036f]|[{_LETTERS}]{{1,3}}[0-9][0-9{_LETTERS}]|[CP] ?_?[0-9]| ?R "
    r"?[0-9]|\*"
    r"|(?:st|nd|rd|th)\b|[:.,][0-9]| ?/ ?\(?[-+]?[0-9]|/\(|\.?\((?=\w)|(?<=[0-9]{3}0)s\b| ?[×÷] "
    r"?[A-Za-z(√π]"
    rf"| (?:in|of|out of) [0-9]| ?(?:(?:[AP]M|[ap]m|BCE?|CE|AD|o'clock|{_MONTH})\b|[ap]\.m\.)"
    r"| "
    r"?(?:sqrt|root|log|ln|sin|cos|tan|exp|frac|alpha|beta|gamma|theta|lambda|sigma|phi|omega|pi|bn|mn|mln|mil|mio)\b"
    r"|[KMBT](?!\w)| (?:factorial|choose|mod|modulo|squared|cubed|(?:in )?base)\b| "
    r"[b-z](?![\w'/·^])(?<! [dghlmstu])"
)
_BEFORE = re.compile(rf"(?:[√^±] ?|/ ?\(|[^\W\d_]-|\w\) ?[-+×÷/]|\b(?:{_MONTH}) )$")
_AT_ONCE = re.compile(rf"[{_LETTERS}]+")
_PIECE = re.compile(
    r"(?P<join> ?[/·*] ?|-(?=[^\W\d_])| ?)(?P<open>\()?(?P<name>°[A-Za-z]*|[^\W\d_][^\W_]*)"
    r"(?P<power>\^\(?[+-]?[0-9]\)?|-[0-9](?![0-9]))?(?P<close>\))?"
)
_ENDS = (
    "and or to for in by at on from with is are was were will would because since so which that "
    "who if when while"
    " as but than then after before during into out left remaining the this these those he she it "
    "they we you i"
    " not equals makes has have had around about approximately total altogether"
)
_END = frozenset(_ENDS.split())
"""Words that are no part of a unit."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it is written, with what stands at it."""

    value: Fraction
    """25 of 25 %."""
    step: Fraction
    """What one unit of the last written place is worth: 1/100 of 45.04, 100 of 2.5 × 10^3; 0 of a
    fraction."""
    digits: int
    """Significant digits as written: 3 of 45.0, 4 of 1500."""
    decimal: bool = False
    """Written with a decimal point: only then it may be a rounded number."""
    unit: str = ""
    """As written, without currency and percent; "apples" is one, too."""
    currency: str = ""
    """As the table of currencies has it."""
    percent: bool = False

    def scaled(self, factor: Fraction | int, offset: Fraction | int = 0) -> "Quantity":
        return replace(
            self,
            value=self.value * Fraction(factor) + offset,
            step=self.step * abs(Fraction(factor)),
        )


@dataclass(frozen=True, slots=True)
class Found:
    """A number in a text. `quantity` is None where it cannot be read or is a part of something
    else: 2√3, 3x, 10:30."""

    start: int
    end: int
    quantity: Quantity | None


def in_figures(text: str) -> Iterator[Found]:
    """Every number of a text that is written in figures, in order."""
    end = 0
    for number in _NUMBER.finditer(text):
        if number.start() >= end:
            found = _found(text, number)
            end = found.end
            yield found


def _found(text: str, number: re.Match[str]) -> Found:
    start, at = number.span()
    quantity = _value(number) if at - start <= 60 else None
    if quantity is not None:
        scale = _SCALE.match(text, at) or (
            _AFTER_MONEY.match(text, at) if quantity.currency else None
        )
        if scale:
            quantity, at = quantity.scaled(_SCALES[scale[1].lower()]), scale.end()
    letters = _AT_ONCE.match(text, at)
    foreign = letters is not None and len(letters[0]) < 3 and not is_symbol(letters[0])
    if (
        quantity is None
        or foreign
        or _BEHIND.match(text, at)
        or _BEFORE.search(text[max(start - 12, 0) : start])
    ):
        return Found(start, letters.end() if letters else at, None)
    return with_unit(text, start, at, quantity)


def with_unit(text: str, start: int, at: int, quantity: Quantity) -> Found:
    """A number with the percent sign, the currency and the unit that stand behind it, at a
    position."""
    if percent := _PERCENT.match(text, at):
        share = quantity.scaled(Fraction(1, 10)) if percent["mille"] else quantity
        share = replace(share, percent=True, unit=percent["of"] or "")
        return Found(start, percent.end(), share)
    currency = quantity.currency
    if not currency:
        currency, at = money_behind(text, at)
    end = _unit_end(text, at)
    unit = text[at:end].strip(" -")
    return Found(start, end, replace(quantity, currency=currency, unit=unit))


def _value(number: re.Match[str]) -> Quantity | None:
    """What the figures are worth."""
    if number["over"]:
        whole, part = int(number["whole"]), Fraction(int(number["over"]), int(number["parts"]) or 1)
        quantity = Quantity(whole + part, Fraction(0), 0) if part < 1 else None
    elif number["under"]:
        top, bottom = _places(number["core"]), _places(number["under"])
        quantity = (
            Quantity(top[0] / bottom[0], Fraction(0), 0) if top and bottom and bottom[0] else None
        )
    else:
        quantity = _decimal(number)
    if quantity is None:
        return None
    if number["half"]:
        quantity = replace(quantity, value=quantity.value + Fraction(1, 2), step=Fraction(0))
    below = (number["minus"] or "+").strip() != "+" or number["inner"]
    if number["money"]:
        quantity = replace(quantity, currency=currency_of(number["money"]))
    return quantity.scaled(-1) if below else quantity


def _decimal(number: re.Match[str]) -> Quantity | None:
    written = number["core"] or "1"
    known = _places(written)
    if known is None:
        return None
    value, places = known
    digits = re.sub(r"[^0-9]", "", written).lstrip("0")
    power = int(number["ten"] or number["e"] or number["power"] or 0)
    quantity = Quantity(value, Fraction(1, 10**places), max(len(digits), 1), places > 0)
    return quantity.scaled(Fraction(10) ** power) if power else quantity


def _places(written: str) -> tuple[Fraction, int] | None:
    """The value of 1,234.5 and its places behind the point; None where the signs between the
    figures make no sense.

    A comma before three figures sets off thousands, except behind a zero; any other single comma,
    and a single point, sets off the decimals.
    """
    signs = re.sub("[0-9]", "", written)
    grouped = _GROUPED.fullmatch(written) if signs not in ("", ".") and written[0] != "0" else None
    if grouped:
        places = len(grouped["places"] or grouped["indian"] or "")
    elif len(signs) == 1 and signs in ".,":
        places = len(written) - written.index(signs) - 1
    elif signs:
        return None
    else:
        places = 0
    return Fraction(int(re.sub("[^0-9]", "", written)), 10**places), places


def _unit_end(text: str, at: int) -> int:
    """Where the unit that begins at a position ends: words and symbols up to one that is no part of
    it."""
    end, opened = at, False
    for count in range(8):
        piece = _PIECE.match(text, end)
        if piece is None or (count and not piece["join"] and text[end - 1] != ")"):
            break
        if piece["open"] and not set("/·*") & set(piece["join"]):
            break
        name = piece["name"].casefold()
        inches = name == "in" and not text[piece.end() : piece.end() + 2].strip(" .,;)")
        if (name in _END and not inches) or number_in_words((name,)) is not None:
            break
        opened = bool(piece["open"] or opened)
        if piece["close"] and not opened:
            return piece.start("close")
        opened = opened and not piece["close"]
        end = piece.end()
    dangling = re.search(r" (?:of|per)$", text[at:end])
    return at + dangling.start() if dangling else end
