"""DepthQA graphs are read from every form in which they come, and are the same graph each time."""

import importlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.table_files import GRAPH, NODES, simple, tables, write_rows, write_tables

from fathom.state.errors import UsageError
from fathom.state.question_graph import QuestionGraph, QuestionNode
from fathom.tools.files.given_answers import read_answers
from fathom.tools.files.question_graph import check_graph, read_graph, write_graph

from ...support.paths import REAL

PUBLISHED = REAL / "depthqa/llama3_8b_zero-shot.json"


def test_what_was_written_is_read_back_as_it_was(tmp_path: Path) -> None:
    graph = GRAPH.model_copy(update={"made": {"evaluator": "sim:evaluator"}})
    write_graph(graph, tmp_path / "graph.json")
    first = (tmp_path / "graph.json").read_bytes()
    assert read_graph(tmp_path / "graph.json") == (graph, ())
    assert read_graph(tmp_path) == (graph, ())  # the folder of a run
    write_graph(read_graph(tmp_path).graph, tmp_path / "graph.json")
    assert (tmp_path / "graph.json").read_bytes() == first
    assert [path.name for path in tmp_path.iterdir()] == ["graph.json"]


def test_a_graph_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        write_graph(GRAPH, tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_csv_is_read_as_spreadsheets_write_it(tmp_path: Path) -> None:
    path = tmp_path / "metals.csv"
    path.write_bytes(
        "\ufeffID;Depth;Question;Answer;Predecessors;Note\r\n"
        'top;2;"How is it\r\nread; and why?";"So.";a b;x\r\n\r\na;1;What is a?;A.;;\r\nb;1;What is b?;B.;;\r\n'.encode()
    )
    found = read_graph(path)
    assert [node.predecessors for node in found.graph.nodes] == [("a", "b"), (), ()]
    assert found.graph.nodes[0].question == "How is it\nread; and why?"


@pytest.mark.parametrize(
    "content",
    [
        "id,depth,question,reference,predecessors\na,1.0,A?,A.,\nb,1.00,B?,B.,[]\n"
        'top,2.0,How?,So.,"[""a"", ""\\u0062""]"\n',
    ],
    ids=["JSON"],
)
def test_csv_of_excel_and_of_data_frames(tmp_path: Path, content: str) -> None:
    path = tmp_path / "g.csv"
    path.write_bytes(content.encode())
    nodes = [(node.id, node.depth, node.predecessors) for node in read_graph(path).graph.nodes]
    assert nodes == [("a", 1, ()), ("b", 1, ()), ("top", 2, ("a", "b"))]


def test_a_bracket_does_not_make_a_list(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "[a]", "depth": 1, "question": "A?", "reference": "A."}
    ]
    rows.append(
        {"id": "b", "depth": 2, "question": "B?", "reference": "B.", "predecessors": "[a]"}
    )
    path = write_rows(
        tmp_path / "g.csv", [{"predecessors": "", "reasoning": "", **row} for row in rows]
    )
    assert read_graph(path).graph.nodes[1].predecessors == ("[a]",)
    rows[1] |= {"reasoning": '["causal", "open ended"]'}
    path = write_rows(
        tmp_path / "g.csv", [{"predecessors": "", "reasoning": "", **row} for row in rows]
    )
    assert read_graph(path).graph.nodes[1].reasoning == ("causal", "open ended")


def test_json_takes_numbers_as_ids_an_object_of_nodes_and_successors_that_agree(
    tmp_path: Path,
) -> None:
    path = tmp_path / "own.json"
    rows = [
        {"id": 1, "depth": 1.0, "question": "What?", "reference": "So.", "successors": [2]},
        {
            "id": 2,
            "depth": 2,
            "question": "How?",
            "reference": "Thus.",
            "predecessors": [1],
            "successors": [],
        },
    ]
    path.write_text(json.dumps({"name": "two", "nodes": rows}))
    first, second = read_graph(path).graph.nodes
    assert (read_graph(path).graph.name, first.id, second.predecessors) == ("two", "1", ("1",))
    path.write_text(json.dumps({"1": {**rows[0], "id": None}, "2": rows[1]}))
    assert read_graph(path).graph.nodes == (first, second)


@pytest.mark.parametrize("layout", [".json", ".jsonl", ".parquet", "keyed", "hub"])
def test_the_published_tables_are_read_in_every_layout(tmp_path: Path, layout: str) -> None:
    folder = write_tables(tmp_path / "metals", tables(), layout)
    unlabelled = [node.model_copy(update={"reasoning": ()}) for node in NODES]
    assert read_graph(folder) == (QuestionGraph(name="metals", nodes=tuple(unlabelled)), ())


