"""Answers that somebody else has collected, matched to the nodes of a graph."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple

from pydantic import AliasChoices, BeforeValidator, Field

from ...state.errors import UsageError
from ...state.question_graph import GivenAnswer, QuestionGraph, question_key
from ...state.text import normalise
from .question_graph import IDS
from .rows import Columns, Row, Text, columns_of, names_of, no_column, rows_of, text
from .table import read_table
from .text import Data, quoted, tally

HOLDS = "answers with the id or the question of each"
_BROKEN = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


class ReadAnswers(NamedTuple):
    answers: tuple[GivenAnswer, ...]
    """In the graph's order; at most one per node."""
    notices: tuple[str, ...]


def _answer(value: object) -> str:
    """An answer may have been cut within a sign."""
    return value.translate(_BROKEN) if isinstance(value, str) else text(value)


class AnswerRow(Row):
    """An answer, with the id or the question of what it answers."""

    blank_says: ClassVar[bool] = True

    id: Text = Field("", validation_alias=IDS)
    question: Text = ""
    response: Annotated[str, BeforeValidator(_answer)] | None = Field(
        None,
        validation_alias=AliasChoices("predicted_answer", "response", "prediction", "answer"),
    )


def read_answers(
    source: Path | Data, graph: QuestionGraph, columns: Columns | None = None
) -> ReadAnswers:
    """The answers in a file (`-`: the standard input; or one that was read already), by node.

    Rows (JSON, JSON lines, CSV, Parquet; the published form is an object of them) have the fields
    of `AnswerRow`. JSON may be an object of texts by id. A row answers the node with its id, else
    all with its question's id, else all with its question's text. An id whose question reads
    otherwise in the graph does not count.

    An empty answer is kept: the model said nothing. A null is none, and so is a blank cell of CSV:
    its nodes stay unasked. Raises UsageError for what cannot be read, two answers for one node,
    answers of which none fits the graph, and references in their place.
    """
    table = read_table(source, HOLDS, bare="response")
    path, columns = table.path, columns_of(table, AnswerRow, columns or {})
    if "response" not in columns:
        raise no_column(table, "response", names_of(AnswerRow)["response"])
    rows = rows_of(table, AnswerRow, columns)
    answered = [row for row in rows if row.response is not None]
    if not answered:
        raise UsageError(f"The file {path} holds no answer: their column is empty throughout.")
    answers, unused = _matched(answered, graph)
    if not answers:
        raise UsageError(
            f"None of the answers in {path} fits a question of the graph, by id or by text: name "
            "the graph they were given to."
        )
    are_references = all(
        row.response == graph.by_id[node].reference for node, row in answers.items()
    )
    if columns["response"] == ["answer"] and are_references:
        raise UsageError(
            f"The column answer of {path} holds the reference answers themselves: name a file "
            "with a model's answers."
        )
    notices = tally(
        {
            f"Rows of {path} without an answer": len(rows) - len(answered),
            f"Answers in {path} that fit no question of the graph, left out": unused,
            f"Nodes of the graph without an answer in {path}, not asked and in no number": (
                len(graph.nodes) - len(answers)
            ),
        }
    )
    texts = []
    for node, row in answers.items():
        texts.append(GivenAnswer(node=node, text=row.response or ""))
    return ReadAnswers(tuple(texts), notices)


def _matched(
    answered: Sequence[AnswerRow], graph: QuestionGraph
) -> tuple[dict[str, AnswerRow], int]:
    """By node in the graph's order, the answers that were given to it, first by its id, then by its
    question; and how many no node has."""
    by_text = {question_key(graph.by_id[first].question): first for first in graph.holders}
    with_id = [node for node in reversed(graph.nodes) if node.question_id]
    by_question = {node.question_id: graph.first_of[node.id] for node in with_id}
    of_node: dict[str, AnswerRow] = {}
    of_question: dict[str, AnswerRow] = {}
    unused = 0
    for row in answered:
        name = row.id.strip()
        if not name and not row.question.strip():
            raise UsageError(
                f"{row.place} names neither an id nor a question: say what it answers."
            )
        rows = of_node if _fits(row, graph, name) else of_question
        if rows is of_question:
            name = by_question.get(name, "")
            if not _fits(row, graph, name):
                name = by_text.get(question_key(row.question), "")
        if not name:
            unused += 1
        elif (before := rows.setdefault(name, row)).response != row.response:
            raise UsageError(
                f"{before.place} and {row.place} answer {quoted(name, 60)} in two ways: keep one."
            )
    answers = {}
    for name, first in graph.first_of.items():
        if row_of_node := of_node.get(name) or of_question.get(first):
            answers[name] = row_of_node
    return answers, unused


def _fits(row: AnswerRow, graph: QuestionGraph, node: str) -> bool:
    """Whether the graph has the node, with the question that the row names, if any: ids such as q1
    stand in many files."""
    if node not in graph.by_id:
        return False
    if not row.question.strip():
        return True
    return normalise(row.question) == normalise(graph.by_id[node].question)
