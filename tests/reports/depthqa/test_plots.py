"""The picture of DepthQA runs: where the marks stand, and what is left out. What holds for every
picture is tested in `test_every_picture`; the recorded run's own is a golden."""

import re

import pytest

from fathom.state.depthqa.result import DepthQAResult

from ...support.depthqa.pictures import description, marks, texts
from ...support.edited import edited
from ...support.reports import Drawn, result_of
from .test_summary import only

SCORES = "scores.svg"
RUN: DepthQAResult = result_of("depthqa")


def test_without_a_score_there_is_no_picture() -> None:
    lost = {"modes.*.accuracy.*": {"questions": 2, "scored": 0, "mean": None, "ci": None}}
    assert list(Drawn("depthqa", [edited(RUN, lost)])) == []
    assert list(Drawn("depthqa", [])) == []


def test_scores_stand_beside_their_marks_and_at_their_height() -> None:
    run = only("zero-shot", edited(RUN, {"modes.0.accuracy.D3.mean": 1.37}))
    one = Drawn("depthqa", [run])
    assert [text for text in texts(one[SCORES]) if re.fullmatch(r"\d\.\d\d", text)] == [
        "3.00",
        "3.25",
        "1.37",
        "2.79",
    ]
    heights = [y for _, y, _, _ in marks(one[SCORES])]
    # the axis runs from 5.35 at 0 to 1 at 250 pixels
    assert heights == pytest.approx(
        [(5.35 - mean) / 4.35 * 250 for mean in (3.0, 3.25, 1.37, 39 / 14)], abs=0.01
    )
    assert "D18" in texts(one[SCORES]), "D1, over 8 questions"
    assert "D3 1.37 (1.00 to 3.63) over 2 of 2" in description(one[SCORES])
