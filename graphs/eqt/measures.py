"""What an Explain-Query-Test measures, over rows of its answers."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from ...state.rows import AnswerRow, Estimate, Measure
from ...stats.consistency import Consistency, consistency
from ...stats.eqt.items import READABLE
from ...stats.estimates import Value, mean, share
from ..abstention import abstention_measures
from .rows import OPEN_BOOK

BY = ("category", "concept", "kind", "paraphrase")


def closed_book(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The scored answers without the explanation at hand."""
    return [row for row in rows if row.condition != OPEN_BOOK and row.score is not None]


def _by_concept(values: Sequence[tuple[AnswerRow, float]]) -> list[Value]:
    """The values by what may make them alike: their concept; where only one concept has any,
    their question."""
    single = len({row.group for row, _ in values}) == 1
    return [(row.tags["question_id"] if single else row.group, value) for row, value in values]


def _accuracy(
    counts: Callable[[AnswerRow], bool] = lambda row: row.condition != OPEN_BOOK,
) -> Callable[[Sequence[AnswerRow]], Estimate]:
    def of(rows: Sequence[AnswerRow]) -> Estimate:
        scored = [(row, row.score) for row in rows if counts(row) and row.score is not None]
        groups = len({row.group for row, _ in scored})
        return replace(share(_by_concept(scored)), groups=groups)

    return of


def _consistency(
    score: Callable[[Consistency], float], least: Callable[[int], float]
) -> Callable[[Sequence[AnswerRow]], Estimate]:
    """Over the questions with two readable answers. `least`: the lowest that a score of so many
    answers can be."""

    def of(rows: Sequence[AnswerRow]) -> Estimate:
        readable: dict[Hashable, list[AnswerRow]] = defaultdict(list)
        for row in closed_book(rows):
            if row.tags["reading"] in READABLE:
                readable[row.run, row.tags["question_id"]].append(row)
        scores, most = list[tuple[AnswerRow, float]](), 2
        for answers in readable.values():
            alike = consistency(
                [frozenset(map(int, str(row.tags["chosen"]).split())) for row in answers]
            )
            if alike is not None and alike.informative:
                scores.append((answers[0], score(alike)))
                most = max(most, len(answers))
        return mean(_by_concept(scores), least(most))

    return of


MEASURES = (
    Measure(
        "accuracy",
        "share",
        "higher",
        "Share of closed-book answers that select exactly the right options.",
        _accuracy(),
        BY,
    ),
    Measure(
        "originals",
        "share",
        "higher",
        "The same of questions in their original wording.",
        _accuracy(lambda row: row.condition == "original"),
        BY,
    ),
    Measure(
        "paraphrased",
        "share",
        "higher",
        "The same of questions in other words.",
        _accuracy(lambda row: row.condition.startswith("paraphrase")),
        BY,
    ),
    Measure(
        "open_book",
        "share",
        "higher",
        "The same with the explanation at hand.",
        _accuracy(lambda row: row.condition == OPEN_BOOK),
        BY,
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
