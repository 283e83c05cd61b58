"""What people said of an answer stands at its row."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from fathom.state.errors import RunFailed
from fathom.state.review import FILE, HumanVerdict, Label, Review, Sampled
from fathom.state.rows import AnswerRow
from fathom.stats.review import with_review
from fathom.tools.runs.reviews import append_review, read_review

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def label(rater: str, answer: HumanVerdict, item: str = "q1") -> Label:
    return Label(
        item=item,
        condition="depth 1",
        rater=rater,
        question="sound",
        answer=answer,
        rule="abc",
        at=NOW,
    )


def row(item: str) -> AnswerRow:
    return AnswerRow("run", "drill", "m", "d", "g", item, "depth 1", 1.0, "right")


DRAWN = Sampled(item="q1", condition="depth 1", stratum="common · right", probability=0.5)


@pytest.mark.parametrize(
    ("labels", "human"),
    [
        ([label("ann", "wrong")], "wrong"),
        ([label("ann", "wrong"), label("ann", "right")], "right"),
        ([label("ann", "wrong"), label("bob", "right")], "raters differ"),
        ([label("ann", "wrong"), label("bob", "right"), label("cy", "right")], "right"),
    ],
)
def test_the_last_label_of_a_rater_and_what_most_raters_say_count(
    labels: list[Label], human: str
) -> None:
    review = Review(sample=(DRAWN,), labels=tuple(labels))
    reviewed, other = with_review([row("q1"), row("q2")], review)
    assert reviewed.tags["human"] == human
    assert reviewed.tags["review_probability"] == 0.5
    assert "human" not in other.tags


def test_a_review_file_survives_a_kill_within_a_line(tmp_path: Path) -> None:
    append_review(tmp_path, [DRAWN, label("ann", "right")])
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"kind": "lab')
    assert len(read_review(tmp_path).labels) == 1
    append_review(tmp_path, [label("bob", "wrong")])
    assert [entry.rater for entry in read_review(tmp_path).labels] == ["ann", "bob"]


def test_a_whole_line_without_its_end_is_no_torn_one(tmp_path: Path) -> None:
    append_review(tmp_path, [DRAWN, label("ann", "right")])
    file = tmp_path / FILE
    file.write_bytes(file.read_bytes().removesuffix(b"\n"))
    assert len(read_review(tmp_path).labels) == 1
    append_review(tmp_path, [label("bob", "wrong")])
    assert [entry.rater for entry in read_review(tmp_path).labels] == ["ann", "bob"]


@pytest.mark.parametrize("content", [b"[]\n", b"[]", b"\xff\x00", b'{"kind": "la"}'])
def test_a_damaged_review_is_named_and_stays(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(RunFailed, match=FILE):
        read_review(tmp_path)
    with pytest.raises(RunFailed, match=FILE):
        append_review(tmp_path, [DRAWN])
    assert (tmp_path / FILE).read_bytes() == content
