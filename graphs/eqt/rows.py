"""An Explain-Query-Test as rows of answers."""

from collections.abc import Callable, Iterator

from ...state.eqt.items import Reading
from ...state.eqt.result import AnswerRow as Answered
from ...state.eqt.result import EqtResult, QuestionRow
from ...state.rows import AnswerRow, RowVerdict, Tag
from ...state.text import digest
from ..answers import row_maker

ORIGINAL, OPEN_BOOK = "original", "open book"
UNANSWERED: dict[Reading | None, RowVerdict] = {
    "unreadable": "unreadable",
    "refused": "abstained",
}
"""Readings of an answer that selects nothing; it scores 0."""


def rows_of(result: EqtResult) -> list[AnswerRow]:
    """Every asking, by concept, question and paraphrase; with the book open last."""
    make, rows = row_maker(result), list[AnswerRow]()
    for concept in result.concepts:
        name = f"{concept.category}: {concept.concept}" if concept.category else concept.concept
        tags = {"category": concept.category, "concept": concept.concept}
        for position, question in enumerate(concept.questions):
            rows += question_rows(make, name, position, question, **tags)
    return rows


def question_rows(
    make: Callable[..., AnswerRow],
    group: str,
    position: int,
    question: QuestionRow,
    **tags: Tag,
) -> Iterator[AnswerRow]:
    """The askings of one question. An item is the same in two runs where the question and its
    options are."""
    texts = [f"{option.correct} {option.text}" for option in question.options]
    exam = digest("\n".join([group, f"{position}", question.text, *texts]))
    for answer in question.answers:
        wording = f"paraphrase {answer.paraphrase}" if answer.paraphrase else ORIGINAL
        yield make(
            group=group, item=f"{exam} {wording}", **_asking(wording, question, answer, tags)
        )
    if question.open_book is not None:
        fields = _asking(OPEN_BOOK, question, question.open_book, tags)
        yield make(group=group, item=f"{exam} {OPEN_BOOK}", **fields)


def _asking(
    condition: str, question: QuestionRow, answer: Answered, tags: dict[str, Tag]
) -> dict[str, object]:
    options = [
        (chr(65 + n), question.options[position]) for n, position in enumerate(answer.order)
    ]
    verdict: RowVerdict = "unscored"
    if answer.correct is not None:
        verdict = UNANSWERED.get(answer.reading, "right" if answer.correct else "wrong")
    return {
        "condition": condition,
        "score": None if answer.correct is None else float(answer.correct),
        "verdict": verdict,
        "tags": {
            **tags,
            "question_id": question.id,
            "kind": question.kind,
            "answer_id": answer.id,
            "paraphrase": answer.paraphrase,
            "letters": "".join(answer.letters),
            "chosen": " ".join(map(str, answer.chosen)),
            "reading": answer.reading,
        },
        "texts": {
            "question": answer.asked,
            "options": "\n".join(f"{letter}: {option.text}" for letter, option in options),
            "reference": ", ".join(letter for letter, option in options if option.correct),
            "answer": answer.said,
            "reason": answer.unscored or "",
        },
    }
