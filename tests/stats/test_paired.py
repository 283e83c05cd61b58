"""Two models on the same questions: McNemar's vectors, Tango's interval, and what shared roots do
to it."""

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.stats.accuracy import wilson
from fathom.stats.consistency import clustered_interval
from fathom.stats.paired import Pair, clustered, mcnemar, paired_row, tally, tango


@pytest.mark.parametrize(
    ("only_before", "only_after", "exact", "mid"),
    [
        # Bin(8, ½): P(X ≤ 1) = 9/256, twice that .0703; P(X = 1) = 8/256, so mid-p .0391 (Fagerland
        # et al., table 3)
        (1, 7, 0.0703125, 0.0390625),
        (7, 1, 0.0703125, 0.0390625),
        # Bin(10, ½): 2·(1 + 10)/1024; the point is 10/1024
        (1, 9, 22 / 1024, 12 / 1024),
        (0, 5, 2 / 32, 1 / 32),
        (5, 5, 1.0, 1.0),
        (0, 0, 1.0, 1.0),
        (0, 1, 1.0, 0.5),
    ],
)
def test_mcnemar_vectors(only_before: int, only_after: int, exact: float, mid: float) -> None:
    found = mcnemar(only_before, only_after)
    assert (found.exact, found.mid) == pytest.approx((exact, mid))


def test_mcnemar_takes_thousands_of_questions() -> None:
    found = mcnemar(4000, 4200)
    assert 0 < found.mid < found.exact < 0.05


@pytest.mark.parametrize(
    ("only_before", "only_after", "n", "ends"),
    [
        # the published example: 1 and 7 discordant of 21, -.517 to -.026 (Fagerland, Lydersen and
        # Laake 2014)
        (7, 1, 21, (-0.5172, -0.0260)),
        # nothing discordant: nδ = z·√(n·δ(1 − δ)) where q = 0, so δ = z²/(n + z²); n = 10: .2775,
        # as Wilson's for 0/10
        (0, 0, 10, (-0.2775, 0.2775)),
        # every question gained: nothing is left to gain, and the lower end solves n(1 − δ) = z²·(1
        # + δ): δ = (n − z²)/(n + z²) = .4449 for n = 10
        (0, 10, 10, (0.4449, 1.0)),
    ],
)
def test_tango_vectors(
    only_before: float, only_after: float, n: float, ends: tuple[float, float]
) -> None:
    assert tango(only_before, only_after, n) == pytest.approx(ends, abs=1e-4)


counts = st.integers(1, 300).flatmap(
    lambda n: st.integers(0, n).flatmap(
        lambda b: st.tuples(st.just(b), st.integers(0, n - b), st.just(n))
    )
)


@given(counts)
def test_tango_holds_the_difference_and_mirrors(count: tuple[int, int, int]) -> None:
    b, c, n = count
    lower, upper = tango(b, c, n)
    assert -1 <= lower <= (c - b) / n <= upper <= 1
    assert tango(c, b, n) == pytest.approx((-upper, -lower), abs=1e-9)
    # the interval and the test that belong together agree on whether there is a difference
    if b + c:
        assert (lower > 0 or upper < 0) == ((c - b) ** 2 / (b + c) > 1.959963984540054**2)


def pairs_of(text: str, root: str = "") -> list[Pair]:
    """`2` both, `-` only before, `+` only after, `0` neither; each question a root of its own
    unless one is named."""
    marks = {"2": (True, True), "-": (True, False), "+": (False, True), "0": (False, False)}
    return [Pair(root or f"r{i}", *marks[sign]) for i, sign in enumerate(text)]


def test_figures_of_a_comparison() -> None:
    row = paired_row(pairs_of("2222-++00"))
    assert (row.n, row.both, row.only_source, row.only_target, row.neither) == (9, 4, 1, 2, 2)
    assert (row.source_accuracy, row.target_accuracy) == (5 / 9, 6 / 9)
    assert row.difference == pytest.approx(1 / 9)
    assert row.mcnemar_p == 1.0  # 2·(1 + 3)/8


def test_nothing_to_compare_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one question"):
        paired_row([])


