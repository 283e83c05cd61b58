"""Parts of an Explain-Query-Test by the ids its runs show: a concept, a question, an asking."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....state.eqt.items import Attribution, Choice, ChoiceQuestion, EqtItem, Explanation
from ....state.errors import UsageError
from ....state.spec import EqtSpec
from ...page import figures

_PATH = re.compile(
    r"(?:(?P<run>.+)/)?c(?P<concept>\d+)"
    r"(?:\.q(?P<question>\d+)(?:\.(?:[ap](?P<paraphrase>\d+)|(?P<open>open))(?:\.why)?)?)?",
)


@dataclass(frozen=True, slots=True)
class Place:
    """What a path names, counted as ids count: from 1, and `asking` 0 for the original wording."""

    concept: int
    question: int | None = None
    asking: int | None = None
    open_book: bool = False


def place_of(path: str, run: str = "") -> Place:
    """`c003`, `c003.q2`, `c003.q2.a1`, with or without the run in front. `p1` and `a1.why` mean the asking `a1`.

    `run`: the short id that items bear; empty when there is none to compare with. Raises UsageError for anything else.
    """
    match = _PATH.fullmatch(path.strip())
    if match is None:
        raise UsageError(
            f"{path!r} names no part of an Explain-Query-Test: give a concept, a question or an asking, such as c003,"
            " c003.q2, c003.q2.a1 or c003.q2.open."
        )
    if match["run"] and run and figures.short_id(match["run"]) != run:
        raise UsageError(f"{path!r} is of the run {match['run']}, and this is {run}: show that run.")
    question, asking = match["question"], match["paraphrase"]
    return Place(
        int(match["concept"]),
        int(question) if question else None,
        int(asking) if asking else 0 if match["open"] else None,
        match["open"] is not None,
    )


def items_at(spec: EqtSpec, items: Sequence[EqtItem], path: str) -> tuple[EqtItem, ...]:
    """The steps that a path names, in order; of a repeated id the last. Raises UsageError where there is nothing.

    A concept has all its steps; a question its own, its paraphrases and askings; an asking itself, its paraphrase and
    what it was attributed to, with the question it puts.
    """
    latest = {item.id: item for item in items}
    run = next(iter(latest), "").partition("/")[0]
    place = place_of(path, run)
    if not 1 <= place.concept <= len(spec.concepts):
        known = "c001" + (f" to c{len(spec.concepts):03d}" if len(spec.concepts) > 1 else "")
        number = figures.count(len(spec.concepts), "concept")
        raise UsageError(f"No concept of this run is called {path!r}: it has {number}, {known}.")
    concept = sorted((i for i in latest.values() if i.concept == place.concept - 1), key=_order)
    if not concept:
        name = spec.concepts[place.concept - 1].name
        raise UsageError(f"There is nothing of c{place.concept:03d} ({name}) yet: the run has not come to it.")
    found = tuple(item for item in concept if _belongs(item, place))
    named = found if place.asking is None else [item for item in found if not isinstance(item, ChoiceQuestion)]
    if not named:
        held = [figures.place(item.id) for item in concept if isinstance(item, ChoiceQuestion | Choice)]
        some = (
            f": there are {', '.join(held[:6])}{', …' if len(held) > 6 else ''}"
            if held
            else f": c{place.concept:03d} has no question"
        )
        raise UsageError(f"No step of this run is called {path!r}{some}.")
    return found


def _order(item: EqtItem) -> tuple[int, int, int, int]:
    """Explanation, then question by question: the question, then by wording its paraphrase, askings, attributions."""
    rank = ("explanation", "question", "paraphrase", "choice", "attribution").index(item.type)
    if isinstance(item, Explanation):
        return 0, 0, 0, rank
    if isinstance(item, ChoiceQuestion):
        return item.question, -1, 0, rank
    return item.question, item.paraphrase, int(isinstance(item, Choice) and item.open_book), rank


def _belongs(item: EqtItem, place: Place) -> bool:
    if place.question is None:
        return True
    if isinstance(item, Explanation) or item.question != place.question:
        return False
    if place.asking is None or isinstance(item, ChoiceQuestion):
        return True
    if isinstance(item, Choice) and item.open_book != place.open_book:
        return False
    return item.paraphrase == place.asking and not (place.open_book and isinstance(item, Attribution))
