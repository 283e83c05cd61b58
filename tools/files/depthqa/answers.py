"""Answers that somebody else has collected, matched to the nodes of a graph."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple

from pydantic import BeforeValidator

from ....state.errors import UsageError
from ....state.question_graph import GivenAnswer, Mode, QuestionGraph, question_key
from ....state.text import normalise
from ..table.cells import Text, text
from ..table.formats import RawTable
from ..table.read import Row, one_of, raw_table, rows_of
from ..text import Data, quoted, read_data, some_of, tally
from .graph import ANSWERS

IDS = ("id", "node", "nodeid", "qid")
HOLDS = "answers with the id or the question of each"
_BROKEN = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


class ReadAnswers(NamedTuple):
    answers: tuple[GivenAnswer, ...]
    """In the graph's order; at most one per node."""
    notices: tuple[str, ...]


def _answer(value: object) -> str:
    """An answer may have been cut within a sign."""
    return value.translate(_BROKEN) if isinstance(value, str) else text(value)


def _mode(value: object) -> str:
    """As Fathom spells modes, or whatever stands there."""
    return re.sub(r"[\s_]+", "-", text(value).strip().casefold())


class _Given(Row):
    blank_says: ClassVar[bool] = True

    id: Text = ""
    node: Text = ""
    nodeid: Text = ""
    qid: Text = ""
    question: Text = ""
    mode: Annotated[str, BeforeValidator(_mode)] = ""
    response: Annotated[str, BeforeValidator(_answer)] | None = None

    @property
    def ids(self) -> list[str]:
        ids = (self.id, self.node, self.nodeid, self.qid)
        return [name.strip() for name in ids if name.strip()]


def read_answers(
    source: Path | Data, graph: QuestionGraph, mode: Mode = "zero-shot"
) -> ReadAnswers:
    """The answers in a file (`-`: the standard input; or one that was read already), by node.

    Rows (JSON, JSON lines, CSV, Parquet; the published form is an object of them) have id, node,
    nodeid or qid, or the question, and predicted_answer, else response, else prediction, else
    answer; JSON may be an object of texts by id. Where a column names modes, rows of another than
    `mode` are left out; a blank one is zero-shot. A row answers the node with its id, else all with
    its question's id, else all with its question's text. An answer of one node serves others with
    the same question that have none of their own. An id whose question reads otherwise in the graph
    does not count.

    An empty answer is kept: the model said nothing. A null is none, and so is a blank cell of CSV:
    its nodes stay unasked. Raises UsageError for what cannot be read, two answers for one node,
    answers of which none fits the graph, none of the mode, and references in their place.
    """
    data = read_data(source, HOLDS) if isinstance(source, Path) else source
    path, raw = data.path, raw_table(data, bare="response")
    column = _column(raw)
    all_rows = rows_of(raw, _Given, {"response": (column,)})
    rows, others = _of_mode(all_rows, mode, path)
    with_answer = [row for row in rows if row.response is not None]
    answered = [row for row in with_answer if (row.response or "").strip() or not raw.spreadsheet]
    if not answered:
        raise UsageError(
            f"The file {path} holds no answer: the column {column} is empty throughout."
        )
    direct, answers, unused = _matched(answered, graph)
    if not answers:
        raise UsageError(
            f"None of the answers in {path} fits a question of the graph, by id or by text: name "
            "the graph they were "
            "given to."
        )
    if column == "answer" and all(
        row.response == graph.by_id[node].reference for node, row in answers.items()
    ):
        raise UsageError(
            f"The column answer of {path} holds the reference answers themselves: name a file "
            "with a model's answers."
        )
    places = ", ".join(row.place.split(" of ")[0] for row in unused[:3]) + (
        ", …" if len(unused) > 3 else ""
    )
    unasked = len(graph.nodes) - len(answers)
    notices = tally(
        {
            f"Rows of {path} in another mode than {mode} ({some_of(others)}), left out": len(
                all_rows
            )
            - len(rows),
            f"Rows of {path} without {column}": len(rows) - len(with_answer),
            f"Rows of {path} with a blank {column}, which count as none (where the model answered "
            "with nothing, say so "
            'in JSON, by "")': len(with_answer) - len(answered),
            (
                f"Answers in {path} that fit no question of the graph, by id and text, left out "
                f"({places})"
            ): len(unused),
            f"Nodes without an answer in {path} that share that of one with the same question": len(
                answers
            )
            - len(direct),
            f"Nodes of the graph without an answer in {path}, not asked and in no number": unasked,
        }
    )
    if column == "answer":
        notice = (
            f"The column answer of {path} is taken for the model's answers: it has no column "
            "predicted_answer."
        )
        notices = (notice, *notices)
    return ReadAnswers(
        tuple(GivenAnswer(node=node, text=row.response or "") for node, row in answers.items()),
        notices,
    )


