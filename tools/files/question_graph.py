"""DepthQA graphs as files: Fathom's own JSON, a hand-written list of nodes, the published dataset,
given answers. Every fault of a graph is refused with the node that has it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import orjson
from pydantic import AliasChoices, BaseModel, Field

from ...state.errors import UsageError
from ...state.question_graph import QuestionGraph, QuestionNode, question_key
from .output import write_whole
from .rows import Columns, Depth, Id, Ids, Labels, Row, Text, Visible, checked, rows_of
from .table import RawRow, Table, read_table
from .text import Data, quoted, some_of

GRAPH = "graph.json"
"""The graph's name in a run folder."""
MAX_NAME = 200
MAX_NODES = 20_000
IDS = AliasChoices("id", "node", "nodeid", "qid")
TABLES = {"questions": "question", "nodes": "", "node_to_q": "qid"}
"""Of the published dataset, each with what a mere text in it is."""
_SUFFIXES = (".json", ".jsonl", ".parquet")
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


class NodeRow(Row):
    """A node of a list that somebody wrote, or of ours."""

    id: Id = Field(validation_alias=IDS)
    qid: Text = ""
    depth: Depth
    question: Text = ""
    reference: Text = Field("", validation_alias=AliasChoices("reference", "answer"))
    predecessors: Ids = ()
    question_id: Text = ""
    domain: Text = ""
    reasoning: Labels = ()
    augmented: bool = False


def read_graph(source: Path | Data, columns: Columns | None = None) -> ReadGraph:
    """The graph in a file that may have been read already, in a folder, or (`-`) on the standard
    input; its nodes in the order of the file.

    A file is `write_graph`'s JSON, or rows (JSON, JSON lines, CSV, Parquet) with id (else node,
    nodeid, qid), depth, question, reference (else answer) and, if there are any, predecessors,
    domain, reasoning, question_id and augmented. Answers in the published form are such
    rows: a graph without edges. A folder holds the
    published dataset's three tables, or is a run's with its graph.json. A graph without a name of
    its own is called as the file.

    Raises UsageError, with the file and the node or row, for what cannot be read or asked: see
    `check_graph`.
    """
    # False, too, for a name that no file can have
    if isinstance(source, Path) and os.path.isdir(source):
        is_built = (source / GRAPH).is_file()
        table = (
            read_table(source / GRAPH, _HOLDS, inner="nodes") if is_built else _joined(source)
        )
    else:
        table = read_table(source, _HOLDS, inner="nodes")
    path = table.path
    head = checked(_Head, table.about, f"The file {path}")
    usual = "graph" if path.name.startswith("<") else path.absolute().stem
    usual = "" if head.format else usual
    graph = check_graph([_node(row) for row in rows_of(table, NodeRow, columns)], path)
    name = usual if head.name is None else head.name
    graph = graph.model_copy(update={"name": name, "made": head.made})
    return ReadGraph(graph, tuple(repeats(graph, path)))


def write_graph(graph: QuestionGraph, path: Path) -> None:
    """The graph as JSON, which `read_graph` reads back as it was: all or nothing, the same bytes
    for the same graph.

    Raises UsageError when the file cannot be written.
    """
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    write_whole(path, orjson.dumps(graph.model_dump(mode="json"), option=options), "The graph")


def _node(row: NodeRow) -> QuestionNode:
    if not row.question:
        raise UsageError(
            f"{row.place} has no question: write it, or take the node {row.id} out."
        )
    question_id = row.question_id or (row.id if row.qid.strip() == row.id else "")
    fields = row.model_dump(include=set(QuestionNode.model_fields)) | {
        "question_id": question_id
    }
    return checked(QuestionNode, fields, row.place)


def named(node: str, path: Path) -> str:
    """How a message names a node: every one of them names its file, too."""
    return f"The node {node} of {path}"


