"""Letter check: which options an answer chooses, read without asking anybody.

An answer may reason and ends with one line, `Answer: A, C`. Read is whatever else is that selection beyond doubt, and
nothing more: the letters with other signs and in any order, ranges (A–C), "all but D", "A, not C", ticked lists, the
options' own texts in place of the letters or behind them, "all" and "none". Its last labelled line decides, with the
options that are listed right below it; of "the answer is …" behind "Answer: …" only what opens its line or concludes
("so the answer is …"). A sentence that takes it back ("Wait, it should be B") replaces it, or leaves it open where it
says no other selection; what is struck out is not said. A letter counts only in a line that holds nothing else, so that
the words "A" and "I" never do; what is negated or left open is unreadable. Every step takes time in proportion to the
text.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from .. import lines as forms
from ..lines import behind_label, lines_of, one_comma
from .line import UNREADABLE, Options, Place, Selection, begins, chosen_by, denied_by, letters_of, shown
from .ticks import standing, ticked

__all__ = ["UNREADABLE", "Selection", "read_selection"]


def read_selection(text: str, options: Sequence[str]) -> Selection:
    """What an answer chooses; `options` are the texts in the order shown (2 to 26). Never raises."""
    known = shown(options)
    lines = standing(ticked([one_comma(line) for line in lines_of(text)], known), known)
    return (
        _labelled(lines, known, "clause")
        or _whole(lines, known)
        or _labelled(lines, known, "label")
        or _apart(lines, known)
        or UNREADABLE
    )


def _labelled(lines: Sequence[str], options: Options, clause: Place) -> Selection | None:
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
            prose = begins(said, options) is None and not forms.WAVERS.match(said)
            return concluded or (last if last and prose else UNREADABLE)
        if not behind.clause:
            continue
        if found or (said and forms.WAVERS.match(said)):
            last = last or found or UNREADABLE
            if behind.concludes and found and found.reading != "unreadable":
                concluded = concluded or found
    return last


def _goes_on(said: str, below: Sequence[str], found: Selection, options: Options) -> bool:
    """Whether a list of single options goes on behind those that were read, the first behind its label or below it; or
    describes them all."""
    rest = [line for line in below if line]
    if said:
        another = chosen_by(below[0], options, "listed") if below and below[0] and len(found.places) == 1 else None
        return another is not None and not another.places <= found.places
    first = chosen_by(rest[0], options, "listed")
    if first is None or len(first.places) != 1:
        return False
    if len(found.places) == options.count and chosen_by(rest[0], options, "label") is None:
        return True
    for line in rest[1:]:
        if line.endswith(":") or forms.EXPLAINS.match(line) or behind_label(line):
            return False
        place = begins(line, options)
        if place is not None and place not in found.places:
            return True
    return False


def _whole(lines: Sequence[str], options: Options) -> Selection | None:
    """What is chosen when every line is an item. All options with their texts may as well be the question again."""
    said = [line for line in lines if line]
    denied = denied_by(said[1].casefold(), options) if len(said) == 2 else None
    found, complete = _block(said if denied is None else said[:1], options, "bare")
    if found is None or not complete or (denied is not None and denied & found.places):
        return None
    several = denied is None and said[1:]
    echoed = several and len(found.places) == options.count and letters_of(several[0], options, "bare") is None
    return None if echoed else found


def _apart(lines: Sequence[str], options: Options) -> Selection | None:
    """What a paragraph of mere capitals at the beginning or the end of an answer without a label chooses."""
    if len(lines) < 3:
        return None
    ends = [end for end, beside in ((lines[0], lines[1]), (lines[-1], lines[-2])) if not beside]
    capitals = [end for end in ends if all(letter.isupper() for letter in forms.LONE.findall(end))]
    chosen = [places for end in capitals if (places := letters_of(end, options, "bare"))]
    return Selection("letters", chosen[0]) if len(set(chosen)) == 1 else None


def _block(lines: Iterable[str], options: Options, place: Place) -> tuple[Selection | None, bool]:
    """What the items in a row choose, and whether nothing stands behind them. The first of them stands at `place`; so
    do the others where it is one option in a line of its own below a label."""
    read: list[Selection] = []
    for number, line in enumerate(lines):
        if not line:
            continue
        if number and not read and place == "label":
            place = "listed"
        one = chosen_by(line, options, place)
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
