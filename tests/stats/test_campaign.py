"""Repeats of one domain and target as one figure."""

from typing import Any

import pytest

from fathom.state.campaign import CellState
from fathom.stats.campaign import pooled

from ..support.cells import cell


def held(*figures: float | None, **changes: Any) -> list[CellState]:
    return [
        cell(seed=seed, status="complete", figure=each, **changes)
        for seed, each in enumerate(figures)
    ]


def test_one_run_keeps_its_own_interval() -> None:
    one = pooled([cell(status="complete", figure=4.0, interval=(3.0, 5.5), at_least=True)])
    assert (one.figure, one.interval, one.error, one.counted, one.at_least) == (
        4.0,
        (3.0, 5.5),
        None,
        1,
        True,
    )


def test_repeats_have_a_mean_and_its_spread() -> None:
    two = pooled(held(4.0, 5.0))
    assert (two.figure, two.interval) == (4.5, None)
    assert two.error == pytest.approx(0.5)  # s = √½, √2 runs: ½
    three = pooled(held(4.0, 5.0, 6.0))
    # s = 1, t_{.975, 2} = 4.302653: 5 ± 4.302653 / √3 = 5 ± 2.484138
    assert three.interval == pytest.approx((2.515862, 7.484138), abs=1e-5)


@pytest.mark.parametrize("repeats", [2, 3])
def test_repeats_that_are_all_equal_have_no_interval(repeats: int) -> None:
    own = pooled(held(*[2.0] * repeats, at_least=True))
    assert (own.figure, own.interval, own.error, own.at_least) == (2.0, None, None, True)


@pytest.mark.parametrize(
    ("method", "figures", "bounds"),
    [("eqt", (0.2, 0.9, 0.95), (0, 1)), ("depthqa", (1, 1, 4), (1, 5))],
)
def test_an_interval_stays_where_the_figure_can_be(
    method: str, figures: list[float], bounds: tuple[float, float]
) -> None:
    interval = pooled(held(*figures, method=method)).interval
    assert interval is not None
    assert bounds[0] <= interval[0] < interval[1] <= bounds[1]
    assert set(interval) & set(bounds), "it was cut there"


def test_only_complete_cells_with_a_figure_count() -> None:
    others = [
        cell(seed=9 + n, status=s, figure=9.0, at_least=True)
        for n, s in enumerate(("running", "partial", "failed"))
    ]
    own = pooled([*held(4.0, None, 5.0), *others])
    assert (own.figure, own.counted, len(own.cells), own.at_least) == (4.5, 2, 6, False)
    assert pooled(others).figure is None
