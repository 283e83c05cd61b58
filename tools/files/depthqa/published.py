"""The published DepthQA dataset: a folder with the tables questions, nodes and node_to_q."""

from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple, TypeVar

from pydantic import BeforeValidator

from ....state.depthqa.items import QuestionNode
from ....state.errors import UsageError
from ..table.cells import Depth, Id, Ids, Text
from ..table.read import Aliases, Row, checked, ids_of, read_table
from ..text import quoted, read_data, tally
from .check import named

TABLES = ("questions", "nodes", "node_to_q")
_SUFFIXES = (".json", ".jsonl", ".parquet")
_WANTED = (
    f"the tables {', '.join(TABLES)}, each as .json, .jsonl or .parquet or in a folder of that name"
)


class Tables(NamedTuple):
    nodes: list[QuestionNode]
    """In the order of the nodes table."""
    successors: dict[str, tuple[str, ...]]
    notices: tuple[str, ...]


class _Question(Row):
    aliases: ClassVar[Aliases] = {"id": ("qid",)}

    id: Id
    depth: Depth
    question: Text = ""
    answer: Text = ""
    domain: Text = ""
    augmented: bool = False


def _older(_: object) -> None:
    raise ValueError(
        "has {} as in an older revision of the dataset, which does not tell direct predecessors "
        "from others: fetch the "
        "newest revision"
    )


class _Node(Row):
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


R = TypeVar("R", _Question, _Node, _Link)


def is_dataset(folder: Path) -> bool:
    """Whether any of the three tables is there."""
    return any(_files(folder, table) for table in TABLES)


def read_tables(folder: Path) -> Tables:
    """The nodes of a folder with the three tables; of each node text, reference answer and domain
    of its question.

    Raises UsageError for a table that is missing or incomplete, an id that stands there twice, an
    older revision of the dataset, and, with the node, for one without a question or of another
    depth than its question.
    """
    if missing := [table for table in TABLES if not _files(folder, table)]:
        raise UsageError(
            f"The folder {folder} holds no table {' and no table '.join(missing)}: it must "
            f"hold {_WANTED}."
        )
    questions = _rows(folder, "questions", _Question, "question")
    rows = _rows(folder, "nodes", _Node)
    links = _rows(folder, "node_to_q", _Link, "qid")
    if unknown := next((link for link in links.values() if link.id not in rows), None):
        raise UsageError(
            f"{unknown.place} names {quoted(unknown.id)}, which the table nodes does not hold."
        )
    nodes = [_node(row, links.get(row.id), questions, folder) for row in rows.values()]
    unused = len(questions.keys() - {node.question_id for node in nodes})
    notices = tally({f"Questions of {folder} without a node, left aside": unused})
    return Tables(nodes, {row.id: row.direct_successors for row in rows.values()}, notices)


def _files(folder: Path, table: str) -> list[Path]:
    """The files of a table, which is a file or a folder with the parts of one, also by its name in
    the singular."""
    paths = [
        folder / f"{name}{suffix}"
        for name in (table, table.removesuffix("s"))
        for suffix in ("", *_SUFFIXES)
    ]
    parts = [sorted(path.iterdir()) if path.is_dir() else [path] for path in dict.fromkeys(paths)]
    return [
        path for among in parts for path in among if path.suffix in _SUFFIXES and path.is_file()
    ]


def _rows(folder: Path, table: str, model: type[R], bare: str = "") -> dict[str, R]:
    """The rows of a table by their ids."""
    files = [read_data(file, f"rows of {table}") for file in _files(folder, table)]
    rows = [row for data in files for row in read_table(data, model, bare=bare)]
    return dict(zip(ids_of(rows), rows, strict=True))


def _node(
    row: _Node, link: _Link | None, questions: dict[str, _Question], folder: Path
) -> QuestionNode:
    where = named(row.id, folder)
    if link is None:
        raise UsageError(f"{where} has no question: node_to_q does not name it.")
    question = questions.get(link.qid.strip())
    if question is None:
        raise UsageError(
            f"{where} has the question {quoted(link.qid)}, which the table questions does not hold."
        )
    if row.depth != question.depth:
        raise UsageError(
            f"{where} is of depth {row.depth} and its question {question.id} of depth "
            f"{question.depth}: make both "
            "agree."
        )
    fields = question.model_dump(include={"depth", "question", "domain", "augmented"})
    named_as = {
        "id": row.id,
        "question_id": question.id,
        "reference": question.answer,
    }
    return checked(
        QuestionNode,
        {
            **fields,
            **named_as,
            "predecessors": row.direct_predecessors,
        },
        where,
    )
