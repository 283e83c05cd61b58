"""Repeated drills: mean, interval and what repeats share, against numbers by hand."""

from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import Any

import pytest

from fathom.state.repeats import RepeatsResult
from fathom.state.result import DrillResult
from fathom.stats.drill.repeats import shared, summarise_repeats

from ...support.reports import changed, result_of


def repeat(
    evd: float, number: int = 1, of: int = 3, *, target: str = "sim:student", **changes: Any
) -> DrillResult:
    """One of several drills: the recorded one with another EVD."""
    domain = changes.pop("domain", "Chemical elements")
    own = {
        "repeats": of,
        "repeat": number,
        "seed": 41 + number,
        "pool_seed": 42,
        "target": target,
        "domain": domain,
    }
    about = {
        "run_id": f"run-{domain}-{target}-{number}",
        "censored": None,
        "evd": evd,
        "cost_usd": 0.5,
    }
    about |= {f"spec__{name}": value for name, value in (own | {"max_depth": 15}).items()}
    made: DrillResult = result_of("drill", **about | changes)
    return made


def repeats(evds: Sequence[float], **changes: Any) -> list[DrillResult]:
    return [repeat(evd, number, len(evds), **changes) for number, evd in enumerate(evds, 1)]


def group(evds: Sequence[float], half: float) -> RepeatsResult:
    """Repeats whose own intervals are ± `half`."""
    runs = [changed(run, evd_ci=(run.evd - half, run.evd + half)) for run in repeats(evds)]
    (found,) = summarise_repeats(runs)
    return found


def test_the_mean_weighs_the_spread_between_repeats_with_their_own() -> None:
    """4, 5, 6, each ± .49: own variance (.98/3.92)² = .0625; s̃² = (4·.0625 + 2·1)/6 = .375 at 6
    degrees of freedom, t_{.975, 6} = 2.447: half a width of 2.447·√(.375/3) = .8651."""
    found = group([4, 5, 6], half=0.49)
    assert (found.mean, found.sd, found.evds, found.seeds) == (5, 1, (4, 5, 6), (42, 43, 44))
    assert found.mean_ci == pytest.approx((4.1349, 5.8651), abs=1e-3)
    assert (found.planned, found.censored, found.notes) == (3, 0, ())


def test_repeats_that_are_alike_scatter_as_their_drills_do() -> None:
    """Own variance .0625 and none between: never below it, 2.447·√(.0625/3) = .3532; within what can
    be."""
    assert group([6, 6, 6], half=0.49).mean_ci == pytest.approx((5.6468, 6.3532), abs=1e-3)
    assert (group([0, 0, 0], half=0.49).mean_ci or (1, 1))[0] == 0
    assert (group([15, 15, 15], half=0.49).mean_ci or (1, 1))[1] == 15


def test_one_drill_keeps_its_own_interval() -> None:
    found = group([4.0], half=0.49)
    assert (found.mean, found.mean_ci, found.sd) == (4.0, (4.0 - 0.49, 4.0 + 0.49), None)


def test_a_mean_over_lower_limits_is_one() -> None:
    one, two, three = repeats([4, 5, 6])
    (found,) = summarise_repeats([one, two, three.model_copy(update={"censored": "no_source"})])
    assert found.censored == 1
    assert "lower limit" in found.notes[0]


def test_what_did_not_finish_is_left_out_and_named() -> None:
    runs = repeats([4, 5, 6, 15, 15, 15])
    cut = {
        "status": "partial",
        "stop_reason": "budget",
        "stop_detail": "the budget of USD 1 is used up.",
    }
    runs[3] = runs[3].model_copy(update=cut)
    runs[4] = runs[4].model_copy(
        update={"status": "failed", "stop_reason": "failed", "stop_detail": ""}
    )
    runs[5] = runs[5].model_copy(update={"spec": runs[0].spec, "run_id": "again"})
    (found,) = summarise_repeats(runs)
    assert (found.evds, found.planned) == ((4, 5, 6), 6)
    again, partial, failed = found.notes  # in the order of the repeats
    assert again == "repeat 1 (again) is left out: seed 42 is there already"
    assert (
        "repeat 4 (run-Chemical elements-sim:student-4) is left out: its status is partial "
        "(the budget"
    ) in partial
    assert failed.endswith("its status is failed")
    assert found.cost_usd == pytest.approx(
        sum(r.cost_usd or 0 for r in runs)
    )  # what was spent was spent


