"""The level that nine in ten stay below, by the triangle over a range."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.graphs.run.spread import Spread, fixed


def test_the_level_of_a_triangle_by_hand() -> None:
    # 1 - (3 - x)^2 / ((3 - 0)(3 - 1)) = 0.9 at x = 3 - sqrt(0.6); x^2 = 0.9 at x = sqrt(0.9)
    assert Spread(0.0, 1.0, 3.0).level() == pytest.approx(3 - 0.6**0.5)
    assert Spread(0.0, 1.0, 1.0).level() == pytest.approx(0.9**0.5)
    assert fixed(7.0).level() == 7.0


@given(st.tuples(*[st.floats(0, 1e9)] * 3).map(sorted), st.floats(0.01, 0.99))
def test_a_level_lies_in_the_range_and_rises_with_the_chance(
    ends: list[float], share: float
) -> None:
    spread = Spread(*ends)
    assert spread.low <= spread.level(share) <= spread.high
    assert spread.level(share / 2) <= spread.level(share)
