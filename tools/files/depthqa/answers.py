"""Answers that somebody else has collected, matched to the nodes of a graph."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ....state.depthqa.items import GivenAnswer, Mode, QuestionGraph, question_key
from ....state.errors import UsageError
from ....state.text import normalise
from ..table import row as cells
from ..table.read import Data, Row, Shape, Table, read_data, table_of
from ..text import quoted, some_of
from .graph import MODE

IDS = ("id", "node", "nodeid", "qid")
PREDICTED = ("predicted_answer", "response", "prediction")
_COLUMNS = (*IDS, "question", *PREDICTED, "answer", "reference", "depth", MODE)
HOLDS = "answers with the id or the question of each"
_APART = re.compile(r"[\s_]+")
_BROKEN = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


class ReadAnswers(NamedTuple):
    answers: tuple[GivenAnswer, ...]
    """In the graph's order; at most one per node."""
    notices: tuple[str, ...]


class _Given(NamedTuple):
    place: str
    ids: tuple[str, ...]
    question: str
    text: str


def read_answers(source: Path | Data, graph: QuestionGraph | None, mode: Mode = "zero-shot") -> ReadAnswers:
    """The answers in a file (`-`: the standard input; or one that was read already), by node; without a graph, by the
    ids in the file.

    Rows (JSON, JSON lines, CSV, Parquet; the published form is an object of them) have id, node, nodeid or qid, or the
    question, and predicted_answer, else response, else prediction, else answer; JSON may be an object of texts by id.
    Where a column names modes, rows of another than `mode` are left out; a blank one is zero-shot. A row answers the
    node with its id, else all with its question's id, else all with its question's text. An answer of one node serves
    others with the same question that have none of their own. An id whose question reads otherwise in the graph does
    not count.

    An empty answer is kept: the model said nothing. A null is none, and so is a blank cell of CSV: its nodes stay
    unasked. Raises UsageError for what cannot be read, two answers for one node, answers of which none fits the graph,
    none of the mode, and references in their place.
    """
    data = read_data(source, HOLDS) if isinstance(source, Path) else source
    table = table_of(data, _COLUMNS, Shape(bare="response"))
    column = _column(table, data.path)
    table, others = _of_mode(table, mode, data.path)
    said, notices = _said(table, column, data.path)
    notices = [*others, *notices]
    given = [_given(row, column) for row in said]
    if not given:
        raise UsageError(f"The file {data.path} holds no answer: the column {column} is empty throughout.")
    if graph is None:
        return ReadAnswers(_by_id(given), tuple(notices))
    matched, unused = _matched(given, graph)
    if not matched:
        raise UsageError(
            f"None of the {_counted(len(given), 'answer')} in {data.path} fits a question of the graph, by id or by "
            "text: name the graph they were given to."
        )
    if column == "answer":
        _require_own(matched, graph, data.path)
    answers, shared = _spread(matched, graph)
    notices += _left_out(unused, shared, len(graph.nodes) - len(answers), data.path)
    return ReadAnswers(answers, tuple(notices))


def _column(table: Table, path: Path) -> str:
    """The column with the model's answers."""
    columns = set(table.columns())
    found = next((name for name in (*PREDICTED, "answer") if name in columns), None)
    if found is None:
        raise UsageError(
            f"The file {path} names no column of answers: call it predicted_answer, response or prediction."
        )
    if not columns & {*IDS, "question"} and not any(row.key for row in table.rows):
        raise UsageError(f"The file {path} names neither {', '.join(IDS)} nor question: say what each row answers.")
    return found


def _of_mode(table: Table, mode: Mode, path: Path) -> tuple[Table, list[str]]:
    """The rows of the mode, and a notice of the others."""
    modes = [_mode_in(row) for row in table.rows]
    if not any(modes):
        return table, []
    named = [found or "zero-shot" for found in modes]
    others = list(dict.fromkeys(found for found in named if found != mode))
    rows = tuple(row for row, found in zip(table.rows, named, strict=True) if found == mode)
    if not rows:
        raise UsageError(
            f"The file {path} holds no answer in the mode {mode}, only in {some_of(others)}: name the one to judge "
            "with --mode."
        )
    left = len(table.rows) - len(rows)
    are = "is" if left == 1 else "are"
    told = f"{_counted(left, 'row')} of {path} {are} of another mode than {mode} ({some_of(others)}): left out."
    return table._replace(rows=rows), [told] if left else []


def _mode_in(row: Row) -> str:
    """As Fathom spells modes, or whatever stands there."""
    return _APART.sub("-", (cells.text(row, row.place, MODE) or "").strip().casefold())


def _given(row: Row, column: str) -> _Given:
    value = row.cells[column]
    if not isinstance(value, str):
        raise UsageError(f"{row.place} has {cells.kind(value)} as its {column}: an answer is a text.")
    found = [cells.text(row, row.place, name) for name in IDS]
    ids = tuple(one.strip() for one in (*found, row.key) if one and one.strip())
    question = question_key(cells.text(row, row.place, "question") or "")
    if not ids and not question:
        raise UsageError(f"{row.place} names neither an id nor a question: say what it answers.")
    return _Given(row.place, ids, question, value.translate(_BROKEN) if not value.isascii() else value)


