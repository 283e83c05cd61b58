"""The fifth method as rows of answers."""

from fathom.graphs.answers import row_maker
from fathom.state.rows import AnswerRow

from .calls import question_of
from .state import ToyResult


def rows_of(result: ToyResult) -> list[AnswerRow]:
    make, rows = row_maker(result), list[AnswerRow]()
    for answer in result.answers:
        topic = result.spec.topics[answer.concept]
        row = make(
            group=topic,
            item=topic,
            condition="closed book",
            score=None if answer.fault else float(bool(answer.text)),
            verdict="unscored" if answer.fault else "right" if answer.text else "wrong",
            tags={"topic": topic, "answer_id": answer.id},
            texts={"question": question_of(topic), "answer": answer.text},
        )
        rows.append(row)
    return rows
