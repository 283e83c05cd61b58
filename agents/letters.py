"""Letter check: which options an answer chooses, read without asking anybody.

An answer was to be one line, `Answer: A, C`. Read is whatever else is that selection beyond doubt, and nothing more:
the letters with other signs and in any order, the options' own texts in place of the letters or behind them, "all" and
"none". Where an answer goes on, its last labelled line decides, with the options that are listed right below it; of
"the answer is …" behind "Answer: …" only what opens its line or concludes ("so the answer is …"). A
letter counts only in a line that holds nothing else, so that the words "A" and "I" never do; what is negated or left
open is unreadable. Every step takes time in proportion to the text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from ..state.eqt import Reading
from . import answer_lines as forms
from .answer_lines import behind_label, lines_of, plain


@dataclass(frozen=True, slots=True)
class Selection:
    """What an answer chooses. `places` counts from 0 = A in the order shown; empty unless `reading` is `letters`."""

    reading: Reading
    places: frozenset[int] = frozenset()


UNREADABLE = Selection("unreadable")
NONE = Selection("none")

Place = Literal["bare", "clause", "label", "listed"]
"""Where a line stands: by itself, behind "the answer is", behind "Answer:", or below it."""


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
    own = tuple(" ".join(plain(o).casefold().split()).lstrip(forms.EDGES[0]).rstrip(forms.EDGES[1]) for o in options)
    single = [(text, place) for place, text in enumerate(own) if text and own.count(text) == 1]
    return _Options(len(own), own, tuple(sorted(single, key=lambda entry: -len(entry[0]))))


def _labelled(lines: Sequence[str], options: _Options, clause: Place) -> Selection | None:
    """What the last labelled line says; `clause` is how "the answer is …" is read. A label with nothing behind it is a
    heading, and behind "the answer is" may stand mere prose: then the label before decides. What "Answer: …" says, only
    a conclusion replaces."""
    last: Selection | None = None
    concluded: Selection | None = None
    for index in range(len(lines) - 1, -1, -1):
        behind = behind_label(lines[index])
        if behind is None or (behind.clause and last and (concluded or not behind.concludes)):
            continue
        said = behind.said
        if behind.clause and len(said) == 1 and said.islower():  # "the answer is a", and its noun is in the next line
            continue
        below = (lines[later] for later in range(index + 1, len(lines)))
        found, _ = _block(chain((said,), below), options, clause if behind.clause else "label")
        if found and not behind.clause:
            doubtful = _goes_on(said, lines[index + 1 :], found, options)
            return concluded or (UNREADABLE if doubtful else found)
        if said and not behind.clause:
            prose = _begins(said, options) is None and not forms.WAVERS.match(said)
            return concluded or (last if last and prose else UNREADABLE)
        if not behind.clause:
            continue
        if found or (said and forms.WAVERS.match(said)):
            last = last or found or UNREADABLE
            if behind.concludes and found and found.reading != "unreadable":
                concluded = concluded or found
    return last


def _goes_on(said: str, below: Sequence[str], found: Selection, options: _Options) -> bool:
    """Whether a list of single options goes on behind those that were read, the first behind its label or below it; or
    describes them all."""
    rest = [line for line in below if line]
    if said:
        another = _line(below[0], options, "listed") if below and below[0] and len(found.places) == 1 else None
        return another is not None and not another.places <= found.places
    first = _line(rest[0], options, "listed")
    if first is None or len(first.places) != 1:
        return False
    if len(found.places) == options.count and _line(rest[0], options, "label") is None:
        return True
    for line in rest[1:]:
        if line.endswith(":") or forms.EXPLAINS.match(line) or behind_label(line):
            return False
        place = _begins(line, options)
        if place is not None and place not in found.places:
            return True
    return False


def _begins(line: str, options: _Options) -> int | None:
    """The option whose letter a line begins with, as the items of a list do; None for other lines."""
    item = forms.LISTED_ITEM.match(line)
    place = ord((item[1] or item[2]).casefold()) - 97 if item else options.count
    return place if place < options.count else None


def _whole(lines: Sequence[str], options: _Options) -> Selection | None:
    """What is chosen when every line is an item. All options with their texts may as well be the question again."""
    said = [line for line in lines if line]
    denied = _denied(said[1].casefold(), options) if len(said) == 2 else None
    found, complete = _block(said if denied is None else said[:1], options, "bare")
    if found is None or not complete or (denied is not None and denied & found.places):
        return None
    several = denied is None and said[1:]
    echoed = several and len(found.places) == options.count and _letters(several[0], options, "bare") is None
    return None if echoed else found


def _apart(lines: Sequence[str], options: _Options) -> Selection | None:
    """What a paragraph of mere capitals at the beginning or the end of an answer without a label chooses."""
    if len(lines) < 3:
        return None
    ends = [end for end, beside in ((lines[0], lines[1]), (lines[-1], lines[-2])) if not beside]
    capitals = [end for end in ends if all(letter.isupper() for letter in forms.LONE.findall(end))]
    chosen = [places for end in capitals if (places := _letters(end, options, "bare"))]
    return Selection("letters", chosen[0]) if len(set(chosen)) == 1 else None


def _block(lines: Iterable[str], options: _Options, place: Place) -> tuple[Selection | None, bool]:
    """What the items in a row choose, and whether nothing stands behind them. The first of them stands at `place`; so
    do the others where it is one option in a line of its own below a label."""
    read: list[Selection] = []
    for number, line in enumerate(lines):
        if not line:
            continue
        if number and not read and place == "label":
            place = "listed"
        one = _line(line, options, place)
        if one is None or (read and one.reading != "letters"):
            return _together(read), False
        read.append(one)
        if place != "listed" or len(one.places) != 1:
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
    if forms.ALL.fullmatch(said):
        return Selection("letters", frozenset(range(options.count)))
    return NONE if forms.NO.fullmatch(said) else None


def _letters(line: str, options: _Options, place: Place) -> frozenset[int] | None:
    """The letters of a line that consists of nothing else."""
    line = forms.AND_LETTER.sub(", ", line)
    capitals = {letter.isupper() for letter in forms.LONE.findall(line)}
    # of letters with nothing but spaces between them only those that no sentence holds
    spaced = capitals == {True} or (place != "bare" and len(capitals) == 1)
    return _items(line.casefold(), options, place, spaced=spaced)


def _run(line: str, options: _Options, place: Place) -> frozenset[int] | None:
    """The letters of a label's `AC`; in a sentence only in the order of the alphabet, as other capitals are words."""
    run = forms.RUN.fullmatch(line)
    if run is None or place == "bare":
        return None
    places = [ord(letter) - 65 for letter in run[1]]
    in_order = place != "clause" or places == sorted(places)
    return frozenset(places) if in_order and len(set(places)) == len(places) and max(places) < options.count else None


