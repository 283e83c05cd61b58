"""What the pictures of DeepQuestion runs show: which there are, and where their marks stand. What
holds for every picture is tested in `test_every_picture`; the recorded run's own are goldens."""

import re
from typing import Any

import pytest

from fathom.state.deepquestion.result import DeepQuestionComparison, DeepQuestionResult
from fathom.stats.deepquestion.table import compare_deepquestion

from ...support.depthqa.pictures import description, marks, texts
from ...support.edited import edited
from ...support.reports import Drawn
from .test_compare import SIDE
from .test_tables import FORTY, NO_Q2I, NO_Q2S, RUN, share

DROP = "drop.svg"
MANY = edited(RUN, FORTY)
BARE = edited(RUN, {"original": share(0, 0), **NO_Q2S, **NO_Q2I, "baseline": None})


def drawn(*results: DeepQuestionResult, compared: DeepQuestionComparison | None = None) -> Drawn:
    return Drawn("deepquestion", results, compared)


@pytest.fixture(scope="module")
def one() -> Drawn:
    return drawn(MANY)


@pytest.mark.parametrize(
    ("runs", "files"),
    [
        ([], []),
        ([BARE], []),
        ([edited(RUN, NO_Q2I)], [DROP]),
        ([RUN], [DROP]),
    ],
)
def test_only_what_there_is_gets_drawn(runs: list[DeepQuestionResult], files: list[str]) -> None:
    assert list(drawn(*runs)) == files


def test_accuracies_stand_at_their_height(one: Drawn) -> None:
    svg, shares = one[DROP], [36 / 39, 33 / 36, 28 / 35, 18 / 37]
    percents = [
        text for text in texts(svg) if re.fullmatch(r"\d+%", text)
    ]  # first those of the axis
    assert percents[5:] == ["92%", "92%", "80%", "49%"]
    # the axis runs from 109 % at 0 to 0 at 280 pixels
    heights = [y for _, y, _, _ in marks(svg)]
    assert heights == pytest.approx([(1.09 - each) / 1.09 * 280 for each in shares], abs=0.01)
    assert "drop +14 points (+2 to +26) over 35" in description(svg)
    assert "distance +44 points (+25 to +60)" in description(svg)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {"problems": 39, "same_texts": True},
            "Originals: the 39 problems that the runs have in common.",
        ),
        ({"problems": 39, "same_texts": False}, "instructions differ between the runs."),
        ({"problems": None}, "Originals: each run over the problems that it has finished itself."),
    ],
)
def test_a_comparison_has_its_own_figures_and_names(values: dict[str, Any], said: str) -> None:
    own: dict[str, Any] = {
        "cells.*.original": share(3, 4),
        "cells.*.q2s": [],
        "cells.*.q2i": None,
        "cells.*.distance": None,
    }
    labels = {f"cells.{place}.label": f"way {place}" for place in range(2)}
    pair = SIDE[:2]
    made = drawn(*pair, compared=edited(compare_deepquestion(pair), {**own, **labels, **values}))[
        DROP
    ]
    assert {"75%", "way 0", "way 1"} <= set(texts(made))
    assert "67%" not in texts(made)
    assert said in " ".join(texts(made))
    assert values.get("same_texts") is not True or "differ between" not in " ".join(texts(made))
