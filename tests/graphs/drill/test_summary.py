"""A drill's figures from rows and probes: who counts, what each role cost, and what missing probes
mean."""

from collections import Counter
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from fathom.graphs.drill import summary
from fathom.graphs.drill.evd import NO_DEPTH, NONE_RIGHT, evd_interval
from fathom.graphs.drill.summary import by_root, by_tier, counted, depth_row, observe
from fathom.state.records import Call, Probe, Scored, Unscored, Usage, Verdict
from fathom.state.result import DepthRow
from fathom.state.spec import DrillSpec
from fathom.state.tiers import Tier, tier_of
from fathom.stats.accuracy import Count, usage_by_role, wilson
from fathom.stats.consistency import clustered_interval


def summarise_numbers(*args: Any) -> SimpleNamespace:
    return SimpleNamespace(**summary.summarise_numbers(*args))


LETTERS: dict[str, Verdict] = {"c": "correct", "w": "wrong", "a": "abstained"}


def spec(**changes: Any) -> DrillSpec:
    base = {
        "domain": "Tea",
        "target": "sim:student",
        "evaluator": "sim:evaluator",
        "judge": "sim:evaluator",
    }
    changes = {"max_depth": 15, **changes}
    return DrillSpec(
        **{**base, "facts": {}, "n": 4, "passes": 1, "as_of": date(2026, 1, 1), **changes}
    )


def probe(
    depth: int, slot: int, outcome: str, parent: int | None = None, **changes: Any
) -> Probe:
    """`outcome`: c, w, a, or u for unscored at the answer. Roots are named after the slot at depth
    1."""
    scored = Scored(verdict=LETTERS[outcome]) if outcome != "u" else None
    fields: dict[str, Any] = {
        "id": f"run/d{depth:02}.s{slot:02}.r{changes.get('round', 0)}",
        "depth": depth,
        "slot": slot,
        "round": 0,
        "tier": tier_of(depth, 1)[0],
        "root": f"root {slot}",
        "parent": None if parent is None else f"run/d{depth - 1:02}.s{parent:02}.r0",
        "chain": ("x",),
        "concept": "x",
        "origin": "root",
        "outcome": scored or Unscored(stage="answer", kind="timeout", message="no reply"),
    }
    return Probe(**{**fields, **changes})


def row(
    depth: int, letters: str, before: list[Count], roots: dict[str, Count], **changes: Any
) -> DepthRow:
    tally = Counter(letters)
    fields: dict[str, Any] = {
        "depth": depth,
        "passes": 1,
        "planned": 4,
        "before": before,
        "correct": tally["c"],
        "wrong": tally["w"],
        "abstained": tally["a"],
        "roots": roots,
        "asked": len(letters),
        "unscored": {},
        "rejected": 0,
        "duplicates": 0,
        "tried": len(letters),
        "no_evidence": 0,
        "unfilled": 0,
        "replaced": 0,
        "rounds": 1,
    }
    return depth_row(**{**fields, **changes})


# Depth 1: c c w a on four roots. Depth 2: slots 0, 1 continue root 0 (c, w), slots 2, 3 continue
# root 1 (c, c).
PROBES = [
    *[probe(1, slot, letter) for slot, letter in enumerate("ccwa")],
    probe(2, 0, "c", 0, root="root 0"),
    probe(2, 1, "w", 0, root="root 0"),
    probe(2, 2, "c", 1, root="root 1"),
    probe(2, 3, "c", 1, root="root 1"),
]
SECOND: dict[str, Count] = {"root 0": (1, 2), "root 1": (2, 2)}
ROWS = [
    row(
        1, "ccwa", [], {"root 0": (1, 1), "root 1": (1, 1), "root 2": (0, 1), "root 3": (0, 1)}
    ),
    row(2, "cwcc", [(2, 4)], SECOND),
]


