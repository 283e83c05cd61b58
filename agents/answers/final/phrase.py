"""The one number that a short answer or the last sentence of a solution says. What leaves two open
is not read."""

import re
from collections.abc import Sequence

from ..lines import Behind, behind_label, labelled
from ..numbers.compare import same_quantity
from ..numbers.read import bare, numbers_in, read_forms, read_number
from ..numbers.scan import Found
from ..numbers.text import UNREAD

_LONG = 2000
"""Signs beyond which nothing is looked at."""
_SENTENCE = re.compile(r"(?<=[.!?;。！？])\s+")
_EQUAL = re.compile(r"=>|[=≈→⇒]|\b(?:equals|is equal to)\b")
_ASIDES = re.compile(r"(?<=\s)\((?!or\b|and\b|maybe\b|perhaps\b)([^()]*+)\)")
_REASON = re.compile(
    r"[,;:-]? (?P<why>because|since|given|which(?! "
    r"(?:rounds|is|equals|simplifies))|where|assuming|rounded|as"
    r"|\((?:because|since|as|to|rounded))\b"
    r"|[.;] | - |, (?=not\b|for\b|so\b|one\b)",
    re.IGNORECASE,
)
_NAME = r"(?<!\w)[A-Za-z](?:_?\w)? ?="
_ANOTHER = re.compile(
    rf"(?:or|and|to|maybe|perhaps|then|also)\b|[-+$€£]?[0-9]|{_NAME}", re.IGNORECASE
)
_SEVERAL = re.compile(
    r"[0-9][^=]*(?:[,;&](?! ?(?:so|thus|hence|therefore|all in "
    r"all)\b)|\b(?:and|or|for|when|if|at|given|with|where)\b)"
    r"[^=0-9]*$"
)
"""Before an equality sign: another thing is equal to another number, x = 3 and y = 4."""
_OPEN = re.compile(
    r"\b(?:at (?:least|most)|(?:more|less|fewer|greater|smaller|larger|higher|lower) than|up "
    r"to|almost|nearly|either"
    r"|between|or|if|unless|otherwise|wait|actually|oops|sorry|correction|hold "
    r"on|scratch|no|not|never|cannot|could|may"
    r"|might|sqrt|cbrt|roots?|log|lg|ln|exp|sin|cos|tan|abs|gcd|lcm|mod|choose|plus|minus|times|loss|below|opposite)\b"
    rf"|n't\b|[?<>≤≥√∛∜∞π±∓≠|⌊⌋⌈⌉∑∏∫{UNREAD}\u0300-\u036f]",
    re.IGNORECASE,
)
"""What leaves open whether a number of the same piece is what it says."""
_JOINED = ("([+-×÷*/·^#$€£¥₹₩₽₺₪₱฿₫₦", ")]+-×÷*/·^(")
"""Signs right before and behind a number that is a part of something else."""
_TAKES_BACK = r"(?:wait|actually|oops|sorry|correction|hold on|scratch that|i mean|no(?=,))\b"
_CORRECTION = re.compile(rf"\b{_TAKES_BACK}", re.IGNORECASE)
_CORRECTS = re.compile(
    rf"(?:^|[.!?:] )\W{{0,3}}(?:(?:but|hmm+|oh|no|well)[\s,.!-]+)*(?:edit\b|{_TAKES_BACK})",
    re.IGNORECASE,
)
_RESULT = re.compile(
    r".*\b(?:result|answer|value|total)\b[^.,;=]{0,30}? (?:is|was|equals) (?=\S)", re.IGNORECASE
)
_CONCLUDES = re.compile(
    r"[=≈]|\b(?:so|thus|hence|therefore|total|altogether|answer|result|is|are|was|were|makes?|gives?|gets?|comes?|equals?"
    r"|costs?|takes?|has|have|earns?|needs?|leaves?|left)\b",
    re.IGNORECASE,
)


def corrects(lines: Sequence[str]) -> bool:
    """Whether a sentence of these lines begins as one that takes back what was said."""
    return any(_CORRECTS.search(line) for line in lines)


def number_of(lines: Sequence[str]) -> str:
    """The number that a reply comes to, with what stands at it: behind its last label, else in its
    last sentence with a number. Empty where it says none, or leaves several open."""
    said = labelled(lines, _behind, "", _same)
    return _concluded(lines) if said is None else said


