"""An Explain-Query-Test's numbers: by category, by concept, and what the judge says of errors."""

from collections.abc import Iterator

from ....graphs.answers import measures_of, rows_of
from ....state.eqt.result import AttributionRow, EqtResult
from ....state.rows import Measure
from ...page import figures
from ...page.blocks import Block, Figure, Figures, Text
from ...page.sanitise import model_name
from ...page.view import PageOptions
from ..abstention import abstention_table
from ..by_tag import by_tag, measured
from ..findings import more_of

FEW = 12
"""Concepts up to which each has a line; of more only the weakest have one."""
ENDS = 5
"""PageOptions many of the cases that the judge attributed are listed."""
CLUSTERED = "95% CI: clustered by concept, or by question where only one concept has answers"
PARAPHRASED = ["acs", "acs_normalised", "originals", "paraphrased"]
"""Measures that need paraphrases."""


def blocks(result: EqtResult, how: PageOptions) -> Iterator[Block]:
    rows, measures = rows_of(result), shown_measures(result)
    if result.numbers.all.scored:
        yield measured(rows, measures)
        if result.by_category:
            yield by_tag("By category", rows, measures, "category", notes=[CLUSTERED])
        yield from abstention_table(rows, measures_of("eqt"), "category")
        headline = [measure for measure in measures if measure.name in ("accuracy", "acs")]
        yield by_tag("By concept", rows, headline, "group", head="concept", weakest=FEW)
    if result.concepts:
        place = figures.place(result.concepts[0].id)
        yield from how.command(
            result, f"--path {place}", "shows a concept with all its questions and answers."
        )
    if result.attribution:
        yield from _attribution(result.attribution, result.spec.judge)
    if result.numbers.all.scored:
        yield _counts(result)


def shown_measures(result: EqtResult) -> list[Measure]:
    """The measures that say something of a run: without paraphrases every ACS is 1."""
    names = ["accuracy", "open_book", "open_book_gap", *PARAPHRASED * bool(result.spec.paraphrases)]
    return [measure for measure in measures_of("eqt") if measure.name in names]


def _attribution(row: AttributionRow, judge: str) -> Iterator[Block]:
    """What the judge put a sample of wrong answers down to, with a few cases."""
    title = f"What wrong answers come from, as attributed by {model_name(judge)}"
    drawn = Figure("drawn by seed from the wrong answers", (row.sampled, row.wrong), "of")
    causes = [
        Figure(f"put down to the {cause}", (number, len(row.cases)), "part")
        for cause, number in row.causes.items()
    ]
    yield Figures([drawn, *causes], title)
    lines = [f"· {figures.place(case.id)} {case.cause}: {case.reason}" for case in row.cases[:ENDS]]
    if lines:
        yield Text([*lines, *more_of(row.cases, ENDS)], style="dim")


def _counts(result: EqtResult) -> Figures:
    """Answers that select nothing, all counted as wrong."""
    numbers, answers = result.numbers, result.numbers.all.scored
    counted = {
        "no readable selection (counted as wrong)": numbers.format_failures,
        '"none of these" (counted as wrong)': numbers.none_chosen,
        "refused (counted as wrong)": numbers.refusals,
    }
    return Figures([Figure(name, (number, answers), "part") for name, number in counted.items()])