def test_a_row_computes_its_statistical_columns() -> None:
    second = ROWS[1]
    assert (second.tier, second.tier_pass, second.scored, second.correct) == (
        Tier.TEXTBOOK,
        1,
        4,
        3,
    )
    assert (second.accuracy, second.survival) == (0.75, 0.375)  # S = 2/4·3/4
    assert second.effective_roots == 2.0  # two roots with two probes each
    assert second.accuracy_ci == wilson(3, 4)
    assert second.accuracy_ci_clustered == clustered_interval([(1, 2), (2, 2)])
    assert second.survival_ci[0] < 0.375 < second.survival_ci[1]
    assert second.flags == ()
    assert row(1, "ccw", [], {"root 0": (2, 3)}).flags == ("short",)


def test_a_row_takes_rootless_wrong_answers_as_clusters_of_their_own() -> None:
    assumed = row(2, "cwcw", [(2, 4)], {"root 0": (1, 1), "root 1": (1, 1)})
    assert assumed.accuracy_ci_clustered == clustered_interval([(1, 1), (1, 1), (0, 1), (0, 1)])
    with pytest.raises(ValueError, match="do not add up to 2 of 4"):
        row(2, "cwcw", [(2, 4)], {"root 0": (1, 5)})
    with pytest.raises(ValueError, match="do not add up"):
        row(2, "cwcw", [(2, 4)], {"root 0": (1, 2)})


def test_the_figures_of_a_small_run() -> None:
    numbers = summarise_numbers(ROWS, PROBES, spec(), "threshold")
    assert numbers.evd == 0.875  # S = .5, .375
    assert numbers.evd_beyond_common == 0.375
    expected = evd_interval(observe(ROWS, PROBES, 4), 4, 0.2, 15, censored=False, seed="42:Tea")
    assert (numbers.evd_ci, numbers.evd_se, numbers.evd_note) == (
        expected.interval,
        expected.se,
        None,
    )
    assert numbers.evd_no_evidence_wrong == 0.875
    assert (numbers.depth_reached, numbers.median_depth, numbers.final_survival) == (
        2,
        2,
        0.375,
    )
    assert numbers.survival_last_k == 0.75  # one pass: the last accuracy
    assert numbers.survival_depth_weighted == pytest.approx((0.5 + 2 * 0.75) / 3)
    assert numbers.accuracy == 5 / 8
    assert numbers.mean_error_depth == pytest.approx(
        (1 + 1 + 2) / 3
    )  # wrong and abstained alike


def test_tiers_and_roots() -> None:
    tiers = by_tier(ROWS)
    assert list(tiers) == [Tier.COMMON, Tier.TEXTBOOK]
    common = tiers[Tier.COMMON]
    assert (common.scored, common.correct, common.wrong, common.abstained, common.accuracy) == (
        4,
        2,
        1,
        1,
        0.5,
    )
    roots = by_root(PROBES)
    assert list(roots) == ["root 0", "root 1", "root 2", "root 3"]
    assert (roots["root 0"].scored, roots["root 0"].correct, roots["root 0"].deepest) == (
        3,
        2,
        2,
    )
    assert (roots["root 2"].accuracy, roots["root 2"].deepest) == (0.0, 0)


def test_only_scored_kept_probes_of_closed_depths_count() -> None:
    extra = [
        probe(2, 4, "u", 1),
        probe(2, 5, "c", 1, excluded="duplicate"),
        probe(3, 0, "c", 0),
    ]
    assert counted(ROWS, [*PROBES, *extra]) == PROBES
    assert summarise_numbers(ROWS, [*PROBES, *extra], spec(), "threshold") == summarise_numbers(
        ROWS, PROBES, spec(), "threshold"
    )


def test_rows_and_probes_that_disagree_are_refused() -> None:
    with pytest.raises(ValueError, match="depth 2: the row counts 3 of 4"):
        summarise_numbers(ROWS, [*PROBES, probe(2, 4, "w", 1)], spec(), "threshold")
    with pytest.raises(ValueError, match="depth 2"):
        summarise_numbers(ROWS, [*PROBES[:-1], probe(2, 3, "w", 1)], spec(), "threshold")


def test_missing_probes_open_the_bounds() -> None:
    # depth 2 really has 3 of 4; one slot stayed empty and one probe was replaced: A in [3/6, 5/6]
    rows = [ROWS[0], row(2, "cwcc", [(2, 4)], SECOND, unfilled=1, replaced=1, no_evidence=2)]
    numbers = summarise_numbers(rows, PROBES, spec(), "evidence_exhausted")
    assert numbers.evd_bounds == pytest.approx((0.5 + 0.5 * 3 / 6, 0.5 + 0.5 * 5 / 6))
    assert numbers.evd_no_evidence_wrong == pytest.approx(0.5 + 0.5 * 3 / 6)
    assert numbers.evd == 0.875


