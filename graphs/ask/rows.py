"""Own questions as rows of answers."""

from ...state.ask.result import AskResult
from ...state.records import Verdict
from ...state.rows import AnswerRow, RowVerdict, Tag
from ...state.text import digest
from ..answers import row_maker
from .result import groups_of

VERDICTS: dict[Verdict, RowVerdict] = {
    "correct": "right",
    "wrong": "wrong",
    "abstained": "abstained",
}


def rows_of(result: AskResult) -> list[AnswerRow]:
    """One per question, in the order of the file. An item is a question with its reference: the
    same whichever file it stands in."""
    make, rows, groups = row_maker(result), list[AnswerRow](), groups_of(result.spec)
    flags = {flag.question: "; ".join(flag.why) for flag in result.flags}
    for answer in result.answers:
        question, verdict = result.spec.questions[answer.concept], answer.verdict
        tags: dict[str, Tag] = {
            "topic": question.topic,
            "tier": question.level.value.lower() if question.level else "",
            "level": answer.check.level if answer.check else None,
            "flag": flags.get(answer.concept + 1),
            "peer": bool(answer.peer),
            "answer_id": answer.id,
        }
        texts = {
            "question": question.text,
            "reference": question.answer,
            "answer": answer.answer.text if answer.answer else "",
            "passage": question.passage,
            "url": question.source,
            "reason": verdict.reason
            if verdict
            else answer.fault.message
            if answer.fault
            else "",
        }
        row = make(
            group=groups[answer.concept],
            item=digest(f"{question.text}\n{question.answer}"),
            condition="closed book",
            score=float(verdict.correct) if verdict else None,
            verdict=VERDICTS[verdict.verdict] if verdict else "unscored",
            stage=answer.fault.stage if answer.fault else "",
            tags=tags,
            texts=texts,
        )
        rows.append(row)
    return rows
