"""What the pictures of DepthQA runs show: which there are, where the marks stand, and what is left
out. What holds for every picture is tested in `test_every_picture`; the recorded run's own are
goldens."""

import re
from collections.abc import Sequence
from typing import Any

import pytest

from fathom.reports.page.figures import difference, number
from fathom.state.depthqa.result import DepthQAResult

from ...support.depthqa.pictures import description, marks, texts
from ...support.edited import edited
from ...support.reports import Drawn, changed, result_of
from .test_summary import PAIR, QUARTERS, SPREAD, only

SCORES, DISCREPANCIES, MODES = "scores.svg", "discrepancies.svg", "modes.svg"
MIN_K, QUARTILE_GAPS = "min_k.svg", "quartile_gaps.svg"
RUN: DepthQAResult = result_of("depthqa")
NO_FIGURE = dict.fromkeys(
    ("average", "average_ci", "frequency", "frequency_ci", "intensity", "intensity_ci")
)
WITH_QUARTERS = edited(
    RUN, {"modes.0.min_k.quartiles": [{**each, "gaps": SPREAD} for each in QUARTERS]}
)


def drawn(*results: DepthQAResult) -> Drawn:
    return Drawn("depthqa", results)


def bare(run: DepthQAResult, *, scores: bool = True) -> DepthQAResult:
    """The run without discrepancies, changes and Min-K%, and without scores unless told."""
    values: dict[str, Any] = {"modes.*.min_k": None, "changes": []}
    for way in ("forward", "backward"):
        values[f"modes.*.discrepancies.{way}.*"] = {
            "eligible": 0,
            "left_out": 0,
            "unscored": 0,
            **NO_FIGURE,
        }
    lost = (
        {}
        if scores
        else {"modes.*.accuracy.*": {"questions": 2, "scored": 0, "mean": None, "ci": None}}
    )
    return edited(run, values | lost)


@pytest.fixture(scope="module")
def one() -> Drawn:
    """A single target in one mode; its figures are of some variety, and have intervals."""
    values: dict[str, Any] = {"modes.0.accuracy.D3.mean": 1.37}
    values |= {f"modes.0.discrepancies.{way}.*": PAIR for way in ("forward", "backward")}
    return drawn(only("zero-shot", edited(WITH_QUARTERS, values)))


@pytest.mark.parametrize(
    ("runs", "files"),
    [
        ([], []),
        ([bare(RUN, scores=False)], []),
        ([bare(RUN)], [SCORES]),
        ([edited(RUN, {"modes.*.min_k": None})], [SCORES, DISCREPANCIES, MODES]),
        ([only("zero-shot")], [SCORES, DISCREPANCIES, MIN_K]),
        ([WITH_QUARTERS], [SCORES, DISCREPANCIES, MODES, MIN_K, QUARTILE_GAPS]),
    ],
)
def test_only_what_there_is_gets_drawn(runs: Sequence[DepthQAResult], files: list[str]) -> None:
    assert list(drawn(*runs)) == files


def test_scores_stand_beside_their_marks_and_at_their_height(one: Drawn) -> None:
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


def test_changes_have_signs_and_a_line_at_zero() -> None:
    other = changed(edited(RUN, {"changes.0.difference": -0.5}), spec__target="sim:b", run_id="b")
    svg = drawn(RUN, other)[MODES]
    told = sorted(text for text in texts(svg) if re.fullmatch(r"[+−]?\d\.\d\d", text))
    assert told == sorted(
        difference(each.difference) for run in (RUN, other) for each in run.changes
    )
    assert "stroke-dasharray" in svg


def test_an_average_is_the_product_along_each_curve(one: Drawn) -> None:
    svg = one[DISCREPANCIES]
    assert (
        "D1 → D2 average 0.083 (0.051 to 0.118), frequency 0.414 (0.350 to 0.480)"
        in description(svg)
    )
    top = max(float(text) for text in texts(svg)[-60:] if re.fullmatch(r"0\.\d|1\.0", text))
    levels = set()
    for curve in re.findall(r'<path d="(M[^"]*)" stroke="#b0b0b0"', svg):
        points = [
            (float(x) / 170, (1 - float(y) / 170))
            for x, y in re.findall(r"([\d.]+),([\d.]+)", curve)
        ]
        products = [x * y for x, y in points if y < 1]
        assert products == pytest.approx([products[-1]] * len(products), abs=0.005)
        levels.add(round(products[-1] * top, 2))
    assert len(levels) > 2
    assert {f"{level:g}" for level in levels} <= set(texts(svg))


def test_a_pair_of_which_nothing_counts_has_no_panel(one: Drawn) -> None:
    nothing = {"eligible": 0, "left_out": 1, "unscored": 0, **NO_FIGURE}
    # of a single pair, the same once more is "overall"
    values = {
        "modes.0.discrepancies.forward.D1 → D2": nothing,
        "modes.0.discrepancies.backward.D1 → D2": nothing,
    }
    run = only(
        "zero-shot",
        edited(RUN, {**values, "modes.0.discrepancies.forward.D2 → D3.intensity": None}),
    )
    svg = drawn(run)[DISCREPANCIES]
    headings = [text for text in texts(svg) if text.startswith(("forward", "backward"))]
    assert headings == ["forwardaverage", "backwardaverage", "forwardD2 → D3", "backwardD2 → D3"]
    assert "backward average, zero-shot: D2 → D3 none counts" in description(svg)
    assert any("Where a mark is missing, no question counts." in text for text in texts(svg))
    assert any("Marks at intensity 0" in text for text in texts(svg))
    assert not any("Marks at intensity 0" in text for text in texts(one[DISCREPANCIES]))


def test_boxes_have_five_numbers_and_a_mean(one: Drawn) -> None:
    held = RUN.modes[0].min_k
    assert held is not None
    spreads = [spread for spread in held.by_depth.values() if spread is not None]
    for spread in spreads:
        assert f"median {number(spread.median)}, quartiles {number(spread.q1)} to" in description(
            one[MIN_K]
        )
    boxes = re.findall(r'd="M[\d.]+,([\d.]+)h22v([\d.]+)h-22Z" fill="#227744"', one[MIN_K])
    top = max(spread.maximum for spread in spreads) * 1.05 + 0.01  # at 0 pixels; 0 stands at 230
    upper = [(1 - float(y) / 230) * top for y, _ in boxes]
    lower = [(1 - (float(y) + float(height)) / 230) * top for y, height in boxes]
    assert upper == pytest.approx([spread.q3 for spread in spreads])
    assert lower == pytest.approx([spread.q1 for spread in spreads])
    gaps = one[QUARTILE_GAPS]
    assert (
        "quartile 1, Min-K% 0.60 to 1.25: mean −0.12 (−0.30 to 0.05) over 4 pairs, quartile 2"
        in description(gaps)
    )
    assert {"backward", "forward", "1lowest", "2", "3", "4highest"} <= set(texts(gaps))