def test_unscored_slots_counted_as_wrong() -> None:
    # depth 2: slot 0 right, slots 1 and 2 unscored, slot 3 never dealt; the row counts 1 of 4
    probes = [
        *PROBES[:5],
        probe(2, 1, "u", 0, root="root 0"),
        probe(2, 2, "u", 1, root="root 1"),
    ]
    rows = [ROWS[0], row(2, "cwww", [(2, 4)], {"root 0": (1, 1)}, unfilled=3)]
    level = [o for o in observe(rows, probes, 4) if o.depth == 2]
    first, second = (f"run/d01.s0{slot}.r0" for slot in (0, 1))
    assert [(o.root, o.parent, o.correct) for o in level] == [
        ("root 0", first, True),
        ("root 0", first, False),
        ("root 1", second, False),
        ("root 0", first, False),  # never dealt: the surviving paths in turn
    ]
    assert len({o.id for o in level}) == 4
    numbers = summarise_numbers(rows, probes, spec(missing="wrong"), "threshold")
    assert numbers.evd == 0.625
    # the three are missing, not known: A in [1/4, 4/4]; right, the run would have gone on with the
    # pooled 6/8: S = .5, .5, .375, .28125, .2109375, .158…, stop
    assert numbers.evd_bounds[0] == 0.625
    assert numbers.evd_bounds[1] == pytest.approx(
        0.5 + 0.5 + sum(0.5 * 0.75**i for i in range(1, 5))
    )


def test_empty_slots_at_depth_one_are_roots_of_their_own() -> None:
    level = observe([row(1, "cwww", [], {"root 0": (1, 1)}, unfilled=3)], PROBES[:1], 4)
    assert len({o.root for o in level}) == 4


def test_a_run_without_any_counted_depth() -> None:
    numbers = summarise_numbers([], [probe(1, 0, "u")], spec(), "infrastructure")
    assert (numbers.evd, numbers.evd_ci, numbers.evd_note) == (0.0, (0.0, 15.0), NO_DEPTH)
    assert (numbers.accuracy, numbers.mean_error_depth, numbers.median_depth) == (
        None,
        None,
        None,
    )
    assert (numbers.final_survival, numbers.by_tier, numbers.by_root) == (1.0, {}, {})


def test_a_run_that_knows_nothing() -> None:
    rows = [row(1, "wwaa", [], {f"root {i}": (0, 1) for i in range(4)})]
    numbers = summarise_numbers(
        rows, [probe(1, i, x) for i, x in enumerate("wwaa")], spec(), "threshold"
    )
    assert (numbers.evd, numbers.evd_note, numbers.evd_se) == (0.0, NONE_RIGHT, None)
    assert numbers.evd_bounds == (0.0, 0.0)


def call(role: str, tokens: int, cost: float | None, **changes: Any) -> Call:
    fields = {
        "role": role,
        "purpose": "answer",
        "model": "m",
        "usage": Usage(input_tokens=tokens, output_tokens=1),
    }
    return Call(**{**fields, "cost_usd": cost, **changes})


def test_one_unknown_price_makes_the_cost_unknown() -> None:
    usage = usage_by_role(
        [call("target", 10, 0.5), call("target", 10, None), call("judge", 1, 0.25)]
    )
    assert usage["target"].cost_usd is None
    assert usage["judge"].cost_usd == 0.25


def test_cached_calls_and_free_failures_cost_nothing() -> None:
    failed = Call(role="target", purpose="answer", model="m", failure="timeout", attempts=4)
    usage = usage_by_role(
        [call("target", 10, 0.5), call("target", 10, 0.5, cached=True), failed]
    )["target"]
    assert (usage.calls, usage.cached, usage.failed, usage.attempts) == (3, 1, 1, 6)
    assert (usage.input_tokens, usage.cost_usd) == (10, 0.5)
