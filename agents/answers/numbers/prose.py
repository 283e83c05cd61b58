"""The one number that a phrase or a solution in prose comes to. Texts are in plain signs (see number_text)."""

import re
from collections.abc import Sequence
from itertools import pairwise

from .compare import same_quantity
from .read import bare, numbers_in, read_forms, read_number
from .scan import Found
from .text import UNREAD

_LONG = 2000
"""Signs of a sentence beyond which only its end is looked at, or its beginning where that counts."""
_DIGIT = re.compile(r"[0-9]")
_ASIDES = re.compile(r"(?<=\s)\(([^()]*+)\)")
_EITHER = re.compile(r"(?:or|and|maybe|perhaps|possibly)\b ?", re.IGNORECASE)
_EQUAL = re.compile(r"(=>|[=≈→⇒])")
_NAME = r"(?<!\w)[A-Za-z](?:_?\w)? ?="
_SEVERAL = re.compile(rf"{_NAME}[^=]*(?:,|;|\band\b|\bor\b) ?{_NAME}")  # x = 3 and y = 4
_BETWEEN = r"of|or|and|and/or|to|through|till|until|out of|vs\.?|versus|bis|oder|und|ou|et|o|y|à"
_ALTERNATIVE = re.compile(
    rf"(?: ?(?:-|~|\.\.+|…|,|;|:) ?|,? (?:{_BETWEEN})|/| ?(?:或者?|和|至|到|或いは) ?)"
    r"(?: ?(?:about|around|approximately|roughly|even|maybe|perhaps|possibly))?(?: (?:a|the|another))? ?",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W\d_]")
_REASON = re.compile(r"[,;] |[,;]? (?:-|because|since|as|given|which|where|assuming|rounded) ", re.IGNORECASE)
_NEXT = rf"(?i:(?:or|and|to|maybe|perhaps|then|also) ?)*+(?:{_NAME}|[-+$€£]?[0-9])"
_ANOTHER = re.compile(_NEXT)
_SENTENCE = re.compile(rf"(?<=[.!?。！？])\s+|(?<=;)\s+(?!{_NEXT})|\n")
_OR = re.compile(r",? or (?:about )?", re.IGNORECASE)
_OPERATOR = re.compile(r" [-+] | ?[+×÷*/] ?|,? (?:x|plus|minus|times|divided by|multiplied by) ", re.IGNORECASE)
_OPERAND = re.compile(r"(?:[)\]}\w%] ?[+×÷*/]|[)\]}\w%] -|\b(?:plus|minus|times|by)) ?$", re.IGNORECASE)
_BOUND = re.compile(
    r"(?:\b(?:at (?:least|most)|(?:more|less|fewer|greater|smaller|larger|higher|lower) than|up to)|[<>≤≥]) ?$",
    re.IGNORECASE,
)
_FORMULA = re.compile(rf"[√∛∜∞π±∓≠|⌊⌋⌈⌉∑∏∫{UNREAD}\u0300-\u036f]")
"""Signs of mathematics that is not read: no number of the same piece is what it comes to."""
_FUNCTIONS = r"sqrt|cbrt|roots?|log|lg|ln|exp|sin|cos|tan|abs|max|min|gcd|lcm|mod|choose|half|twice|double|triple|base"
_WITHIN = re.compile(rf"(?:[-+×÷*/·^<>≤≥¬#(\[]|\b(?:{_FUNCTIONS})[0-9_]*(?: of)?) ?$", re.IGNORECASE)
_GOES_ON = re.compile(r" ?(?:[×÷*/·^<>≤≥+(\[]|-(?= ?(?:[0-9(√]|[^\W\d_](?!\w))))| (?:if|unless|otherwise)\b")
_CONDITION = re.compile(rf"[0-9][^=]*\b(?:for|when|if|at|given) {_NAME}")
_DENIED = re.compile(r"(?:\bnot|n't)(?: (?:be|equal|equal to|exactly|simply|just))? ?$", re.IGNORECASE)
_CORRECTION = re.compile(
    r"\b(?:wait|actually|oops|sorry|correction|hold on|scratch that|i mean|no(?=,))\b", re.IGNORECASE
)
_CORRECTED = re.compile(r"\W*(?:is|to|should be|must be|it'?s|it|that'?s|the answer|[,:-]| )*+", re.IGNORECASE)
_CORRECTS = re.compile(
    r"(?:^|[.!?:] )\W{0,3}(?:wait|actually|oops|sorry|correction|hold on|scratch that|no(?=,))\b", re.IGNORECASE
)


def corrects(lines: Sequence[str]) -> bool:
    """Whether a sentence of these lines begins as one that takes back what was said."""
    return any(_CORRECTS.search(line) for line in lines)


def number_behind_label(said: str, below: Sequence[str]) -> str:
    """The number that stands behind a label such as "Answer:", or in the lines below it; empty when none can be told.

    A number that begins the phrase is the answer whatever follows, unless that is another number by an "or".
    """
    lines = [line for line in below if line]
    if not said and lines:
        return number_of_phrase(lines[0]) or number_in_prose(lines)
    # behind some labels a solution is worked out
    works = below and below[0] and read_number(said) is None and _DIGIT.search(below[0])
    if works or (lines and not numbers_in(said, words=True)):
        return number_in_prose([said, *lines])
    return "" if corrects(lines) else number_of_phrase(said)


