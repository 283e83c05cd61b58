"""DepthQA graphs as files: Fathom's own JSON, a hand-written list of nodes, the published dataset,
given answers."""

import os
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple, TypeVar

import orjson
from pydantic import BaseModel, BeforeValidator, Field

from ....state.errors import UsageError
from ....state.question_graph import QuestionGraph, QuestionNode
from ..output import write_whole
from ..table.cells import Depth, Id, Ids, Labels, Text, Visible
from ..table.read import Aliases, Row, checked, columns_of, ids_of, read_table, rows_of
from ..text import STDIN, Data, quoted, shown, tally
from .check import check_graph, named, repeats

GRAPH = "graph.json"
"""The graph's name in a run folder."""
MAX_NAME = 200
ANSWERS = ("predicted_answer", "response", "prediction")
IDS = ("id", "node", "nodeid", "qid")
TABLES = ("questions", "nodes", "node_to_q")
_SUFFIXES = (".json", ".jsonl", ".parquet")
_WANTED = (
    f"the tables {', '.join(TABLES)}, each as .json, .jsonl or .parquet or in a folder of that name"
)
_HOLDS = "questions with id, depth and reference answer"


class ReadGraph(NamedTuple):
    graph: QuestionGraph
    notices: tuple[str, ...]
    """What was left aside or looks odd, one sentence each."""


class _Head(BaseModel):
    """What stands beside the list of nodes."""

    format: Literal["", "fathom-depthqa/1"] = ""
    name: Annotated[Visible, Field(max_length=MAX_NAME)] | None = None
    made: dict[str, str] = Field(default_factory=dict)


class _Node(Row):
    aliases: ClassVar[Aliases] = {
        "id": IDS,
        "reference": ("reference", "answer"),
    }

    id: Id
    qid: Text = ""
    depth: Depth
    question: Text = ""
    reference: Text = ""
    predecessors: Ids = ()
    successors: Ids | None = None
    question_id: Text = ""
    domain: Text = ""
    reasoning: Labels = ()
    augmented: bool = False


def read_graph(source: Path | Data) -> ReadGraph:
    """The graph in a file that may have been read already, in a folder, or (`-`) on the standard
    input; its nodes in the order of the file.

    A file is `write_graph`'s JSON, or rows (JSON, JSON lines, CSV, Parquet) with id (else node,
    nodeid, qid), depth, question, reference (else answer) and, if there are any, predecessors,
    successors, domain, reasoning, question_id and augmented. Answers in the published form are such
    rows: a graph without edges. A folder holds the
    published dataset's three tables, or is a run's with its graph.json. A graph without a name of
    its own is called as the file.

    Raises UsageError, with the file and the node or row, for what cannot be read or asked: see
    `check_graph`.
    """
    if isinstance(source, Path) and os.path.isdir(
        source
    ):  # False, too, for a name that no file can have
        if any(_files(source, table) for table in TABLES) or not (source / GRAPH).is_file():
            return _read_tables(source)
        source /= GRAPH
    raw = read_table(source, _HOLDS, inner="nodes")
    path = raw.path
    head = checked(_Head, raw.about, f"The file {path}")
    usual = "" if head.format else "graph" if path == shown(STDIN) else path.stem
    pairs = [(_node(row), row.successors) for row in rows_of(raw, _Node)]
    graph = check_graph(
        [node for node, _ in pairs],
        path,
        {node.id: successors for node, successors in pairs if successors is not None},
    )
    graph = graph.model_copy(
        update={"name": usual if head.name is None else head.name, "made": head.made}
    )
    aside = raw.left_aside(columns_of(_Node))
    return ReadGraph(graph, (*aside, *repeats(graph, path)))


def write_graph(graph: QuestionGraph, path: Path) -> None:
    """The graph as JSON, which `read_graph` reads back as it was: all or nothing, the same bytes
    for the same graph.

    Raises UsageError when the file cannot be written.
    """
    write_whole(
        path,
        orjson.dumps(graph.model_dump(mode="json"), option=orjson.OPT_INDENT_2) + b"\n",
        "The graph",
    )