def _items(
    said: str, options: _Options, place: Place, *, texts: bool = False, spaced: bool = False
) -> frozenset[int] | None:
    """The options that a line, in small letters, names one after the other; None when it holds anything else.

    `texts`: by their texts, too. `spaced`: also with nothing but spaces or brackets between them.
    """
    opening = (forms.LEFT if texts else forms.OPENING).match(said)
    at = end = opening.end() if opening else 0
    places = list[int]()
    while (item := _item(said, at, options, texts)) is not None:
        places.append(item[0])
        end = item[1]
        joint = forms.COMMA.match(said, end)
        if joint is None and spaced and (gap := forms.GAP.match(said, end)) and _parts(gap[0]):
            joint = gap
        if joint is None:
            break
        at = joint.end()
    if not places or max(places) >= options.count or not _ends(said, end, chosen := frozenset(places), options, place):
        return None
    return chosen


def _item(said: str, at: int, options: _Options, texts: bool) -> tuple[int, int] | None:
    """Place of the option named at a position, and where its name ends. Its text may follow its letter."""
    letter = forms.LETTER.match(said, at)
    place = ord(letter[1]) - 97 if letter else -1
    if letter and texts and place < options.count:
        gap = forms.OWN.match(said, letter.end())
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


def _ends(said: str, at: int, chosen: frozenset[int], options: _Options, place: Place) -> bool:
    """Whether a selection may end at a position: what follows says nothing else about it."""
    several = len(chosen) > 1
    if forms.END.fullmatch(said, at):
        return True
    if forms.CLAIM.fullmatch(said, at) and (several or place != "bare" or forms.TITLED.match(said)):
        return True
    if place == "bare":
        return False
    if forms.REMARK.match(said, at) or (several and forms.SENTENCE.match(said, at)):
        return True
    return place != "clause" and (
        forms.REASON.match(said, at) is not None
        or (several and _confirmed(said, at, chosen, options))
        or (place == "listed" and _described(said, at, chosen, options))
    )


def _confirmed(said: str, at: int, chosen: frozenset[int], options: _Options) -> bool:
    """Whether what follows options holds for all of them: a reason, or in brackets their texts or the others."""
    if forms.BOTH.match(said, at) or forms.TRAILING.fullmatch(said, at):
        return not forms.DOUBT.search(said, at)
    aside = forms.ASIDE.fullmatch(said, at)
    if aside is None:
        return False
    denied = _denied(aside[1], options)
    return _items(aside[1], options, "bare", texts=True) == chosen if denied is None else not denied & chosen


def _described(said: str, at: int, chosen: frozenset[int], options: _Options) -> bool:
    """Whether a line begins with an option's letter and text, and prose without a verdict follows."""
    place = min(chosen)
    own = options.own[place]
    before = said[: at - len(own)].strip(" .:()-[]")
    named = bool(own) and said.endswith(own, 0, at) and before == chr(97 + place)
    return named and not forms.VERDICT.search(said, at)


def _denied(said: str, options: _Options) -> frozenset[int] | None:
    """The options that "not B" or "B and D are wrong" denies; None for other words."""
    denial = forms.DENIAL.fullmatch(said)
    return _items(denial[1] or denial[2], options, "bare") if denial else None
