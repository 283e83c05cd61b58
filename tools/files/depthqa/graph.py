"""DepthQA graphs as files: Fathom's own JSON, a hand-written list of nodes, the published dataset,
given answers."""

import os
from pathlib import Path
from typing import Annotated, ClassVar, Literal, NamedTuple

import orjson
from pydantic import BaseModel, Field

from ....state.depthqa.items import QuestionGraph, QuestionNode
from ....state.errors import UsageError
from ..output import write_whole
from ..table.cells import Depth, Id, Ids, Labels, Text, Visible
from ..table.read import Aliases, Row, checked, columns_of, raw_table, rows_of
from ..text import STDIN, Data, read_data, shown
from .check import check_graph, repeats
from .published import TABLES, is_dataset, read_tables

GRAPH = "graph.json"
"""The graph's name in a run folder."""
MAX_NAME = 200
ANSWERS = ("predicted_answer", "response", "prediction")
MODE = "mode"
"""The column that says how an answer was asked for."""
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
        "id": ("id", "node", "nodeid", "qid"),
        "reference": ("reference", "answer"),
    }

    id: Id
    nodeid: Text = ""
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
    rows: a graph without edges, whose rows may differ in nothing but the mode. A folder holds the
    published dataset's three tables, or is a run's with its graph.json. A graph without a name of
    its own is called as the file.

    Raises UsageError, with the file and the node or row, for what cannot be read or asked: see
    `check_graph`.
    """
    if isinstance(source, Path) and os.path.isdir(
        source
    ):  # False, too, for a name that no file can have
        if is_dataset(source) or not (source / GRAPH).is_file():
            nodes, successors, notices = read_tables(source)
            graph = check_graph(nodes, source, successors).model_copy(
                update={"name": source.absolute().name}
            )
            return ReadGraph(graph, (*notices, *repeats(graph, source)))
        source /= GRAPH
    data = read_data(source, _HOLDS) if isinstance(source, Path) else source
    raw = raw_table(data, inner="nodes")
    head = checked(_Head, raw.about, f"The file {data.path}")
    usual = "" if head.format else "graph" if data.path == shown(STDIN) else data.path.stem
    pairs = [(_node(row, data.path), row.successors) for row in rows_of(raw, _Node)]
    if MODE in raw.columns:  # a question stands there once for each way in which it was asked
        pairs = list(dict.fromkeys(pairs))
    graph = check_graph(
        [node for node, _ in pairs],
        data.path,
        {node.id: successors for node, successors in pairs if successors is not None},
    )
    graph = graph.model_copy(
        update={"name": usual if head.name is None else head.name, "made": head.made}
    )
    answers = [name for name in ANSWERS if name in raw.columns]
    unread = {"answer"} if "reference" in raw.columns else set()
    aside = raw.left_aside({*columns_of(_Node), *ANSWERS, MODE} - unread)
    hint = (
        f"The answers in {data.path} ({', '.join(answers)}) are no part of the graph: to have them "
        "judged, give the "
        "file as the answers, too."
    )
    return ReadGraph(graph, (*((hint,) if answers else ()), *aside, *repeats(graph, data.path)))


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


def _node(row: _Node, path: Path) -> QuestionNode:
    if not row.question:
        hint = (
            f"; of the published dataset name the folder with {', '.join(TABLES)}"
            if row.nodeid
            else ""
        )
        raise UsageError(
            f"{row.place} has no question: write it, or take the node {row.id} out{hint}."
        )
    question_id = row.question_id or (row.id if row.qid.strip() == row.id else "")
    fields = row.model_dump(include=set(QuestionNode.model_fields)) | {"question_id": question_id}
    return checked(QuestionNode, fields, row.place)
