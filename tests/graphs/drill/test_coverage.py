"""The interval of EVD holds the truth as often as claimed, over whole simulated drills; see
`bench/coverage.py`."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from fathom.graphs.drill.scheduler import allocate
from fathom.stats.accuracy import effective_roots

from ...support.benches import load_bench

bench = load_bench("coverage/drill")


@pytest.mark.parametrize(("name", "icc"), [("shallow", 0.0), ("tiered", 0.2)])
def test_interval_holds_the_expected_evd(name: str, icc: float) -> None:
    """120 runs: the standard error of a share of .95 is .02; one too narrow by a third holds about
    .81."""
    profile = bench.PROFILES[name]
    truth, error = bench.expected_evd(profile, icc, 5_000, seed=1)
    seen = bench.coverage(profile, icc, truth, runs=120, boot=200)
    assert seen.share >= 0.90
    # an interval that always holds is no interval; it must also not be bought by width
    assert seen.share < 0.995
    assert seen.width < 0.8 * truth + 0.5
    # the drills and their vectorised twin agree within five standard errors (a run's spread: a
    # fourth of the width)
    assert abs(seen.mean - truth) < 5 * (seen.width / 4 / 120**0.5 + error)


def first_paths(n: int, paths: Sequence[str], rng: Random) -> dict[str, int]:
    """The remainder to the first paths in order: what the published reference does."""
    share, rest = divmod(n, max(1, len(paths)))
    return {path: share + (place < rest) for place, path in enumerate(paths)}


def test_a_random_remainder_keeps_more_roots() -> None:
    def roots_left(deal: object) -> float:
        left = []
        for i in range(60):
            drill = bench.simulate((0.91,) * 10, 0.0, f"roots:{i}", deal)
            at_ten = Counter(o.root for o in drill.observations if o.depth == 10)
            if at_ten:  # S may fall below the threshold before
                left.append(effective_roots(list(at_ten.values())))
        return sum(left) / len(left)

    # thirty independent roots, nine of ten answers right: about 12 effective roots at depth 10
    # against about 3.8
    assert roots_left(allocate) == pytest.approx(12.0, abs=1.2)
    assert roots_left(first_paths) == pytest.approx(3.8, abs=0.9)
