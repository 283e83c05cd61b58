"""Letter check: which options an answer chooses, read without asking anybody.

An answer was to be one line, `Answer: A, C`. Read is whatever else is that selection beyond doubt, and nothing more:
the letters with other signs and in any order, the options' own texts in place of the letters or behind them, "all" and
"none". Where an answer goes on, its last labelled line decides, with the options that are listed right below it. A
letter counts only in a line that holds nothing else, so that the words "A" and "I" never do; what is negated or left
open is unreadable. Every step takes time in proportion to the text.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from ..state.eqt import Reading
from .answer_lines import ANSWER, LISTED, MARKED, behind_label, lines_of, plain


@dataclass(frozen=True, slots=True)
class Selection:
    """What an answer chooses. `places` counts from 0 = A in the order shown; empty unless `reading` is `letters`."""

    reading: Reading
    places: frozenset[int] = frozenset()


UNREADABLE = Selection("unreadable")
NONE = Selection("none")

Place = Literal["bare", "clause", "label"]
"""Where a line stands: by itself, behind "the answer is", or behind "Answer:"."""

# an item, and what may stand before it and between two
_OPEN = r"[\s\"'(\[{<$]*+"
_CLOSE = r"[\s\"')\]}>$]*+"
_EDGES = (" \"'([{<$", " \"')]}>$.")
_AND = r"(?:(?:and|as well as|plus|und|sowie|et|og|och|en|oraz|ve|и|та|và|dan)(?!\w)|[&和及与與跟と])"
_AND_LETTER = re.compile(r"(?<=[A-Z)\]\"]) [yei] (?=[(\[\"]?[A-Z]\b)")  # Spanish, Portuguese and Italian, Polish
_LEFT = re.compile(_OPEN)
_TITLE = rf"(?:{LISTED}|answers?)"
_OPENING = re.compile(
    rf"{_OPEN}(?:(?:only|both|i (?:would |will )?(?:choose|select|pick)) )*+"
    rf"(?:(?:the )?(?:{MARKED} )?(?={_TITLE}))?(?:{_TITLE}: ?)?{_OPEN}"
)
_LETTER = re.compile(rf"(?:{_TITLE} {_OPEN})?([a-z])(?!'?(?![和及与與跟と])\w)")
_OWN = re.compile(rf"{_CLOSE}[.:]?{_CLOSE}(?:- )?{_OPEN}")
_COMMA = re.compile(rf"{_CLOSE}\.?{_CLOSE}(?:[,;/&|+]\s*+(?:{_AND}\s*+)?|{_AND}\s*+){_OPEN}")
_GAP = re.compile(_CLOSE + _OPEN)
_RUN = re.compile(rf"{_OPEN}([A-Z]{{2,26}}){_CLOSE}\.?{_CLOSE}")
_LONE = re.compile(r"(?<!\w)[A-Za-z](?!\w)")

# what may stand behind the last item
_RIGHT = r"(?:correct|right|true)"
_HOLDS = rf"(?:(?:is|are)(?: (?:all|both|the|only))*+ {_RIGHT}(?: (?:{ANSWER}|{LISTED}))?)"
_END = re.compile(rf"{_CLOSE}[.!]?{_CLOSE}")
_CLAIM = re.compile(rf"{_CLOSE}(?:only|{_HOLDS}){_CLOSE}[.!]?{_CLOSE}")
_TITLED = re.compile(rf"{_OPEN}(?:(?:the|only|both) )?(?:{MARKED} )?{_TITLE} ")
_REASON = re.compile(rf"{_CLOSE}{_HOLDS}?{_CLOSE}[.,;:-]?\s?\(?(?:because|since|explanation|reason)\b")
_SENTENCE = re.compile(rf"{_CLOSE}{_HOLDS}?{_CLOSE}\.\s(?=.*\w\w)")
_REMARK = re.compile(rf"{_CLOSE}{_HOLDS}?{_CLOSE}\.\s(?:these|this|it|they|option|the (?:others?|rest|remaining))\b")

# what is no item
_OF = rf"(?: (?:of )?(?:the )?(?:them|these|above|given|{LISTED}|answers?))"
_HOLD = rf"(?: (?:{_HOLDS}|appl(?:y|ies)|holds?))?"
_ALL = re.compile(
    rf"{_OPENING.pattern}(?:(?:all{_OF}{{0,3}}|every {LISTED}|everything){_HOLD}|alle|todas|toutes|全部|すべて|全て)"
    rf"{_END.pattern}"
)
_NO = re.compile(
    rf"{_OPENING.pattern}(?:(?:none{_OF}{{0,3}}|(?:there (?:is|are) )?no (?:{LISTED}|{_RIGHT} (?:{LISTED}|answers?))"
    rf"|nothing){_HOLD}|keine|aucune|ninguna|nenhuma|nessuna|无|沒有|没有|なし|∅){_END.pattern}|\[ ?\]|\{{ ?\}}"
)
_WAVERS = re.compile(
    r"[\s\"'(\[]*+(?:(?i:not|neither|either|all|any|none|only|maybe|perhaps|probably|possibly|likely|unknown|unclear)\b"
    r"|[A-Za-z][\s\"')\]]*+[,;]?\s*+(?i:or|but|not|except)\b|[A-Z]\W*$)"
)


@dataclass(frozen=True, slots=True)
class _Options:
    """The options as an answer is compared with them."""

    count: int
    own: tuple[str, ...]
    longest_first: tuple[tuple[str, int], ...]
    """Each text with its place; without empty ones and those that two options share."""


def read_selection(text: str, options: Sequence[str]) -> Selection:
    """What an answer chooses; `options` are the texts in the order shown (2 to 26). Never raises."""
    lines, shown = lines_of(text), _shown(options)
    return (
        _labelled(lines, shown, "clause")
        or _whole(lines, shown)
        or _labelled(lines, shown, "label")
        or _apart(lines, shown)
        or UNREADABLE
    )


def _shown(options: Sequence[str]) -> _Options:
    own = tuple(" ".join(plain(o).casefold().split()).lstrip(_EDGES[0]).rstrip(_EDGES[1]) for o in options)
    single = [(text, place) for place, text in enumerate(own) if text and own.count(text) == 1]
    return _Options(len(own), own, tuple(sorted(single, key=lambda entry: -len(entry[0]))))


def _labelled(lines: Sequence[str], options: _Options, clause: Place) -> Selection | None:
    """What the last labelled line says; `clause` is how "the answer is …" is read. A label with nothing behind it is a
    heading, and behind "the answer is" may stand mere prose: then the label before decides."""
    for index in range(len(lines) - 1, -1, -1):
        behind = behind_label(lines[index])
        if behind is None:
            continue
        said, is_clause = behind
        if is_clause and len(said) == 1 and said.islower():  # "the answer is a", and its noun stands in the next line
            continue
        below = (lines[later] for later in range(index + 1, len(lines)))
        found, _ = _block(chain((said,), below), options, clause if is_clause else "label")
        if found is not None:
            return found
        if said and (not is_clause or _WAVERS.match(said)):
            return UNREADABLE
    return None


def _whole(lines: Sequence[str], options: _Options) -> Selection | None:
    """What is chosen when every line is an item. All options with their texts may as well be the question again."""
    found, complete = _block(lines, options, "bare")
    if found is None or not complete:
        return None
    several = [line for line in lines if line][1:]
    echoed = several and len(found.places) == options.count and _letters(several[0], options, "bare") is None
    return None if echoed else found


def _apart(lines: Sequence[str], options: _Options) -> Selection | None:
    """What a paragraph of mere capitals at the beginning or the end of an answer without a label chooses."""
    if len(lines) < 3:
        return None
    ends = [end for end, beside in ((lines[0], lines[1]), (lines[-1], lines[-2])) if not beside]
    capitals = [end for end in ends if all(letter.isupper() for letter in _LONE.findall(end))]
    chosen = [places for end in capitals if (places := _letters(end, options, "bare"))]
    return Selection("letters", chosen[0]) if len(set(chosen)) == 1 else None


def _block(lines: Iterable[str], options: _Options, place: Place) -> tuple[Selection | None, bool]:
    """What the items in a row choose, the first of them at `place`; and whether nothing stands behind them."""
    read: list[Selection] = []
    for line in lines:
        if not line:
            continue
        one = _line(line, options, place)
        if one is None or (read and one.reading != "letters"):
            return _together(read), False
        read.append(one)
        place = "bare"
    return _together(read), True


def _together(read: Sequence[Selection]) -> Selection | None:
    """One option per line, or a first line that those below it do not add to."""
    if not read:
        return None
    below = frozenset(place for one in read[1:] for place in one.places)
    if below <= read[0].places:
        return read[0]
    places = below | read[0].places
    one_each = len(places) == len(read) and all(len(one.places) == 1 for one in read)
    return Selection("letters", places) if one_each else UNREADABLE


def _line(line: str, options: _Options, place: Place) -> Selection | None:
    """What one line chooses; None when it is no selection."""
    if (chosen := _letters(line, options, place)) is not None:
        return Selection("letters", chosen)
    said = line.casefold()
    read = [places for places in (_items(said, options, place, texts=True), _run(line, options, place)) if places]
    if read:
        return Selection("letters", read[0]) if len(set(read)) == 1 else UNREADABLE
    if _ALL.fullmatch(said):
        return Selection("letters", frozenset(range(options.count)))
    return NONE if _NO.fullmatch(said) else None


def _letters(line: str, options: _Options, place: Place) -> frozenset[int] | None:
    """The letters of a line that consists of nothing else."""
    line = _AND_LETTER.sub(", ", line)
    capitals = {letter.isupper() for letter in _LONE.findall(line)}
    # of letters with nothing but spaces between them only those that no sentence holds
    spaced = capitals == {True} or (place != "bare" and len(capitals) == 1)
    return _items(line.casefold(), options, place, spaced=spaced)


def _run(line: str, options: _Options, place: Place) -> frozenset[int] | None:
    """The letters of a label's `AC`; in a sentence only in the order of the alphabet, as other capitals are words."""
    run = _RUN.fullmatch(line)
    if run is None or place == "bare":
        return None
    places = [ord(letter) - 65 for letter in run[1]]
    in_order = place == "label" or places == sorted(places)
    return frozenset(places) if in_order and len(set(places)) == len(places) and max(places) < options.count else None