def number_in_prose(lines: Sequence[str]) -> str:
    """The number that the last sentence with a number comes to; numbers in words where there are no others."""
    sentences = [sentence for line in lines for sentence in _SENTENCE.split(line)]
    for sentence in reversed(sentences):
        if _DIGIT.search(sentence):
            return _phrase(sentence, first=False)
    for sentence in reversed(sentences):
        if read_number(sentence) or any(not _is_one(sentence, each) for each in numbers_in(sentence, words=True)):
            return _phrase(sentence, first=False)
    return ""


def number_of_phrase(said: str) -> str:
    """The number that a short answer gives, with another form of it in brackets; empty when there is none, or several.
    Of a correction ("18. Wait, it's 20") the number that it comes to, empty where that is not plain."""
    if read_forms(said):
        return bare(said)
    *_, correction = (None, *_CORRECTION.finditer(said))
    if correction and numbers_in(said[: correction.start()], words=True):
        start = _CORRECTED.match(said, correction.end())
        corrected = said[start.end() if start else correction.end() :]
        return bare(corrected) if read_number(corrected) is not None else ""
    if _otherwise(said[:_LONG]):
        return ""
    told = _ASIDES.sub("", said)
    reason = _REASON.search(told)
    if reason and read_number(told[: reason.start()]) is not None and not _ANOTHER.match(told, reason.end()):
        return bare(told[: reason.start()])
    sentences = [sentence for sentence in _SENTENCE.split(told) if sentence.strip()]
    if not sentences:
        return ""
    numbered = [sentence for sentence in sentences if _DIGIT.search(sentence)]
    if read_number(sentences[0]) is not None or len(numbered) < 2:
        return _phrase((numbered or sentences)[0], first=True)
    return _phrase(numbered[-1], first=False)


def _phrase(sentence: str, *, first: bool) -> str:
    """What a sentence comes to. `first`: a number that begins it is what it says."""
    if read_number(sentence) is not None:
        return bare(sentence)
    sentence = sentence[:_LONG] if first else sentence[-_LONG:]
    told = _ASIDES.sub("", sentence)
    if not _DIGIT.search(told):
        told = sentence
    if _SEVERAL.search(told) or _CONDITION.search(told) or _otherwise(sentence):
        return ""
    pieces = _EQUAL.split(told)
    for place in range(len(pieces) - 1, -1, -2):
        read = _one(pieces[place], first=first or place > 0)
        if read or _alternatives(pieces[place]):
            exact = place > 1 and pieces[place - 1] == "≈" and read_number(pieces[place - 2]) is not None
            return bare(pieces[place - 2]) if exact else read
    return ""


def _alternatives(piece: str) -> bool:
    """Whether a piece leaves open which of several numbers it says."""
    found = numbers_in(piece)
    return any(_ALTERNATIVE.fullmatch(piece, one.end, other.start) for one, other in pairwise(found))


def _one(piece: str, *, first: bool) -> str:
    """The number that a piece without equality signs says: the first if that begins it, else the last one."""
    if read_number(piece) is not None:
        return bare(piece)
    said = bare(piece)
    found = numbers_in(said) or [each for each in numbers_in(said, words=True) if not _is_one(said, each)]
    found = [each for each in found if not _DENIED.search(said[max(each.start - 25, 0) : each.start])]
    if not found:
        return ""
    sum_of = found[1:] and _OPERATOR.fullmatch(said, found[0].end, found[1].start)
    begins = first and not found[0].start and not sum_of
    chosen, beside = (found[0], found[1:2]) if begins else (found[-1], found[-2:-1])
    if chosen.quantity is None or any(_leaves_open(said, *sorted((chosen, each), key=_start)) for each in beside):
        return ""
    before = said[max(chosen.start - 20, 0) : chosen.start]
    if _OPERAND.search(before) or _BOUND.search(before) or _WITHIN.search(before) or _GOES_ON.match(said, chosen.end):
        return ""
    if _FORMULA.search(said):
        return ""
    return read_again(said[chosen.start : chosen.end])


def _otherwise(said: str) -> bool:
    """Whether brackets behind a number give another one: 5 (or 6)."""
    for aside in _ASIDES.finditer(said):
        inside = _EITHER.sub("", aside[1], count=1)
        other, front = read_number(inside), numbers_in(said[max(aside.start() - 60, 0) : aside.start()], words=True)
        if not front or (inside == aside[1] and (other is None or other.unit or other.currency or other.percent)):
            continue
        number = front[-1].quantity
        if other is None or number is None or not (same_quantity(number, other) or same_quantity(other, number)):
            return True
    return False


def read_again(number: str) -> str:
    """A number with what stands at it, without the last words where these are no unit: 18 Big Macs."""
    words = number.split(" ")
    while words and read_number(" ".join(words)) is None:
        words.pop()
    return " ".join(words)


def _start(number: Found) -> int:
    return number.start


def _leaves_open(text: str, one: Found, other: Found) -> bool:
    """Whether it is open which of two numbers in a row is meant; 1/2 or 0.5 are one."""
    if not _ALTERNATIVE.fullmatch(text, one.end, other.start) and _WORDS.search(text, one.end, other.start):
        return False
    if one.quantity is None or other.quantity is None or not _OR.fullmatch(text, one.end, other.start):
        return True
    return not (same_quantity(one.quantity, other.quantity) or same_quantity(other.quantity, one.quantity))


def _is_one(text: str, number: Found) -> bool:
    """Whether a number is the word "one", which is seldom meant as one."""
    return text[number.start : number.start + 4].strip(" .,;").casefold() == "one"
