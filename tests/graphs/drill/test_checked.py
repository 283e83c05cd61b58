"""What is measured of the ruler: levels and steps as the check says them, and EVD read in other ways."""

from fractions import Fraction
from typing import Any

import pytest

from fathom.graphs.drill.ruler import anchor_counts, constant_accuracy, ruler_of
from fathom.state.records import Probe, QuestionCheck, Step
from fathom.state.result import DepthRow
from fathom.state.tiers import LEVELS, Level, Tier
from fathom.stats.accuracy import wilson
from fathom.stats.consistency import clustered_interval

from .test_summary import PROBES, ROWS, probe, row, spec

FIFTH = Fraction(1, 5)


def checked(probe: Probe, level: Level, step: Step | None = None, **more: Any) -> Probe:
    return probe.model_copy(
        update={
            "check": QuestionCheck(level=level, step=step, doubtful=more.get("doubtful", False))
        }
    )


def drilled(
    levels: list[Level], step: Step = "deeper", **changes: Any
) -> tuple[list[DepthRow], list[Probe]]:
    """Five right answers a depth, a tier each, all at the level given for their depth."""
    rows: list[DepthRow] = []
    probes: list[Probe] = []
    for depth, level in enumerate(levels, 1):
        roots = {f"root {slot}": (1, 1) for slot in range(5)}
        rows.append(row(depth, "ccccc", [(5, 5)] * (depth - 1), roots, planned=5))
        for slot in range(5):
            made = probe(depth, slot, "c", None if depth == 1 else slot)
            probes.append(checked(made, level, None if depth == 1 else step, **changes))
    return rows, probes


def test_levels_and_steps_of_a_small_run() -> None:
    # Depth 1, COMMON: common, common, textbook, unknown. Depth 2, TEXTBOOK: common, textbook,
    # professional, textbook; its steps: deeper, level, deeper, level.
    second: list[tuple[Level, Step]] = [
        ("common", "deeper"),
        ("textbook", "level"),
        ("professional", "deeper"),
        ("textbook", "level"),
    ]
    probes = [
        checked(PROBES[0], "common"),
        checked(PROBES[1], "common"),
        checked(PROBES[2], "textbook"),
        PROBES[3],
        *(checked(one, *says) for one, says in zip(PROBES[4:], second, strict=True)),
    ]
    ruler = ruler_of(ROWS, probes, spec(), "threshold")
    assert ruler is not None
    first, deep = ruler.by_depth[1], ruler.by_depth[2]
    assert (first.checked, first.at_level.count, first.harder.count, first.easier.count) == (
        3,
        2,
        1,
        0,
    )
    assert (deep.at_level.count, deep.harder.count, deep.easier.count) == (2, 1, 1)
    assert first.mean_level == pytest.approx(4 / 3)
    assert deep.mean_level == 2.0
    assert (first.deeper.n, first.deeper.share, first.deeper.interval) == (0, None, None)
    assert deep.deeper.ci == wilson(2, 4)
    assert deep.deeper.ci_clustered == clustered_interval([(1, 2), (1, 2)])
    assert (ruler.overall.level.count, ruler.overall.level.n) == (2, 4)
    assert not any(tier.nominal for tier in ruler.by_tier.values()), "too few to say so"
    assert ruler_of(ROWS, PROBES, spec(), "threshold") is None


def test_a_lenient_evaluators_tiers_are_nominal_and_its_follow_ups_not_deeper() -> None:
    """Always two levels too easy: what it asks at PROFESSIONAL is withdrawn before it counts, and
    what it asks below is common."""
    rows, probes = drilled(["common", "common"], step="level")
    ruler = ruler_of(rows, probes, spec(n=5), "evidence_exhausted")
    assert ruler is not None
    assert {tier: held.nominal for tier, held in ruler.by_tier.items()} == {
        Tier.COMMON: False,
        Tier.TEXTBOOK: True,
    }
    assert ruler.overall.deeper.below_half


def test_a_source_without_tiers_makes_them_nominal_whatever_the_level() -> None:
    rows, probes = drilled([*LEVELS[:4]])
    facts = dict.fromkeys(Tier, ("folder:/notes",))
    ruler = ruler_of(rows, probes, spec(n=5, facts=facts), "threshold")
    assert ruler is not None
    assert [tier for tier, held in ruler.by_tier.items() if held.nominal] == [
        Tier.PROFESSIONAL,
        Tier.SPECIALIST,
    ]


def test_evd_without_doubtful_probes() -> None:
    # Depth 1: c c w a, the wrong one doubtful: 2/3. Depth 2: c w c c, a right one doubtful: 2/3.
    probes = [checked(one, "common", doubtful=at in (2, 4)) for at, one in enumerate(PROBES)]
    ruler = ruler_of(ROWS, probes, spec(), "threshold")
    assert ruler is not None
    assert ruler.overall.doubtful == 2
    assert ruler.evd_without_doubtful == pytest.approx(2 / 3 + 4 / 9)
    rows, probes = drilled(["common"], doubtful=True)
    alone = ruler_of(rows, probes, spec(n=5), "threshold")
    assert alone is not None
    assert alone.evd_without_doubtful is None


@pytest.mark.parametrize(
    ("measured", "last", "accuracy"),
    [
        # .8^7 = .2097 goes on, .8^8 = .1678 stops: .8·(1 − .8^8)/.2 = 4·(1 − .16777216)
        (4 * (1 - 0.16777216), 15, 0.8),
        (0.5 + 0.25 + 0.125, 15, 0.5),  # .125 < .2 stops
        (0.1, 15, 0.1),  # the first depth stops
        (0.8 + 0.64 + 0.512, 3, 0.8),  # cut at depth 3
        (15.0, 15, 1.0),
        (0.0, 15, 0.0),
        # just below .2 one depth is reached, EVD < .2; at .2 two, EVD = .2 + .04: .22 is between
        (0.22, 15, 0.2),
    ],
)
def test_the_constant_accuracy_that_gives_an_evd(
    measured: float, last: int, accuracy: float
) -> None:
    assert constant_accuracy(measured, FIFTH, last) == pytest.approx(accuracy, abs=1e-9)


def test_evd_at_the_difficulty_of_anchors() -> None:
    # .9 (18 of 20 by two anchors), then .5; the third depth was not put to them
    rows, probes = drilled(["common", "textbook", "professional"])
    anchors = [{"a": (10, 10), "b": (8, 10)}, {"a": (5, 10)}, {}]
    rows = [
        held.model_copy(update={"anchors": own})
        for held, own in zip(rows, anchors, strict=True)
    ]
    assert anchor_counts(rows) == [(18, 20), (5, 10)]
    unchecked = [one.model_copy(update={"check": None}) for one in probes]
    ruler = ruler_of(rows, unchecked, spec(n=5), "threshold")
    assert ruler is not None
    assert ruler.anchors_evd == pytest.approx(0.9 + 0.45)
    assert ruler.overall.checked == 0
    assert DepthRow.model_validate_json(rows[0].model_dump_json(by_alias=True)) == rows[0]
    assert '"anchors"' not in rows[2].model_dump_json()
