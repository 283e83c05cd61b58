"""What the plan learns from past runs: which of them speak for it, and what they say."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from fathom.graphs.drill.estimate import depths_of, estimate
from fathom.graphs.drill.priors import (
    AGREES,
    ANSWER,
    CHECK,
    CONCEPTS,
    QUESTION,
    REAL,
    VERDICT,
    PastRun,
    Priors,
    past_run,
    rates_for,
    read_priors,
)
from fathom.graphs.run.spread import Spread
from fathom.sim.server import Timing
from fathom.state.records import Call, Usage
from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec
from fathom.tools.models.priced import PriceList

from ...support.drill.drills import drill, sim_spec
from ...support.drill.synthetic import Plan as Story
from ...support.drill.synthetic_result import result_of
from .test_estimate import real_spec

FREE = PriceList()


def past(spec: DrillSpec, **changes: object) -> PastRun:
    values: dict[str, object] = {
        "counts": ((27, 30), (27, 30)),
        "censored": False,
        "evd_se": 0.5,
        "rounds": 1.5,
        "slots": dict.fromkeys((QUESTION, ANSWER, CHECK, AGREES, CONCEPTS), 100),
        "calls": {QUESTION: 130, ANSWER: 110, CHECK: 110, AGREES: 40, CONCEPTS: 100},
        "means": {QUESTION: (900.0, 200.0, 6.0), ANSWER: (120.0, 300.0, 9.0)},
    }
    return PastRun(spec=spec, **values | changes)  # type: ignore[arg-type]  # any field


def test_rates_come_from_the_runs_most_like_the_plan() -> None:
    spec = real_spec(domain="Cardiology")
    far = past(real_spec(evaluator="openai:gpt-4o", judge="openai:gpt-4o"), calls={QUESTION: 300})
    near = past(real_spec(judge="openai:gpt-4o"), calls={QUESTION: 200})
    nearest = past(real_spec(domain="Cardiology", target="openai:gpt-5"), calls={QUESTION: 150})
    for runs, calls, match in (
        ([far, near, nearest], 1.5, "the same evaluator and judge, and this domain or target"),
        ([far, near], 2.0, "the same evaluator"),
        ([far], 3.0, "another evaluator"),
    ):
        rates = rates_for(spec, Priors(runs), Timing())
        assert (rates.steps[QUESTION].calls.mid, rates.match, rates.runs) == (calls, match, 1)
    assert rates_for(spec, Priors(), Timing()).steps[QUESTION].calls == REAL.steps[QUESTION].calls


def test_neither_simulated_runs_nor_unverified_ones_speak_for_a_real_plan() -> None:
    runs = [past(sim_spec()), past(real_spec(verify_questions=False))]
    assert rates_for(real_spec(), Priors(runs), Timing()).runs == 0


def test_lengths_and_times_come_from_the_model_that_is_asked() -> None:
    other_target = past(real_spec(target="openai:gpt-5"))
    rates = rates_for(real_spec(), Priors([other_target]), Timing())
    assert rates.steps[QUESTION].output_tokens.mid == 200
    assert rates.steps[QUESTION].latency_s.mid == 6
    assert rates.steps[ANSWER].output_tokens == REAL.steps[ANSWER].output_tokens  # nothing is known of this target
    assert rates.steps[ANSWER].calls.mid == pytest.approx(1.1)
    assert rates_for(real_spec(), Priors([past(real_spec())]), Timing()).steps[ANSWER].latency_s.mid == 9


def test_depths_come_from_past_runs_of_the_target() -> None:
    spec = real_spec()
    fell = past(spec, counts=((27, 30), (27, 30), (15, 30), (12, 30)))  # .9, .81, .405, .162: below .2 at depth 4
    assert depths_of(spec, Priors([fell])) == Spread(3, 4, 6)
    assert depths_of(spec.model_copy(update={"threshold": 0.5}), Priors([fell])).mid == 3
    # where survival never fell that far, the accuracy goes on: (48.5/61)^7 = .201, ^8 = .16
    assert depths_of(spec, Priors([past(spec, counts=((24, 30), (24, 30)), censored=True)])).mid == 8
    nothing = past(spec, counts=((0, 30),))
    assert depths_of(spec, Priors([nothing])) == Spread(1, 1, 2)
    elsewhere = past(spec.model_copy(update={"domain": "Law"}), counts=((3, 30),))
    assert depths_of(spec, Priors([elsewhere, fell])).mid == 4  # the same domain goes first
    assert depths_of(spec, Priors([elsewhere])).mid == 1
    stranger = past(real_spec(target="openai:gpt-5"), counts=((3, 30),))
    assert depths_of(spec, Priors([stranger])).mid == 10


def test_the_scatter_of_evd_comes_from_past_runs_of_the_target() -> None:
    spec = real_spec()
    plan = estimate([spec], Priors([past(spec, evd_se=0.5), past(spec, evd_se=0.7)]), FREE)
    assert plan.separation is not None
    assert plan.separation.sd == pytest.approx(0.6)
    assert plan.sd_from == "past runs"
    other_n = past(real_spec(n=10), evd_se=5.0, counts=((15, 30),))
    plan = estimate([spec], Priors([other_n]), FREE)  # simulated for this n at the accuracy seen
    assert plan.separation is not None
    assert plan.separation.sd < 0.5


def test_a_result_is_read_into_calls_per_slot() -> None:
    result = result_of(Story(n=6))
    run = past_run(result)
    closed = len(result.depths)
    assert run.slots[QUESTION] == 6 * closed
    made = [call for probe in result.probes for call in probe.calls]
    assert sum(run.calls.values()) == len(made)
    assert run.counts == tuple((row.correct, row.scored) for row in result.depths)
    assert run.rounds > 1  # every depth replaced a probe


async def test_concepts_are_counted_per_slot_that_could_have_them() -> None:
    report = await drill(sim_spec(n=8, max_depth=2))
    assert report.result is not None
    run = past_run(report.result)
    assert (run.slots[QUESTION], run.slots[CONCEPTS], run.calls[CONCEPTS]) == (16, 8, 8)


def test_a_slow_judge_holds_up_every_depth() -> None:
    spec = real_spec(max_depth=2, threshold=0.0001)
    before = estimate([spec], Priors([past(spec)]), FREE).wall_s.mid
    slow = past(spec, means={**past(spec).means, VERDICT: (500.0, 50.0, 100.0)})
    assert estimate([spec], Priors([slow]), FREE).wall_s.mid > before + 2 * 90


def calling(result: DrillResult, *calls: Call) -> DrillResult:
    """The result with these calls at its first probe and none elsewhere."""
    first, *rest = result.probes
    probes = [first.model_copy(update={"calls": calls}), *(p.model_copy(update={"calls": ()}) for p in rest)]
    return result.model_copy(update={"probes": tuple(probes)})


def test_failed_calls_have_no_length_and_cached_ones_no_time() -> None:
    def call(tokens: int, latency_s: float, **changes: object) -> Call:
        usage = Usage(input_tokens=tokens, output_tokens=tokens)
        values = {"role": "target", "purpose": "answer", "model": "m", "usage": usage, "latency_s": latency_s}
        return Call.model_validate(values | changes)

    calls = (call(100, 2.0), call(300, 0.0, cached=True), call(0, 60.0, failure="timeout"))
    run = past_run(calling(result_of(Story(n=6)), *calls))
    assert run.means[ANSWER] == (200, 200, 2.0)
    assert run.calls[ANSWER] == 3


async def test_a_second_plan_learns_from_the_first_run(tmp_path: Path) -> None:
    """The depth of a student is not known beforehand; after one run it is, and the calls with it."""
    spec = sim_spec(n=10, domain="Metals")
    before = estimate([spec], read_priors(tmp_path), FREE)
    report = await drill(sim_spec(n=10), runs=tmp_path)
    assert report.result is not None
    (tmp_path / "20990101T000000Z-drill-broken-0").mkdir()
    (tmp_path / "20990101T000000Z-drill-broken-0" / "result.json").write_text("{}")
    priors = read_priors(tmp_path)
    after = estimate([spec], priors, FREE)
    made = sum(row.calls for row in report.result.usage.values())
    assert abs(after.calls.mid - made) < 0.1 * made < abs(before.calls.mid - made)
    assert after.calls.high - after.calls.low < before.calls.high - before.calls.low
    assert (after.past_runs, after.unreadable, before.past_runs) == (1, 1, 0)


def test_only_the_newest_runs_are_read(tmp_path: Path) -> None:
    body = result_of(Story(n=4)).model_dump_json(by_alias=True)
    for number in range(33):
        when = datetime(2026, 1, 1, 0, number, tzinfo=UTC).strftime("%Y%m%dT%H%M%SZ")
        folder = tmp_path / f"{when}-drill-x-{number:08x}"
        folder.mkdir()
        (folder / "result.json").write_text("{}" if number < 3 else body)
    found = read_priors(tmp_path)
    assert (len(found.runs), found.unreadable) == (30, 0)


def test_no_folder_no_priors(tmp_path: Path) -> None:
    assert read_priors(tmp_path / "nowhere") == Priors([], 0)
