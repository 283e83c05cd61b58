"""What an Explain-Query-Test found: the headline, what must stand beside it, the worst answers."""

from collections.abc import Iterator

from ....state.eqt.result import AnswerRow, ConceptRow, EqtResult, QuestionRow
from ...page import figures
from ...page.blocks import Block, Line, Text
from ...page.remarks import sentence
from ...page.sanitise import model_name
from ...page.view import How, View
from ..findings import ending, forced, wrong_case
from ..texts import CI, with_interval
from .plots import pictures
from .steps import size_words
from .tables import blocks

UNREAD = 0.05
"""Share of the closed-book answers, unreadable or refused, beyond which a remark says that ACS
leaves them out."""


def _title(result: EqtResult) -> tuple[str, list[str]]:
    spec = result.spec
    parts = [model_name(spec.target)]
    parts.append(
        "its own examiner"
        if spec.examiner == spec.target
        else f"examiner {model_name(spec.examiner)}"
    )
    parts += [f"judge {model_name(spec.judge)}"] if spec.needs_judge else []
    return spec.domain, [*parts, size_words(spec), f"seed {spec.seed}"]


def _headline(result: EqtResult) -> str:
    """`accuracy 71% (95% CI 68–74) · ACS .92 (.90–.93) · 280 concepts, 1,400 questions, 5,600
    answers`."""
    numbers, row = result.numbers, result.numbers.all
    planned = len(result.spec.concepts)
    all_in = f"{numbers.concepts:,} of " if numbers.concepts < planned else ""
    counts = [
        f"{all_in}{figures.count(planned, 'concept')}",
        figures.count(numbers.questions, "question"),
    ]
    sizes = ", ".join([*counts, figures.count(row.scored, "answer")])
    if row.accuracy is None:
        return f"nothing was measured · {sizes}"
    accuracy = f"accuracy {with_interval(row.accuracy, row.wider, 'percent', CI)}"
    return figures.joined([accuracy, _consistency(result), sizes])


def _consistency(result: EqtResult) -> str:
    row = result.numbers.consistency
    if row.acs is None:
        return "ACS not measured" + (
            f" ({row.missing})" if row.missing and result.spec.paraphrases else ""
        )
    return f"ACS {with_interval(row.acs, row.acs_ci, 'score')}"


# remarks


def _remarks(result: EqtResult) -> list[str]:
    ended = ending(result, "concept", len(result.spec.concepts), result.open_concepts)
    ended = [
        line.replace("no question that can be asked came about; ", "") for line in ended
    ]  # said already
    said = [*_losses(result), *_acs_remarks(result), *_unread(result), *_order(result)]
    return [*ended, *said, *forced(result)]


def _losses(result: EqtResult) -> list[str]:
    numbers, parts = result.numbers, []
    lost = ((numbers.dropped, "question"), (numbers.paraphrases_dropped, "paraphrase"))
    dropped = [figures.count(number, what) for number, what in lost if number]
    if dropped:
        parts.append(
            f"{' and '.join(dropped)} dropped because {model_name(result.spec.examiner)} "
            "wrote them malformed"
        )
    if any(numbers.unscored.values()):
        parts.append(f"lost to faults and excluded: {figures.stages(numbers.unscored)}")
    return [sentence("; ".join(parts))] if parts else []


def _acs_remarks(result: EqtResult) -> list[str]:
    row = result.numbers.consistency
    if not result.spec.paraphrases:
        return [
            (
                "Without paraphrases each question has one answer and ACS would always be 1: it "
                "is not shown."
            )
        ]
    lines = []
    if row.uninformative:
        verb = "stays" if row.uninformative == 1 else "stay"
        lines.append(
            f"{figures.count(row.uninformative, 'question')} with a single readable answer "
            f"{verb} out of ACS."
        )
    if row.unread:
        verb = "has" if row.unread == 1 else "have"
        lines.append(
            f"{figures.count(row.unread, 'question')} without a readable answer {verb} no ACS."
        )
    return lines


def _unread(result: EqtResult) -> list[str]:
    """How many answers ACS leaves out because nothing was chosen in them."""
    numbers = result.numbers
    unread, scored = numbers.format_failures + numbers.refusals, numbers.all.scored
    if not result.spec.paraphrases or unread <= UNREAD * scored:
        return []
    share = figures.percent(unread / scored)
    return [
        f"{unread:,} of {scored:,} ({share}) closed-book answers were unreadable or refused: they "
        "count as wrong and"
        " are excluded from ACS."
    ]


def _order(result: EqtResult) -> list[str]:
    how, means = "Options kept their original order", "ACS also rewards a favourite letter"
    if result.spec.shuffle_options:
        how, means = "Options were shuffled each time", "ACS compares options, not letters"
    return [f"{how}: {means}." if result.spec.paraphrases else f"{how}."]


# the worst answers


def _cases(result: EqtResult, how: How) -> Iterator[Block]:
    """Wrong answers to the questions that most answers are wrong to, one of each."""
    worst = []
    for concept in result.concepts:
        for question in concept.questions:
            wrong = [answer for answer in question.answers if answer.correct is False]
            if wrong:
                right = sum(bool(answer.correct) for answer in question.answers)
                worst.append(
                    (right / (right + len(wrong)), -len(wrong), concept, question, wrong[0])
                )
    worst.sort(key=lambda each: each[:2])
    lines = [
        line
        for *_, concept, question, answer in worst[: how.cases]
        for line in _case(concept, question, answer)
    ]
    if lines:
        number = figures.count(len(worst), "question")
        yield Text(lines, f"First {min(how.cases, len(worst))} of {number} answered wrongly")


def _case(concept: ConceptRow, question: QuestionRow, answer: AnswerRow) -> list[str | Line]:
    right = "; ".join(option.text for option in question.options if option.correct)
    chosen = "; ".join(
        question.options[place].text for place in answer.chosen if place < len(question.options)
    )
    texts = {
        "question": answer.asked,
        "correct": right,
        "chosen": chosen or answer.said or "(nothing)",
    }
    return wrong_case(
        f"{concept.concept} · {figures.place(answer.id)}", texts, figures.place(answer.id)
    )


VIEW = View(
    headline=_headline,
    title=_title,
    remarks=_remarks,
    cases=_cases,
    blocks=blocks,
    pictures=pictures,
)