def _concluded(lines: Sequence[str]) -> str:
    """The number of the last sentence that has one; "" where that is no conclusion."""
    sentences = list[str]()
    for line in lines:
        parts = [line] if read_forms(line) else _SENTENCE.split(line)
        sentences += [part for part in parts if part]
    numbered = [place for place, each in enumerate(sentences) if _says_number(each)]
    figures = [place for place in numbered if re.search("[0-9]", sentences[place])]
    if not numbered or corrects(sentences[numbered[-1] :]):
        return ""
    sentence = sentences[numbered[-1]]
    alone = (len(sentences) < 3 and len(numbered) == 1) or read_number(sentence) is not None
    # in prose, number words are seldom the answer
    if not alone and (figures[-1:] != numbered[-1:] or not _CONCLUDES.search(sentence)):
        return ""
    result = _RESULT.match(sentence)
    return number_of_phrase(sentence[result.end() :] if result else sentence)


def _says_number(sentence: str) -> bool:
    if read_number(sentence) is not None:
        return True
    said = sentence[-_LONG:]
    return any(not _is_one(said, found) for found in numbers_in(said, words=True))


def _is_one(text: str, number: Found) -> bool:
    """Whether a number is the word "one", which is seldom meant as one."""
    return text[number.start : number.start + 4].strip(" .,;").casefold() == "one"


def _same(one: str, other: str) -> bool:
    """Whether two phrases say the same number."""
    first, second = read_number(one), read_number(other)
    return one == other or (
        first is not None and second is not None and same_quantity(first, second) is True
    )


def _behind(behind: Behind, below: Sequence[str]) -> str | None:
    """The number behind a label, or in the line below it; None where that is a heading or prose."""
    rest = [line for line in below if line]
    if not behind.said and rest:
        return None if behind_label(rest[0]) else number_of_phrase(rest[0]) or _concluded(below)
    if not numbers_in(behind.said[:_LONG], words=True):  # "the answer is below", but also √2
        return None if behind.clause and not _OPEN.search(behind.said) else _concluded(below)
    worked = (
        below[:1] and any(sign.isdigit() for sign in below[0]) and read_number(behind.said) is None
    )
    later = () if behind.clause else rest
    return "" if worked or corrects(later) else number_of_phrase(behind.said)


def number_of_phrase(said: str) -> str:
    """The number that a short answer gives, with another form of it in brackets; "" when there is
    none, or several."""
    if len(said) > _LONG:
        return ""
    if read_forms(said):
        return bare(said)
    reason = _REASON.search(said)
    if reason and read_number(said[: reason.start()]) is not None:
        goes_on = _CORRECTION.search(said, reason.start()) or (
            not reason["why"] and _ANOTHER.match(said, reason.end())
        )
        return "" if goes_on else bare(said[: reason.start()])
    asides = [
        read for aside in _ASIDES.finditer(said) if (read := bare(aside[1])) and read_number(read)
    ]
    told = _ASIDES.sub("", said)
    if any(not _same(number_of_phrase(told), aside) for aside in asides):
        return ""
    return _equal(told) if _EQUAL.search(told) else _only(told)


def _equal(said: str) -> str:
    """What a chain of equal things comes to: its last number, or the exact one before it."""
    *before, sign, last = re.split(f"({_EQUAL.pattern})", said)
    if any(map(_SEVERAL.search, before)):
        return ""
    exact = read_number(before[-1])
    return bare(before[-1]) if sign == "≈" and exact and not exact.step else number_of_phrase(last)


def _only(said: str) -> str:
    """The number that is the only one of a phrase."""
    said = bare(said)
    found = [each for each in numbers_in(said, words=True) if not _is_one(said, each)]
    if len(found) != 1 or found[0].quantity is None or _OPEN.search(said):
        return ""
    before, behind = said[: found[0].start].rstrip()[-1:], said[found[0].end :].lstrip()[:1]
    if (before and before in _JOINED[0]) or (behind and behind in _JOINED[1]):
        return ""
    words = said[found[0].start : found[0].end].split(" ")
    while words and read_number(" ".join(words)) is None:  # 18 Big Macs
        words.pop()
    return " ".join(words)
