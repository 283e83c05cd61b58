"""Numbers as final answers give them: in figures or words, with a currency, percent or a unit."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from ..figures import is_number_word, number_in_words
from ..lines import plain
from .compound import together
from .measures import is_symbol
from .scan import Found, Quantity, in_figures, with_unit
from .text import plain_math

__all__ = ["Found", "Quantity", "bare", "numbers_in", "read_forms", "read_number"]

_LONGEST = 200  # of a text that is one number, in signs
_WORDS = 9  # of a number in words

_ABOUT = (
    r"approximately|approx\.?|about|around|roughly|circa|ca\.?|nearly|almost|exactly|precisely|only|just|a total of"
    r"|there (?:are|is|were|will be)"
)
_LEAD = re.compile(
    rf"(?:(?:{_ABOUT})(?: |$)|[=≈~:] ?|[A-Za-zͰ-Ͽ][\wͰ-Ͽ']{{0,11}}(?:\([\w, ]{{1,12}}\))? ?[=≈] ?)+", re.IGNORECASE
)
_ASIDE = re.compile(r" \((?!or\b|and\b|maybe\b|perhaps\b)[^()0-9]*+\)$")
_LOCANT = re.compile(r"[0-9]-[^\W\d_]")  # 2-propanol, an 18-wheeler
_SIGN = re.compile(r"^([-+]) (?=[0-9])")
_WORD = re.compile(r"[A-Za-z]+")
_NAME = re.compile(r"[^\W_]+")
_TAIL = re.compile(r"(?: (?:[^\W\d_]|[-'])+){0,6}")
_NO_TAILS = "and or not minus plus times versus vs over divided if unless wrong incorrect false wait actually"
_NO_TAIL = frozenset(_NO_TAILS.split())
"""Words behind a number that make it a part of something else, or deny it."""
_TWO_FORMS = re.compile(r"([^()]++)(?<= )\(([^()]++)\)")


def read_number(text: str) -> Quantity | None:
    """The one number that a text says, with its unit, and nothing else that matters; None when it says anything else.

    Read are 1,000, 1 000, 1'000, 1.000,0 and 1,00,000 (a single comma before three figures sets off thousands, a single
    point never does), 0,5, 3 × 10^5, 3e5, 10⁵, 3/4, 2½, 25 %, $18, 45 g, 3 h 20 min, twelve, two thirds, all of it also
    in LaTeX. Not read are bounds, ranges, ratios, times, dates, ordinals, other powers, roots, sums and products, 5!,
    |5|, 0.33… and 12K, whatever stands beside a LaTeX command that is not known, and names that begin with a number
    word, such as Seven Samurai.
    """
    if len(text) > _LONGEST:
        return None
    said = bare(text)
    if _LOCANT.search(said):
        return None
    found = numbers_in(said, words=True)
    if len(found) != 1 or found[0].start or found[0].quantity is None:
        return None
    quantity, rest = found[0].quantity, said[found[0].end :]
    told = [*quantity.unit.split(), *rest.split()]
    names = sum(word[0].isupper() and not is_symbol(word) for word in _NAME.findall(" ".join(told)))
    if names and said[:1].isalpha() and not quantity.currency and told[0][0].isupper():
        return None
    ends = _TAIL.fullmatch(rest) is not None and not _NO_TAIL & {word.casefold() for word in told}
    return quantity if ends and names < 2 else None


def read_forms(text: str) -> list[Quantity]:
    """The number that a text says, and another form of it in brackets: 0.100 mol (5.84 g). Empty: it says none."""
    if (one := read_number(text)) is not None:
        return [one]
    said = bare(text) if len(text) <= _LONGEST else ""
    two = _TWO_FORMS.fullmatch(said)
    read = [read_number(form) for form in two.groups()] if two else []
    first, other = read if len(read) == 2 else (None, None)
    if first is None or other is None or not (other.unit or other.currency or other.percent):
        return []
    return [first, other]


def bare(text: str) -> str:
    """A short text in plain signs, without quotes, brackets, emphasis, and words such as "about" in front of it."""
    said = " ".join(plain(plain_math(text)).split())
    for _ in range(3):
        said = said.strip(" \"'").rstrip(".,;:!?")
        if said[:1] + said[-1:] in ("()", "[]", "<>") and not re.search(r"[0-9],[0-9]|[()\[\]]", said[1:-1]):
            said = said[1:-1].strip()
        lead = _LEAD.match(said)
        said = _ASIDE.sub("", said[lead.end() :] if lead else said)
    return _SIGN.sub(r"\1", said)


def numbers_in(text: str, *, words: bool = False) -> list[Found]:
    """The numbers of a text in plain signs, in order; those that are one quantity (3 h 20 min) as one. `words`: also
    those in words."""
    found = list(in_figures(text))
    if words:
        found = sorted([*found, *_in_words(text, found)], key=lambda number: number.start)
    return list(together(text, found))


def _in_words(text: str, figures: Sequence[Found]) -> Iterator[Found]:
    """The numbers in words that do not stand within those in figures."""
    taken = [False] * (len(text) + 1)
    for figure in figures:
        taken[figure.start : figure.end] = [True] * (figure.end - figure.start)
    found = [word for word in _WORD.finditer(text) if not taken[word.start()]]
    at = 0
    while at < len(found):
        number = _worded(text, found[at : at + _WORDS])
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
        if link not in (" ", "-") or not (is_number_word(spoken) or spoken in ("a", "an", "and", "one")):
            break
        words.append(spoken)
    for count in range(len(words), 0, -1):
        value = number_in_words(words[:count])
        if value is not None:
            start, sign = found[0].start(), 1
            if before := re.search(r"\b(?:minus|negative) $", text[max(start - 10, 0) : start], re.IGNORECASE):
                start, sign = start - len(before[0]), -1
            if text[max(start - 5, 0) : start] == " and " and words[0] == "a":  # an hour and a half
                return Found(start, found[count - 1].end(), None)
            step, digits = Fraction(value.denominator == 1), len(str(int(value)))
            return with_unit(text, start, found[count - 1].end(), Quantity(sign * value, step, digits))
    return None