def test_nothing_that_counts_is_no_number() -> None:
    runs = [r.model_copy(update={"status": "failed"}) for r in repeats([4, 5, 6])]
    (found,) = summarise_repeats(runs)
    assert (found.mean, found.sd, found.mean_ci, found.shared_evidence, found.depths) == (
        None,
        None,
        None,
        None,
        (),
    )


def test_drills_that_differ_in_more_than_their_seed_are_no_repeats() -> None:
    runs = repeats([4, 5])
    runs[1] = runs[1].model_copy(update={"spec": runs[1].spec.model_copy(update={"passes": 1})})
    with pytest.raises(ValueError, match="differ in passes"):
        summarise_repeats(runs)


def test_groups_are_domain_major() -> None:
    runs = [
        repeat(5, number, 2, domain=domain, target=target)
        for number in (2, 1)
        for target in ("b", "a")
        for domain in ("Y", "X")
    ]
    found = summarise_repeats(runs)
    assert [(g.domain, g.target) for g in found] == [("Y", "b"), ("Y", "a"), ("X", "b"), ("X", "a")]
    assert found[0].seeds == (42, 43)  # by repeat, whichever came first


def test_shares_by_hand() -> None:
    """{1,2,3,4} and {3,4}: 2/2; either with {5}: 0. Mean over three pairs: 1/3."""
    assert shared([{"1", "2", "3", "4"}, {"3", "4"}, {"5"}]) == pytest.approx(1 / 3)
    assert shared([{"1"}, set()]) is None
    assert shared([{"1"}]) is None


def test_shared_passages_are_those_of_probes_that_count() -> None:
    """Five passages each; the second repeat has two of the first's, one of them on a duplicate that
    does not count."""

    def with_passages(result: DrillResult, names: Sequence[str]) -> DrillResult:
        held = [p for p in result.probes if p.outcome.status == "scored"][: len(names)]
        for index, (probe, name) in enumerate(zip(held, names, strict=True)):
            assert probe.question is not None
            evidence = probe.question.evidence.model_copy(update={"digest": name})
            question = probe.question.model_copy(update={"evidence": evidence})
            excluded = "duplicate" if name.startswith("x") else None
            held[index] = probe.model_copy(update={"question": question, "excluded": excluded})
        return result.model_copy(update={"probes": tuple(held)})

    one, two = repeats([4, 5])
    one, two = (
        with_passages(one, ["a", "b", "c", "d", "x"]),
        with_passages(two, ["b", "e", "f", "x", "g"]),
    )
    (found,) = summarise_repeats([one, two])
    assert found.shared_evidence == pytest.approx(1 / 4)  # of four that count in each, b
    assert found.shared_roots == 1  # both are the recorded drill


def test_mean_survival_adds_up_to_the_mean_evd() -> None:
    drills = [(0.9, 0.8, 0.1), (0.9, 0.8, 0.7, 0.6, 0.1), (0.5, 0.1)]
    (first, *_) = result_of("drill").depths
    runs = []
    for number, accuracies in enumerate(drills, 1):
        left = list(accumulate(accuracies, mul))
        rows = [
            changed(first, depth=depth, accuracy=share, survival=survival)
            for depth, (share, survival) in enumerate(zip(accuracies, left, strict=True), 1)
        ]
        runs.append(repeat(sum(left), number, depths=tuple(rows)))
    (found,) = summarise_repeats(runs)
    assert [row.reached for row in found.depths] == [3, 3, 2, 1, 1]
    assert [row.accuracy for row in found.depths] == pytest.approx(
        [23 / 30, 17 / 30, 0.4, 0.6, 0.1]
    )
    assert found.mean is not None
    assert sum(row.survival for row in found.depths) == pytest.approx(found.mean)


def test_usage_adds_up_and_an_unknown_price_stays_unknown() -> None:
    one, two = repeats([4, 5])
    (found,) = summarise_repeats([one, two])
    target = found.usage["target"]
    assert target.calls == one.usage["target"].calls + two.usage["target"].calls
    assert isinstance(target.input_tokens, int)
    assert found.cost_usd == pytest.approx((one.cost_usd or 0) + (two.cost_usd or 0))
    (unknown,) = summarise_repeats([one, two.model_copy(update={"cost_usd": None})])
    assert unknown.cost_usd is None
