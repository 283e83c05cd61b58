"""What one line of an answer chooses: letters and texts of options, one after the other, ranges, all but some of them.

A letter counts only in a line that holds nothing else but what confirms it or denies other options, so that the words
"A" and "I" never do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ....state.eqt.items import Reading
from .. import lines as forms
from ..lines import plain


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
class Options:
    """The options as an answer is compared with them."""

    count: int
    own: tuple[str, ...]
    longest_first: tuple[tuple[str, int], ...]
    """Each text with its place; without empty ones and those that two options share."""


def shown(options: Sequence[str]) -> Options:
    """The options in the order shown, as lines of an answer are compared with them."""
    own = tuple(core(" ".join(forms.one_comma(plain(option)).casefold().split())) for option in options)
    single = [(text, place) for place, text in enumerate(own) if text and own.count(text) == 1]
    return Options(len(own), own, tuple(sorted(single, key=lambda entry: -len(entry[0]))))


def core(said: str) -> str:
    """A text without the signs around it."""
    return said.lstrip(forms.EDGES[0]).rstrip(forms.EDGES[1])


def chosen_by(line: str, options: Options, place: Place) -> Selection | None:
    """What one line chooses; None when it is no selection."""
    if (chosen := letters_of(line, options, place)) is not None:
        return Selection("letters", chosen)
    said = line.casefold()
    read = [places for places in (_items(said, options, place, texts=True), _run(line, options, place)) if places]
    if read:
        return Selection("letters", read[0]) if len(set(read)) == 1 else UNREADABLE
    if forms.ALL.fullmatch(said):
        return Selection("letters", frozenset(range(options.count)))
    return NONE if forms.NO.fullmatch(said) else None


def letters_of(line: str, options: Options, place: Place) -> frozenset[int] | None:
    """The letters of a line that consists of nothing else."""
    line = forms.AND_LETTER.sub(", ", line)
    capitals = {letter.isupper() for letter in forms.LONE.findall(line)}
    # of letters with nothing but spaces between them only those that no sentence holds
    spaced = capitals == {True} or (place != "bare" and len(capitals) == 1)
    return _items(line.casefold(), options, place, spaced=spaced)


def _run(line: str, options: Options, place: Place) -> frozenset[int] | None:
    """The letters of a label's `AC`; in a sentence only in the order of the alphabet, as other capitals are words."""
    run = forms.RUN.fullmatch(line)
    if run is None or place == "bare":
        return None
    places = [ord(letter) - 65 for letter in run[1]]
    in_order = place != "clause" or places == sorted(places)
    return frozenset(places) if in_order and len(set(places)) == len(places) and max(places) < options.count else None


def _items(
    said: str, options: Options, place: Place, *, texts: bool = False, spaced: bool = False
) -> frozenset[int] | None:
    """The options that a line, in small letters, names one after the other; None when it holds anything else.

    `texts`: by their texts, too. `spaced`: also with nothing but spaces or brackets between them.
    """
    whole = core(said) in options.own  # then neither a range nor "all but …": it is that option's text
    opening = (forms.LEFT if texts else forms.OPENING).match(said)
    but = None if whole else forms.ALL_BUT.match(said)
    start = but.end() if but else opening.end() if opening else 0
    row = _row(said, start, options, texts=texts, spaced=spaced, ranges=not whole)
    if not row.places or max(row.places) >= options.count:
        return None
    chosen, end = frozenset(row.places), row.end
    if but:
        chosen = frozenset(range(options.count)) - chosen
    elif denied := _denied_behind(said, end, options, texts):
        taken, end = frozenset(denied.places), denied.end
        if taken & chosen and not row.ranged:
            return None
        chosen -= taken
    return chosen if chosen and _ends(said, end, chosen, options, place, ranged=row.ranged) else None


class _Row(NamedTuple):
    """Options named in a row."""

    places: list[int]
    end: int
    ranged: bool
    """Whether a range (A to C) is among them."""
    closed: bool
    """Whether "or" or "nor" stands before the last of several, or there is one only: no comma leaves open how far they
    go."""


