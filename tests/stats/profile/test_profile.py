"""Profiles: which figures of which run, what is said of the others, and how it is shown."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fathom.state.profile import Profile, ProfileRow
from fathom.state.results import RESULTS
from fathom.stats.moderated import mean_of_repeats
from fathom.stats.profile.figures import PARTS, Run, profile_document, why_not

from ...support.profiles import (
    DEEP,
    DEPTHQA,
    DRILL,
    EQT,
    deepquestion,
    depthqa,
    drill,
    eqt,
    load,
    problem,
)
from ...support.reports import result_of

DAY = datetime(2026, 11, 20, 12, tzinfo=UTC)


def alone(*results: Any, domain: str | None = None) -> tuple[Profile, tuple[str, ...]]:
    """The profile of the only model, and the notes."""
    document = profile_document([Run(result, DAY) for result in results], domain)
    (profile,) = document.profiles
    return profile, document.notes


def by_measure(profile: Profile) -> dict[str, ProfileRow]:
    found = {row.measure: row for row in profile.rows}
    assert len(found) == len(profile.rows)
    return found


def test_every_method_brings_its_figures_with_their_intervals() -> None:
    made = eqt(), depthqa(), deepquestion()
    profile, notes = alone(drill(), *made, domain="Chemistry")
    rows = by_measure(profile)
    assert list(rows) == [
        *("evd", "tier_common", "eqt_accuracy", "acs", "acs_normalised"),
        *("depthqa_score", "depthqa_d3", "forward", "backward"),
        *("original", "q2s_none", "drop_none", "q2s_some", "drop_some", "q2i", "distance"),
    ]
    # .8 + .8·.6 + .8·.6·.4; the interval is made up as .8 and 1.25 of that
    assert rows["evd"].value == pytest.approx(1.472)
    assert rows["evd"].ci == pytest.approx((1.1776, 1.84))
    assert (rows["evd"].scale, rows["evd"].tier_depths, rows["evd"].lower_limit) == (
        (0.0, 15.0),
        3,
        False,
    )
    # 24 + 18 + 12 of 90
    assert rows["tier_common"].value == pytest.approx(0.6)
    assert rows["tier_common"].n == 90
    numbers, modes = made[0].numbers, made[1].modes
    assert (rows["eqt_accuracy"].value, rows["eqt_accuracy"].ci) == (
        numbers.all.accuracy,
        numbers.all.ci_clustered,
    )
    assert (rows["acs"].value, rows["acs"].ci) == (
        numbers.consistency.acs,
        numbers.consistency.acs_ci,
    )
    # zero-shot, although it is not the first mode
    backward = modes[1].discrepancies.backward["overall"]
    assert (rows["backward"].value, rows["backward"].ci) == (backward.average, backward.average_ci)
    assert (rows["depthqa_d3"].value, rows["depthqa_d3"].scale) == (
        modes[1].accuracy["D3"].mean,
        (1.0, 5.0),
    )
    assert rows["drop_some"].value == pytest.approx(0.2)
    assert rows["drop_some"].ci == (0.1, 0.35)
    assert (rows["distance"].value, rows["q2i"].n) == (0.7, 40)
    assert {row.run_ids for row in profile.rows} == {(DRILL,), (EQT,), (DEPTHQA,), (DEEP,)}
    assert all(
        (row.started, row.simulated, row.status) == (DAY, True, "complete") for row in profile.rows
    )
    costs = [result.cost_usd or 0.0 for result in (drill(), *made)]
    assert profile.cost_usd == pytest.approx(sum(costs)), "each run once"
    assert (profile.missing, notes) == (
        (),
        ("The runs are treated as one domain, Chemistry, as --domain says.",),
    )


def test_tiers_allow_for_answers_of_one_root() -> None:
    """One root answers all right, the other all wrong: 60 answers are worth hardly more than
    two."""
    whole = drill()
    probes = [
        p.model_copy(update={"root": "a" if getattr(p.outcome, "correct", False) else "b"})
        for p in whole.probes
    ]
    wide = by_measure(alone(drill(probes=tuple(probes)))[0])["tier_common"].ci
    assert wide is not None
    assert wide[0] < 0.15
    assert wide[1] > 0.9
    # without the probes there is Wilson's: 54 of 90
    plain = by_measure(alone(drill(probes=()))[0])["tier_common"].ci
    assert plain == pytest.approx((0.4966, 0.6952), abs=1e-3)


def repeat(number: int, evd: float, **changes: Any) -> Any:
    spec = {"repeats": 4, "repeat": number, "seed": 41 + number}
    return drill(run_id=f"2026112{number}T120000-drill-r{number}", spec=spec, evd=evd, **changes)


def test_repeats_count_together_from_three_on() -> None:
    evds = {1: 4.0, 2: 5.0, 3: 6.0}
    results = [repeat(number, evd) for number, evd in evds.items()]
    broken = repeat(4, 0.1, status="partial", stop_reason="budget", censored="budget")
    single = drill(run_id="20261201T120000-drill-later", evd=9.0)
    profile, notes = alone(*results, broken, single)
    rows = by_measure(profile)
    assert rows["evd"].value == 5.0
    own = [(result.evd, result.evd_ci) for result in results]
    assert rows["evd"].ci == mean_of_repeats([own], 0.0, results[0].spec.max_depth)
    assert (rows["evd"].note, rows["evd"].lower_limit) == ("mean of 3 repeats", False)
    assert (rows["tier_common"].n, len(rows["tier_common"].run_ids)) == (270, 3)
    assert rows["evd"].cost_usd == pytest.approx(3 * results[0].cost_usd)
    assert sorted(note.split(" ", 1)[0] for note in notes) == [broken.run_id, single.run_id]
    assert {note.partition(") ")[2] for note in notes} == {
        "is left out: 3 repeats measure the same and count together."
    }
    profile, notes = alone(*results[:2])
    assert by_measure(profile)["evd"].value == 5.0, "the later one"
    assert "is repeat 2 of 4 and counts alone: a mean takes 3 complete ones" in notes[0]


def test_of_runs_that_measure_the_same_the_latest_complete_one_counts() -> None:
    old, new = (
        drill(run_id="20260101-a", evd=1.0),
        drill(run_id="20260201-b", evd=2.0, spec={"seed": 7}),
    )
    cut = {
        "status": "partial",
        "stop_reason": "budget",
        "stop_detail": "the limit is reached.",
        "censored": "budget",
    }
    last = drill(run_id="20260301-c", evd=3.0).model_copy(update=cut)
    days = {
        run.run_id: datetime(2026, month, 1, tzinfo=UTC)
        for month, run in enumerate((old, new, last), 1)
    }
    document = profile_document([Run(run, days[run.run_id]) for run in (last, old, new, new)])
    (profile,) = document.profiles
    assert by_measure(profile)["evd"].value == 2.0
    assert document.notes == (
        (
            "20260101-a (drill, Chemical elements) is superseded by the newer run 20260201-b and "
            "was left out."
        ),
        (
            "20260301-c (drill, Chemical elements) is superseded by the complete run 20260201-b "
            "and was left out."
        ),
    )
    profile, notes = alone(last)
    assert (by_measure(profile)["evd"].status, by_measure(profile)["evd"].lower_limit) == (
        "partial",
        True,
    )
    assert notes == ("20260301-c (drill, Chemical elements) is partial: the limit is reached.",)
    both, _ = alone(new, drill(run_id="20260301-d", spec={"domain": "Tea"}))
    assert [row.value for row in both.rows if row.measure == "evd"] == [2.0, pytest.approx(1.472)]


def test_runs_with_other_settings_stand_beside_each_other() -> None:
    """Only what touches no figure may differ between runs of which the later one counts."""
    first = deepquestion("a:x")

    def other(**spec: Any) -> Any:
        return first.model_copy(
            update={"run_id": "later", "spec": first.spec.model_copy(update=spec)}
        )

    for spec, apart in (
        ({"seed": 7, "baseline": 0}, None),
        ({"material": "1" * 16}, (f"material {'0' * 16}", f"material {'1' * 16}")),
        ({"evaluator": "b:z"}, ("evaluator openai:gpt-5", "evaluator b:z")),
        (
            {"distractors": ("many",), "use_best": True},
            ("distractors none, some; use best no", "distractors many;"),
        ),
        ({"prompts": {"verdict": "x" * 41}}, ("prompts verdict none", "prompts verdict #")),
    ):
        profile, notes = alone(first, other(**spec))
        settings = list(dict.fromkeys(row.setting for row in profile.rows))
        if apart is None:
            assert (
                settings,
                len(profile.rows),
                ["by the newer run" in note for note in notes],
            ) == ([""], 7, [True])
        else:
            assert (len(settings), len(profile.rows), notes) == (2, 14, ())
            assert all(
                said.startswith(begins) for said, begins in zip(settings, apart, strict=False)
            )
    # the judge of an EQT decides nothing unless it checks paraphrases; the book and its later
    # examination never do
    exam = eqt("a:x")
    for checked, rows in ((False, 3), (True, 6)):
        specs = [exam.spec.model_copy(update={"verify_paraphrases": checked})]
        specs.append(specs[0].model_copy(update={"judge": "b:z", "open_book": True}))
        runs_ = [
            exam.model_copy(update={"run_id": f"r{place}", "spec": spec})
            for place, spec in enumerate(specs)
        ]
        assert len(alone(*runs_)[0].rows) == rows
    # evidence up to the day of the run: the later run just is later; up to a day that was named, it
    # is another task
    today, week = DAY.date(), DAY + timedelta(days=7)
    for day, evds in ((week.date(), 1), (week.date() - timedelta(days=1), 1), (today, 2)):
        runs = (
            Run(drill(spec={"as_of": today}), DAY),
            Run(drill(run_id="later", spec={"as_of": day}), week),
        )
        (profile,) = profile_document(runs).profiles
        assert [row.measure for row in profile.rows].count("evd") == evds


def test_drops_are_tested_over_all_loads_and_the_distance_is_over_both_marks() -> None:
    loads = [("none", 0, 0.03), ("some", 2, 0.02), ("many", 5, 0.01)]
    marks = [
        ("right", "wrong"),
        ("unscored", "right"),
        ("right", "unscored"),
        ("wrong", "wrong"),
        ("right", None),
    ]
    result = deepquestion(
        q2s=tuple(load(name, number, 30, 40, (0.1, 0.4), p) for name, number, p in loads),
        problems=tuple(problem(str(number), *each) for number, each in enumerate(marks)),
    )
    rows = by_measure(alone(result)[0])
    # Holm: 3·.01; 2·.02; 1·.03, but not below the one before
    assert [rows[f"drop_{name}"].p for name, *_ in loads] == pytest.approx([0.04, 0.04, 0.03])
    assert rows["distance"].n == 2, "the first and the fourth"


def test_a_missing_acs_says_why_beside_the_accuracy() -> None:
    numbers = eqt().numbers
    nothing = dict.fromkeys(("acs", "acs_ci", "acs_normalised", "acs_normalised_ci")) | {
        "missing": "nobody said A"
    }
    lost = numbers.model_copy(
        update={"consistency": numbers.consistency.model_copy(update=nothing)}
    )
    rows = by_measure(alone(eqt(numbers=lost))[0])
    assert set(rows) == {"eqt_accuracy"}
    assert "ACS not measured: nobody said A" in rows["eqt_accuracy"].note


def test_domains_and_models_are_kept_apart() -> None:
    apart = "The runs have different domains"
    document = profile_document(
        [Run(drill("a:x")), Run(eqt("a:x")), Run(drill("b:y", run_id="other"))]
    )
    assert [(profile.model, profile.simulated) for profile in document.profiles] == [
        ("a:x", False),
        ("b:y", False),
    ]
    assert document.profiles[1].missing == ("eqt", "depthqa", "deepquestion")
    assert document.domains == ("Chemical elements", "6 concepts in 4 categories")
    assert [apart in note for note in document.notes] == [True]
    same = eqt("a:x")
    alike = profile_document([Run(drill("a:x", spec={"domain": same.spec.domain})), Run(same)])
    assert alike.notes == ()
    two_drills = profile_document(
        [Run(drill("a:x")), Run(drill("a:x", run_id="other", spec={"domain": "Tea"}))]
    )
    assert two_drills.notes == (), "no rule sets drills against each other"


def test_what_has_no_figures_has_no_profile() -> None:
    empty = drill(depths=(), by_tier={}, status="failed", stop_reason="no_source", stop_detail="")
    document = profile_document([Run(empty)])
    assert document.profiles == ()
    assert document.notes == (f"{DRILL} (drill, Chemical elements) has no figures: no source.",)
    built = result_of("depthqa_build")
    assert why_not("r1", drill()) is None
    assert (
        why_not("r1", built)
        == "r1 has no place in a profile: it builds a graph of questions and measures no model."
    )
    assert set(RESULTS) == {*PARTS, "depthqa_build", "replay", "rejudge"}, (
        "a new method needs a line"
    )
