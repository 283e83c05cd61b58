"""Profiles: which runs count, what each brings, and what counts as a contradiction, at the border
of every rule."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fathom.graphs.answers import measures_of, rows_of
from fathom.state.profile import Profile, ProfileDocument, ProfileRow
from fathom.stats.profile import HEADLINES, RULES, MeasuredRun, contradictions, profile_document

from ..support.reports import result_of

DAY = datetime(2026, 11, 20, 12, tzinfo=UTC)
EPSILON = 1e-9


def run_of(method: str, day: int = 0, **changes: Any) -> MeasuredRun:
    result = result_of(method, **changes)
    return MeasuredRun(result, rows_of(result), DAY + timedelta(days=day))


def document(*runs: MeasuredRun, domain: str | None = None) -> ProfileDocument:
    return profile_document(runs, measures_of, domain)


def rows(profile: Profile) -> dict[str, ProfileRow]:
    return {f"{row.method}.{row.measure}": row for row in profile.rows}


def test_every_method_brings_its_figures_to_one_profile_of_a_domain() -> None:
    runs = [run_of(method) for method in HEADLINES]
    (profile,) = document(*runs, domain="Chemistry").profiles
    found, drill = rows(profile), runs[0].result
    assert {name.partition(".")[0] for name in found} == set(HEADLINES)
    assert found["drill.evd"].value == pytest.approx(drill.evd)
    assert found["drill.evd"].interval == pytest.approx(drill.evd_ci)
    assert {"drill.accuracy[common]", "depthqa.score[3]", "deepquestion.distance"} < set(found)
    assert profile.cost_usd == pytest.approx(sum(run.result.cost_usd for run in runs))
    assert len(document(*runs).profiles) == len(runs), "each is about another domain"


def test_the_latest_complete_run_of_the_same_settings_counts() -> None:
    first, later = run_of("eqt", run_id="r1"), run_of("eqt", 1, run_id="r2", spec__seed=9)
    cut = run_of("eqt", 2, run_id="r3", status="partial", stop_reason="budget")
    other = run_of("eqt", run_id="r4", spec__judge="sim:other")
    found = document(cut, later, other, first)
    (profile,) = found.profiles
    assert {row.run_ids: row.label for row in profile.rows} == {
        ("r2",): "sim:student (judge sim:student)",
        ("r4",): "sim:student (judge sim:other)",
    }
    assert [note.split()[0] for note in found.notes] == ["r1", "r3"]
    (alone,) = document(cut).profiles
    assert {row.status for row in alone.rows} == {"partial"}


def test_repeats_of_a_drill_count_together() -> None:
    seeds = [run_of("drill", day, run_id=f"r{day}", spec__seed=day % 2) for day in range(3)]
    broken = run_of(
        "drill", 3, run_id="r3", spec__seed=5, status="partial", stop_reason="budget"
    )
    found = document(*seeds, broken)
    assert rows(found.profiles[0])["drill.evd"].run_ids == ("r1", "r2"), "r2 has the seed of r0"
    assert [note.split()[0] for note in found.notes] == ["r0", "r3"]


def row(measure: str, low: float, high: float, **changes: Any) -> ProfileRow:
    method, _, name = measure.partition(".")
    made: dict[str, Any] = {
        "measure": name,
        "unit": "depths" if name == "evd" else "share",
        "value": (low + high) / 2,
        "interval": (low, high),
        "n": 30,
        "at_least": False,
        "method": method,
        "domain": "tea",
        "label": "a:model",
        "tier_depths": 3,
        "run_ids": (f"run of {method}",),
        "started": None,
        "cost_usd": 0.1,
        "simulated": False,
        "status": "complete",
    }
    return ProfileRow(**made | changes)


def said(held: Sequence[ProfileRow]) -> list[str]:
    return [found.says for found in contradictions(held)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.says}: {[*rule.limits][-1]}")
def test_a_rule_holds_up_to_its_border_and_no_further(rule: Any) -> None:
    """The end that decides stands exactly on the limit; an EVD's is in tiers of three depths."""
    held = []
    for measure, (side, limit) in rule.limits.items():
        end = limit * 3 if measure == "drill.evd" else limit
        held.append(row(measure, *((end, end + 1) if side == "at least" else (end - 1, end))))
    assert said(held) == [rule.says]
    for place, (measure, (side, _)) in enumerate(rule.limits.items()):
        low, high = held[place].interval or (0.0, 0.0)
        upper = side == "at most"
        beyond = (low, high + EPSILON) if upper else (low - EPSILON, high)
        spoilt = [row(measure, *beyond), held[place].model_copy(update={"interval": None})]
        spoilt += [row(measure, low, high, at_least=True)] if upper else []
        for other in spoilt:
            assert said([*held[:place], other, *held[place + 1 :]]) == []


def test_a_method_is_set_against_itself_within_a_run_alone() -> None:
    steady = row("eqt.acs_normalised", 0.8, 0.9)
    wrong = row("eqt.accuracy", 0.1, 0.5)
    assert said([steady, wrong]) == ["consistent but wrong"]
    assert said([steady, wrong.model_copy(update={"run_ids": ("another run",)})]) == []
