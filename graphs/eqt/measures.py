"""What an Explain-Query-Test measures, over rows of its answers."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from ...state.rows import AnswerRow, Estimate, Measure, Tag
from ...stats.consistency import Consistency, consistency
from ...stats.eqt.items import READABLE
from ...stats.estimates import mean, share
from ...stats.paired import Pair, clustered
from ..abstention import abstention_measures
from .rows import OPEN_BOOK, ORIGINAL

T = TypeVar("T")
BY = ("category", "concept", "kind", "paraphrase")


def closed_book(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The scored answers without the explanation at hand."""
    return [row for row in rows if row.condition != OPEN_BOOK and row.score is not None]


def by_concept(values: Sequence[tuple[AnswerRow, T]]) -> list[tuple[Tag, T]]:
    """The values by what may make them alike: their concept; where only one concept has any,
    their question. Concepts without values, such as those that a fault took, add no cluster."""
    concepts = {row.group for row, _ in values}
    if len(concepts) == 1:
        return [(row.tags["question_id"], value) for row, value in values]
    return [(row.group, value) for row, value in values]


def _questions(rows: Sequence[AnswerRow]) -> Iterable[list[AnswerRow]]:
    """The rows of each question, all its wordings together."""
    questions: dict[Hashable, list[AnswerRow]] = defaultdict(list)
    for row in rows:
        questions[row.run, row.tags["question_id"]].append(row)
    return questions.values()


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


def values_of(rows: Sequence[AnswerRow]) -> list[tuple[Tag, float]]:
    """The scores there are; see `by_concept`."""
    return by_concept([(row, row.score) for row in rows if row.score is not None])


def rows_counted(rows: Sequence[AnswerRow], name: str) -> list[AnswerRow]:
    """The rows, scored or not, that a measure of `ACCURACY` is over."""
    counts = ACCURACY[name][1]
    return [row for row in rows if counts(row.condition)]


def _accuracy(name: str, rows: Sequence[AnswerRow]) -> Estimate:
    counted = rows_counted(rows, name)
    groups = len({row.group for row in counted if row.score is not None})
    return replace(share(values_of(counted)), groups=groups)


def _open_book_gap(rows: Sequence[AnswerRow]) -> Estimate:
    """Over the original questions that have both answers."""
    scored = [row for row in rows if row.score is not None]
    answers = [
        {row.condition: row for row in question if row.condition in (ORIGINAL, OPEN_BOOK)}
        for question in _questions(scored)
    ]
    both = [(answer[ORIGINAL], answer[OPEN_BOOK]) for answer in answers if len(answer) == 2]
    if not both:
        return Estimate(None)
    marks = by_concept([(old, (old.score == 1, new.score == 1)) for old, new in both])
    pairs = [Pair(str(cluster), *both_marks) for cluster, both_marks in marks]
    gains = [pair.after - pair.before for pair in pairs]
    value = sum(gains) / len(pairs)
    if len(set(gains)) == 1:
        # no variation to see a clustering in: each cluster counts once, as if all of its questions
        # were one
        pairs = list({pair.root: pair for pair in pairs}.values())
    low, high = clustered(pairs) or (None, None)
    return Estimate(value, low, high, len(both), len({pair.root for pair in pairs}))


def _consistency(
    score: Callable[[Consistency], float], least: Callable[[int], float]
) -> Callable[[Sequence[AnswerRow]], Estimate]:
    """Over the questions with two readable answers. `least`: the lowest that a score of so many
    answers can be."""

    def of(rows: Sequence[AnswerRow]) -> Estimate:
        readable = [row for row in closed_book(rows) if row.tags["reading"] in READABLE]
        scores, most = list[tuple[AnswerRow, float]](), 2
        for answers in _questions(readable):
            alike = consistency(
                [frozenset(map(int, str(row.tags["chosen"]).split())) for row in answers]
            )
            if alike is not None and alike.informative:
                scores.append((answers[0], score(alike)))
                most = max(most, len(answers))
        return mean(by_concept(scores), least(most))

    return of


MEASURES = (
    *(
        Measure(name, "share", "higher", says, partial(_accuracy, name), BY)
        for name, (says, _) in ACCURACY.items()
    ),
    Measure(
        "open_book_gap",
        "share",
        "lower",
        "By how much more original questions are right with the explanation at hand.",
        _open_book_gap,
        ("category", "concept", "kind"),
    ),
    Measure(
        "acs",
        "score",
        "higher",
        "Answer Consistency Score: 1 when every wording of a question gets the same answer.",
        _consistency(lambda alike: alike.acs, lambda most: 1 / most),
        ("category", "concept", "kind"),
    ),
    Measure(
        "acs_normalised",
        "score",
        "higher",
        "The same, with 0 where no two wordings get the same answer.",
        _consistency(lambda alike: alike.normalised, lambda _: 0.0),
        ("category", "concept", "kind"),
    ),
    *abstention_measures(closed_book, BY),
)
