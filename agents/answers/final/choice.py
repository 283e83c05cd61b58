"""The option that the answer to a question of multiple choice names, be it by its letter or by its text.

One letter behind a label, in brackets or before a sign is the choice, whatever words follow, unless another letter or a
denial follows, or the text of another option. What that leaves unclear is unreadable. Takes time in proportion to the
text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..letters.read import read_selection
from ..lines import LONE, MARKED, lines_of, plain
from ..numbers.compare import same_quantity
from ..numbers.prose import corrects, number_of_phrase
from ..numbers.read import numbers_in, read_number
from ..numbers.scan import Quantity
from ..numbers.text import plain_math
from .lines import held_answer, labelled, last_label

_LONG = 2000
"""Signs of a phrase beyond which it is not looked at."""
_EDGE = " \"'.$"
_TITLE = rf"(?i:(?:the )?(?:{MARKED} )*+(?:option|choice|letter|answer)(?: is)?:? )?"
_IS_RIGHT = r"\sis (?:indeed )?(?:the |my )?(?:only )?(?:correct|right|best|true|answer|final|one\b)"
_LETTER = re.compile(
    rf"[\s\"'$]*+{_TITLE}[\"'$]?(?:[(\[<]+([A-Za-z])[)\]>]+|([A-Za-z])\s?(?:[:)]|\.(?![A-Za-z]))"
    rf"|([A-Z])(?=[\"'$]*(?:$|\s?[,;→(]|\s?-+>?\s|\s(?:because|since|as)\b|{_IS_RIGHT})))"
)
_BEFORE_TEXT = re.compile(rf"[\s\"'$]*+{_TITLE}([A-Z])(?:\s?=\s?|\s)(?=\S)")
_GAP = re.compile(r"[\s\"'$]*+(?:[.,:;=→)\]]|-+>?(?=\s))?[\s\"'(\[$]*+")
_ENDS = re.compile(r"\W*$|\s?[.,;:(]|\s(?:because|since|as)\b")
_CONCLUSION = re.compile(
    r"(?:^|(?<=[.,;!] ))(?:(?:hence|so|thus|therefore|consequently|accordingly|in conclusion),? ?)+"
    r"(?:(?:it|this|that) (?:is|must be) |i (?:choose|pick|select) )?",
    re.IGNORECASE,
)
_OTHERS = re.compile(r"\b(?:the )?(?:others?|other \w+|rest|remaining)\b[^.;]*", re.IGNORECASE)
_DENIES = re.compile(
    r"\W*(?:(?:is|are|was|seems|would be|can|could)\s)?(?:not|never|or|nor|but|except|unless|if|cannot|excluded|n't)\b"
    r"|.*(?:\b(?:wrong|incorrect|false|mistaken?|wait|actually|sorry|oops|unsure|either|ruled out|eliminated)\b"
    r"|n't (?:be|correct|right)|\b(?:not|isn't|wasn't) (?:the |be )?(?:correct|right|true|answer|possible)\b|\?\W*$)",
    re.IGNORECASE | re.DOTALL,
)
_ARTICLE = re.compile(r" (?!(?:is|and|or|was|are|as|because|since)\b)[a-z]")
_ITEM = re.compile(r"[\"'(\[]*+(?:option )?([A-Z])\s?[.:)\]]")


@dataclass(frozen=True, slots=True)
class _Options:
    """The options as an answer is compared with them."""

    texts: tuple[str, ...]
    numbers: tuple[Quantity | None, ...]

    @classmethod
    def of(cls, options: Sequence[str]) -> "_Options":
        texts = tuple(_form(option) for option in options)
        return cls(texts, tuple(read_number(text) for text in texts))

    def named(self, said: str) -> int | None:
        """The one option whose text or number this is; None: no option, or several."""
        for fold in (str, str.casefold):
            same = [place for place, text in enumerate(self.texts) if fold(text) == fold(said) != ""]
            if len(same) == 1:
                return same[0]
        number = read_number(said)
        fits = self.fitting(number) if number else []
        return fits[0] if len(fits) == 1 and number and same_quantity(number, self._number(fits[0])) else None

    def fitting(self, number: Quantity) -> list[int]:
        """The options that a number may be."""
        return [
            place for place, other in enumerate(self.numbers) if other and same_quantity(number, other) is not False
        ]

    def begins(self, said: str) -> tuple[list[int], int]:
        """The options whose text or number begins a phrase, and where it ends."""
        numbers = numbers_in(said[:200])
        if numbers and not numbers[0].start and (quantity := numbers[0].quantity) and (fits := self.fitting(quantity)):
            return fits, numbers[0].end
        folded = said.casefold()
        begun = [
            (len(text), place)
            for place, text in enumerate(self.texts)
            if text and self.numbers[place] is None and folded.startswith(text.casefold())
            if not said[len(text) : len(text) + 1].isalnum()
        ]
        longest = max(begun, default=(0, 0))[0]
        places = [place for length, place in begun if length == longest]
        return [place for place in places if said.startswith(self.texts[place])] or places, longest

    def _number(self, place: int) -> Quantity:
        number = self.numbers[place]
        assert number is not None
        return number


def read_choice(reply: str, options: Sequence[str]) -> str:
    """The letter of the option that a reply chooses; several letters where it plainly chooses several; "" where that is
    unclear."""
    shown = _Options.of(options)
    held = held_answer(reply)
    lines = [_form(held)] if held is not None else lines_of(plain_math("\n".join(labelled(reply))))
    said, below = _said(lines, shown)
    said = said[:_LONG]
    if len(_form(said)) > 1 and (own := shown.named(_form(said))) is not None:
        return "" if corrects(below) else _letter(own)
    selection = read_selection(reply, options)
    if selection.places:
        return (
            ""
            if corrects((said, *below)) or _contradicts(said, shown)
            else "".join(_letter(place) for place in sorted(selection.places))
        )
    place = _chosen(said, below, shown)
    return "" if place is None else _letter(place)


def _letter(place: int) -> str:
    return chr(65 + place)


def _form(text: str) -> str:
    return " ".join(plain(plain_math(text)).split()).strip(_EDGE)


def _said(lines: Sequence[str], options: _Options) -> tuple[str, Sequence[str]]:
    """The phrase that says the answer, and the lines below it."""

    def reads(said: str) -> bool:
        return _lettered(said, options) is not None or options.named(_form(said)) is not None

    found = last_label(lines, reads)
    if found is not None:
        behind, place = found
        below = lines[place + 1 :]
        if behind.said:
            return behind.said, below
        start = next(index for index, line in enumerate(below) if line)
        return below[start], below[start + 1 :]
    end = max((index for index, line in enumerate(lines) if line), default=-1)
    if end < 0:
        return "", ()
    last = lines[end]
    concludes = list(_CONCLUSION.finditer(last[-_LONG:]))
    if concludes:
        return last[-_LONG:][concludes[-1].end() :], ()
    return (last, ()) if not end or not lines[end - 1] else ("", ())


def _lettered(said: str, options: _Options) -> tuple[int, str] | None:
    """The option whose letter begins a phrase, and what stands behind the letter."""
    letter = _LETTER.match(said)
    if letter is None:
        letter = _BEFORE_TEXT.match(said)
        if letter is None or _place(letter[1]) not in options.begins(said[letter.end() :])[0]:
            return None
    place = _place(next(filter(None, letter.groups())))
    return (place, said[letter.end() :]) if place < len(options.texts) else None


def _named(behind: str) -> str:
    """What stands behind an option's letter, without the signs between them."""
    gap = _GAP.match(behind)
    return behind[gap.end() :] if gap else behind


