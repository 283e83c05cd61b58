"""The page of an Explain-Query-Test: the headline, what must stand beside it, the worst answers, its
figures by category and concept, and what the judge says of errors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...reports.page import figures
from ...reports.page.blocks import Block, Figure, Figures
from ...reports.page.forms import CI, with_interval
from ...reports.page.picture import Picture
from ...reports.page.sanitise import model_name
from ...reports.page.view import PageOptions, View
from ...reports.views.abstention import abstention_table
from ...reports.views.by_tag import by_tag, measured
from ...reports.views.findings import ending, wrong_answers
from ...reports.views.pictures import points_of
from ...state.eqt.result import AttributionRow, EqtResult
from ...state.rows import AnswerRow
from .measures import FIGURES, MEASURES
from .rows import rows_of
from .steps import STEPS

WEAKEST = 12
"""Concepts up to which each has a line; of more only the weakest have one."""
HEADLINE = [measure for measure in FIGURES if measure.name in ("accuracy", "acs")]
CLUSTERED = "95% CI: clustered by concept, or by question where only one concept has answers"


def _headline(result: EqtResult) -> str:
    """`accuracy 71% (95% interval 68–74) · ACS .92 (.90–.93) · 280 concepts, 1,400 questions, 5,600
    answers`."""
    numbers, answers, alike = result.numbers, result.numbers.all, result.numbers.consistency
    counts = {
        "concept": numbers.concepts,
        "question": numbers.questions,
        "answer": answers.scored,
    }
    sizes = ", ".join(figures.count(number, noun) for noun, number in counts.items())
    if answers.accuracy is None:
        return f"nothing was measured · {sizes}"
    parts = [f"accuracy {with_interval(answers.accuracy, answers.wider, 'percent', CI)}"]
    if result.spec.paraphrases and alike.acs is None:
        parts.append(f"ACS not measured ({alike.missing})")
    elif result.spec.paraphrases:
        parts.append(f"ACS {with_interval(alike.acs, alike.acs_ci, 'score')}")
    return figures.joined([*parts, sizes])


def _remarks(result: EqtResult) -> list[str]:
    numbers, alike = result.numbers, result.numbers.consistency
    no_acs = alike.uninformative + alike.unread if result.spec.paraphrases else 0
    left_out: dict[str, int | str] = {
        "dropped, malformed: questions": numbers.dropped,
        "dropped, malformed: paraphrases": numbers.paraphrases_dropped,
        "not in ACS: questions without two readable answers": no_acs,
        "lost to faults": figures.stages(numbers.unscored),
    }
    no_selection = {
        "no readable selection": numbers.format_failures,
        '"none of these"': numbers.none_chosen,
        "refused": numbers.refusals,
    }
    return [
        *ending(STEPS, result, len(result.spec.concepts), result.open_concepts),
        *_counted("Left out", left_out),
        *_counted("Counted as wrong", no_selection),
    ]


def _counted(title: str, counts: Mapping[str, int | str]) -> list[str]:
    parts = [f"{words} {number}" for words, number in counts.items() if number]
    return [f"{title}: {'; '.join(parts)}."] if parts else []


def _cases(result: EqtResult, options: PageOptions) -> Iterator[Block]:
    return wrong_answers(map(_with_decisive_options, rows_of(result)), options.cases)


def _with_decisive_options(row: AnswerRow) -> AnswerRow:
    """With the options that are right or were chosen, and no others: ten fill the screen."""
    decisive = {*row.texts["reference"].split(", "), *str(row.tags["letters"])}
    options = [line for line in row.texts["options"].splitlines() if line[0] in decisive]
    return replace(row, texts={**row.texts, "options": f"right or chosen: {' '.join(options)}"})


def _blocks(result: EqtResult, options: PageOptions) -> Iterator[Block]:
    rows = rows_of(result)
    if result.numbers.all.scored:
        yield measured(rows, FIGURES)
        if result.by_category:
            yield by_tag("By category", rows, FIGURES, "category", notes=[CLUSTERED])
        yield from abstention_table(rows, MEASURES, "category")
        yield by_tag("By concept", rows, HEADLINE, "group", head="concept", weakest=WEAKEST)
    if result.attribution:
        yield from _attribution(result.attribution, result.spec.judge)
    if result.concepts:
        path = f"--path {figures.place(result.concepts[0].id)}"
        yield from options.command(
            result, path, "shows a concept with its questions and answers."
        )


def _attribution(row: AttributionRow, judge: str) -> Iterator[Block]:
    """What the judge put a sample of wrong answers down to."""
    sample = Figure("drawn by seed from the wrong answers", (row.sampled, row.wrong), "of")
    causes = [
        Figure(f"put down to the {cause}", (number, len(row.cases)), "part")
        for cause, number in row.causes.items()
    ]
    title = f"What wrong answers come from, as attributed by {model_name(judge)}"
    yield Figures([sample, *causes], title)


def pictures(results: Sequence[EqtResult]) -> Iterator[Picture]:
    """What was measured of each model, side by side."""
    drawn = [
        measure
        for measure in FIGURES
        if measure.name not in ("open_book_gap", "acs_normalised")
    ]
    words = "Shares of right answers, and ACS (1 = the same answer every time)."
    title = "Accuracy and answer consistency"
    yield from points_of("eqt", title, results, rows_of, drawn, words)


VIEW = View(
    headline=_headline,
    remarks=_remarks,
    cases=_cases,
    blocks=_blocks,
    pictures=pictures,
)
