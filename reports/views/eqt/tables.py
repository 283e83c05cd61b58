"""An Explain-Query-Test's numbers: by category, by concept, and what the judge says of errors."""

from collections.abc import Iterator, Mapping
from typing import Any

from ....graphs.answers import rows_of
from ....state.eqt.items import Cause
from ....state.eqt.result import AttributionRow, ConceptRow, EqtResult
from ...page import figures
from ...page.blocks import Block, Column, Figure, Figures, Table, Text
from ...page.sanitise import model_name
from ...page.view import How
from ..abstention import abstention_table
from ..findings import SHARE_COLUMNS, more_of, shares_of

ALL = "all"
FEW = 12
"""Concepts up to which each has a line; of more only the weakest have one."""
ENDS = 5
"""How many of the cases that the judge attributed are listed."""
FEW_CLUSTERS = 5
"""Concepts from which an interval over them is as wide as it is for other reasons than that they
are few."""
CLUSTERED = "95% CI: clustered by concept, or by question where only one concept has answers"
WIDE = (
    "with fewer than five concepts intervals are wide: variation between concepts is hardly known"
)
LOST = "steps lost to faults, excluded"
CATEGORY, TIGHT = 24, 12
"""Cells of a category's name at most; beside the figures of the open book."""


def blocks(result: EqtResult, how: How) -> Iterator[Block]:
    if result.numbers.all.scored:
        yield _categories(result)
        yield from abstention_table(rows_of(result), "category")
    yield from _concepts(result)
    if result.concepts:
        place = figures.place(result.concepts[0].id)
        yield from how.command(
            result, f"--path {place}", "shows a concept with all its questions and answers."
        )
    if result.attribution:
        yield from _attribution(result.attribution, result.spec.judge)
    if result.numbers.all.scored:
        yield _figures(result)


def _categories(result: EqtResult) -> Table:
    """One line per category and last one over all."""
    rows: list[dict[str, Any]] = [
        {"category": name, "numbers": row} for name, row in result.by_category.items()
    ]
    book, over = result.numbers.open_book is not None, result.numbers.consistency.questions
    every = result.numbers.questions
    which = "" if over == every else f", over {over:,} of {figures.count(every, 'question')}"
    paraphrased = (
        Column(
            "ACS",
            "numbers.consistency.acs",
            "score",
            f"ACS: answer consistency, 1 − (|U| − 1)/|A|{which}",
            "numbers.consistency.acs_ci",
            apart=70,
            style="bold",
        ),
    )
    open_book = (
        Column(
            "open %", "numbers.open_book.accuracy", "whole", "open: with the explanation included"
        ),
        Column(
            "gap",
            "numbers.open_book_gap",
            "points",
            "gap: open book minus closed book, original wording, points",
            "numbers.open_book_gap_ci",
            apart=130,
        ),
    )
    columns = (
        Column("category" if rows else "", "category", room=TIGHT if book else CATEGORY),
        Column("concepts", "numbers.concepts", "count", since=78),
        Column(
            "acc. %",
            "numbers.all.accuracy",
            "whole",
            "acc.: share of closed-book answers with exactly the right options",
            "numbers.all.wider",
            style="bold",
        ),
        *(paraphrased if result.spec.paraphrases else ()),
        *(open_book if book else ()),
    )
    rows.append({"category": ALL, "numbers": result.numbers})
    few = any(row["numbers"].concepts < FEW_CLUSTERS for row in rows)
    title = "By category" if result.by_category else "Over all concepts"
    return Table(
        title, columns, rows, [figures.joined([CLUSTERED, WIDE if few else ""])], len(rows) - 2
    )


