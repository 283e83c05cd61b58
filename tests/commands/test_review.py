"""`fathom review`: the sample, labels by keys in a pipe, and the file that its page saves."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fathom.commands.finished import run_in
from fathom.state.review import DISPUTED, Review
from fathom.tools.runs.reviews import read_review

from ..contracts.recordings import recordings
from ..support.command_line import Caller, Said, assert_refused

DRILL, REJUDGED = recordings("drill")["complete"], recordings("rejudge")["complete"]
HIDDEN = ("sim:student", "sim:evaluator", DRILL.short, "probability", "stratum")


class Reviewer:
    """Reviews the recorded drill."""

    def __init__(self, call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        self.call, self._monkeypatch = call, monkeypatch
        self.folder = call.folder / "runs" / DRILL.name

    def press(self, keys: str, *words: str, rater: str = "ann") -> Said:
        self._monkeypatch.setattr(sys, "stdin", io.StringIO(keys))
        return self.call("review", DRILL.short, "--rater", rater, *words)

    @property
    def review(self) -> Review:
        return read_review(self.folder)

    @property
    def probabilities(self) -> dict[str, float]:
        return {sampled.item: sampled.probability for sampled in self.review.sample}

    def page(self, rater: str) -> list[dict[str, Any]]:
        """The answers that the rater's page asks about."""
        said = self.call(
            *("review", DRILL.short, "--rater", rater, "--html", "page.html", "--force")
        )
        assert said.code == 0, said.err
        text = (self.call.folder / "page.html").read_text(encoding="utf-8")
        assert not [word for word in HIDDEN if word in text]
        data = text.partition('id="data">')[2].partition("</script>")[0]
        items: list[dict[str, Any]] = json.loads(data)["items"]
        return items