def check_graph(nodes: Sequence[QuestionNode], where: Path) -> QuestionGraph:
    """The graph of these nodes, without a name. `where` is what messages call the file.

    Raises UsageError, with the node, for: no node, more than 20,000, one id twice, a node without
    question or reference answer, a predecessor that is unknown or named twice, and an edge that
    does not lead exactly one depth up (one of every cycle does not). A node of depth 2 or 3 may
    have no predecessors.
    """
    if not 0 < len(nodes) <= MAX_NODES:
        raise UsageError(
            f"The file {where} holds {len(nodes):,} nodes: a graph has 1 to {MAX_NODES:,}."
        )
    by_id: dict[str, QuestionNode] = {}
    for node in nodes:
        if node.id in by_id:
            raise UsageError(
                f"{named(node.id, where)} stands there twice: give each node an id of its own."
            )
        by_id[node.id] = node
    for node in nodes:
        if fault := _fault(node, by_id):
            raise UsageError(f"{named(node.id, where)} {fault}.")
    return QuestionGraph(nodes=tuple(nodes))


def repeats(graph: QuestionGraph, where: Path) -> Iterator[str]:
    """Notices of questions that stand there with more than one reference answer, and of a graph
    without edges."""
    with_other_reference = []
    for node in graph.nodes:
        first = graph.by_id[graph.first_of[node.id]]
        if question_key(node.reference) != question_key(first.reference):
            with_other_reference.append(node.id)
    if with_other_reference:
        yield (
            f"Questions of {where} with another reference answer than before; the first one "
            f"counts: {some_of(with_other_reference)}."
        )
    if len(graph.nodes) > 1 and not graph.edges:
        yield (
            f"No node of {where} has predecessors: each question stands alone, so that only scores "
            "can be measured "
            "and no discrepancies."
        )


def _fault(node: QuestionNode, by_id: Mapping[str, QuestionNode]) -> str:
    """What is wrong with the node; empty where nothing is."""
    for part, text in (("question", node.question), ("reference answer", node.reference)):
        if not question_key(text):
            return f"has no {part}: write it, or take the node out"
    names = set[str]()
    for name in node.predecessors:
        if name not in by_id:
            hint = "; part them by semicolons" if "," in name else ""
            return (
                f"names the predecessor {quoted(name)}, and there is no such node: add it, or "
                f"take it out{hint}"
            )
        if name in names:
            return f"names the predecessor {name} twice: keep one"
        names.add(name)
        if (depth := by_id[name].depth) != node.depth - 1:
            return (
                f"is of depth {node.depth} and its predecessor {name} of depth {depth}: an edge "
                "leads from depth 1 to "
                "2 or from 2 to 3; fix a depth, or take the edge out"
            )
    return ""


def _joined(folder: Path) -> Table:
    """The nodes of the published dataset's three tables; a node has text, reference answer and
    domain of its question. Raises UsageError for a table that is missing."""
    questions, nodes, links = (_rows(folder, table) for table in TABLES)
    by_qid = {row.cells.get("qid", row.key): row.cells for row in questions}
    qids = {row.cells.get("nodeid", row.key): row.cells.get("qid") for row in links}
    rows = []
    for row in nodes:
        qid = qids.get(row.cells.get("nodeid", row.key))
        cells = {**by_qid.get(qid, {}), **row.cells, "question_id": qid}
        cells["predecessors"] = row.cells.get("direct_predecessors")
        rows.append(RawRow(row.place, cells, row.key))
    return Table(folder, rows)


def _rows(folder: Path, table: str) -> list[RawRow]:
    """The rows of a table, which is a file or a folder with the parts of one."""
    files = list[Path]()
    for path in (folder / f"{table}{suffix}" for suffix in ("", *_SUFFIXES)):
        files += sorted(path.iterdir()) if path.is_dir() else [path]
    rows = list[RawRow]()
    for file in files:
        if file.suffix in _SUFFIXES and file.is_file():
            rows += read_table(file, f"rows of {table}", bare=TABLES[table]).rows
    if not rows:
        raise UsageError(
            f"The folder {folder} has no table {table}: it must hold the tables "
            f"{', '.join(TABLES)}, each as .json, .jsonl or .parquet or in a folder of that name."
        )
    return rows
