"""What an Explain-Query-Test found: the headline, what must stand beside it, the worst answers."""

from collections.abc import Iterator

from ....graphs.answers import rows_of
from ....state.eqt.result import EqtResult
from ...page import figures
from ...page.blocks import Block
from ...page.sanitise import model_name
from ...page.view import PageOptions, View
from ..findings import ending, forced, wrong_answers
from ..texts import CI, with_interval
from .plots import pictures
from .steps import STEPS, roles_of, size_words
from .tables import blocks


def _title(result: EqtResult) -> tuple[str, list[str]]:
    spec = result.spec
    parts = [model_name(spec.target), *roles_of(spec), size_words(spec), f"seed {spec.seed}"]
    return spec.domain, parts


def _headline(result: EqtResult) -> str:
    """`accuracy 71% (95% CI 68–74) · ACS .92 (.90–.93) · 280 concepts, 1,400 questions, 5,600
    answers`."""
    numbers, row, alike = result.numbers, result.numbers.all, result.numbers.consistency
    counts = {
        "concept": numbers.concepts,
        "question": numbers.questions,
        "answer": row.scored,
    }
    sizes = ", ".join(figures.count(number, what) for what, number in counts.items())
    if row.accuracy is None:
        return f"nothing was measured · {sizes}"
    accuracy = f"accuracy {with_interval(row.accuracy, row.wider, 'percent', CI)}"
    acs = f"ACS {with_interval(alike.acs, alike.acs_ci, 'score')}"
    acs = acs if alike.acs is not None else f"ACS not measured ({alike.missing})"
    return figures.joined([accuracy, acs if result.spec.paraphrases else "", sizes])


def _remarks(result: EqtResult) -> list[str]:
    numbers, alike = result.numbers, result.numbers.consistency
    out = alike.uninformative + alike.unread if result.spec.paraphrases else 0
    left_out = {
        "dropped, malformed: questions": numbers.dropped,
        "dropped, malformed: paraphrases": numbers.paraphrases_dropped,
        "not in ACS: questions without two readable answers": out,
        "lost to faults": figures.stages(numbers.unscored),
    }
    said = "; ".join(f"{what} {number}" for what, number in left_out.items() if number)
    ended = ending(STEPS, result, len(result.spec.concepts), result.open_concepts)
    return [*ended, *([f"Left out: {said}."] if said else []), *forced(result)]


def _cases(result: EqtResult, how: PageOptions) -> Iterator[Block]:
    return wrong_answers(rows_of(result), how.cases)


VIEW = View(
    headline=_headline,
    title=_title,
    remarks=_remarks,
    cases=_cases,
    blocks=blocks,
    pictures=pictures,
)