def _column(raw: RawTable) -> str:
    """The column with the model's answers."""
    name = next((name for name in (*ANSWERS, "answer") if name in raw.columns), None)
    if name is None:
        raise UsageError(
            f"The file {raw.path} names no column of answers: call it {one_of(ANSWERS)}."
        )
    if not {*raw.columns} & {*IDS, "question"} and not any(row.key for row in raw.rows):
        raise UsageError(
            f"The file {raw.path} names neither {', '.join(IDS)} nor question: say what each "
            "row answers."
        )
    return name


def _of_mode(rows: Sequence[_Given], mode: Mode, path: Path) -> tuple[Sequence[_Given], list[str]]:
    """The rows of the mode, and what other modes there are. Where no row names one, all are of the
    mode."""
    if not any(row.mode for row in rows):
        return rows, []
    of_mode = [row for row in rows if (row.mode or "zero-shot") == mode]
    others = list(dict.fromkeys(name for row in rows if (name := row.mode or "zero-shot") != mode))
    if not of_mode:
        raise UsageError(
            f"The file {path} holds no answer in the mode {mode}, only in {some_of(others)}: name "
            "the one to judge "
            "with --mode."
        )
    return of_mode, others


def _matched(
    answered: Sequence[_Given], graph: QuestionGraph
) -> tuple[dict[str, _Given], dict[str, _Given], list[_Given]]:
    """By node in the graph's order, the answers that were given to it, then also those that another
    node lends it; and those that no node has. First by node's id, of all rows; what is named by
    question comes second, so that it fills only what is left; and last come nodes whose question
    another node has."""
    by_text = {question_key(graph.by_id[first].question): first for first in graph.holders}
    by_question = {
        n.question_id: graph.first_of[n.id] for n in reversed(graph.nodes) if n.question_id
    }
    by_node: dict[str, _Given] = {}
    of_question: dict[str, _Given] = {}
    unused = []
    for row in answered:
        if not row.ids and not row.question.strip():
            raise UsageError(
                f"{row.place} names neither an id nor a question: say what it answers."
            )
        node = next(
            (name for name in row.ids if name in graph.by_id and _fits(row, graph, name)), None
        )
        named = (by_question[name] for name in row.ids if name in by_question)
        first = next(
            (name for name in named if _fits(row, graph, name)),
            by_text.get(question_key(row.question)),
        )
        answers, name = (of_question, first) if node is None else (by_node, node)
        if name is None:
            unused.append(row)
        elif (before := answers.setdefault(name, row)).response != row.response:
            raise UsageError(
                f"{before.place} and {row.place} answer {quoted(name, 60)} in two ways: keep one."
            )
    lent = {
        graph.first_of[node.id]: by_node[node.id]
        for node in reversed(graph.nodes)
        if node.id in by_node
    }
    firsts = graph.first_of.items()
    direct = {
        node: its for node, first in firsts if (its := by_node.get(node) or of_question.get(first))
    }
    return (
        direct,
        {node: its for node, first in firsts if (its := direct.get(node) or lent.get(first))},
        unused,
    )


def _fits(row: _Given, graph: QuestionGraph, node: str) -> bool:
    """Ids such as q1 stand in many files: what names its question must name that of the node."""
    return not row.question.strip() or normalise(row.question) == normalise(
        graph.by_id[node].question
    )
