"""A broken graph is refused in one sentence that names the file and the node, before anything is asked."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.table_files import NODES, simple, tables, write_rows, write_tables

from fathom.state.depthqa.items import QuestionNode
from fathom.state.errors import UsageError
from fathom.tools.files.depthqa.check import MAX_NODES, check_graph
from fathom.tools.files.depthqa.graph import read_graph

Change = Callable[[list[dict[str, Any]]], object]


def written(folder: Path, content: str | bytes, name: str = "graph.json") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(UsageError) as error:
        read_graph(path)
    said = str(error.value)
    assert str(path) in said
    assert "\n" not in said
    assert len(said.replace(str(path), "")) < 400
    return said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("\ufeff \n\t", "is empty"),
        ("[]", "has no row"),
        ("{}", "has no row"),
        ("7", "holds a number: it must be a list"),
        ('"why"', "holds a text: it must be a list"),
        ("null", "holds null"),
        ("[1]", "Item 1 of"),
        ('{"a": [1]}', "The entry 'a' of"),
        ('[{"id": "a",}]', "not valid JSON"),
        ('[{"id": NaN}]', "a number that cannot be used"),
        ('[{"id": ' + "9" * 5000 + "}]", "a number that cannot be used"),
        ('[{"id": "a", "id": "b"}]', "has the key 'id' twice in one object"),
        ('{"nodes": [], "format": "fathom-depthqa/1"}', "has no row"),
        ('{"nodes": [{"id": "a"}], "format": "fathom-depthqa/2"}', "has the format 'fathom-depthqa/2'"),
        (
            '{"nodes": [{"id": "a"}], "format": "fathom-depthqa/1", "name": []}',
            "has a list as its name: it must be a text",
        ),
        (
            '{"nodes": [{"id": "a"}], "format": "fathom-depthqa/1", "made": []}',
            "has a list as its made: it must be an object",
        ),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("[" + "[]," * 4_000_001 + "[]]", "millions of pieces"),
        (b"\x00\x01\x02\xff", "is not a UTF-8 text file"),
        ('[{"id": "a"}]'.encode("utf-16"), "is UTF-16, not UTF-8"),
        ('[{"id": "a"}]'.encode("utf-16-be"), "zero bytes, as UTF-16 does"),
        (b'[\n{"id": "caf\xe9"}]', "not UTF-8 (line 2)"),
    ],
)
def test_what_is_no_table(tmp_path: Path, content: str | bytes, said: str) -> None:
    assert said in refusal(written(tmp_path, content))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("g.csv", "a,b\n1,2\n", "has no column id, node, nodeid or qid, only 'a', 'b'"),
        ("g.csv", ",,\n,,\n", "it has no row below the names of its columns"),
        ("g.csv", "," * 20_000, "it has no row below"),
        ("g.csv", "id,depth,id\n", "names the column 'id' twice"),
        ("g.csv", "id,depth,question,answer\n\na,1,what\n", "Line 3 of"),
        ("g.csv", "id,depth,question,answer\na,1,what,so,and so\n", "Line 2 of"),
        ("g.csv", 'id,question\n"a\n\n', "not valid CSV"),
        ("g.csv", "id,depth\n", "has no row"),
        ("g.jsonl", '{"id": "a"}\n\n{"id": }\n', "Line 3 of"),
        ("g.jsonl", '{"id": "a"}\n[1]\n', "Line 2 of"),
        ("g.jsonl", '{"id": "a", "id": "a"}\n', "Line 1 of"),
        ("g.json", '{"id": "a"}\n{"id": \n', "Line 2 of"),
        ("g.parquet", "PAR1 cut off", "no Parquet file"),
        ("g.parquet", "\0" * 99, "no Parquet file"),
        ("g.parquet", "PAR1 nothing of the kind PAR1", "not valid Parquet"),
        ("g.txt", "x" * 200_000, "not valid CSV"),
    ],
)
def test_what_is_no_table_of_its_kind(tmp_path: Path, name: str, content: str, said: str) -> None:
    if "not valid Parquet" in said:
        pytest.importorskip("pyarrow")
    assert said in refusal(written(tmp_path, content, name))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "There is no file" in refusal(tmp_path / "missing.json")
    assert "holds no table questions and no table nodes and no table node_to_q" in refusal(tmp_path)
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(50_000_000)  # takes no place on the disk
    assert "larger than 32 MB" in refusal(large)
    assert "holds a text" in refusal(written(tmp_path, '"' + "a" * 8_000_000 + '"'))


def put(place: int, **cells: Any) -> Change:
    return lambda rows: rows[place].update(cells)


NODE_FAULTS: list[tuple[Change, str]] = [
    (put(1, id=None), "Item 2 of"),
    (put(1, id="  "), "has no id"),
    (put(1, id="a b"), "Item 2 of"),
    (put(1, id="a/b"), "holds '/'"),
    (put(1, id="a@b"), "holds '@'"),
    (put(1, id="a\u202eb"), "U+202E"),
    (put(1, id="a" * 121), "121 characters"),
    (put(1, id=["a"]), "a list as its id"),
    (put(1, id="1_d3"), "The node 1_d3 of"),
    (put(1, depth=None), "Item 2 of"),
    (put(1, depth=None), "has no depth"),
    (put(1, depth=4), "has the depth 4"),
    (put(1, depth=0), "has the depth 0"),
    (put(1, depth=True), "has the depth 'True'"),
    (put(1, depth="deep"), "has the depth 'deep'"),
    (put(1, depth=2.5), "has the depth 2.5"),
    (put(1, depth=[2]), "has the depth a list"),
    (put(1, question=" "), "take the node 1_d2_n1 out"),
    (put(1, question=None), "has no question"),
    (put(1, question=7.5), "has a number as its question"),
    (put(1, question="why \ud800?"), "a broken sign (U+D800)"),
    (put(1, reference=""), "The node 1_d2_n1 of"),
    (put(1, reference=None), "has no reference answer"),
    (put(1, predecessors=["none"]), "names the predecessor 'none', and there is no such node"),
    (put(1, predecessors="1_d1_n1,2_d1_n1"), "part them by semicolons"),
    (put(1, predecessors=[None]), "has null as its predecessors"),
    (put(1, predecessors={"a": 1}), "an object as its predecessors"),
    (put(1, predecessors=["1_d1_n1", "1_d1_n1"]), "The node 1_d2_n1 of"),
    (put(1, predecessors=["1_d1_n1", "1_d1_n1"]), "names the predecessor 1_d1_n1 twice"),
    (put(0, predecessors=["1_d1_n1"]), "The node 1_d3 of"),
    (put(0, predecessors=["1_d1_n1"]), "is of depth 3 and its predecessor 1_d1_n1 of depth 1"),
    (put(1, predecessors=["1_d2_n2"]), "is of depth 2 and its predecessor 1_d2_n2 of depth 2"),
    (put(1, depth=1), "The node 1_d3 of"),
    (put(3, predecessors=["1_d3"]), "(1_d3 → 1_d1_n1 → 1_d2_n1 → 1_d3)"),
    (put(2, predecessors=["1_d2_n2"]), "(1_d2_n2 → 1_d2_n2)"),
    (put(3, successors=["none"]), "names the successor 'none'"),
    (put(3, successors=["1_d2_n1", "1_d3"]), "names the successor '1_d3', which does not name 1_d1_n1"),
    (put(3, successors=["1_d2_n1"]), "The node 1_d2_n2 of"),
    (put(3, successors=["1_d2_n1"]), "names the predecessor 1_d1_n1, whose successors leave 1_d2_n2 out"),
    (put(1, augmented="perhaps"), "a text as its augmented"),
    (put(1, reasoning={"a": 1}), "an object as its reasoning"),
]


@pytest.mark.parametrize(("change", "said"), NODE_FAULTS)
def test_what_is_no_graph(tmp_path: Path, change: Change, said: str) -> None:
    rows = simple()
    change(rows)
    assert said in refusal(written(tmp_path, json.dumps(rows)))


def test_the_nodes_table_alone_is_told_where_its_questions_are(tmp_path: Path) -> None:
    assert "name the folder" in refusal(write_rows(tmp_path / "nodes.json", tables()["nodes"]))


def test_a_long_cycle_is_shown_in_part(tmp_path: Path) -> None:
    ring = [
        QuestionNode(id=f"n{k}", depth=2, question="q", reference="r", predecessors=(f"n{(k - 1) % 30}",))
        for k in range(30)
    ]
    with pytest.raises(UsageError, match=r"The node n0 .*\(n0 → n1 → n2 → n3 → n4 → n5 → n6 → n7 → … → n0\)"):
        check_graph(ring, tmp_path)


def test_an_empty_and_an_endless_graph(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no node"):
        check_graph([], tmp_path)
    with pytest.raises(UsageError, match="at most 20,000"):
        check_graph([NODES[3]] * (MAX_NODES + 1), tmp_path)


def test_a_node_may_lead_to_all_others(tmp_path: Path) -> None:
    bottom = QuestionNode(id="a", depth=1, question="q", reference="r")
    others = [bottom.model_copy(update={"id": f"n{k}", "depth": 2, "predecessors": ("a",)}) for k in range(19_999)]
    graph = check_graph([bottom, *others], tmp_path, {"a": [node.id for node in others]})
    assert len(graph.successors["a"]) == 19_999


def test_absurd_numbers_of_edges(tmp_path: Path) -> None:
    ids = [f"n{k}" for k in range(501)]
    low = [QuestionNode(id=name, depth=1, question="q", reference="r") for name in ids]
    high = [node.model_copy(update={"id": f"h{node.id}", "depth": 2, "predecessors": tuple(ids)}) for node in low[:400]]
    with pytest.raises(UsageError, match=r"has 200,400 edges: a graph has at most 200,000; split it\.$"):
        check_graph([*low, *high], tmp_path)
    with pytest.raises(UsageError, match="has 200,001 edges"):
        check_graph(low, tmp_path, {"n0": ["n1"] * 200_001})


def drop(table: str, place: int) -> Callable[[dict[str, Any]], object]:
    return lambda made: made[table].pop(place)


def alter(table: str, place: int, **cells: Any) -> Callable[[dict[str, Any]], object]:
    return lambda made: made[table][place].update(cells)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda made: made.pop("node_to_q"), "holds no table node_to_q"),
        (drop("node_to_q", 1), "The node 1_d2_n1 of"),
        (drop("node_to_q", 1), "node_to_q does not name it"),
        (drop("nodes", 4), "names '2_d1_n1', which the table nodes does not hold"),
        (drop("questions", 1), "has the question 'd2_q1', which the table questions does not hold"),
        (alter("node_to_q", 1, nodeid="1_d3"), "have the same id, '1_d3'"),
        (alter("questions", 1, qid="d3_q1"), "have the same id, 'd3_q1'"),
        (alter("nodes", 1, depth=1), "The node 1_d2_n1 of"),
        (alter("nodes", 1, depth=1), "is of depth 1 and its question d2_q1 of depth 2"),
        (alter("nodes", 1, depth=None), "has no depth"),
        (alter("nodes", 1, deeper_nodes=[], shallower_nodes=[]), "older revision"),
        (alter("nodes", 1, direct_predecessors=[]), "names the successor '1_d2_n1'"),
        (alter("nodes", 1, direct_predecessors=7.5), "has a number as its direct_predecessors"),
        (alter("nodes", 1, direct_successors=[]), "whose successors leave 1_d3 out"),
        (alter("questions", 1, question=" "), "has no question"),
        (alter("questions", 1, answer=None), "has no reference answer"),
        (alter("questions", 1, depth=9), "has the depth 9"),
    ],
)
def test_tables_that_do_not_fit(tmp_path: Path, change: Callable[[dict[str, Any]], object], said: str) -> None:
    made = tables()
    change(made)
    assert said in refusal(write_tables(tmp_path, made, ".json"))


def test_tables_there_twice_or_in_part(tmp_path: Path) -> None:
    write_tables(tmp_path, tables(), ".json")
    write_rows(tmp_path / "nodes.jsonl", tables()["nodes"])
    assert "nodes.jsonl have the same id, '1_d3'" in refusal(tmp_path)
    (tmp_path / "nodes.jsonl").unlink()
    (tmp_path / "nodes.json").unlink()
    (tmp_path / "nodes").mkdir()
    assert "holds no table nodes: it must hold" in refusal(tmp_path)
    write_rows(tmp_path / "nodes/test-00001-of-00002.jsonl", tables()["nodes"][1:])
    assert "names '1_d3', which the table nodes does not hold" in refusal(tmp_path)
    write_rows(tmp_path / "nodes/train-00000-of-00001.jsonl", tables()["nodes"])
    assert "have the same id" in refusal(tmp_path)


def test_parquet_that_unpacks_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("fathom.tools.files.table.parquet.MAX_UNPACKED", 200_000)
    # one text of 5,000 signs, kept once in the file, and a hundred rows that refer to it
    path = write_rows(tmp_path / "g.parquet", [{"id": str(k), "question": "a" * 5_000} for k in range(100)])
    assert path.stat().st_size < 20_000
    assert "unpacks to more than 128 MB" in refusal(path)