def _concept_columns(result: EqtResult) -> tuple[Column, ...]:
    paraphrased = result.spec.paraphrases > 0
    acs = Column("ACS", "numbers.consistency.acs", "score", style="bold")
    para = Column(
        "para.", "numbers.paraphrases_dropped", "count", "para.: paraphrases dropped", since=90
    )
    return (
        Column("id", "id", "place"),
        Column("concept", "concept", fold=True),
        *([Column("category", "category", since=100, room=CATEGORY)] if result.by_category else []),
        Column("answers", "numbers.all.scored", "count", "answers closed book, scored"),
        Column("✓", "numbers.all.correct", "count", "✓ right"),
        Column(
            "acc. %",
            "numbers.all.accuracy",
            "whole",
            interval="numbers.all.wider",
            apart=70,
            style="bold",
        ),
        *([acs] if paraphrased else []),
        Column("dropped", "numbers.dropped", "count", "dropped: malformed questions", since=90),
        *([para] if paraphrased else []),
        Column("?", "numbers.unscored", "sum", f"? {LOST}", since=70),
    )


def _concepts(result: EqtResult) -> Iterator[Block]:
    """Each concept when they are few; otherwise the weakest."""
    rows, title = result.concepts, "By concept"
    if len(rows) > FEW:
        title = f"The weakest {FEW} of {len(rows):,} concepts"
        rows = tuple(sorted(rows, key=_strength)[:FEW])
    if rows:
        yield Table(title, _concept_columns(result), rows)


def _strength(row: ConceptRow) -> tuple[bool, float, float]:
    """Those without a scored answer are neither weak nor strong, and come last."""
    numbers = row.numbers
    return not numbers.all.scored, numbers.all.accuracy or 0.0, numbers.consistency.acs or 0.0


CAUSES: Mapping[Cause, str] = {
    "explanation": "a wrong explanation",
    "question": "a faulty question",
    "answer": "a wrong answer",
}
CAUSE_COLUMNS = (Column("", "words"), *SHARE_COLUMNS)


def _attribution(row: AttributionRow, judge: str) -> Iterator[Block]:
    """What the judge put a sample of wrong answers down to, with a few cases."""
    scored = sum(row.causes.values())
    drawn = [
        f"{row.sampled:,} of {figures.count(row.wrong, 'wrong closed-book answer')} drawn by seed"
    ]
    drawn += [f"{row.unscored} without a verdict"] if row.unscored else []
    counts: dict[str, int] = {words: row.causes.get(cause, 0) for cause, words in CAUSES.items()}
    title = f"Causes of wrong answers, as attributed by {model_name(judge)}"
    yield Table(title, CAUSE_COLUMNS, shares_of(counts, scored), [figures.joined(drawn)])
    lines = [f"· {figures.place(case.id)} {case.cause}: {case.reason}" for case in row.cases[:ENDS]]
    if lines:
        yield Text([*lines, *more_of(row.cases, ENDS)], style="dim")


def _figures(result: EqtResult) -> Figures:
    """The secondary figures."""
    numbers, answers = result.numbers, result.numbers.all.scored
    rows = []
    if result.spec.paraphrases:
        consistency = numbers.consistency
        rows += [
            Figure(
                "accuracy on original questions",
                numbers.originals.accuracy,
                "percent",
                numbers.originals.wider,
            ),
            Figure(
                "accuracy on paraphrases",
                numbers.paraphrased.accuracy,
                "percent",
                numbers.paraphrased.wider,
            ),
            Figure(
                "ACS normalised to 0 … 1",
                consistency.acs_normalised,
                "score",
                consistency.acs_normalised_ci,
            ),
        ]
    book = numbers.open_book
    if book is not None:
        rows.append(
            Figure("accuracy with the explanation included", book.accuracy, "percent", book.wider)
        )
    if numbers.open_book_gap is not None:
        ends = f"95% interval {figures.points_span(numbers.open_book_gap_ci)}"
        rows.append(
            Figure("open book minus closed book", numbers.open_book_gap, "points_named", ends)
        )
    counted = {
        "answers without a readable selection (counted as wrong)": numbers.format_failures,
        'answers of "none of these" (counted as wrong)': numbers.none_chosen,
        "refusals (counted as wrong)": numbers.refusals,
    }
    return Figures(
        [*rows, *(Figure(name, (number, answers), "part") for name, number in counted.items())]
    )
