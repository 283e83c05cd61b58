"""Figures that are only roughly known."""

from math import exp, log
from random import Random

import pytest

from fathom.graphs.run.spread import Spread, fixed


@pytest.mark.parametrize(
    ("low", "mid", "high"), [(0.0, 2.0, 10.0), (0.0, 9.5, 10.0), (0.17, 1.9, 22.18)]
)
def test_nine_in_ten_draws_stay_below_the_level(low: float, mid: float, high: float) -> None:

    rng = Random(1)
    level = Spread(low, mid, high).nine_in_ten()
    logs = low > 0
    ends = (log(low), log(high), log(mid)) if logs else (low, high, mid)
    draws = [rng.triangular(*ends) for _ in range(20_000)]
    below = sum((exp(draw) if logs else draw) < level for draw in draws)
    assert below / 20_000 == pytest.approx(0.9, abs=0.01)


def test_what_is_known_is_its_own_level() -> None:
    assert fixed(3.0).nine_in_ten() == 3.0