def test_parquet_without_its_package_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_rows(tmp_path / "g.parquet", simple())
    found = importlib.import_module
    absent = {"pyarrow", "pyarrow.parquet"}

    def refuse(name: str, package: str | None = None) -> Any:
        if name in absent:
            raise ImportError(name)
        return found(name, package)

    monkeypatch.setattr("fathom.tools.files.table.importlib.import_module", refuse)
    with pytest.raises(UsageError, match=r"\[parquet\]"):
        read_graph(path)


def test_questions_under_two_references_are_told(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "depth": 1, "question": "What is it?", "reference": "This."},
        {"id": "b", "depth": 1, "question": "What  is it?", "reference": "That."},
        {
            "id": "c",
            "depth": 2,
            "question": "What is it?",
            "reference": "This.",
            "predecessors": ["a"],
        },
    ]
    (other,) = read_graph(write_rows(tmp_path / "g.json", rows)).notices
    assert other.endswith("the first one counts: 'b'.")


@pytest.mark.skipif(
    not PUBLISHED.exists(), reason="the published answers are not on this machine"
)
def test_the_published_answers_are_a_graph_and_answers_to_it() -> None:
    graph, notices = read_graph(PUBLISHED)
    # the paper's table 1: 91 questions of depth 3, 359 of depth 2, 1,121 of depth 1
    assert Counter(node.depth for node in graph.nodes) == {1: 1121, 2: 359, 3: 91}
    assert (len(graph.nodes), graph.edges, graph.name) == (1571, 0, "llama3_8b_zero-shot")
    assert all(node.question_id == node.id for node in graph.nodes)
    assert "stands alone" in notices[0]
    answers, told = read_answers(PUBLISHED, graph)
    assert [answer.node for answer in answers] == [node.id for node in graph.nodes]
    assert told == ()


@st.composite
def dags(draw: st.DrawFn) -> tuple[QuestionNode, ...]:
    """Any graph whose edges lead one depth up, its nodes in any order."""
    text = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6).map(
        lambda said: f"{said}?"
    )
    levels = {
        depth: [f"n{depth}.{k}" for k in range(draw(st.integers(1, 3)))] for depth in (1, 2, 3)
    }
    nodes = [
        QuestionNode(
            id=node_id,
            depth=depth,
            question=draw(text),
            reference=draw(text),
            predecessors=tuple(draw(st.lists(st.sampled_from(levels[depth - 1]), unique=True)))
            if depth > 1
            else (),
            domain=draw(st.sampled_from(["", "law"])),
            reasoning=tuple(draw(st.lists(st.sampled_from(["causal", "other"]), max_size=2))),
            augmented=draw(st.booleans()),
        )
        for depth, ids in levels.items()
        for node_id in ids
    ]
    return tuple(draw(st.permutations(nodes)))


@given(dags())
def test_any_graph_by_depth_passes_and_survives_a_file(
    tmp_path_factory: pytest.TempPathFactory, nodes: tuple[QuestionNode, ...]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    graph = check_graph(nodes, path)
    assert graph.nodes == nodes
    write_graph(graph, path)
    assert read_graph(path).graph == graph


def _changed(node: QuestionNode, **changes: object) -> QuestionNode:
    return node.model_copy(update=changes)


@given(dags(), st.data())
def test_any_single_corruption_is_refused_by_the_name_of_its_node(
    nodes: tuple[QuestionNode, ...], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(nodes) - 1))
    node = nodes[place]
    level = [other.id for other in nodes if other.depth == node.depth]
    up = [other.id for other in nodes if other.depth > node.depth]
    below = [other.id for other in nodes if other.depth < node.depth - 1]
    own = node.predecessors
    corruptions = {
        "stands there twice": [node, node],
        "no reference answer": [_changed(node, reference=" \n")],
        "there is no such node": [_changed(node, predecessors=(*own, "n0"))],
        "twice: keep one": [_changed(node, predecessors=(*own, own[0]))] if own else [],
        "of depth": [_changed(node, predecessors=(*own, data.draw(st.sampled_from(below))))]
        if below
        else [],
        "its predecessor": [
            _changed(node, predecessors=(*own, data.draw(st.sampled_from(up + level))))
        ],
    }
    said = data.draw(st.sampled_from([name for name, made in corruptions.items() if made]))
    broken = (*nodes[:place], *corruptions[said], *nodes[place + 1 :])
    with pytest.raises(UsageError, match=said) as error:
        check_graph(broken, Path("g.json"))
    assert f"The node {node.id} of g.json" in str(error.value)
