"""An Explain-Query-Test as rows of answers."""

from collections.abc import Callable, Iterator

from ...state.eqt.items import Reading
from ...state.eqt.result import AnswerRow as Answered
from ...state.eqt.result import ConceptRow, EqtResult, QuestionRow
from ...state.rows import AnswerRow, RowVerdict
from ...state.text import digest
from ..answers import row_maker

OPEN_BOOK = "open book"
UNANSWERED: dict[Reading | None, RowVerdict] = {"unreadable": "unreadable", "refused": "abstained"}
"""Readings of an answer that selects nothing; it scores 0."""


def rows_of(result: EqtResult) -> list[AnswerRow]:
    """Every asking, by concept, question and paraphrase; with the book open last. An item is the
    same in two runs where the question and its options are."""
    make = row_maker(result)
    return [
        row
        for concept in result.concepts
        for place, question in enumerate(concept.questions)
        for row in _question_rows(make, concept, place, question)
    ]


def _question_rows(
    make: Callable[..., AnswerRow], concept: ConceptRow, place: int, question: QuestionRow
) -> Iterator[AnswerRow]:
    name = f"{concept.category}: {concept.concept}" if concept.category else concept.concept
    texts = [f"{option.correct} {option.text}" for option in question.options]
    exam = digest("\n".join([name, f"{place}", question.text, *texts]))
    for answer in question.answers:
        wording = f"paraphrase {answer.paraphrase}" if answer.paraphrase else "original"
        yield _row(make, name, exam, concept, question, answer, wording)
    if question.open_book is not None:
        yield _row(make, name, exam, concept, question, question.open_book, OPEN_BOOK)


def _row(
    make: Callable[..., AnswerRow],
    group: str,
    exam: str,
    concept: ConceptRow,
    question: QuestionRow,
    answer: Answered,
    condition: str,
) -> AnswerRow:
    options = [f"{chr(65 + n)}: {question.options[o].text}" for n, o in enumerate(answer.order)]
    right = [chr(65 + n) for n, o in enumerate(answer.order) if question.options[o].correct]
    verdict: RowVerdict = "unscored"
    if answer.correct is not None:
        verdict = UNANSWERED.get(answer.reading, "right" if answer.correct else "wrong")
    return make(
        group=group,
        item=f"{exam} {condition}",
        condition=condition,
        score=None if answer.correct is None else float(answer.correct),
        verdict=verdict,
        tags={
            "category": concept.category,
            "concept": concept.concept,
            "question_id": question.id,
            "kind": question.kind,
            "paraphrase": answer.paraphrase,
            "letters": "".join(answer.letters),
            "chosen": " ".join(map(str, answer.chosen)),
            "reading": answer.reading,
        },
        texts={
            "question": answer.asked,
            "options": "\n".join(options),
            "reference": ", ".join(right),
            "answer": answer.said,
            "reason": answer.unscored or "",
        },
    )
