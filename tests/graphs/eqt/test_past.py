"""What past runs tell the plan of Explain-Query-Tests: lengths, times and how much more, never fewer calls."""

from pathlib import Path
from typing import Any

import pytest

from fathom.commands.plan.eqt import eqt_plan_document
from fathom.graphs.eqt.estimate import EqtPlan, estimate_eqt
from fathom.graphs.eqt.priors import (
    CHOICE,
    EXPLAIN,
    QUESTION,
    STEPS,
    WHY,
    EqtPriors,
    PastEqt,
    eqt_rates,
    nominal,
    read_eqt_priors,
)
from fathom.graphs.run.launch import Launch
from fathom.graphs.run.options import LaunchOptions
from fathom.graphs.run.spread import fixed
from fathom.reports.page.plan import simulated_words
from fathom.reports.views.eqt.plan import basis_words
from fathom.sim.server import Timing
from fathom.state.eqt.result import EqtResult
from fathom.state.spec import EqtSpec, FaultRates, WorldSpec

from .test_plan import FREE, eqt_spec, real_spec

LENGTHS = (1000.0, 100.0, 9.0)
"""Tokens in, tokens out, seconds."""


def past_of(spec: EqtSpec, share: float = 1.0, lost: int = 0, lengths: Any = LENGTHS) -> PastEqt:
    """A past run that made `share` of the calls that were due."""
    made = {step: round(share * number) for step, number in nominal(spec).items()}
    asked = [step for step in STEPS if made[step] and step != WHY]
    return PastEqt(spec, len(spec.concepts), made, dict.fromkeys(asked, lengths), lost)


def planned(specs: list[EqtSpec], *past: PastEqt) -> EqtPlan:
    return estimate_eqt(specs, FREE, EqtPriors(past))


def test_lengths_and_times_are_those_of_past_runs_of_the_same_model() -> None:
    spec = real_spec()
    rates = eqt_rates(spec, EqtPriors([past_of(spec)]), Timing())
    assert {model: len(runs) for model, runs in rates.past.items()} == {"openai:gpt-5-mini": 1}
    assert rates.steps[CHOICE].input_tokens.mid == pytest.approx(1000)
    assert rates.steps[CHOICE].output_tokens.mid == pytest.approx(100)
    assert rates.steps[CHOICE].latency_s.mid == pytest.approx(9)
    bare = eqt_rates(spec, EqtPriors(), Timing())
    for other in (real_spec(target="openai:gpt-4o"), real_spec(options=4)):
        unlearnt = eqt_rates(other, EqtPriors([past_of(spec)]), Timing())
        assert not any(unlearnt.past.values())
        assert unlearnt.steps[CHOICE].calls == bare.steps[CHOICE].calls
        assert unlearnt.steps == eqt_rates(other, EqtPriors(), Timing()).steps


