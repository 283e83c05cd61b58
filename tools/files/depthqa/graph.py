"""DepthQA graphs as files: Fathom's own JSON, a hand-written list of nodes, the published dataset, given answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import orjson

from ....state.depthqa.items import QuestionGraph, QuestionNode
from ....state.errors import UsageError
from ..output import write_whole
from ..table import row as cells
from ..table.read import Data, Row, Shape, Table, read_data, table_of
from ..table.row import kind, named
from ..text import STDIN, fold, quoted, shown, some_of, unseen
from .check import check_graph, repeats
from .published import TABLES, is_dataset, read_tables

GRAPH = "graph.json"
"""The graph's name in a run folder."""
FORMAT = "fathom-depthqa/1"
MAX_NAME = 200
_IDS = ("id", "node", "nodeid", "qid")
_COLUMNS = (
    *_IDS,
    *("depth", "question", "reference", "answer", "predecessors", "successors"),
    *("question_id", "domain", "reasoning", "augmented"),
)
_ASIDE = ("predicted_answer", "response", "prediction")
MODE = "mode"
"""The column that says how an answer was asked for."""
_HOLDS = "questions with id, depth and reference answer"


class ReadGraph(NamedTuple):
    graph: QuestionGraph
    notices: tuple[str, ...]
    """What was left aside or looks odd, one sentence each."""


def read_graph(source: Path | Data) -> ReadGraph:
    """The graph in a file that may have been read already, in a folder, or (`-`) on the standard input; its nodes in
    the order of the file.

    A file is `write_graph`'s JSON, or rows (JSON, JSON lines, CSV, Parquet) with id (else node, nodeid, qid), depth,
    question, reference (else answer) and, if there are any, predecessors, successors, domain, reasoning, question_id
    and augmented. Answers in the published form are such rows: a graph without edges, whose rows may differ in nothing
    but the mode. A folder holds the published
    dataset's three tables, or is a run's with its graph.json. A graph without a name of its own is called as the file.

    Raises UsageError, with the file and the node, for what cannot be read or asked: see `check_graph`, `id_of`.
    """
    if isinstance(source, Path) and source.is_dir():
        if is_dataset(source) or not (source / GRAPH).is_file():
            return _of_tables(source)
        source /= GRAPH
    data = read_data(source, _HOLDS) if isinstance(source, Path) else source
    table = table_of(data, _COLUMNS, Shape(inner="nodes"))
    name, made = _about(table, data.path)
    found = [_node(row, data.path) for row in table.rows]
    if MODE in table.columns():  # a question stands there once for each way in which it was asked
        found = list(dict.fromkeys(found))
    graph = check_graph(
        [node for node, _ in found], data.path, {n.id: above for n, above in found if above is not None}
    )
    graph = graph.model_copy(update={"name": name, "made": made})
    return ReadGraph(graph, (*_left_aside(table, data.path), *repeats(graph, data.path)))


def write_graph(graph: QuestionGraph, path: Path) -> None:
    """The graph as JSON, which `read_graph` reads back as it was: all or nothing, the same bytes for the same graph.

    Raises UsageError when the file cannot be written.
    """
    write_whole(path, orjson.dumps(graph.model_dump(mode="json"), option=orjson.OPT_INDENT_2) + b"\n", "The graph")


def _of_tables(folder: Path) -> ReadGraph:
    nodes, successors, notices = read_tables(folder)
    graph = check_graph(nodes, folder, successors)
    graph = graph.model_copy(update={"name": folder.absolute().name})
    return ReadGraph(graph, (*notices, *repeats(graph, folder)))


def _about(table: Table, path: Path) -> tuple[str, dict[str, str]]:
    """The graph's name and how it was made; what has no format of Fathom's and no name is called as its file."""
    form = table.about.get("format")
    if form is not None and form != FORMAT:
        raise UsageError(f"The file {path} has the format {quoted(str(form))}: this version of Fathom reads {FORMAT}.")
    usual = "" if form else "graph" if path == shown(STDIN) else path.stem
    name, made = table.about.get("name", usual), table.about.get("made", {})
    if not isinstance(name, str) or len(name) > MAX_NAME or unseen(name):
        raise UsageError(f"The name in {path} must be a text of at most {MAX_NAME} signs that can be seen.")
    if not isinstance(made, dict) or not all(isinstance(value, str) for value in made.values()):
        raise UsageError(f"The entry 'made' of {path} must be an object of texts: take it out.")
    return name, made


def _node(row: Row, path: Path) -> tuple[QuestionNode, tuple[str, ...] | None]:
    """The node, and its successors where they are named."""
    node_id = cells.id_of(row, *_IDS)
    where = named(node_id, path)
    question = cells.text(row, where, "question") or ""
    if not question.strip():
        hint = f"; of the published dataset name the folder with {', '.join(TABLES)}" if row.has("nodeid") else ""
        raise UsageError(f"{where} has no question: write it, or take the node out{hint}.")
    own = None if row.has("id", "node", "nodeid") else row.cells.get("qid")
    node = QuestionNode(
        id=node_id,
        depth=cells.depth_of(row, where),
        question=question,
        reference=cells.text(row, where, "reference", "answer") or "",
        predecessors=cells.ids(row, where, "predecessors") or (),
        question_id=cells.text(row, where, "question_id") or (node_id if own is not None else ""),
        domain=cells.text(row, where, "domain") or "",
        reasoning=_labels(row, where),
        augmented=cells.truth(row, where, "augmented"),
    )
    return node, cells.ids(row, where, "successors")


def _labels(row: Row, where: str) -> tuple[str, ...]:
    """Types of reasoning: a list, or a text of them with semicolons between."""
    value = cells.listed(row.cells.get("reasoning"))
    if isinstance(value, str):
        return tuple(fold(label) for label in value.split(";") if label.strip())
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(label, str) for label in value):
        raise UsageError(f"{where} has {kind(value)} as its reasoning: it must be a list of texts.")
    return tuple(label for label in value if cells.text(Row(row.place, {"reasoning": label}), where, "reasoning"))


def _left_aside(table: Table, path: Path) -> Iterator[str]:
    columns = table.columns()
    answers = [name for name in _ASIDE if name in columns]
    if answers:
        yield (
            f"The answers in {path} ({', '.join(answers)}) are no part of the graph: to have them judged, give the "
            "file as the answers, too."
        )
    unknown = [name for name in columns if name not in (*_COLUMNS, *_ASIDE, MODE)]
    if "reference" in columns and "answer" in columns:
        unknown.append("answer")
    if unknown:
        yield f"What {path} holds as {some_of(unknown)} is left aside."
