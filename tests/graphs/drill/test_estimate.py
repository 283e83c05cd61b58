"""The plan's estimator: against real simulated launches, and its parts by hand."""

from typing import Any

import pytest

from fathom.agents.prompts import PROMPTS
from fathom.graphs.drill.estimate import Plan, deepest, depths_of, estimate
from fathom.graphs.drill.priors import AGREES, ANSWER, ASPECTS, CHECK, CONCEPTS, QUESTION, REAL, VERDICT, Priors
from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.graphs.run.spread import Spread, fixed, longest, total
from fathom.sim.server import Timing
from fathom.state.spec import DrillSpec
from fathom.state.tiers import TIERS, Tier
from fathom.tools.models.clients import Limits
from fathom.tools.models.priced import PriceList

from ...support.drill.drills import sim_spec

FREE = PriceList()
PAIR = ("sim:expert", "sim:student")


def several(**common: Any) -> list[DrillSpec]:
    return [
        sim_spec(domain=domain, target=target, n=6, max_depth=3, threshold=0.001, **common)
        for domain in ("Chemical elements", "Noble gases")
        for target in PAIR
    ]


def repeated() -> list[DrillSpec]:
    common = {"n": 6, "max_depth": 3, "threshold": 0.001, "repeats": 2, "pool_seed": 42}
    return [sim_spec(target=t, repeat=i, seed=41 + i, **common) for i in (1, 2) for t in PAIR]


def real_spec(**changes: Any) -> DrillSpec:
    """Models of a provider, as they would be asked over the network: nobody is."""
    values: dict[str, Any] = {"target": "openai:gpt-4o", "evaluator": "openai:gpt-5-mini", "judge": "openai:gpt-5"}
    return sim_spec(**values | {"facts": dict.fromkeys(TIERS, ("wikipedia",)), "world": None} | changes)


def calls(plan: Plan, role: str) -> Spread:
    return total(row.calls for row in plan.roles if row.role == role)


@pytest.mark.parametrize(
    "specs",
    [
        [sim_spec(target="sim:expert", n=10, max_depth=3)],
        [sim_spec(target="sim:omniscient", n=15, max_depth=5)],
        [sim_spec(target="sim:student", n=12, max_depth=4, threshold=0.001)],
        [sim_spec(target="sim:student", n=12, max_depth=4, threshold=0.001, verify_questions=False)],
        several(),
        repeated(),
    ],
    ids=["expert", "omniscient", "student", "unverified", "two domains, two targets", "repeats"],
)
async def test_the_calls_of_a_simulated_launch_are_within_ten_per_cent(specs: list[DrillSpec]) -> None:
    plan = estimate(specs, None, FREE)
    reports = await Launch(specs, LaunchOptions()).run()
    rows = [row for report in reports if report.result for row in report.result.usage.values()]
    made = sum(row.calls - row.cached for row in rows)
    assert [report.status for report in reports] == ["complete"] * len(specs)
    assert plan.calls.mid == pytest.approx(made, rel=0.1)
    assert plan.calls.high > made
    assert plan.input_tokens.mid == pytest.approx(sum(row.input_tokens for row in rows), rel=0.15)
    assert plan.output_tokens.mid == pytest.approx(sum(row.output_tokens for row in rows), rel=0.2)


def test_a_simulated_drill_of_fixed_depth_by_hand() -> None:
    plan = estimate([sim_spec(target="sim:expert", n=10, max_depth=3, threshold=0.001)], None, FREE)
    assert plan.depths == fixed(3)
    assert calls(plan, "target").mid == calls(plan, "judge").mid == 30
    assert calls(plan, "evaluator").mid == 1 + 30 + 30 + 20  # opening, questions, checks, concepts but for the last
    assert plan.simulated
    assert plan.usd == fixed(0)


def test_a_real_drill_by_hand() -> None:
    spec, rates = real_spec(n=10, max_depth=4, threshold=0.0001), REAL.steps
    plan = estimate([spec], None, FREE)
    per_slot = sum(rates[step].calls.mid for step in (QUESTION, CHECK, AGREES))
    expected = rates[ASPECTS].calls.mid + 40 * per_slot + 30 * rates[CONCEPTS].calls.mid
    assert calls(plan, "evaluator").mid == pytest.approx(expected)
    assert calls(plan, "target").mid == pytest.approx(40 * rates[ANSWER].calls.mid)
    unchecked = estimate([spec.model_copy(update={"verify_questions": False})], None, FREE)
    gone = 40 * (rates[CHECK].calls.mid + rates[AGREES].calls.mid)
    assert unchecked.calls.mid == pytest.approx(plan.calls.mid - gone)
    assert not plan.simulated


def test_what_runs_of_a_launch_share_is_counted_once() -> None:
    one = sim_spec(target="sim:expert", n=10, max_depth=1)
    alone = estimate([one], None, FREE).calls.mid
    other_target = estimate([one, one.model_copy(update={"target": "sim:student"})], None, FREE).calls.mid
    assert (alone, other_target) == (41, 61)  # the pool, ten questions and ten checks are those of the first
    other_repeat = [one.model_copy(update={"repeats": 2, "repeat": i, "seed": i, "pool_seed": 1}) for i in (1, 2)]
    assert estimate(other_repeat, None, FREE).calls.mid == 81  # the pool only
    other_domain = estimate([one, one.model_copy(update={"domain": "Metals"})], None, FREE).calls.mid
    assert other_domain == 82