def test_one_root_gives_no_interval() -> None:
    assert clustered(pairs_of("2-++", root="carbon")) is None


def test_questions_of_one_root_that_agree_count_once() -> None:
    # 10 roots of six alike questions each, four of them gained: per root 6·(d − .4), so
    # V = 10/9·Σ/60² = 10/9·(4·3.6² + 6·2.4²)/3600 = .02667 and V₀ = (24 − 24²/60)/60² = .004: deff
    # = 20/3 (6 and the small-sample factor 10/9), an effective 9 questions with 3.6 gained, and t
    # at 9 degrees of freedom is 2.2622
    pairs = [
        pair
        for i in range(10)
        for pair in pairs_of("++++++" if i < 4 else "222000", root=f"root {i}")
    ]
    assert clustered(pairs) == pytest.approx(tango(0, 3.6, 9, critical=2.26216), abs=1e-4)


def test_more_alike_roots_never_narrow_the_interval() -> None:
    spread = clustered(pairs_of("++--2200" * 6))
    assert spread is not None
    plain = tango(12, 12, 48)
    assert spread[0] < plain[0]
    assert spread[1] > plain[1]


def draw(share: float, icc: float, rng: Random) -> float:
    """A root's own chance of a right answer: beta with the mean `share` and the intra-class
    correlation `icc`."""
    weight = (1 - icc) / icc
    return rng.betavariate(share * weight, (1 - share) * weight)


def simulate(
    roots: int, sizes: Sequence[int], shares: tuple[float, float], icc: float, rng: Random
) -> list[Pair]:
    pairs = []
    for root in range(roots):
        before, after = (draw(share, icc, rng) for share in shares)
        size = sizes[root % len(sizes)]
        pairs += [
            Pair(str(root), rng.random() < before, rng.random() < after) for _ in range(size)
        ]
    return pairs


@pytest.mark.parametrize(
    ("roots", "sizes", "shares", "icc"),
    [
        (30, (5,), (0.7, 0.9), 0.001),
        (30, (1, 9), (0.7, 0.5), 0.2),
        (10, (4, 8), (0.6, 0.8), 0.2),
    ],
    ids=["independent", "clustered and unequal", "few roots"],
)
def test_the_interval_holds_the_true_difference(
    roots: int, sizes: Sequence[int], shares: tuple[float, float], icc: float
) -> None:
    rng, held, width, runs = Random(f"{roots}:{icc}"), 0, 0.0, 600
    for _ in range(runs):
        ends = clustered(simulate(roots, sizes, shares, icc, rng))
        assert ends is not None
        held += ends[0] <= shares[1] - shares[0] <= ends[1]
        width += ends[1] - ends[0]
    assert 0.92 <= held / runs <= 0.99  # ± 2 standard errors of 600 runs is .018
    assert width / runs < 0.6


def test_the_interval_of_independent_questions_misses_with_clusters() -> None:
    """Without the roots the same simulation falls short, so that clustering is not for show."""
    rng, held, runs = Random("naive"), 0, 300
    for _ in range(runs):
        pairs = simulate(30, (1, 9), (0.7, 0.5), 0.3, rng)
        lost, gained = (
            sum(p.before > p.after for p in pairs),
            sum(p.after > p.before for p in pairs),
        )
        lower, upper = tango(lost, gained, len(pairs))
        held += lower <= -0.2 <= upper
    assert held / runs < 0.88


def test_tally() -> None:
    row = tally("m", [("a", "correct"), ("a", "wrong"), ("b", "correct"), ("c", "abstained")])
    assert (row.scored, row.correct, row.wrong, row.abstained, row.accuracy) == (
        4,
        2,
        1,
        1,
        0.5,
    )
    assert row.accuracy_ci == wilson(2, 4)
    assert row.accuracy_ci_clustered == clustered_interval([(1, 2), (1, 1), (0, 1)])
    nothing = tally("m", [])
    assert (nothing.accuracy, nothing.accuracy_ci, nothing.accuracy_ci_clustered) == (
        None,
        (0.0, 1.0),
        None,
    )
