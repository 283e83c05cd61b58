"""Questions to build from and human scores: every spelling, and every fault with its line."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.table_files import tables, write_rows

from fathom.state.depthqa.result import HumanScore
from fathom.state.depthqa.spec import SourceQuestion
from fathom.state.errors import UsageError
from fathom.tools.files.depthqa.questions import MAX_QUESTIONS, read_questions
from fathom.tools.files.depthqa.ratings import read_human_scores


def written(folder: Path, content: str, name: str) -> Path:
    path = folder / name
    path.write_bytes(content.encode("utf-8", "surrogatepass"))
    return path


WHY = SourceQuestion(id="q1", question="Why, then?")
HOW = SourceQuestion(id="q2", question="How so?")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.txt", "\ufeff# a comment\r\n\r\n Why, then? \r\nHow so?\r\n#How?"),
        ("q", "Why, then?\nHow so?\n"),
        ("q.csv", 'Question\n"Why, then?"\nHow so?\n'),
        ("q", 'question;domain\n"Why, then?";\nHow so?;\n'),
        ("q", 'sep=;\r\nquestion;domain\r\n"Why, then?";\r\nHow so?;\r\n'),
        ("q.json", '["Why, then?", "How so?"]'),
        ("q", '["Why, then?", "How so?"]'),
        ("q.json", '{"questions": ["Why, then?", {"question": "How so?", "id": null}]}'),
        ("q.json", '{"q1": {"question": "Why, then?"}, "q2": "How so?"}'),
        ("q.jsonl", '{"question": "Why, then?"}\n{"question": "How so?", "key_points": []}\n'),
    ],
)
def test_every_form_holds_the_same_questions(tmp_path: Path, name: str, content: str) -> None:
    found = read_questions(written(tmp_path, content, name))
    assert found.questions == (WHY, HOW)
    assert [notice.split("its own")[1] for notice in found.notices] == [" knowledge: 2."]


def test_everything_that_goes_with_a_question(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"question": "Why?", "reference": "So.", "domain": "law", "id": "q2"},
        {"question": "How?", "answer": "Thus.", "key_points": "- a"},
        {"question": "Where?", "key_points": ["a", " b "], "qid": "x"},
        {"question": "  Why? ", "reference": "Another."},
    ]
    found = read_questions(write_rows(tmp_path / "q.json", rows))
    assert found.questions == (
        SourceQuestion(id="q2", question="Why?", reference="So.", domain="law"),
        SourceQuestion(id="q2a", question="How?", reference="Thus.", key_points="- a"),
        SourceQuestion(id="x", question="Where?", key_points="a\nb"),
    )
    assert [notice.split(" that ")[1] for notice in found.notices] == ["say the same as an earlier one, left out: 1."]


def test_of_the_published_questions_only_depth_3_is_taken(tmp_path: Path) -> None:
    found = read_questions(write_rows(tmp_path / "q.json", tables()["questions"]))
    assert [(question.id, question.key_points) for question in found.questions] == [("d3_q1", "- k")]
    assert found.notices[0].endswith("not of depth 3, left out: 3.")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("q.txt", "", "is empty"),
        ("q.txt", "# nothing\n", "holds no question"),
        ("q.txt", "Why?\n" + "x" * 4001, "Line 2 of"),
        ("q.txt", "x" * 4001, "has 4,001 characters as its question"),
        ("q.txt", "Why\u202e?", "U+202E"),
        ("q.csv", "id,reference\na,b\n", "no column question, only 'id', 'reference'"),
        ("q.csv", "title,text\nWhy?,Yes\n", "has no column question, only 'title', 'text'"),
        ("q.json", '{"format": "fathom-depthqa/1", "nodes": []}', "is a graph already"),
        ("q.csv", "id,question\na,Why?\nb,\n", "Line 3 of"),
        ("q.csv", "id,question\na,Why?\na,How?\n", "Line 2 of"),
        ("q.csv", "id,question\na,Why?\na,How?\n", "have the same id, 'a'"),
        ("q.csv", "id,question\na b,Why?\n", "holds ' '"),
        ("q.csv", "question,depth\nWhy?,1\n", "holds no question of depth 3"),
        ("q.csv", "question,depth\nWhy?,4\n", "has the depth 4"),
        ("q.json", "[1]", "Item 1 of"),
        ("q.json", '[{"text": "Why?"}]', "no column question, only 'text'"),
        ("q.json", '["Why?", " "]', "Item 2 of"),
        ("q.json", '[{"question": ["Why?"]}]', "a list as its question"),
        ("q.json", '[{"question": "Why?", "key_points": 7.5}]', "a number as its key_points"),
        ("q.json", '["Why?"', "not valid JSON"),
        ("q.json", json.dumps([f"Why {k}?" for k in range(MAX_QUESTIONS + 1)]), "more than 5,000"),
    ],
)
def test_questions_that_are_refused(tmp_path: Path, name: str, content: str, said: str) -> None:
    path = written(tmp_path, content, name)
    with pytest.raises(UsageError) as error:
        read_questions(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


SCORES = (
    HumanScore(node="1_d3", rater="Ann", score=4.0),
    HumanScore(node="1_d3", rater="Bo", score=3.25),
    HumanScore(node="d2_q1", rater="Ann", score=1.0, mode="multi-turn"),
)


@pytest.mark.parametrize(
    "content",
    [
        "id,rater,score,mode\n1_d3,Ann,4,\n1_d3,Bo,3.25,zero-shot\nd2_q1,Ann,1,multi-turn\n",
        "\ufeffsep=;\r\nScore;Rater;QID;Mode\r\n4,0; Ann ;1_d3;Zero-Shot\r\n\r\n3,25;Bo;1_d3;\r\n"
        "1;Ann;d2_q1;multi-turn\r\n",
    ],
)
def test_human_scores_as_spreadsheets_write_them(tmp_path: Path, content: str) -> None:
    assert read_human_scores(written(tmp_path, content, "s.csv")) == SCORES


HEAD = "id,rater,score\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        (HEAD, "it has no row below the names"),
        ("id,score\na,4\n", "has no column rater, only 'id', 'score'"),
        ("rater,score\nAnn,4\n", "has no column id, node, nodeid or qid"),
        ("id,rater\na,Ann\n", "has no column score"),
        (HEAD + "a,Ann,4\nb,Ann,6\n", "Line 3 of"),
        (HEAD + "a,Ann,0.5\n", "has the score '0.5'"),
        (HEAD + "a,Ann,5.5\n", "has the score '5.5'"),
        (HEAD + "a,Ann,5.01\n", "must be a number from 1 to 5"),
        (HEAD + "a,Ann,4.\n", "has the score '4.'"),
        (HEAD + "a,Ann,1e0\n", "has the score '1e0'"),
        (HEAD + "a,Ann,\n", "has no score"),
        (HEAD + "a,Ann,nan\n", "has the score 'nan'"),
        (HEAD + "a, ,4\n", "Line 2 of"),
        (HEAD + "a,An\u202en,4\n", "U+202E in its rater"),
        (HEAD + ",Ann,4\n", "has no id"),
        (HEAD + "a@b,Ann,4\n", "holds '@'"),
        (HEAD + "a,Ann\n", "Line 2 of"),
        ("id,rater,score,mode\na,Ann,4,loud\n", "has the mode 'loud'"),
        (HEAD + "a,Ann,4\nb,Ann,4\na,ANN,4\n", "Line 2 of"),
        (HEAD + "a,Ann,4\nb,Ann,4\na,ANN,4\n", "score a for 'ANN': keep one"),
    ],
)
def test_human_scores_that_are_refused(tmp_path: Path, content: str, said: str) -> None:
    path = written(tmp_path, content, "s.csv")
    with pytest.raises(UsageError) as error:
        read_human_scores(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)
