"""The option that the answer to a question of multiple choice names, be it by its letter or by its
text.

A selection by letters is read as everywhere. Else one letter behind a label, or the text or number
of one option, is the choice where what follows says nothing else. What that leaves unclear is
unreadable.
"""

import re
from collections.abc import Sequence
from functools import partial

from ..letters.grammar import LONE
from ..letters.read import read_selection
from ..lines import MARKED, Behind, labelled, lines_of, plain
from ..numbers.compare import same_quantity
from ..numbers.read import Quantity, numbers_in, read_number
from ..numbers.text import plain_math
from .phrase import corrects, number_of_phrase

_LETTER = re.compile(
    rf"[\s\"'$]*+(?i:(?:the )?(?:{MARKED} )*+(?:option|choice|letter|answer)(?: is)?:? )?[\"'$]?"
    r"(?:[(\[<]+([A-Za-z])[)\]>]+|([A-Za-z])\s?(?:[:)]|\.(?![A-Za-z]))|([A-Z])(?![\w'])"
    r"(?! (?!is (?:the )?(?:only )?(?:correct|right|best|true|answer)|because|since|as)[a-z]))\s*"
)
_CONCLUSION = re.compile(
    r"(?:.*[.,;!] )?(?:(?:hence|so|thus|therefore|in conclusion),? ?)+", re.IGNORECASE
)
_GAP = re.compile(r"[\s\"'$]*(?:[.,:;=→)\]]|-+>?(?=\s))?[\s\"'(\[$]*")
_REASON = re.compile(
    r"\W*$|[)\s]*[.,;:]?\s?[(]?(?:because|since|as|for|the others?|this|it|which|is (?:the "
    r")?correct)\b"
)
_DENIES = re.compile(
    r"\b(?:not|never|or|nor|but|except|unless|if|cannot|wrong|incorrect|false|mistaken?|wait|actually|sorry|unsure|either)"
    r"\b|n't|\?",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\b(?:the )?(?:others?|other \w+|rest|remaining)\b[^.;]*", re.IGNORECASE)


class _Options:
    """The options as an answer is compared with them."""

    def __init__(self, options: Sequence[str]) -> None:
        self.texts = [_form(option) for option in options]
        self.numbers = [read_number(text) for text in self.texts]

    def named(self, said: str) -> int | None:
        """The one option whose text or number this is; None: no option, or several."""
        for fold in (str, str.casefold):
            same = [
                place for place, text in enumerate(self.texts) if fold(text) == fold(said) != ""
            ]
            if len(same) == 1:
                return same[0]
        number = read_number(said)
        fits = self.fitting(number)
        other = self.numbers[fits[0]] if len(fits) == 1 else None
        return fits[0] if number and other and same_quantity(number, other) else None

    def fitting(self, number: Quantity | None) -> list[int]:
        """The options that a number may be."""
        if number is None:
            return []
        known = [(place, other) for place, other in enumerate(self.numbers) if other]
        return [place for place, other in known if same_quantity(number, other) is not False]

    def explained(self, said: str) -> int | None:
        """The option whose text begins a phrase that gives a reason."""
        folded, texts = said.casefold(), enumerate(self.texts)
        begun = [
            place for place, text in texts if len(text) > 1 and folded.startswith(text.casefold())
        ]
        reasons = [place for place in begun if _REASON.match(said[len(self.texts[place]) :])]
        return begun[0] if len(begun) == 1 and reasons and not _DENIES.search(said) else None

    def begins(self, said: str) -> list[int]:
        """The options whose text or number begins a phrase, or that begin with it."""
        found = numbers_in(said[:200])
        if found and not found[0].start and (fits := self.fitting(found[0].quantity)):
            return fits
        folded = said.casefold()
        texts = [(place, text.casefold()) for place, text in enumerate(self.texts) if text]
        begun = [
            (len(text), place)
            for place, text in texts
            if re.match(rf"{re.escape(text)}(?!\w)", folded)
        ]
        longest = max(begun, default=(0, 0))[0]
        whole = " ".join(re.findall(r"\w+", folded))
        part = [
            place
            for place, text in texts
            if whole and " ".join(re.findall(r"\w+", text)).startswith(whole)
        ]
        places = [place for length, place in begun if length == longest]
        return [place for place in places if said.startswith(self.texts[place])] or places or part


def read_choice(reply: str, options: Sequence[str]) -> str:
    """The letter of the option that a reply chooses; several letters where it plainly chooses
    several; "" where that is unclear."""
    shown = _Options(options)
    lines = lines_of(reply, plain_math)
    said = labelled(lines, partial(_behind, shown), "")
    if said is None:
        last = max((place for place, line in enumerate(lines) if line), default=0)
        line = "".join(lines[last : last + 1])[-2000:]
        concludes = _CONCLUSION.match(line)
        apart = not last or (
            not lines[last - 1] and (_LETTER.match(line) or shown.named(_form(line)) is not None)
        )
        said = _chosen(shown, line[concludes.end() :] if concludes else line if apart else "")
    places = () if corrects(lines) else read_selection(reply, options).places
    letters = "".join(chr(65 + place) for place in sorted(places))
    return "" if said and len(letters) == 1 and said != letters else said or letters


def _behind(shown: _Options, behind: Behind, below: Sequence[str]) -> str | None:
    said = behind.said or next((line for line in below if line), "")
    item = (
        re.match(r"[\"'(\[]*(?:option )?[A-Z]\s?[.:)\]]", below[0])
        if behind.said and below
        else None
    )
    if item or corrects(below):  # a list of options goes on
        return ""
    return _chosen(shown, said) or (None if behind.clause else "")


def _chosen(shown: _Options, said: str) -> str:
    """The letter of the option that a phrase chooses; "": that is unclear."""
    phrase = _form(said)
    if len(phrase) > 1 and (own := shown.named(phrase)) is not None:
        return chr(65 + own)
    letter = _LETTER.match(said)
    if letter is None:
        if re.match(r"\W*[A-Z]\s?=", said):
            return ""
        own = shown.named(number_of_phrase(said))
        own = shown.explained(said) if own is None else own
        return "" if own is None else chr(65 + own)
    place = ord(next(filter(None, letter.groups())).upper()) - 65
    rest = said[letter.end() :]
    behind = rest[gap.end() :] if (gap := _GAP.match(rest)) else rest
    fits = shown.begins(behind)
    told = re.sub(r"[0-9°] ?[A-Z]\b", "", _OTHERS.sub("", rest))
    count = len(shown.texts)
    places = {ord(other) - 65 for other in LONE.findall(told) if other.isupper()}
    others = places & set(range(1, count))
    known = place < count and (place in fits or (not fits and _REASON.match(rest)))
    says_one = known and others <= {place} and not _DENIES.search(told)
    return chr(65 + place) if says_one else ""


def _form(text: str) -> str:
    return " ".join(plain(plain_math(text)).split()).strip(" \"'.$")