@pytest.fixture
def ann(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Reviewer:
    DRILL.write(tmp_path / "runs")
    return Reviewer(Caller(tmp_path, monkeypatch, capsys), monkeypatch)


def test_labels_are_kept_as_they_come_and_asked_once(ann: Reviewer) -> None:
    keys = "1r\n4w out of date\ns\nx\nb\n2a\nq\n"
    assert ann.press(keys, "--labels", "12").code == 0
    labels = ann.review.labels
    assert [(label.question, label.answer, label.note) for label in labels] == [
        ("sound", "right", ""),
        ("outdated", "wrong", "out of date"),
        ("ambiguous", "abstained", ""),
    ]
    assert ann.press("1r\n" * 20).code == 0
    labels = ann.review.labels
    assert len(labels) == len({label.item for label in labels}) == 12
    assert ann.press("").err.startswith("Error: ann has labelled all 12 answers")
    ann.press("1r\n" * 20, rater="bob")
    assert {label.item for label in labels} == {label.item for label in ann.review.labels[12:]}
    tagged = [row.tags for row in run_in(ann.folder).rows if "human" in row.tags]
    assert len(tagged) == 12
    assert all(tags["review_probability"] and tags["raters"] == 2 for tags in tagged)


def test_neither_model_nor_verdict_is_shown(ann: Reviewer) -> None:
    shown = ann.press("1r\n" * 40).out
    result = json.loads(DRILL.files["result.json"])
    reasons = {probe["outcome"].get("reason") for probe in result["probes"]} - {None, ""}
    assert not [word for word in (*HIDDEN, *reasons) if word in shown]


def test_a_larger_sample_keeps_the_smaller_one(ann: Reviewer) -> None:
    ann.press("", "--labels", "8")
    before = ann.probabilities
    ann.press("", "--labels", "14")
    after = ann.probabilities
    assert (len(before), len(after)) == (8, 14)
    assert all(after[item] >= before[item] for item in before)
    ann.press("", "--labels", "9")
    assert ann.probabilities == after


def test_a_sample_is_drawn_again_from_more_runs_and_not_from_fewer(ann: Reviewer) -> None:
    ann.press("", "--labels", "12")
    (whole,) = {
        entry.answers for entry in ann.review.sample if "common · right" in entry.stratum
    }
    other = ann.folder.with_name("20260101T000000-drill-other-11111111")
    other.mkdir()
    for name, text in DRILL.files.items():
        (other / name).write_text(text.replace(DRILL.short, "11111111"), encoding="utf-8")
    ann.press("", other.name)
    together = ann.review
    assert {entry.answers for entry in together.sample[12:]} > {2 * whole}
    assert ann.call("review", DRILL.short, "--html", "page.html").code == 0
    assert ann.review == together


def test_what_judges_disagree_on_stands_beside_the_sample(ann: Reviewer) -> None:
    ann.press("", "--labels", "8")
    result = json.loads(DRILL.files["result.json"])
    probe = next(probe for probe in result["probes"] if probe["id"] not in ann.probabilities)
    flip = {
        "id": probe["id"],
        "depth": probe["depth"],
        "question": "",
        "reference": "",
        "answer": "",
        "judge": "correct",
        "other": "wrong",
        "reason": "",
    }
    REJUDGED.write(ann.call.folder / "runs")
    file = ann.call.folder / "runs" / REJUDGED.name / "result.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "flips": [flip]}))
    assert len(ann.page("ann")) == 9
    (beside,) = [entry for entry in ann.review.sample if not entry.probability]
    assert (beside.item, beside.stratum) == (probe["id"], DISPUTED)


def test_a_page_sends_its_labels_back(ann: Reviewer) -> None:
    items = ann.page("bob")
    labels = [
        {
            "id": item["id"],
            "question": None,
            "answer": "right",
            "note": "\x1b[31m",
            "at": "2026-01-02T00:00:00Z",
        }
        for item in items[:3]
    ]
    file = {
        "format": "fathom-review",
        "version": 1,
        "rater": "bob",
        "rule": "0" * 16,
        "labels": labels,
    }
    path = ann.call.folder / "bob.json"
    path.write_text(json.dumps(file))
    back = ["review", DRILL.short, "--import", "bob.json"]
    for _ in range(2):  # the second time there is nothing new
        assert ann.call(*back).code == 0
        assert len(ann.review.labels) == 3
    assert len(ann.page("bob")) == len(items) - 3
    for change, words in (
        ({"labels": [{**labels[0], "id": "f" * 16}]}, "1 of the 1 labels"),
        ({"labels": [{**labels[0], "answer": "maybe"}]}, "answer"),
        ({"labels": [{**labels[0], "at": "2026-01-02T00:00:00"}]}, "at"),
        ({"rater": "\u200b"}, "name"),
        ({"format": "other"}, "format"),
    ):
        path.write_text(json.dumps({**file, **change}))
        assert_refused(ann.call, back, words)
    assert_refused(ann.call, [*back, "--rater", "bob"], "--rater", "--import")


def test_a_run_without_answers_and_names_that_are_none_are_refused(ann: Reviewer) -> None:
    build = recordings("depthqa_build")["complete"]
    build.write(ann.call.folder / "runs")
    assert_refused(ann.call, ["review", build.short], "None of these runs")
    for name in (" ", "Ann, Bob", "a" * 61):
        assert_refused(ann.call, ["review", DRILL.short, "--rater", name], "--rater")
    assert_refused(ann.call, ["review", DRILL.short, "--html", "page.txt"], ".html")


@pytest.mark.parametrize("method", ["eqt", "depthqa", "deepquestion", "replay", "rejudge"])
def test_every_method_can_be_reviewed(
    method: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recordings(method)["complete"].write(tmp_path / "runs")
    call = Caller(tmp_path, monkeypatch, capsys)
    monkeypatch.setattr(sys, "stdin", io.StringIO("1r\n" * 100))
    assert call("review", "last").code == 0
    assert run_in(call.runs[0]).rows
    assert read_review(call.runs[0]).labels
