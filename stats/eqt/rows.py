"""What a result tells of each concept, question and answer, and of the wrong answers the judge
looked at."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from ...state.eqt.items import Cause, Choice, ChoiceQuestion, Item
from ...state.eqt.result import (
    AnswerRow,
    AttributedCase,
    AttributionRow,
    ConceptRow,
    Numbers,
    QuestionRow,
)
from ...state.spec import EqtSpec
from ..consistency import consistency
from .items import ConceptItems, wrong_choices


def concept_row(spec: EqtSpec, own: ConceptItems, numbers: Numbers) -> ConceptRow:
    """One concept with its questions, in order. `numbers`: its figures."""
    concept, explained = spec.concepts[own.index], own.explanation
    return ConceptRow(
        id=explained.id if explained is not None else f"c{own.index + 1:03d}",
        concept=concept.name,
        category=concept.category,
        explanation=explained.text if explained is not None else "",
        unscored=_why(explained) if explained is not None else None,
        numbers=numbers,
        questions=tuple(_question_row(question, own) for question in own.questions.values()),
    )


def _question_row(question: ChoiceQuestion, own: ConceptItems) -> QuestionRow:
    number = question.question
    found = consistency(own.answers_to(number))
    choices = [choice for (asked, _), choice in own.choices.items() if asked == number]
    with_book = own.open_book.get(number)
    return QuestionRow(
        id=question.id,
        kind=question.kind,
        text=question.text,
        options=question.options,
        dropped=question.dropped,
        unscored=_why(question),
        acs=found.acs if found else None,
        acs_normalised=found.normalised if found else None,
        acs_missing=None
        if found
        else missing(len(choices), sum(choice.fault is None for choice in choices)),
        informative=found is not None and found.informative,
        answers=tuple(_answer_row(choice, own) for choice in choices),
        open_book=_answer_row(with_book, own) if with_book is not None else None,
    )


def _answer_row(choice: Choice, own: ConceptItems) -> AnswerRow:
    wording = (
        own.paraphrases[choice.question, choice.paraphrase]
        if choice.paraphrase
        else own.questions[choice.question]
    )
    return AnswerRow(
        id=choice.id,
        paraphrase=choice.paraphrase,
        asked=wording.text,
        order=choice.order,
        letters=choice.letters,
        chosen=choice.chosen,
        correct=choice.correct,
        reading=choice.reading,
        said=choice.answer.text if choice.answer is not None else "",
        unscored=_why(choice),
    )


def missing(asked: int, scored: int, read: int = 0) -> str:
    """Why there is no ACS over questions: asked, with scored answers, and with one answer each that
    can be read."""
    if not scored:
        return "no answer was scored" if asked else "nothing was asked"
    return "no question has two readable answers" if read else "no answer is readable"


def _why(item: Item) -> str | None:
    """Why there is nothing, in words; None when there is something."""
    return None if item.fault is None else item.fault.message or item.fault.kind


def attribution_row(concepts: Sequence[ConceptItems]) -> AttributionRow:
    """What the judge put wrong closed-book answers down to, by cause and case by case."""
    held = [item for own in concepts for item in own.attributions.values()]
    cases = tuple(
        AttributedCase(id=item.id.removesuffix(".why"), cause=item.cause, reason=item.reason)
        for item in held
        if item.cause is not None and item.fault is None
    )
    counts: Counter[Cause] = Counter(case.cause for case in cases)
    return AttributionRow(
        wrong=len(wrong_choices(concepts)),
        sampled=len(held),
        unscored=len(held) - len(cases),
        causes={cause: counts[cause] for cause in get_args(Cause)},
        cases=cases,
    )
