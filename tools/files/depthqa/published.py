"""The published DepthQA dataset: a folder with the tables questions, nodes and node_to_q."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ....state.depthqa.items import QuestionNode
from ....state.errors import UsageError
from ..table import row as cells
from ..table.read import Row, Shape, read_data, table_of
from ..table.row import named
from ..text import quoted

TABLES = ("questions", "nodes", "node_to_q")
_SINGULAR = {"questions": "question", "nodes": "node"}
_SUFFIXES = (".json", ".jsonl", ".parquet")
_SHARD = re.compile(r"(?P<name>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})")
_WANTED = f"the tables {', '.join(TABLES)}, each as .json, .jsonl or .parquet or in a folder of that name"


class Tables(NamedTuple):
    nodes: list[QuestionNode]
    """In the order of the nodes table."""
    successors: dict[str, tuple[str, ...]]
    notices: tuple[str, ...]


class _Question(NamedTuple):
    depth: int
    question: str
    reference: str
    domain: str
    augmented: bool


def is_dataset(folder: Path) -> bool:
    """Whether any of the three tables is there."""
    return any(_found(folder, table) for table in TABLES)


def read_tables(folder: Path) -> Tables:
    """The nodes of a folder with the three tables; of each node text, reference answer and domain of its question.

    Raises UsageError for a table that is missing, there twice or incomplete, for an older revision of the dataset, and,
    with the node, for one without a question or of another depth than its question.
    """
    rows = {table: _rows(folder, table) for table in TABLES}
    _require_revision(rows["nodes"], folder)
    questions = _questions(rows["questions"], folder)
    of_node = _questions_of_nodes(rows["node_to_q"], questions, folder)
    nodes, successors = [], {}
    for row in rows["nodes"]:
        node_id = cells.id_of(row, "nodeid")
        nodes.append(_node(row, node_id, of_node, questions, folder))
        successors[node_id] = cells.ids(row, named(node_id, folder), "direct_successors") or ()
    unknown = next((node_id for node_id in of_node if node_id not in successors), None)
    if unknown is not None:
        raise UsageError(f"{named(unknown, folder)} stands in node_to_q and not in nodes: the tables do not fit.")
    return Tables(nodes, successors, _notices(nodes, questions, folder))


def _found(folder: Path, table: str) -> list[Path]:
    """Files and folders that hold a table."""
    names = [table, *([_SINGULAR[table]] if table in _SINGULAR else [])]
    files = [path for name in names for suffix in _SUFFIXES if (path := folder / f"{name}{suffix}").is_file()]
    return files + [path for name in names if (path := folder / name).is_dir()]


def _rows(folder: Path, table: str) -> list[Row]:
    found = _found(folder, table)
    if not found:
        missing = [name for name in TABLES if not _found(folder, name)]
        raise UsageError(
            f"The folder {folder} holds no table {' and no table '.join(missing)}: it must hold {_WANTED}."
        )
    if len(found) > 1:
        names = " and ".join(path.name for path in found)
        raise UsageError(f"The folder {folder} holds the table {table} twice ({names}): keep one.")
    files = _shards(found[0]) if found[0].is_dir() else found
    key = {"questions": "question", "nodes": "", "node_to_q": "qid"}[table]
    return [row for file in files for row in table_of(read_data(file, f"rows of {table}"), (), Shape(bare=key)).rows]


def _shards(folder: Path) -> list[Path]:
    """The files of one split, in their order."""
    files = sorted(path for path in folder.iterdir() if path.suffix in _SUFFIXES and path.is_file())
    if not files:
        raise UsageError(f"The folder {folder} holds no .json, .jsonl or .parquet: fetch the table again.")
    shards = [_SHARD.fullmatch(path.stem) for path in files]
    if len(files) == 1 and shards[0] is None:
        return files
    named_alike = {(shard["name"], shard["count"]) if shard else None for shard in shards}
    if None in named_alike or len(named_alike) > 1:
        raise UsageError(f"The folder {folder} holds several tables ({files[0].name}, {files[1].name}, …): keep one.")
    count = max(int(shard["count"]) for shard in shards if shard)
    if sorted(int(shard["number"]) for shard in shards if shard) != list(range(count)):
        raise UsageError(f"The folder {folder} holds {len(files)} of {count} parts of its table: fetch the others.")
    return files


def _require_revision(rows: Sequence[Row], folder: Path) -> None:
    if any("deeper_nodes" in row.cells or "shallower_nodes" in row.cells for row in rows):
        raise UsageError(
            f"The nodes in {folder} are of an older revision of the dataset (deeper_nodes, shallower_nodes), which "
            "does not tell direct predecessors from others: fetch the newest revision."
        )


def _questions(rows: Sequence[Row], folder: Path) -> dict[str, _Question]:
    questions: dict[str, _Question] = {}
    for row in rows:
        qid = cells.id_of(row, "qid")
        where = f"The question {qid} of {folder}"
        if qid in questions:
            raise UsageError(f"{where} stands there twice: keep one.")
        questions[qid] = _Question(
            cells.depth_of(row, where),
            cells.text(row, where, "question") or "",
            cells.text(row, where, "answer") or "",
            cells.text(row, where, "domain") or "",
            cells.truth(row, where, "augmented"),
        )
    return questions


def _questions_of_nodes(rows: Sequence[Row], questions: Mapping[str, _Question], folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for row in rows:
        node_id = cells.id_of(row, "nodeid")
        where = named(node_id, folder)
        qid = (cells.text(row, where, "qid") or "").strip()
        if node_id in found:
            raise UsageError(f"{where} stands in node_to_q twice: keep one of its questions.")
        if qid not in questions:
            raise UsageError(f"{where} has the question {quoted(qid)}, which the table questions does not hold.")
        found[node_id] = qid
    return found


def _node(
    row: Row, node_id: str, of_node: Mapping[str, str], questions: Mapping[str, _Question], folder: Path
) -> QuestionNode:
    where = named(node_id, folder)
    if node_id not in of_node:
        raise UsageError(f"{where} has no question: node_to_q does not name it.")
    qid = of_node[node_id]
    question = questions[qid]
    depth = cells.depth_of(row, where)
    if depth != question.depth:
        raise UsageError(
            f"{where} is of depth {depth} and its question {qid} of depth {question.depth}: make both agree."
        )
    if not question.question.strip():
        raise UsageError(f"{where} has no question: the text of {qid} is empty.")
    if not isinstance(row.cells.get("direct_predecessors"), list | str | None):
        raise UsageError(f"{where} has no list of direct_predecessors: fetch the table again.")
    return QuestionNode(
        id=node_id,
        depth=depth,
        question=question.question,
        reference=question.reference,
        predecessors=cells.ids(row, where, "direct_predecessors") or (),
        question_id=qid,
        domain=question.domain,
        augmented=question.augmented,
    )


def _notices(nodes: Sequence[QuestionNode], questions: Mapping[str, _Question], folder: Path) -> tuple[str, ...]:
    unused = len(questions) - len({node.question_id for node in nodes})
    if not unused:
        return ()
    said = "1 question is" if unused == 1 else f"{unused:,} questions are"
    return (f"{said} in {folder} without a node: left aside.",)
