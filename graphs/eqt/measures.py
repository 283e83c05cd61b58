"""What an Explain-Query-Test measures, over rows of its answers."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from ...state.rows import AnswerRow, Estimate, Measure, Tag
from ...stats.abstention import abstention_measures
from ...stats.consistency import Consistency, consistency
from ...stats.correction import share_measures
from ...stats.estimates import mean, share
from ...stats.paired import Pair, clustered
from .items import READABLE
from .rows import OPEN_BOOK, ORIGINAL

T = TypeVar("T")
BY = ("category", "concept", "kind")
ACCURACY: Mapping[str, tuple[str, Callable[[str], bool]]] = {
    "accuracy": (
        "Share of closed-book answers that select exactly the right options.",
        lambda condition: condition != OPEN_BOOK,
    ),
    "originals": (
        "The same of questions in their original wording.",
        lambda condition: condition == ORIGINAL,
    ),
    "paraphrased": (
        "The same of questions in other words.",
        lambda condition: condition not in (ORIGINAL, OPEN_BOOK),
    ),
    "open_book": (
        "The same with the explanation at hand.",
        lambda condition: condition == OPEN_BOOK,
    ),
}
"""Measure → what it tells, and the conditions of the answers that count."""


def rows_counted(rows: Sequence[AnswerRow], name: str) -> list[AnswerRow]:
    """The rows, scored or not, that a measure of `ACCURACY` is over."""
    is_counted = ACCURACY[name][1]
    return [row for row in rows if is_counted(row.condition)]


def by_concept(values: Sequence[tuple[AnswerRow, T]]) -> list[tuple[Tag, T]]:
    """The values by what may make them alike: their concept; where only one concept has any,
    their question. Concepts without values, such as those that a fault took, add no cluster."""
    if len({row.group for row, _ in values}) == 1:
        return [(row.tags["question_id"], value) for row, value in values]
    return [(row.group, value) for row, value in values]


def values_of(rows: Sequence[AnswerRow]) -> list[tuple[Tag, float]]:
    """The scores there are; see `by_concept`."""
    return by_concept([(row, row.score) for row in rows if row.score is not None])


def alike_by_question(rows: Sequence[AnswerRow]) -> list[tuple[AnswerRow, Consistency | None]]:
    """Of each question with a scored closed-book answer the first of them, and how alike those are
    that can be read."""
    alike = []
    for answers in _by_question(_closed_book(rows)):
        readable = [row for row in answers if row.tags["reading"] in READABLE]
        chosen = [frozenset(map(int, str(row.tags["chosen"]).split())) for row in readable]
        alike.append((answers[0], consistency(chosen)))
    return alike


def _by_question(rows: Sequence[AnswerRow]) -> list[list[AnswerRow]]:
    """The scored rows of each question."""
    questions: dict[Hashable, list[AnswerRow]] = defaultdict(list)
    for row in rows:
        if row.score is not None:
            questions[row.run, row.tags["question_id"]].append(row)
    return [*questions.values()]


def _closed_book(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    return [row for row in rows_counted(rows, "accuracy") if row.score is not None]


def _accuracy(name: str, rows: Sequence[AnswerRow]) -> Estimate:
    counted = rows_counted(rows, name)
    groups = {row.group for row in counted if row.score is not None}
    return replace(share(values_of(counted)), groups=len(groups))


def _open_book_gap(rows: Sequence[AnswerRow]) -> Estimate:
    """Over the original questions that have both answers."""
    marks = []
    for answers in _by_question(rows):
        by_condition = {row.condition: row for row in answers}
        closed, opened = by_condition.get(ORIGINAL), by_condition.get(OPEN_BOOK)
        if closed and opened:
            marks.append((closed, (closed.score == 1, opened.score == 1)))
    if not marks:
        return Estimate(None)
    pairs = [Pair(str(cluster), *both_marks) for cluster, both_marks in by_concept(marks)]
    gains = [pair.after - pair.before for pair in pairs]
    value = sum(gains) / len(pairs)
    if len(set(gains)) == 1:
        # no variation to see a clustering in: each cluster counts once, as if all of its questions
        # were one
        pairs = list({pair.root: pair for pair in pairs}.values())
    low, high = clustered(pairs) or (None, None)
    return Estimate(value, low, high, len(marks), len({pair.root for pair in pairs}))


def _consistency(name: str, rows: Sequence[AnswerRow]) -> Estimate:
    """The mean over questions with two readable answers at least."""
    scores, most = list[tuple[AnswerRow, float]](), 1
    for row, alike in alike_by_question(rows):
        if alike is not None and alike.informative:
            scores.append((row, getattr(alike, name)))
            most = max(most, alike.answers)
    # so many answers that all differ have an ACS of one by their number
    return mean(by_concept(scores), 1 / most if name == "acs" else 0.0)


GAP = Measure(
    "open_book_gap",
    "share",
    "lower",
    "By how much more original questions are right with the explanation at hand.",
    _open_book_gap,
    BY,
)
ACS = Measure(
    "acs",
    "score",
    "higher",
    "Answer Consistency Score: 1 when every wording of a question gets the same answer.",
    partial(_consistency, "acs"),
    BY,
)
ACS_NORMALISED = Measure(
    "acs_normalised",
    "score",
    "higher",
    "The same, with 0 where no two wordings get the same answer.",
    partial(_consistency, "normalised"),
    BY,
)
FIGURES = (
    *(
        Measure(name, "share", "higher", says, partial(_accuracy, name), (*BY, "paraphrase"))
        for name, (says, _) in ACCURACY.items()
    ),
    GAP,
    ACS,
    ACS_NORMALISED,
)
"""What its page shows."""
MEASURES = (
    *FIGURES,
    *abstention_measures(_closed_book, (*BY, "paraphrase")),
    *share_measures(_closed_book, (*BY, "paraphrase")),
)