@pytest.mark.parametrize("share", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("lost", [0, 9])
def test_the_calls_expected_are_those_of_the_spec_whatever_past_runs_made(share: float, lost: int) -> None:
    for spec in (real_spec(), eqt_spec(), eqt_spec(world=WorldSpec(faults=FaultRates(malformed=0.1)))):
        assert planned([spec], past_of(spec, share, lost)).calls.mid == 82


def test_a_calm_simulated_plan_is_exact_although_past_runs_lost_most_of_their_questions() -> None:
    faulty = eqt_spec(world=WorldSpec(faults=FaultRates(server_error=0.5)))
    assert planned([eqt_spec()], past_of(faulty, 0.5, 20), past_of(eqt_spec(), 0.5, 20)).calls == fixed(82)


def test_past_runs_move_the_high_end_and_those_with_losses_only_upwards() -> None:
    spec, bare = real_spec(), estimate_eqt([real_spec()], FREE).calls
    assert planned([spec], past_of(spec)).calls.high == pytest.approx(1.1 * 82)
    assert planned([spec], past_of(spec, 1.5)).calls.high == pytest.approx(1.1 * 1.5 * 82)
    assert planned([spec], past_of(spec, 0.5, lost=1)).calls == bare
    assert planned([spec], past_of(spec, 3.0, lost=1)).calls.high == pytest.approx(1.1 * 3 * 82)
    assert planned([spec], past_of(spec), past_of(spec, 0.5, lost=1)).calls.high == pytest.approx(1.1 * 82)
    assert planned([spec], past_of(spec), past_of(spec, 2.0, lost=1)).calls.high == pytest.approx(1.1 * 2 * 82)
    for past in (past_of(spec), past_of(spec, 0.2, lost=30)):
        assert planned([spec], past).calls.low == bare.low


def test_a_simulated_model_of_another_world_says_nothing_about_what_is_asked_twice() -> None:
    faulty = eqt_spec(world=WorldSpec(faults=FaultRates(malformed=0.5)))
    assert planned([faulty], past_of(eqt_spec())).calls == estimate_eqt([faulty], FREE).calls
    assert planned([faulty], past_of(faulty)).calls.high == pytest.approx(1.1 * 82)


def test_a_real_model_does_not_learn_from_a_simulated_one() -> None:
    simulated = eqt_spec(examiner="sim:expert")
    beside = real_spec(examiner="sim:expert")  # once examined by a simulated model, whose texts are its own
    real, bare = real_spec(), estimate_eqt([real_spec()], FREE)
    assert planned([real], past_of(simulated)).roles == bare.roles
    after = eqt_rates(real, EqtPriors([past_of(beside)]), Timing())
    before = eqt_rates(real, EqtPriors(), Timing())
    assert after.steps[EXPLAIN] == before.steps[EXPLAIN]
    assert after.steps[CHOICE].input_tokens == before.steps[CHOICE].input_tokens
    assert after.steps[CHOICE].output_tokens.mid == pytest.approx(100)


def test_a_mixed_plan_names_what_is_simulated_and_what_was_learnt_from() -> None:
    specs = [real_spec(target="openai:gpt-5"), eqt_spec()]
    plan = planned(specs, past_of(eqt_spec()), past_of(eqt_spec(seed=7)))
    assert plan.learnt == {"openai:gpt-5": 0, "sim:student": 2}
    assert plan.past_runs == 2
    said = simulated_words(specs, plan)
    assert said == "SIMULATED: sim:student is simulated, so the run of sim:student would give simulated numbers."
    basis = basis_words(plan)
    assert "Lengths of sim:student are from 2 past runs of it." in basis
    assert "times of openai:gpt-5 are assumptions: there is no past run of this model" in basis
    assert simulated_words([eqt_spec()], planned([eqt_spec()])) == "SIMULATED: these runs would measure no real model."
    runs = eqt_plan_document(specs, plan)["runs"]
    assert [run["simulated"] for run in runs] == [False, True]
    both = planned([real_spec(), real_spec(target="openai:gpt-5")], past_of(real_spec()))
    assert "Lengths and times of openai:gpt-5-mini are from 1 past run of it." in basis_words(both)


def test_a_simulated_examiner_of_a_real_model_is_named() -> None:
    specs = [real_spec(target=target, examiner="sim:expert") for target in ("openai:a", "openai:b")]
    assert simulated_words(specs, planned(specs)) == (
        "SIMULATED: sim:expert is simulated, so the runs of openai:a, openai:b would give simulated numbers."
    )


async def test_what_a_run_lost_is_read_from_its_journal(tmp_path: Path) -> None:
    spec = eqt_spec(questions=4, paraphrases=1, options=4, world=WorldSpec(faults=FaultRates(malformed=0.6)))
    await Launch[EqtResult]([spec], LaunchOptions(runs=tmp_path)).run()
    (past,) = read_eqt_priors(tmp_path).runs
    assert past.lost > 0
    assert past.calls[CHOICE] < nominal(spec)[CHOICE]
    assert past.calls[QUESTION] > 0
    calm = spec.model_copy(update={"world": WorldSpec()})
    assert planned([calm], past).calls == fixed(2 * (1 + 4 + 4 + 8))