def test_how_deep_a_drill_can_go() -> None:
    assert deepest(sim_spec()) == 15
    assert deepest(sim_spec(facts={Tier.COMMON: ("sim",), Tier.TEXTBOOK: ("sim",)})) == 6
    assert deepest(sim_spec(facts={Tier.COMMON: ("sim",), Tier.PROFESSIONAL: ("sim",)}, passes=2)) == 2
    assert depths_of(sim_spec(), Priors()) == Spread(1, 10, 15)  # .85^9 = .23, .85^10 = .197
    assert depths_of(sim_spec(max_depth=4, threshold=0.001), Priors()) == fixed(4)


def test_the_last_sourced_depth_has_no_concepts() -> None:
    cut = sim_spec(facts={Tier.COMMON: ("sim",)}, n=10, threshold=0.001)
    assert calls(estimate([cut], None, FREE), "evaluator").mid == 1 + 30 + 30 + 20


def test_money_is_tokens_times_price_and_unknown_where_a_price_is() -> None:
    specs = [real_spec(target="openai:nobody-knows")]
    plan = estimate(specs, None, FREE)
    assert plan.usd is None
    assert plan.unknown == ("openai:nobody-knows",)
    assert plan.known_usd.mid > 0
    (target,) = [row for row in plan.roles if row.role == "target"]
    assert target.usd is None
    priced = estimate(specs, None, PriceList.parse(["2/10"]))
    (target,) = [row for row in priced.roles if row.role == "target"]
    assert target.usd is not None
    assert target.usd.mid == pytest.approx((2 * target.input_tokens.mid + 10 * target.output_tokens.mid) / 1e6)
    assert priced.usd is not None
    assert priced.usd.mid == pytest.approx(plan.known_usd.mid + target.usd.mid)
    assert priced.usd.low < priced.usd.mid < priced.usd.high


def test_every_role_and_model_has_its_line() -> None:
    plan = estimate([real_spec(target=t, n=5) for t in ("openai:gpt-4o", "ollama:llama3")], None, FREE)
    assert [(row.role, row.model) for row in plan.roles] == [
        ("target", "openai:gpt-4o"),
        ("target", "ollama:llama3"),
        ("evaluator", "openai:gpt-5-mini"),
        ("judge", "openai:gpt-5"),
    ]
    assert plan.calls == total(row.calls for row in plan.roles)


def test_a_longer_prompt_costs_more_tokens() -> None:
    text = PROMPTS["answer"].text
    longer = real_spec(prompts={"answer": "x" * 4000 + text})
    gain = estimate([longer], None, FREE).input_tokens.mid - estimate([real_spec()], None, FREE).input_tokens.mid
    assert gain == pytest.approx(1000 * calls(estimate([longer], None, FREE), "target").mid)


def test_time_is_the_way_of_one_drill_or_the_load_of_an_endpoint() -> None:
    spec, timing = sim_spec(n=10, max_depth=4, threshold=0.001), Timing(latency_s=1.0, jitter_s=0.5)
    alone = estimate([spec], None, FREE, timing=timing)
    # opening and its look-up at 1.25 s each; then question, answer, concepts and look-up at the slowest 1.5 s per depth
    assert alone.wall_s.mid == pytest.approx(2 * 1.25 + 4 * 4 * 1.5)
    narrow = estimate([spec], None, FREE, timing=timing, limits=Limits(max_connections=1))
    assert narrow.wall_s.mid == pytest.approx(alone.calls.mid * 1.25)
    real = real_spec(n=10, max_depth=4, threshold=0.0001)
    rates = REAL.steps
    depth = rates[QUESTION].latency_s.plus(longest(rates[ANSWER].latency_s, rates[CHECK].latency_s))
    depth = depth.plus(longest(rates[VERDICT].latency_s, rates[CONCEPTS].latency_s.plus(REAL.look_up_s)))
    way = rates[ASPECTS].latency_s.plus(REAL.look_up_s).plus(depth.times(4).times(REAL.rounds).times(REAL.slowest))
    assert estimate([real], None, FREE).wall_s == way


def test_two_hundred_drills_of_local_models_wait_for_four_connections() -> None:
    specs = [real_spec(target="ollama:llama3", domain=f"Field {i}", n=10, max_depth=3) for i in range(200)]
    plan = estimate(specs, None, FREE)
    assert plan.wall_s.mid == pytest.approx(calls(plan, "target").mid * REAL.steps[ANSWER].latency_s.mid / 4)


def test_what_can_be_told_apart_follows_the_repeats() -> None:
    single, five = (estimate([real_spec(repeats=r)], None, FREE).separation for r in (1, 5))
    assert single is not None
    assert five is not None
    assert 0.08 < single.power[1.0] < 0.25
    assert five.smallest < single.smallest
    assert estimate([real_spec()], None, FREE).sd_from == "assumed"


def test_nothing_to_plan() -> None:
    with pytest.raises(ValueError, match="nothing to plan"):
        estimate([], None, FREE)


def test_spreads() -> None:
    spread = Spread(1, 2, 4)
    assert spread.times(2).plus(fixed(1)) == Spread(3, 5, 9)
    assert spread.times(spread) == Spread(1, 4, 16)
    assert total([]) == fixed(0)
    assert longest(spread, fixed(2)) == Spread(2, 2, 4)
