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
PAIRED = (34 / 36, 33 / 35, 36 / 39)
"""Accuracy on the originals of the problems that were asked in Q2S at each load; in Q2I 49 % + 44
points."""
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


def test_accuracies_stand_at_their_height_and_fall_along_a_line(one: Drawn) -> None:
    svg, shares = one[DROP], [36 / 39, 33 / 36, 28 / 35, 18 / 37]
    percents = [
        text for text in texts(svg) if re.fullmatch(r"\d+%", text)
    ]  # first those of the axis
    assert percents[6:10] == ["92%", "92%", "80%", "49%"]
    # the axis runs from 109 % at 0 to 0 at 280 pixels
    heights = [y for _, y, _, _ in marks(svg)]
    assert heights == pytest.approx([(1.09 - each) / 1.09 * 280 for each in shares], abs=0.01)
    # beside each mark the originals of the same problems
    assert percents[10:] == [f"{each:.0%}" for each in PAIRED]
    lines = re.findall(r'<path d="M[\d.]+,([\d.]+)L[\d.]+,([\d.]+)"[^>]* opacity="0.55"/>', svg)
    assert [(float(a), float(b)) for a, b in lines] == [
        pytest.approx([(1.09 - end) / 1.09 * 280 for end in pair], abs=0.01)
        for pair in zip(PAIRED, shares[1:], strict=True)
    ]
    assert svg.count('stroke-dasharray="2,4"') == 1, "Q2I is another task"
    assert [text for text in texts(svg) if text.startswith("n ")] == [
        "n 39",
        "n 36",
        "n 35",
        "n 37",
    ]
    assert "drop +14 points (+2 to +26) over 35, whose originals are 94% right" in description(svg)
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
    assert not {"100%", "67%"} & set(texts(made)[-12:])
    assert said in " ".join(texts(made))
    assert values.get("same_texts") is not True or "differ between" not in " ".join(texts(made))
