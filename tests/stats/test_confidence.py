"""What stated confidence is worth."""

from functools import partial
from math import exp
from random import Random
from statistics import fmean

import pytest

from fathom.stats.confidence import (
    Stated,
    brier,
    calibration_error,
    confident_half,
    jackknifed,
    risk_area,
)

# .9 right, .9 wrong, .6 right, .1 wrong, in four groups
ANSWERS = [
    Stated(group, confidence, right)
    for group, (confidence, right) in enumerate(
        [(0.9, True), (0.9, False), (0.6, True), (0.1, False)]
    )
]


def test_vectors() -> None:
    # (.01 + .81 + .16 + .01)/4
    assert brier(ANSWERS).value == pytest.approx(0.2475)
    # bins .8–1: |−.1 + .9| = .8; .6–.8: |.6 − 1| = .4; 0–.2: .1; together over 4
    assert calibration_error(ANSWERS) == pytest.approx(1.3 / 4)
    # the two of .9 are half right whichever comes first: wrong .5/1, 1/2, 1/3, 2/4
    assert risk_area(ANSWERS) == pytest.approx((0.5 + 0.5 + 1 / 3 + 0.5) / 4)
    assert confident_half(ANSWERS) == 0.5
    # of a mean the jackknife is s²/n: .1²·(2·.275² + .025² + .525²)/3/4 = .00035625, t₃ = 3.1824463
    estimate = jackknifed(
        ANSWERS, lambda answers: fmean(one.confidence for one in answers) / 10
    )
    half = 3.1824463 * 0.00035625**0.5
    assert estimate.interval == pytest.approx((0.0625 - half, 0.0625 + half))
    assert (estimate.n, estimate.groups) == (4, 4)


def test_a_figure_that_rests_on_nothing_or_on_one_group_has_no_interval() -> None:
    single = [answer._replace(group=0) for answer in ANSWERS]
    for figure in (brier, jackknifed):
        assert figure([]).value is None
        assert figure(single).interval is None
    alike = [Stated(group, 1.0, True) for group in range(3)]
    assert jackknifed(alike).interval is None


def drawn(rng: Random, groups: int, size: int) -> list[Stated]:
    """Answers whose groups differ in how much is known of them, from a model that is too sure."""
    answers = []
    for group in range(groups):
        known = rng.gauss(0.9, 0.8)
        for _ in range(size):
            knows = known + rng.gauss(0, 1)
            stated = 1 / (1 + exp(-(0.6 * knows + 0.6 + rng.gauss(0, 0.8))))
            right = rng.random() < 1 / (1 + exp(-knows))
            answers.append(Stated(group, round(stated * 20) / 20, right))
    return answers


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """Of 80 drills of 30 roots with 4 answers each; at 95 % the count has a spread of 2."""
    rng = Random(7)
    many = drawn(rng, 3000, 5)
    figures = {
        calibration_error: calibration_error(many),
        risk_area: risk_area(many),
        confident_half: confident_half(many),
    }
    truth = {partial(jackknifed, figure=figure): true for figure, true in figures.items()}
    truth[partial(brier)] = brier(many).value or 0.0
    held = dict.fromkeys(truth, 0)
    for _ in range(80):
        answers = drawn(rng, 30, 4)
        for figure, true in truth.items():
            low, high = figure(answers).interval or (2.0, 2.0)
            held[figure] += low <= true <= high
    assert min(held.values()) >= 70, held
