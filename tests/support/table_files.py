"""Files of DepthQA as people hand them over: a small sound graph in every form, and rows written in
any format."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fathom.state.question_graph import QuestionGraph, QuestionNode

Rows = Sequence[Mapping[str, Any]]

NODES = (
    QuestionNode(
        id="1_d3",
        depth=3,
        question="Why do two metals in one melt freeze together?",
        reference="Their curves of freezing meet at the eutectic.",
        predecessors=("1_d2_n1", "1_d2_n2"),
        question_id="d3_q1",
        domain="materials",
        reasoning=("causal", "relational"),
    ),
    QuestionNode(
        id="1_d2_n1",
        depth=2,
        question="How is a freezing curve read?",
        reference="Where it is flat, the melt freezes.",
        predecessors=("1_d1_n1",),
        question_id="d2_q1",
        domain="materials",
    ),
    QuestionNode(
        id="1_d2_n2",
        depth=2,
        question="How is a melt mixed?",
        reference="By weighing both metals first.",
        predecessors=("1_d1_n1", "2_d1_n1"),
        question_id="d2_q2",
        domain="materials",
        augmented=True,
    ),
    QuestionNode(
        id="1_d1_n1",
        depth=1,
        question="What is freezing?",
        reference="Becoming solid.",
        question_id="d1_q1",
    ),
    QuestionNode(
        id="2_d1_n1",
        depth=1,
        question="What is freezing?",
        reference="Becoming solid.",
        question_id="d1_q1",
    ),
)
GRAPH = QuestionGraph(name="metals", nodes=NODES)


def tables() -> dict[str, list[dict[str, Any]]]:
    """The graph as the published dataset's three tables."""
    questions = {
        node.question_id: {
            "qid": node.question_id,
            "depth": node.depth,
            "domain": node.domain or None,
            "question": node.question,
            "answer": node.reference,
            "tutoreval_data": {"passage": "p", "key_points": "- k"}
            if node.depth == 3
            else None,
            "augmented": node.augmented,
        }
        for node in NODES
    }
    nodes = [
        {
            "nodeid": node.id,
            "group": node.id[0],
            "depth": node.depth,
            "direct_predecessors": list(node.predecessors),
            "direct_successors": list(GRAPH.successors[node.id]),
        }
        for node in NODES
    ]
    return {
        "questions": list(questions.values()),
        "nodes": nodes,
        "node_to_q": [{"nodeid": node.id, "qid": node.question_id} for node in NODES],
    }


def write_rows(path: Path, rows: Rows | Mapping[str, Any]) -> Path:
    """Rows in the format that the suffix names, in JSON also an object of them; lists in CSV with
    semicolons."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(rows, Mapping) or path.suffix == ".json":
        path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    elif path.suffix == ".parquet":
        arrow = pytest.importorskip("pyarrow")
        import pyarrow.parquet as parquet  # type: ignore[import-untyped]

        parquet.write_table(arrow.Table.from_pylist([dict(row) for row in rows]), path)
    elif path.suffix == ".csv":
        names = list(dict.fromkeys(name for row in rows for name in row))
        text = io.StringIO()
        writer = csv.DictWriter(text, names)
        writer.writeheader()
        writer.writerows(
            {
                name: ";".join(cell) if isinstance(cell, list) else cell
                for name, cell in row.items()
            }
            for row in rows
        )
        path.write_text(text.getvalue(), encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_tables(folder: Path, made: Mapping[str, Rows], layout: str) -> Path:
    """The tables below `folder`; the layout is a suffix, `keyed` (objects by id) or `hub`."""
    for name, rows in made.items():
        if layout == "keyed":
            key = "qid" if name == "questions" else "nodeid"
            keyed = {row[key]: row["qid"] if name == "node_to_q" else row for row in rows}
            write_rows(folder / f"{name}.json", keyed)
        elif layout == "hub":
            half = len(rows) // 2
            for number, part in enumerate((rows[:half], rows[half:])):
                write_rows(folder / name / f"test-{number:05}-of-00002.parquet", part)
        else:
            write_rows(folder / f"{name}{layout}", rows)
    return folder


def simple() -> list[dict[str, Any]]:
    """The graph as a hand-written list of nodes."""
    return [
        {
            "id": node.id,
            "depth": node.depth,
            "question": node.question,
            "reference": node.reference,
            "predecessors": list(node.predecessors),
            "question_id": node.question_id,
            "domain": node.domain,
            "reasoning": list(node.reasoning),
            "augmented": node.augmented,
        }
        for node in NODES
    ]