def _row(
    said: str, at: int, options: Options, *, texts: bool, spaced: bool = False, ranges: bool = True, ors: bool = False
) -> _Row:
    """The options named from a position on; `ors`: also with "or" between them."""
    places, end, ranged, closed, by_or = list[int](), at, False, True, True
    while (item := _item(said, at, options, texts)) is not None:
        first, end = item
        places.append(first)
        closed = by_or
        if ranges and (last := _through(said, first, at, options)) and last[1] > end:
            places += range(first + 1, last[0] + 1)
            end, ranged = last[1], True
        either = forms.EITHER.match(said, end) if ors else None
        joint, by_or = either or forms.COMMA.match(said, end), either is not None
        if joint is None and spaced and (gap := forms.GAP.match(said, end)) and _parts(gap[0]):
            joint = gap
        if joint is None:
            break
        at = joint.end()
    return _Row(places, end, ranged, closed)


def _through(said: str, first: int, at: int, options: Options) -> tuple[int, int] | None:
    """The last option of a range that begins with the letter at a position, and where it ends; None where none does."""
    letter = forms.LETTER.match(said, at)
    through = forms.THROUGH.match(said, letter.end()) if letter else None
    if letter is None or through is None:
        return None
    gap, own = forms.OWN.match(said, letter.end()), options.own[first] if first < options.count else ""
    if gap and own and _stands(said, own, gap.end()):
        return None  # the dash is before the option's own text
    last = ord(through[1]) - 97
    again = forms.THROUGH.match(said, through.end())  # dashes between all of a list
    return (last, through.end()) if first < last and again is None else None


def _denied_behind(said: str, at: int, options: Options, texts: bool) -> _Row | None:
    """The options that ", not C" or "but not C or D" denies behind others; None where nothing is denied, or it is open
    how far the denial goes (not C, D)."""
    lead = forms.BUT_NOT.match(said, at)
    row = _row(said, lead.end(), options, texts=texts, ors=True) if lead else None
    return row if row and row.places and row.closed and max(row.places) < options.count else None


def _item(said: str, at: int, options: Options, texts: bool) -> tuple[int, int] | None:
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


def _ends(said: str, at: int, chosen: frozenset[int], options: Options, place: Place, *, ranged: bool) -> bool:
    """Whether a selection may end at a position: what follows says nothing else about it. `ranged`: a range is in it,
    of which the dash may as well have stood before a sentence (A – C. elegans)."""
    several = len(chosen) > 1
    if forms.END.fullmatch(said, at):
        return True
    if forms.CLAIM.fullmatch(said, at) and (several or place != "bare" or forms.TITLED.match(said)):
        return True
    if place == "bare":
        return False
    if forms.REMARK.match(said, at) or (several and not ranged and forms.SENTENCE.match(said, at)):
        return True
    return place != "clause" and (
        forms.REASON.match(said, at) is not None
        or (several and _confirmed(said, at, chosen, options))
        or (place == "listed" and _described(said, at, chosen, options))
    )


def _confirmed(said: str, at: int, chosen: frozenset[int], options: Options) -> bool:
    """Whether what follows options holds for all of them: a reason, or in brackets their texts or the others."""
    if forms.BOTH.match(said, at) or forms.TRAILING.fullmatch(said, at):
        return not forms.DOUBT.search(said, at)
    aside = forms.ASIDE.fullmatch(said, at)
    if aside is None:
        return False
    denied = denied_by(aside[1], options)
    return _items(aside[1], options, "bare", texts=True) == chosen if denied is None else not denied & chosen


def _described(said: str, at: int, chosen: frozenset[int], options: Options) -> bool:
    """Whether a line begins with an option's letter and text, and prose without a verdict follows."""
    place = min(chosen)
    own = options.own[place]
    before = said[: at - len(own)].strip(" .:()-[]")
    named = bool(own) and said.endswith(own, 0, at) and before == chr(97 + place)
    return named and not forms.VERDICT.search(said, at)


def denied_by(said: str, options: Options) -> frozenset[int] | None:
    """The options that "not B" or "B and D are wrong" denies; None for other words."""
    denial = forms.DENIAL.fullmatch(said)
    return _items(denial[1] or denial[2], options, "bare") if denial else None


def begins(line: str, options: Options) -> int | None:
    """The option whose letter a line begins with, as the items of a list do; None for other lines."""
    item = forms.LISTED_ITEM.match(line)
    place = ord((item[1] or item[2]).casefold()) - 97 if item else options.count
    return place if place < options.count else None