def _contradicts(said: str, options: _Options) -> bool:
    """Whether the text behind an option's letter is that of another option."""
    lettered = _lettered(said, options)
    fits = options.begins(_named(lettered[1]))[0] if lettered else []
    return lettered is not None and bool(fits) and lettered[0] not in fits


def _place(letter: str) -> int:
    return ord(letter.upper()) - 65


def _chosen(said: str, below: Sequence[str], options: _Options) -> int | None:
    """The option that a phrase chooses; None: that is unclear."""
    item = _ITEM.match(below[0]) if below and below[0] else None
    if item or corrects(below):  # a list of options goes on
        return None
    lettered = _lettered(said, options)
    if lettered is None:
        return None if _LETTER.match(said) else _by_text(said, options)
    if _contradicts(said, options):
        return None
    place, behind = lettered
    named = _named(behind)
    fits, end = options.begins(named)
    rest = named[end:] if fits else behind
    return None if _others(rest, place, options) or _denies(rest) else place


def _by_text(said: str, options: _Options) -> int | None:
    """The option whose text or number a phrase says, with nothing but a reason behind it."""
    fits, end = options.begins(said)
    if len(fits) == 1 and options.numbers[fits[0]] is None:
        rest = said[end:]
        unclear = not _ENDS.match(rest) or _others(rest, fits[0], options) or _denies(rest)
        return None if unclear or any(text in rest for text in options.texts if len(text) > 1) else fits[0]
    return None if _others(said, -1, options) or _denies(said) else options.named(number_of_phrase(said))


def _others(rest: str, place: int, options: _Options) -> bool:
    """Whether the letter of another option stands in a phrase: neither the article "A" nor a unit."""
    for letter in LONE.finditer(rest):
        other = _place(letter[0]) if letter[0].isupper() else place
        unit = re.search(r"[0-9°][ °]?$", rest[max(letter.start() - 3, 0) : letter.start()])
        article = letter[0] == "A" and _ARTICLE.match(rest, letter.end())
        if other not in (place, -1) and 0 <= other < len(options.texts) and not unit and not article:
            return True
    return False


def _denies(rest: str) -> bool:
    return _DENIES.match(_OTHERS.sub("", rest)) is not None