def _node(row: _Node) -> QuestionNode:
    if not row.question:
        raise UsageError(f"{row.place} has no question: write it, or take the node {row.id} out.")
    question_id = row.question_id or (row.id if row.qid.strip() == row.id else "")
    fields = row.model_dump(include=set(QuestionNode.model_fields)) | {"question_id": question_id}
    return checked(QuestionNode, fields, row.place)


# the published dataset


class _Question(Row):
    aliases: ClassVar[Aliases] = {"id": ("qid",), "reference": ("answer",)}

    id: Id
    question: Text = ""
    reference: Text = ""
    domain: Text = ""
    augmented: bool = False


def _older(_: object) -> None:
    raise ValueError(
        "has {} as in an older revision of the dataset, which does not tell direct predecessors "
        "from others: fetch the "
        "newest revision"
    )


class _PublishedNode(Row):
    aliases: ClassVar[Aliases] = {"id": ("nodeid",), "older": ("deeper_nodes", "shallower_nodes")}

    id: Id
    depth: Depth
    direct_predecessors: Ids = ()
    direct_successors: Ids = ()
    older: Annotated[None, BeforeValidator(_older)] = None


class _Link(Row):
    aliases: ClassVar[Aliases] = {"id": ("nodeid",)}

    id: Id
    qid: Text


R = TypeVar("R", _Question, _PublishedNode, _Link)


def _read_tables(folder: Path) -> ReadGraph:
    """The graph of a folder with the three tables; a node has text, reference answer and domain of
    its question.

    Raises UsageError for a table that is missing or incomplete, an id that stands there twice, an
    older revision of the dataset, and, with the node, for one without a question.
    """
    if missing := [table for table in TABLES if not _files(folder, table)]:
        raise UsageError(
            f"The folder {folder} holds no table {' and no table '.join(missing)}: it must "
            f"hold {_WANTED}."
        )
    questions = _rows(folder, "questions", _Question, "question")
    rows = _rows(folder, "nodes", _PublishedNode)
    links = _rows(folder, "node_to_q", _Link, "qid")
    if unknown := next((link for link in links.values() if link.id not in rows), None):
        raise UsageError(
            f"{unknown.place} names {quoted(unknown.id)}, which the table nodes does not hold."
        )
    nodes = list[QuestionNode]()
    for row in rows.values():
        where = named(row.id, folder)
        if row.id not in links:
            raise UsageError(f"{where} has no question: node_to_q does not name it.")
        qid = links[row.id].qid.strip()
        if qid not in questions:
            raise UsageError(
                f"{where} has the question {quoted(qid)}, which the table questions does not hold."
            )
        fields = questions[qid].model_dump(include={"question", "reference", "domain", "augmented"})
        fields |= {"id": row.id, "depth": row.depth, "question_id": qid}
        fields["predecessors"] = row.direct_predecessors
        nodes.append(checked(QuestionNode, fields, where))
    graph = check_graph(nodes, folder, {row.id: row.direct_successors for row in rows.values()})
    graph = graph.model_copy(update={"name": folder.absolute().name})
    unused = len(questions.keys() - {node.question_id for node in nodes})
    notices = tally({f"Questions of {folder} without a node, left aside": unused})
    return ReadGraph(graph, (*notices, *repeats(graph, folder)))


def _files(folder: Path, table: str) -> list[Path]:
    """The files of a table, which is a file or a folder with the parts of one."""
    paths = [folder / f"{table}{suffix}" for suffix in ("", *_SUFFIXES)]
    parts = [sorted(path.iterdir()) if path.is_dir() else [path] for path in paths]
    return [
        path for among in parts for path in among if path.suffix in _SUFFIXES and path.is_file()
    ]


def _rows(folder: Path, table: str, model: type[R], bare: str = "") -> dict[str, R]:
    """The rows of a table by their ids."""
    parts = [read_table(file, f"rows of {table}", bare=bare) for file in _files(folder, table)]
    rows = [row for part in parts for row in rows_of(part, model)]
    return dict(zip(ids_of(rows), rows, strict=True))
