"""What counts as a contradiction, at the border of every rule."""

from collections.abc import Sequence

import pytest

from fathom.state.profile import ProfileRow
from fathom.stats.profile.rules import RULES, contradictions

from ...support.profiles import row

EPSILON = 1e-9
# the ends that decide stand exactly on the limit; an EVD of 6 is two tiers of three depths, of 3
# one
BORDERS: dict[str, tuple[ProfileRow, ...]] = {
    "deep_inconsistent": (row("evd", 6.0, 9.0), row("acs_normalised", 0.1, 0.5)),
    "consistent_wrong": (row("acs_normalised", 0.8, 0.9), row("eqt_accuracy", 0.1, 0.5)),
    "exam_without_common": (row("eqt_accuracy", 0.8, 0.9), row("tier_common", 0.1, 0.5)),
    "common_without_exam": (row("tier_common", 0.8, 0.9), row("eqt_accuracy", 0.1, 0.5)),
    "lacks_ground": (row("backward", 0.1, 0.3),),
    "strategic_but_shallow": (row("depthqa_d3", 4.0, 5.0), row("evd", 1.0, 3.0)),
    "deep_but_not_strategic": (row("evd", 6.0, 9.0), row("depthqa_d3", 1.0, 3.0)),
    "lost_in_scenario": (row("original", 0.8, 0.9), row("drop_some", EPSILON / 2, 0.2)),
    "solves_not_poses": (
        row("original", 0.8, 0.9),
        row("q2i", 0.1, 0.5),
        row("distance", 0.2, 0.9),
    ),
}
UPPER = {
    *(("deep_inconsistent", "acs_normalised"), ("consistent_wrong", "eqt_accuracy")),
    *(("exam_without_common", "tier_common"), ("common_without_exam", "eqt_accuracy")),
    *(("strategic_but_shallow", "evd"), ("deep_but_not_strategic", "depthqa_d3")),
    ("solves_not_poses", "q2i"),
}
"""Rule and measure whose upper end decides; of all others it is the lower one."""


def names(rows: Sequence[ProfileRow], *, one_domain: bool = False) -> list[str]:
    return [found.rule for found in contradictions(rows, one_domain=one_domain)]


def test_every_rule_is_tried() -> None:
    assert list(BORDERS) == [rule.name for rule in RULES]


@pytest.mark.parametrize("name", BORDERS)
def test_a_rule_holds_up_to_its_border_and_no_further(name: str) -> None:
    rows = BORDERS[name]
    assert names(rows) == [name]
    for place, held in enumerate(rows):
        low, high = held.ci or (0.0, 0.0)
        upper = (name, held.measure) in UPPER
        beyond = (low, high + EPSILON) if upper else (low - EPSILON, high)
        # the figure itself stays where it was: only the end decides
        spoilt = [held.model_copy(update={"ci": beyond}), held.model_copy(update={"ci": None})]
        spoilt += [held.model_copy(update={"lower_limit": True})] if upper else []
        for other in spoilt:
            assert names([*rows[:place], other, *rows[place + 1 :]]) == []
        assert names([*rows[:place], *rows[place + 1 :]]) == []


def test_no_drop_is_none_and_a_certain_one_is() -> None:
    solves = row("original", 0.9, 1.0)
    assert names([solves, row("drop_none", 0.0, 0.3)]) == []
    rows = [
        solves,
        row("drop_none", -0.1, 0.3),
        row("drop_some", 0.01, 0.3),
        row("drop_many", 0.05, 0.4),
    ]
    (found,) = contradictions(rows, one_domain=False)
    grounds = [(ground.row.measure, ground.significant) for ground in found.grounds]
    assert grounds == [("original", False), ("drop_some", True), ("drop_many", True)], (
        "one line for all loads"
    )
    for p, held in ((0.05 - EPSILON, ["lost_in_scenario"]), (0.05, []), (None, [])):
        assert names([solves, row("drop_some", 0.01, 0.3, p=p)]) == held, (
            "the exact test has to leave chance out too"
        )


def test_limits_are_in_the_unit_of_the_row() -> None:
    deep = row("evd", 10.0, 12.0, tier_depths=5)  # two tiers of five depths
    (found,) = contradictions([deep, row("acs_normalised", 0.1, 0.5)], one_domain=False)
    assert [(ground.side, ground.limit) for ground in found.grounds] == [
        ("at least", 10.0),
        ("at most", 0.5),
    ]
    assert (
        names([deep.model_copy(update={"tier_depths": 6}), row("acs_normalised", 0.1, 0.5)]) == []
    )


def test_methods_are_set_against_each_other_within_a_domain_and_a_method_within_a_run() -> None:
    deep, wavering = (
        row("evd", 6.0, 9.0, domain="Tea"),
        row("acs_normalised", 0.1, 0.5, domain="3 concepts"),
    )
    assert names([deep, wavering]) == []
    assert names([deep, wavering], one_domain=True) == ["deep_inconsistent"]
    assert names([deep, wavering.model_copy(update={"domain": " tea "})]) == ["deep_inconsistent"]
    steady, wrong = (
        row("acs_normalised", 0.8, 0.9),
        row("eqt_accuracy", 0.1, 0.5, run_ids=("another run",)),
    )
    assert names([steady, wrong], one_domain=True) == []
