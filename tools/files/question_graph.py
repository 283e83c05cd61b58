"""DepthQA graphs as files: Fathom's own JSON, a hand-written list of nodes, the published dataset,
given answers. Every fault of a graph is refused with the node that has it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeVar

import orjson
from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from ...state.errors import UsageError
from ...state.question_graph import QuestionGraph, QuestionNode, question_key
from .output import write_whole
from .rows import (
    Columns,
    Depth,
    Id,
    Ids,
    Labels,
    Row,
    Text,
    Visible,
    checked,
    columns_read,
    ids_of,
    rows_of,
)
from .table import read_table
from .text import Data, quoted, some_of, tally

GRAPH = "graph.json"
"""The graph's name in a run folder."""
MAX_NAME = 200
MAX_NODES = 20_000
IDS = AliasChoices("id", "node", "nodeid", "qid")
TABLES = ("questions", "nodes", "node_to_q")
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
    successors: Ids | None = None
    question_id: Text = ""
    domain: Text = ""
    reasoning: Labels = ()
    augmented: bool = False


def read_graph(source: Path | Data, columns: Columns | None = None) -> ReadGraph:
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
    # False, too, for a name that no file can have
    if isinstance(source, Path) and os.path.isdir(source):
        has_tables = any(_files(source, table) for table in TABLES)
        if has_tables or not (source / GRAPH).is_file():
            return _read_tables(source)
        source /= GRAPH
    raw = read_table(source, _HOLDS, inner="nodes")
    path = raw.path
    head = checked(_Head, raw.about, f"The file {path}")
    usual = "graph" if path.name.startswith("<") else path.stem
    usual = "" if head.format else usual
    rows = rows_of(raw, NodeRow, columns)
    successors = {row.id: row.successors for row in rows if row.successors is not None}
    graph = check_graph([_node(row) for row in rows], path, successors)
    name = usual if head.name is None else head.name
    graph = graph.model_copy(update={"name": name, "made": head.made})
    aside = raw.left_aside(columns_read(NodeRow, columns or {}))
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


def _node(row: NodeRow) -> QuestionNode:
    if not row.question:
        raise UsageError(f"{row.place} has no question: write it, or take the node {row.id} out.")
    question_id = row.question_id or (row.id if row.qid.strip() == row.id else "")
    fields = row.model_dump(include=set(QuestionNode.model_fields)) | {"question_id": question_id}
    return checked(QuestionNode, fields, row.place)


def named(node: str, path: Path) -> str:
    """How a message names a node: every one of them names its file, too."""
    return f"The node {node} of {path}"


def check_graph(
    nodes: Sequence[QuestionNode],
    where: Path,
    successors: Mapping[str, Sequence[str]] | None = None,
) -> QuestionGraph:
    """The graph of these nodes, without a name. `where` is what messages call the file;
    `successors` are those that the file names, by node.

    Raises UsageError, with the node, for: no node, more than 20,000, one id twice, a node without
    question or reference answer, a predecessor that is unknown or named twice, an edge that does
    not lead exactly one depth up (one of every cycle does not), and successors that do not agree
    with the predecessors. A node of depth 2 or 3 may have no predecessors.
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
    _require_agreement(by_id, successors or {}, where)
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


def _require_agreement(
    by_id: Mapping[str, QuestionNode], successors: Mapping[str, Sequence[str]], where: Path
) -> None:
    """Successors may be left out; those that are named are the predecessors' other side."""
    edges_up = {
        (lower, node.id)
        for node in by_id.values()
        for lower in node.predecessors
        if lower in successors
    }
    edges_down = {(lower, upper) for lower, uppers in successors.items() for upper in uppers}
    for lower, upper in sorted(edges_up ^ edges_down):
        raise UsageError(
            f"{named(lower, where)} has the successor {quoted(upper)} on one side only, as its "
            "successor or as that one's predecessor: make both agree."
        )


def _older(_: object) -> None:
    raise ValueError(
        "has {} as in an older revision of the dataset, which does not tell direct predecessors "
        "from others: fetch the "
        "newest revision"
    )


class _PublishedQuestion(Row):
    """A row of the published dataset's table `questions`."""

    id: Id = Field(validation_alias=AliasChoices("qid"))
    question: Text = ""
    reference: Text = Field("", validation_alias=AliasChoices("answer"))
    domain: Text = ""
    augmented: bool = False


class _PublishedNode(Row):
    """A row of the published dataset's table `nodes`."""

    id: Id = Field(validation_alias=AliasChoices("nodeid"))
    depth: Depth
    direct_predecessors: Ids = ()
    direct_successors: Ids = ()
    older: Annotated[None, BeforeValidator(_older)] = Field(
        None, validation_alias=AliasChoices("deeper_nodes", "shallower_nodes")
    )


class _Link(Row):
    """A row of the published dataset's table `node_to_q`."""

    id: Id = Field(validation_alias=AliasChoices("nodeid"))
    qid: Text


R = TypeVar("R", _PublishedQuestion, _PublishedNode, _Link)


def _read_tables(folder: Path) -> ReadGraph:
    """The graph of a folder with the three tables; a node has text, reference answer and domain of
    its question.

    Raises UsageError for a table that is missing or incomplete, an id that stands there twice, an
    older revision of the dataset, and, with the node, for one without a question.
    """
    if missing := [table for table in TABLES if not _files(folder, table)]:
        raise UsageError(
            f"The folder {folder} holds no table {' and no table '.join(missing)}: it must hold the "
            f"tables {', '.join(TABLES)}, each as .json, .jsonl or .parquet or in a folder of that "
            "name."
        )
    questions = _rows(folder, "questions", _PublishedQuestion, "question")
    rows = _rows(folder, "nodes", _PublishedNode)
    links = _rows(folder, "node_to_q", _Link, "qid")
    for link in links.values():
        if link.id not in rows:
            raise UsageError(
                f"{link.place} names {quoted(link.id)}, which the table nodes does not hold."
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
    successors = {row.id: row.direct_successors for row in rows.values()}
    graph = check_graph(nodes, folder, successors)
    graph = graph.model_copy(update={"name": folder.absolute().name})
    unused = len(questions.keys() - {node.question_id for node in nodes})
    notices = tally({f"Questions of {folder} without a node, left aside": unused})
    return ReadGraph(graph, (*notices, *repeats(graph, folder)))


def _files(folder: Path, table: str) -> list[Path]:
    """The files of a table, which is a file or a folder with the parts of one."""
    paths = [folder / f"{table}{suffix}" for suffix in ("", *_SUFFIXES)]
    files = []
    for path in paths:
        files += sorted(path.iterdir()) if path.is_dir() else [path]
    return [file for file in files if file.suffix in _SUFFIXES and file.is_file()]


def _rows(folder: Path, table: str, model: type[R], bare: str = "") -> dict[str, R]:
    """The rows of a table by their ids."""
    parts = [read_table(file, f"rows of {table}", bare=bare) for file in _files(folder, table)]
    rows = [row for part in parts for row in rows_of(part, model)]
    return dict(zip(ids_of(rows), rows, strict=True))
