"""Another judge over an old run: the EVD that is left of it."""

from fractions import Fraction

from fathom.graphs.drill.evd import Observation
from fathom.graphs.replay.rejudged import conditional_evd


def tree() -> list[Observation]:
    """Two roots; a1 → a2 → a3 and b1 → b2; what the drill's judge accepted is continued."""
    return [
        Observation("a3", 3, "a", "a2", False),
        Observation("b2", 2, "b", "b1", False),
        Observation("a2", 2, "a", "a1", True),
        Observation("b1", 1, "b", None, True),
        Observation("a1", 1, "a", None, True),
    ]


def judged(
    **verdicts: bool,
) -> tuple[tuple[tuple[int, int], ...], tuple[str, ...], bool, float]:
    found = conditional_evd(
        tree(), verdicts, n=2, threshold=Fraction(1, 5), max_depth=15, seed=1
    )
    return found.counts, found.removed, found.stopped, found.estimate.evd


def test_the_same_verdicts_give_the_drills_own_evd() -> None:
    # A = 2/2, 1/2, 0/1: EVD = 1 + .5 + 0
    assert judged(a1=True, b1=True, a2=True, b2=False, a3=False) == (
        ((2, 2), (1, 2), (0, 1)),
        (),
        True,
        1.5,
    )


def test_what_grew_from_a_rejected_answer_is_removed_all_the_way_down() -> None:
    # a2 and a3 go: A = 1/2, 1/1: survival stays at .5, a lower limit
    assert judged(a1=False, b1=True, a2=True, b2=True, a3=True) == (
        ((1, 2), (1, 1)),
        ("a2", "a3"),
        False,
        1.0,
    )


def test_a_newly_accepted_answer_has_no_children() -> None:
    # b2 counts as right; nothing was asked below it, so depth 3 is a3 alone
    assert judged(a1=True, b1=True, a2=True, b2=True, a3=False) == (
        ((2, 2), (2, 2), (0, 1)),
        (),
        True,
        2.0,
    )


def test_an_answer_without_a_verdict_counts_nowhere_and_carries_nothing() -> None:
    assert judged(b1=True, a2=True, b2=True, a3=True) == (
        ((1, 1), (1, 1)),
        ("a2", "a3"),
        False,
        2.0,
    )
    assert judged() == ((), ("b2", "a2", "a3"), False, 0.0)


def test_the_stop_rule_holds_under_the_other_judge() -> None:
    """Survival that falls below the threshold earlier ends the count there, although deeper answers
    were judged."""
    found = conditional_evd(
        [*tree(), *(Observation(f"c{i}", 1, f"c{i}", None, True) for i in range(9))],
        {"a1": True, "b1": False, "a2": True, "a3": True, **{f"c{i}": False for i in range(9)}},
        n=11,
        threshold=Fraction(1, 5),
        max_depth=15,
        seed=1,
    )
    assert (found.counts, found.stopped) == (((1, 11),), True)
    assert found.estimate.interval[0] <= 1 / 11 <= found.estimate.interval[1]


def test_the_order_of_the_probes_does_not_matter() -> None:
    verdicts = {"a1": True, "b1": True, "a2": True, "b2": False, "a3": False}
    options = {"n": 2, "threshold": Fraction(1, 5), "max_depth": 15, "seed": 1}
    one = conditional_evd(tree(), verdicts, **options)  # type: ignore[arg-type]  # a dict of keyword arguments
    other = conditional_evd(tree()[::-1], verdicts, **options)  # type: ignore[arg-type]  # a dict of keyword arguments
    assert (one.counts, one.estimate.evd) == (other.counts, other.estimate.evd)
