"""A broken graph is refused in one sentence that names the file and the node, before anything is
asked."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.handed_over import in_file, refusal
from tests.support.table_files import NODES, simple, tables, write_rows, write_tables

from fathom.state.errors import UsageError
from fathom.state.question_graph import QuestionNode
from fathom.tools.files.question_graph import MAX_NODES, check_graph, read_graph

Change = Callable[[list[dict[str, Any]]], object]


def put(place: int, **cells: Any) -> Change:
    return lambda rows: rows[place].update(cells)


NODE_FAULTS: list[tuple[Change, str]] = [
    (put(1, id=None), "Item 2 of"),
    (put(1, id="  "), "has no id"),
    (put(1, id="a b"), "Item 2 of"),
    (put(1, id="a/b"), "no /"),
    (put(1, id="a@b"), "no @"),
    (put(1, id="a\u202eb"), "U+202E"),
    (put(1, id="a" * 121), "at most 120"),
    (put(1, id=["a", "b"]), "has the id"),
    (put(1, id="1_d3"), "The node 1_d3 of"),
    (put(1, depth=None), "Item 2 of"),
    (put(1, depth=None), "has no depth"),
    (put(1, depth=4), "has the depth '4'"),
    (put(1, depth=0), "has the depth '0'"),
    (put(1, depth="deep"), "has the depth 'deep'"),
    (put(1, depth=2.5), "has the depth '2.5'"),
    (put(1, depth=[2]), "has the depth"),
    (put(1, question=" "), "take the node 1_d2_n1 out"),
    (put(1, question=None), "has no question"),
    (put(1, question={"a": 1}), "has the question"),
    (put(1, question="why \ud800?"), "UTF-8"),
    (put(1, reference=""), "The node 1_d2_n1 of"),
    (put(1, reference=None), "has no reference answer"),
    (put(1, predecessors=["none"]), "names the predecessor 'none', and there is no such node"),
    (put(1, predecessors="1_d1_n1,2_d1_n1"), "part them by semicolons"),
    (put(1, predecessors=[None]), "has the predecessors"),
    (put(1, predecessors={"a": 1}), "has the predecessors"),
    (put(1, predecessors=["1_d1_n1", "1_d1_n1"]), "The node 1_d2_n1 of"),
    (put(1, predecessors=["1_d1_n1", "1_d1_n1"]), "names the predecessor 1_d1_n1 twice"),
    (put(0, predecessors=["1_d1_n1"]), "The node 1_d3 of"),
    (put(0, predecessors=["1_d1_n1"]), "is of depth 3 and its predecessor 1_d1_n1 of depth 1"),
    (put(1, predecessors=["1_d2_n2"]), "is of depth 2 and its predecessor 1_d2_n2 of depth 2"),
    (put(1, depth=1), "The node 1_d3 of"),
    (put(3, predecessors=["1_d3"]), "The node 1_d1_n1 of"),
    (put(2, predecessors=["1_d2_n2"]), "is of depth 2 and its predecessor 1_d2_n2 of depth 2"),
    (put(1, augmented="perhaps"), "has the augmented"),
    (put(1, reasoning={"a": 1}), "has the reasoning"),
]


@pytest.mark.parametrize(("change", "said"), NODE_FAULTS)
def test_what_is_no_graph(tmp_path: Path, change: Change, said: str) -> None:
    rows = simple()
    change(rows)
    assert said in refusal(read_graph, in_file(tmp_path, json.dumps(rows), "graph.json"))


def test_a_folder_without_the_tables_and_one_long_text(tmp_path: Path) -> None:
    assert "has no table questions" in refusal(read_graph, tmp_path)
    assert "must hold a list" in refusal(
        read_graph, in_file(tmp_path, '"' + "a" * 8_000_000 + '"', "graph.json")
    )


def test_an_empty_and_an_endless_graph(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds 0 nodes"):
        check_graph([], tmp_path)
    with pytest.raises(UsageError, match="1 to 20,000"):
        check_graph([NODES[3]] * (MAX_NODES + 1), tmp_path)


def test_a_node_may_lead_to_all_others(tmp_path: Path) -> None:
    bottom = QuestionNode(id="a", depth=1, question="q", reference="r")
    others = [
        bottom.model_copy(update={"id": f"n{k}", "depth": 2, "predecessors": ("a",)})
        for k in range(19_999)
    ]
    graph = check_graph([bottom, *others], tmp_path)
    assert len(graph.successors["a"]) == 19_999


def drop(table: str, place: int) -> Callable[[dict[str, Any]], object]:
    return lambda made: made[table].pop(place)


def alter(table: str, place: int, **cells: Any) -> Callable[[dict[str, Any]], object]:
    return lambda made: made[table][place].update(cells)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda made: made.pop("node_to_q"), "has no table node_to_q"),
        (drop("node_to_q", 1), "has no question"),
        (drop("questions", 1), "has no question"),
        (alter("node_to_q", 1, nodeid="1_d3"), "has no question"),
        (alter("questions", 1, qid="d3_q1"), "has no question"),
        (alter("nodes", 1, depth=1), "is of depth 3 and its predecessor 1_d2_n1 of depth 1"),
        (alter("nodes", 1, depth=None), "has no depth"),
        (alter("nodes", 1, direct_predecessors={"a": 1}), "has the predecessors"),
        (alter("questions", 1, question=" "), "has no question"),
        (alter("questions", 1, answer=None), "has no reference answer"),
        (alter("nodes", 1, depth=9), "has the depth '9'"),
    ],
)
def test_tables_that_do_not_fit(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], said: str
) -> None:
    made = tables()
    change(made)
    assert said in refusal(read_graph, write_tables(tmp_path, made, ".json"))


def test_tables_there_twice_or_in_part(tmp_path: Path) -> None:
    write_tables(tmp_path, tables(), ".json")
    write_rows(tmp_path / "nodes.jsonl", tables()["nodes"])
    assert "stands there twice" in refusal(read_graph, tmp_path)
    (tmp_path / "nodes.jsonl").unlink()
    (tmp_path / "nodes.json").unlink()
    (tmp_path / "nodes").mkdir()
    assert "has no table nodes: it must hold" in refusal(read_graph, tmp_path)
    write_rows(tmp_path / "nodes/test-00001-of-00002.jsonl", tables()["nodes"][1:])
    write_rows(tmp_path / "nodes/train-00000-of-00001.jsonl", tables()["nodes"])
    assert "stands there twice" in refusal(read_graph, tmp_path)


def test_parquet_that_unpacks_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("fathom.tools.files.table.MAX_UNPACKED", 200_000)
    # one text of 5,000 signs, kept once in the file, and a hundred rows that refer to it
    path = write_rows(
        tmp_path / "g.parquet", [{"id": str(k), "question": "a" * 5_000} for k in range(100)]
    )
    assert path.stat().st_size < 20_000
    assert "unpacks to more than 128 MB" in refusal(read_graph, path)
    # a file that says itself that it is too large is refused before any of it is unpacked: its
    # pages are broken
    path = write_rows(path, [{"id": str(k), "question": f"{k}" * 5_000} for k in range(100)])
    whole = path.read_bytes()
    path.write_bytes(whole[:4].ljust(len(whole) // 2, b"\xff") + whole[len(whole) // 2 :])
    assert "unpacks to more than 128 MB" in refusal(read_graph, path)


def test_parquet_with_a_date_that_python_does_not_know(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table(
        {"id": ["a"], "question": arrow.array([253_402_300_800_000], arrow.timestamp("ms"))}
    )
    parquet.write_table(table, tmp_path / "g.parquet")
    assert "g.parquet is not valid Parquet (" in refusal(read_graph, tmp_path / "g.parquet")