def _said(table: Table, column: str, path: Path) -> tuple[list[Row], list[str]]:
    """The rows with an answer, and notices of the column and of those without any."""
    taken = f"The column answer of {path} is taken for the model's answers: it has no column predicted_answer."
    notices = [taken] if column == "answer" else []
    there = [row for row in table.rows if row.cells.get(column) is not None]
    said = [row for row in there if not table.spreadsheet or str(row.cells[column]).strip()]
    if missing := len(table.rows) - len(there):
        notices.append(f"{_counted(missing, 'row')} of {path} {'has' if missing == 1 else 'have'} no {column}.")
    if blank := len(there) - len(said):
        have, counts = ("has", "it counts as none") if blank == 1 else ("have", "they count as none")
        notices.append(
            f"{_counted(blank, 'row')} of {path} {have} a blank {column}: {counts}; where the model answered with "
            'nothing, say so in JSON, by "".'
        )
    return said, notices


def _by_id(given: Sequence[_Given]) -> tuple[GivenAnswer, ...]:
    found: dict[str, _Given] = {}
    for one in given:
        if not one.ids:
            raise UsageError(f"{one.place} has no id: give each row one, or name the graph.")
        _put(found, one.ids[0], one)
    return tuple(GivenAnswer(node=node, text=one.text) for node, one in found.items())


def _put(found: dict[str, _Given], node: str, one: _Given) -> None:
    before = found.setdefault(node, one)
    if before.text != one.text:
        raise UsageError(f"{before.place} and {one.place} answer {quoted(node, 60)} in two ways: keep one.")


def _matched(given: Sequence[_Given], graph: QuestionGraph) -> tuple[dict[str, _Given], list[_Given]]:
    """First by node's id, of all rows; what is named by question comes second, so that it fills only what is left.
    Beside it, the answers that no node has."""
    by_question: dict[str, str] = {}
    by_text = {question_key(graph.by_id[first].question): first for first in graph.holders}
    for node in graph.nodes:
        if node.question_id:
            by_question.setdefault(node.question_id, graph.first_of[node.id])
    of_nodes: dict[str, _Given] = {}
    of_questions: dict[str, _Given] = {}
    unused: list[_Given] = []
    for one in given:
        by_id = next((name for name in one.ids if name in graph.by_id and _fits(one, graph, name)), None)
        if by_id is not None:
            _put(of_nodes, by_id, one)
            continue
        named = (by_question[name] for name in one.ids if name in by_question)
        first = next((name for name in named if _fits(one, graph, name)), None) or by_text.get(one.question)
        if first is None:
            unused.append(one)
        else:
            _put(of_questions, first, one)
    for first, one in of_questions.items():
        for holder in graph.holders[first]:
            of_nodes.setdefault(holder, one)
    return of_nodes, unused


def _fits(one: _Given, graph: QuestionGraph, node: str) -> bool:
    """Ids such as q1 stand in many files: what names its question must name that of the node."""
    return not one.question or normalise(one.question) == normalise(graph.by_id[node].question)


def _spread(matched: Mapping[str, _Given], graph: QuestionGraph) -> tuple[tuple[GivenAnswer, ...], int]:
    """The answers in the graph's order, and how many are another node's."""
    texts = {node: one.text for node, one in matched.items()}
    shared = 0
    for nodes in graph.holders.values():
        first = next((texts[node] for node in nodes if node in texts), None)
        if first is not None:
            lacking = [node for node in nodes if node not in texts]
            texts |= dict.fromkeys(lacking, first)
            shared += len(lacking)
    return tuple(GivenAnswer(node=node.id, text=texts[node.id]) for node in graph.nodes if node.id in texts), shared


def _require_own(matched: Mapping[str, _Given], graph: QuestionGraph, path: Path) -> None:
    if all(one.text == graph.by_id[node].reference for node, one in matched.items()):
        raise UsageError(
            f"The column answer of {path} holds the reference answers themselves: name a file with a model's answers."
        )


def _left_out(unused: Sequence[_Given], shared: int, unasked: int, path: Path) -> Iterator[str]:
    if unused:
        some = ", ".join(one.place.split(" of ")[0] for one in unused[:3]) + (", …" if len(unused) > 3 else "")
        yield (
            f"{_counted(len(unused), 'answer')} in {path} {'fits' if len(unused) == 1 else 'fit'} no question of the "
            f"graph, by id and text: left out ({some})."
        )
    if shared:
        share = "shares" if shared == 1 else "share"
        yield f"{_counted(shared, 'node')} without an answer in {path} {share} that of a node with the same question."
    if unasked:
        have = "has" if unasked == 1 else "have"
        yield f"{_counted(unasked, 'node')} of the graph {have} no answer in {path}: not asked, and in no number."


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
