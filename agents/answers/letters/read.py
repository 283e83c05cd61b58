"""Letter check: which options an answer chooses, read without asking anybody.

An answer may reason and ends with one line, `Answer: A, C`. Read is whatever else is that selection
beyond doubt, and nothing more: the letters with other signs and in any order, ranges (A–C), "all
but D", "A, not C", the options' own texts in place of the letters or behind them, "all" and "none".
Its last labelled line decides, with the options that are listed right below it. Two labelled lines
that differ, with no word of correction between them, are unreadable, as is a conclusion ("so the
answer is …") that differs from the labelled line above it. A sentence that takes the answer back
("Wait, it should be B") replaces it, or leaves it open where it says no other selection; what is
struck out is not said. What is negated or left open is unreadable. Every step takes time in
proportion to the text.
"""

import re
from collections.abc import Sequence
from itertools import chain, islice, takewhile

from ..lines import Behind, behind_label, labelled, lines_of, one_comma
from .changes import standing
from .grammar import LONE, begins, chosen_by, denied_by, letters_of
from .options import UNREADABLE, Options, Place, Selection

__all__ = ["UNREADABLE", "Selection", "read_selection"]

_WAVERS = re.compile(
    r"[\s\"'(\[]*+(?:(?i:not|neither|either|all|any|none|only|maybe|perhaps|probably|possibly|likely|unknown|unclear)\b"
    r"|[A-Za-z][\s\"')\]]*+[,;]?\s*+(?i:or|but|not|except)\b|[A-Z]\W*$)"
)
_EXPLAINS = re.compile(r"(?:explanations?|reason(?:s|ing)?|why|because|note)\b", re.IGNORECASE)


def read_selection(text: str, options: Sequence[str]) -> Selection:
    """What an answer chooses; `options` are the texts in the order shown (2 to 26). Never
    raises."""
    known = Options.of(options)
    lines = standing([one_comma(line) for line in lines_of(text)], known)

    def behind(clause: Place) -> Selection | None:
        return labelled(
            lines, lambda label, below: _behind(label, below, known, clause), UNREADABLE
        )

    return (
        behind("clause")
        or _whole(lines, known)
        or behind("label")
        or _apart(lines, known)
        or UNREADABLE
    )


def _behind(
    behind: Behind, below: Sequence[str], options: Options, clause: Place
) -> Selection | None:
    """What stands behind a label, or in the lines below it; None where that is a heading or
    prose."""
    said, place = behind.said, clause if behind.clause else "label"
    if (
        behind.clause and len(said) == 1 and said.islower()
    ):  # "the answer is a", and its noun is in the next line
        return None
    found = chosen_by(said, options, place) if said else _listed(below, options)
    if found and said and below and below[0] and not behind.clause:
        another = chosen_by(below[0], options, "listed" if len(found.places) == 1 else "bare")
        if another is not None and not another.places <= found.places:
            rows = [
                chosen_by(row, options, "bare")
                for row in islice(takewhile(bool, (said, *below)), 26)
            ]
            return (
                _together(rows) or UNREADABLE
                if begins(below[0], options) is not None
                else UNREADABLE
            )
    if found or not said:
        return found
    wavers = _WAVERS.match(said) is not None
    return (
        UNREADABLE if wavers or (not behind.clause and begins(said, options) is not None) else None
    )


def _listed(below: Sequence[str], options: Options) -> Selection | None:
    """What the first paragraph below a label lists; None where it lists nothing."""
    lines = [line for line in below if line]
    if not lines or behind_label(lines[0]):
        return None
    paragraph = list(takewhile(bool, below[below.index(lines[0]) :]))
    first = chosen_by(paragraph[0], options, "label") or chosen_by(paragraph[0], options, "listed")
    read = chain((first,), (chosen_by(line, options, "listed") for line in paragraph[1:]))
    items = list(takewhile(lambda one: one is not None, read))
    found = _together(items)
    if found is None:
        return UNREADABLE if begins(paragraph[0], options) is not None else None
    rest = lines[len(items) :] if items[0] and len(items[0].places) == 1 else []
    for line in rest:
        if line.endswith(":") or _EXPLAINS.match(line) or behind_label(line):
            break
        if (place := begins(line, options)) is not None and place not in found.places:
            return UNREADABLE
    described = (
        len(items) == options.count > 1 and chosen_by(paragraph[0], options, "label") is None
    )
    return UNREADABLE if described else found


def _whole(lines: Sequence[str], options: Options) -> Selection | None:
    """What is chosen when every line is an item. All options with their texts may as well be the
    question again."""
    said = [line for line in lines if line]
    denied = denied_by(said[1].casefold(), options) if len(said) == 2 else None
    read = [chosen_by(line, options, "bare") for line in (said if denied is None else said[:1])]
    found = None if None in read else _together(read)
    if found is None or (denied is not None and denied & found.places):
        return None
    echoed = (
        len(read) > 1
        and len(found.places) == options.count
        and letters_of(said[0], options, "bare") is None
    )
    return None if echoed else found


def _apart(lines: Sequence[str], options: Options) -> Selection | None:
    """What a paragraph of mere capitals at the beginning or the end of an answer without a label
    chooses."""
    if len(lines) < 3:
        return None
    edges = ((lines[0], lines[1]), (lines[-1], lines[-2]))
    ends = [end for end, beside in edges if not beside]
    capitals = [end for end in ends if all(letter.isupper() for letter in LONE.findall(end))]
    chosen = [places for end in capitals if (places := letters_of(end, options, "bare"))]
    if len(set(chosen)) != 1:
        return None
    return Selection("letters", chosen[0])


def _together(read: Sequence[Selection | None]) -> Selection | None:
    """One option per line, or a first line that those below it do not add to."""
    known = [one for one in read if one is not None]
    if not known or len(known) < len(read):
        return None
    places = frozenset(place for one in known for place in one.places)
    if places <= known[0].places:
        return known[0]
    one_each = len(places) == len(known) and all(len(one.places) == 1 for one in known)
    return Selection("letters", places) if one_each else UNREADABLE
