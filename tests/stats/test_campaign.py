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
    found = (one.figure, one.interval, one.counted, one.at_least)
    assert found == (4.0, (3.0, 5.5), 1, True)


def test_repeats_have_a_mean_and_its_spread() -> None:
    """5 and 6, each ± .98: own variance .25, between .5; s̃² = (4·.25 + .5)/5 = .3 at 5 degrees of
    freedom, t_{.975, 5} = 2.5706: 2.5706·√(.3/2)."""
    both = [
        cell(
            seed=seed, status="complete", figure=figure, interval=(figure - 0.98, figure + 0.98)
        )
        for seed, figure in enumerate((5.0, 6.0))
    ]
    two = pooled(both)
    assert two.figure == 5.5
    assert two.interval == pytest.approx((5.5 - 0.9956, 5.5 + 0.9956), abs=1e-3)
    assert pooled(held(4.0, 5.0)).interval is None, "cells that say nothing of their own spread"


def test_an_interval_stays_where_the_figure_can_be() -> None:
    interval = pooled(held(0.2, 0.95, method="eqt", interval=(0.0, 1.0))).interval
    assert interval == (0, 1)


def test_only_complete_cells_with_a_figure_count() -> None:
    others = [
        cell(seed=9 + n, status=s, figure=9.0, at_least=True)
        for n, s in enumerate(("running", "partial", "failed"))
    ]
    own = pooled([*held(4.0, None, 5.0), *others])
    assert (own.figure, own.counted, len(own.cells), own.at_least) == (4.5, 2, 6, False)
    assert pooled(others).figure is None
