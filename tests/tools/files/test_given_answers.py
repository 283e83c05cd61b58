"""Given answers find their nodes, by id or by text, and never the wrong question."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.table_files import GRAPH, NODES, write_rows

from fathom.state.errors import UsageError
from fathom.tools.files.given_answers import ReadAnswers, read_answers

QUESTION = {node.id: node.question for node in NODES}


def given(found: ReadAnswers) -> dict[str, str]:
    return {answer.node: answer.text for answer in found.answers}


def refusal(path: Path) -> str:
    with pytest.raises(UsageError) as error:
        read_answers(path, GRAPH)
    assert "\n" not in str(error.value)
    return str(error.value)


def published() -> dict[str, dict[str, Any]]:
    """An object by question id, with the reference beside the model's answer."""
    return {
        node.question_id: {
            "qid": node.question_id,
            "depth": node.depth,
            "question": node.question,
            "answer": node.reference,
            "predicted_answer": f"says {node.question_id}",
        }
        for node in NODES
    }


EVERYTHING = {node.id: f"says {node.question_id}" for node in NODES}


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.parquet", "keyed.json"])
def test_answers_by_question_id_go_to_all_its_nodes(tmp_path: Path, name: str) -> None:
    keyed = published()
    path = write_rows(tmp_path / name, keyed if name == "keyed.json" else list(keyed.values()))
    found = read_answers(path, GRAPH)
    assert given(found) == EVERYTHING
    assert [answer.node for answer in found.answers] == [node.id for node in NODES]
    assert found.notices == ()


@pytest.mark.parametrize("column", ["response", "prediction", "answer"])
@pytest.mark.parametrize("by", ["id", "node", "nodeid", "question"])
def test_every_spelling_of_the_columns(tmp_path: Path, column: str, by: str) -> None:
    rows: list[dict[str, Any]] = [
        {by: node.question if by == "question" else node.id, column: f"says {node.question_id}"}
        for node in NODES
        if node.id != "2_d1_n1" or by != "question"
    ]
    found = read_answers(write_rows(tmp_path / "a.json", rows), GRAPH)
    assert given(found) == EVERYTHING
    assert found.notices == ()


def test_a_reference_beside_it_is_no_answer(tmp_path: Path) -> None:
    rows = [{"id": "1_d3", "answer": "mine", "reference": NODES[0].reference}]
    assert given(read_answers(write_rows(tmp_path / "a.json", rows), GRAPH)) == {"1_d3": "mine"}


def test_a_node_keeps_its_own_answer_beside_that_of_its_question(tmp_path: Path) -> None:
    own = [{"id": "2_d1_n1", "response": "two"}]
    assert given(read_answers(write_rows(tmp_path / "a.json", own), GRAPH)) == {
        "2_d1_n1": "two"
    }
    mixed = [own[0], {"id": "d1_q1", "response": "three"}]
    assert given(read_answers(write_rows(tmp_path / "a.json", mixed), GRAPH)) == {
        "1_d1_n1": "three",
        "2_d1_n1": "two",
    }


def test_silence_is_an_answer_and_null_is_none(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "1_d3", "response": ""},
        {"id": "1_d2_n1", "response": None},
    ]
    found = read_answers(write_rows(tmp_path / "a.json", rows), GRAPH)
    assert given(found) == {"1_d3": ""}
    assert found.notices[0].endswith(": 1.")


def test_a_blank_cell_of_csv_is_no_answer(tmp_path: Path) -> None:
    rows = [
        {"id": "1_d3", "response": "so"},
        {"id": "1_d2_n1", "response": ""},
        {"id": "1_d2_n2", "response": " "},
    ]
    found = read_answers(write_rows(tmp_path / "a.csv", rows), GRAPH)
    assert given(found) == {"1_d3": "so"}
    blank, unasked = found.notices
    assert (blank[-4:], unasked[-4:]) == (": 2.", ": 4.")
    # in other forms it is one, and other columns may be blank anywhere
    assert len(given(read_answers(write_rows(tmp_path / "a.jsonl", rows), GRAPH))) == 3
    with pytest.raises(UsageError, match="is empty throughout"):
        read_answers(write_rows(tmp_path / "a.csv", rows[1:]), GRAPH)


def test_an_answer_cut_within_a_sign_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"id": "1_d3", "response": "ice \\ud83e"}]')
    assert given(read_answers(path, GRAPH)) == {"1_d3": "ice \ufffd"}


def test_an_id_whose_question_reads_otherwise_is_no_match(tmp_path: Path) -> None:
    rows = [
        {"id": "1_d3", "question": "Quite another?", "response": "wrong"},
        {"id": "1_d3", "question": f" {QUESTION['1_d2_n1']}\n", "response": "by text"},
        {"id": "1_d2_n2", "question": QUESTION["1_d2_n2"].upper(), "response": "by id"},
    ]
    found = read_answers(write_rows(tmp_path / "a.json", rows), GRAPH)
    assert given(found) == {"1_d2_n1": "by text", "1_d2_n2": "by id"}
    assert found.notices[0].startswith("Answers in")
    assert found.notices[0].endswith(": 1.")


def test_the_same_answer_twice_counts_once(tmp_path: Path) -> None:
    rows = [{"id": "1_d3", "response": "so"}] * 2
    assert len(read_answers(write_rows(tmp_path / "a.json", rows), GRAPH).answers) == 1


def test_an_object_of_texts_by_id(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"1_d3": "just a text", "1_d2_n1": "", "1_d2_n2": None}))
    assert given(read_answers(path, GRAPH)) == {"1_d3": "just a text", "1_d2_n1": ""}
    path.write_text(json.dumps({"1_d3": 7}))
    assert "The entry '1_d3' of" in refusal(path)


def test_references_are_no_answers(tmp_path: Path) -> None:
    path = write_rows(
        tmp_path / "a.json", [{"id": node.id, "answer": node.reference} for node in NODES]
    )
    assert "holds the reference answers themselves" in refusal(path)
