"""Questions to build from: every spelling, and every fault with its line."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.table_files import tables, write_rows

from fathom.state.depthqa.spec import SourceQuestion
from fathom.tools.files.source_questions import read_questions


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
        {"question": "Why?", "reference": "So.", "domain": "law", "id": "own"},
        {"question": "How?", "reference": "Thus.", "key_points": "- a"},
        {"question": "Where?", "key_points": ["a", " b "], "id": "x"},
        {"question": "  Why? ", "reference": "Another."},
    ]
    found = read_questions(write_rows(tmp_path / "q.json", rows))
    assert found.questions == (
        SourceQuestion(id="own", question="Why?", reference="So.", domain="law"),
        SourceQuestion(id="q2", question="How?", reference="Thus.", key_points="- a"),
        SourceQuestion(id="x", question="Where?", key_points="a\nb"),
    )
    assert [notice.split(" that ")[1] for notice in found.notices] == [
        "say the same as an earlier one, left out: 1."
    ]


def test_of_the_published_questions_only_depth_3_is_taken(tmp_path: Path) -> None:
    found = read_questions(write_rows(tmp_path / "q.json", tables()["questions"]))
    assert [(question.id, question.key_points) for question in found.questions] == [
        ("d3_q1", "- k")
    ]
    assert found.notices[0].endswith("not of depth 3, left out: 3.")
