"""The plot shows the numbers: signs stand where the survival is, whatever the size."""

import pytest

from fathom.reports.page.picture import picture
from fathom.reports.views.drill.curve import LEFT, Curve, curve_of, survival_plot
from fathom.reports.views.drill.summary import summary

from ...support.drill.synthetic import Plan, spec_of
from ...support.drill.synthetic_result import result_of
from ...support.screen import active_characters, shown
from ...support.snapshot import assert_snapshot

FAST = Plan(target="a", n=30, accuracies=(0.5, 0.5, 0.5))
SLOW = Plan(target="b", n=30, accuracies=(0.9,) * 9)


def sign_rows(text: str, sign: str) -> list[int]:
    """Rows of the plot at which a sign stands, from left to right."""
    grid = [line[LEFT:] for line in text.splitlines() if line[LEFT - 1 : LEFT] in "│┤" and len(line) > LEFT]
    places = [(column, row) for row, line in enumerate(grid) for column, char in enumerate(line) if char == sign]
    return [row for _, row in sorted(places)]


@pytest.mark.parametrize("height", [7, 13, 21])
def test_signs_stand_at_the_survival(height: int) -> None:
    result = result_of(SLOW)
    text = shown(survival_plot([curve_of(result)], width=100, spec=result.spec, height=height), 100)
    expected = [round((1 - row.survival) * (height - 1)) for row in result.depths]
    assert sign_rows(text, "●") == expected


def test_one_curve_with_interval_threshold_and_tiers() -> None:
    result = result_of(SLOW)
    text = shown(survival_plot([curve_of(result)], width=80, spec=result.spec), 80)
    assert_snapshot("plot_one_80", text)
    assert "░ 95% interval" in text
    assert "╌ threshold 20%" in text
    assert "textbook" in text


def test_two_curves_are_told_apart_without_colour() -> None:
    curves = [curve_of(result_of(FAST)), curve_of(result_of(SLOW))]
    text = shown(survival_plot(curves, width=80, spec=spec_of(FAST)), 80)
    assert_snapshot("plot_two_80", text)
    assert "░" not in text
    assert len(sign_rows(text, "●")) == 3
    assert len(sign_rows(text, "■")) >= 8, "a sign may stand on another's"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
@pytest.mark.parametrize("depths", [1, 3, 15, 60])
def test_the_plot_fits(width: int, depths: int) -> None:
    result = result_of(Plan(n=10, accuracies=(1.0,) * depths, unscored=0))
    text = shown(survival_plot([curve_of(result)], width=width, spec=result.spec), 250)
    body = [line for line in text.splitlines() if line[LEFT - 1 : LEFT] in ("│", "┤", "└")]
    assert body
    assert max(len(line) for line in body) <= width


def test_depths_that_do_not_fit_are_named() -> None:
    result = result_of(Plan(n=4, accuracies=(1.0,) * 60, unscored=0))
    assert "depths 34 to 60 do not fit" in shown(survival_plot([curve_of(result)], width=40), 100)


def test_no_depth_no_plot() -> None:
    assert "no depth was closed" in shown(survival_plot([Curve("x", ())], width=80), 80)


def test_hostile_labels() -> None:
    rows = result_of(FAST).depths
    text = shown(survival_plot([Curve("\x1b[31m[bold]x\u202e", rows)], width=80), 80)
    assert not active_characters(text)
    assert "[bold]" in text


def test_a_picture_loads_nothing() -> None:
    svg = picture(summary(result_of(SLOW), width=100), width=100, title="fathom drill <x> & y")
    assert svg.startswith("<svg")
    assert "SIMULATED" in svg
    addresses = [part.split('"')[0] for part in svg.split("http")[1:] if "wiki.example" not in part[:40]]
    assert addresses == ["://www.w3.org/2000/svg"]
    assert "@font-face" not in svg
    assert "@import" not in svg
    assert "&lt;x&gt;&#160;&amp;&#160;y" in svg


def test_the_same_picture_every_time() -> None:
    make = [picture(summary(result_of(FAST), width=80), width=80, title="t") for _ in range(2)]
    assert make[0] == make[1]