def _items(
    said: str, options: _Options, place: Place, *, texts: bool = False, spaced: bool = False
) -> frozenset[int] | None:
    """The options that a line, in small letters, names one after the other; None when it holds anything else.

    `texts`: by their texts, too. `spaced`: also with nothing but spaces or brackets between them.
    """
    opening = (_LEFT if texts else _OPENING).match(said)
    at = end = opening.end() if opening else 0
    places = list[int]()
    while (item := _item(said, at, options, texts)) is not None:
        places.append(item[0])
        end = item[1]
        joint = _COMMA.match(said, end)
        if joint is None and spaced and (gap := _GAP.match(said, end)) and _parts(gap[0]):
            joint = gap
        if joint is None:
            break
        at = joint.end()
    if not places or max(places) >= options.count or not _ends(said, end, len(set(places)), place):
        return None
    return frozenset(places)


def _item(said: str, at: int, options: _Options, texts: bool) -> tuple[int, int] | None:
    """Place of the option named at a position, and where its name ends. Its text may follow its letter."""
    letter = _LETTER.match(said, at)
    place = ord(letter[1]) - 97 if letter else -1
    if letter and texts and place < options.count:
        gap = _OWN.match(said, letter.end())
        start = gap.end() if gap else letter.end()
        if options.own[place] and _stands(said, options.own[place], start):
            return place, start + len(options.own[place])
    if texts:
        for text, other in options.longest_first:
            if _stands(said, text, at):
                return other, at + len(text)
    return (place, letter.end()) if letter else None


def _stands(said: str, text: str, at: int) -> bool:
    return said.startswith(text, at) and not said[at + len(text) : at + len(text) + 1].isalnum()


def _parts(gap: str) -> bool:
    return " " in gap or ")(" in gap or "][" in gap


def _ends(said: str, at: int, number: int, place: Place) -> bool:
    """Whether a selection of so many options may end at a position: what follows says nothing else about it."""
    if _END.fullmatch(said, at):
        return True
    if _CLAIM.fullmatch(said, at) and (number > 1 or place != "bare" or _TITLED.match(said)):
        return True
    if place == "bare":
        return False
    if _REMARK.match(said, at) or (number > 1 and _SENTENCE.match(said, at)):
        return True
    return place == "label" and _REASON.match(said, at) is not None
