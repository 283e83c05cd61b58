"""The plan of asking a DepthQA graph: its arithmetic by hand, and against what runs really ask."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fathom.agents.prompts import DEPTHQA_PROMPTS
from fathom.commands.plan.depthqa import plan_asks
from fathom.graphs.depthqa.counts import longest_talk
from fathom.graphs.depthqa.estimate import DepthQAPlan, estimate_ask
from fathom.graphs.depthqa.past import (
    ANSWER,
    CONTEXT,
    RATING,
    DepthQAPriors,
    PastDepthQA,
    StepMeans,
    read_depthqa_priors,
)
from fathom.graphs.depthqa.protocol import sequence_of
from fathom.graphs.run.launch import Launch
from fathom.graphs.run.options import LaunchOptions
from fathom.graphs.run.spread import Spread, fixed, total
from fathom.reports.page.plan import simulated_words, source_words
from fathom.reports.views.depthqa.plan import arithmetic
from fathom.sim.depthqa.questions import graph_of
from fathom.sim.server import Timing
from fathom.state.depthqa.items import MODES, GivenAnswer, Material
from fathom.state.depthqa.result import DepthQAResult
from fathom.state.errors import UsageError
from fathom.state.spec import DepthQASpec, FaultRates, WorldSpec
from fathom.tools.models.attempts import Limits
from fathom.tools.models.priced import PriceList

from ...support.depthqa.toy import TWO_TREES, DepthRun

FREE = PriceList()
TOY = Material(graph=TWO_TREES)


def sim_spec(*modes: str, material: Material = TOY, **changes: Any) -> DepthQASpec:
    values: dict[str, Any] = {"graph": "toy", "material": material.digest, "modes": modes or ("zero-shot",)}
    values |= {"target": "sim:student", "judge": "sim:evaluator", "world": WorldSpec()}
    return DepthQASpec.model_validate(values | changes)


def real_spec(*modes: str, **changes: Any) -> DepthQASpec:
    """Models of a provider, as they would be asked over the network: nobody is."""
    return sim_spec(*modes, **{"target": "openai:gpt-5-mini", "judge": "openai:gpt-5", "world": None} | changes)


def length(name: str) -> int:
    """Characters of a prompt with nothing in its places."""
    system, user = DEPTHQA_PROMPTS[name].text.split("=== user ===")
    for field in DEPTHQA_PROMPTS[name].fields:
        user = user.replace(f"${field}", "")
    return len(system.strip()) + len(user.strip())


def calls(plan: DepthQAPlan, role: str) -> Spread:
    return total(row.calls for row in plan.roles if row.role == role)


@pytest.mark.parametrize(
    ("modes", "answers", "ratings", "repeats"),
    [
        (["zero-shot"], 8, 8, 0),  # nine nodes, two of them with one question
        (["prompt-gold"], 5, 5, 0),  # c, b1, b2, f, e have predecessors
        (["prompt-pred"], 6 + 5, 5, 0),  # b1, b2, a1, a2, a3, e are asked to be quoted, and not rated
        # c: b1 b2 c; b1: a1 a2; b2: a2 a3; f: e f; e: d, whose words are not a2's to the letter
        (["multi-turn"], 10, 10, 0),
        # the conversations begin with b1, a1, a2, e: asked and rated before
        (["zero-shot", "multi-turn"], 8 + 10, 8 + 10, 4 + 4),
        (MODES, 8 + 5 + 5 + 10, 8 + 5 + 5 + 10, 4 + 4),
    ],
)
async def test_the_calls_planned_are_those_a_toy_is_asked(
    modes: Sequence[str], answers: int, ratings: int, repeats: int
) -> None:
    plan = estimate_ask([real_spec(*modes)], TOY, FREE)
    assert tuple(map(sum, zip(*plan.by_mode.values(), strict=True))) == (answers, ratings)
    assert plan.repeats == repeats
    assert plan.calls.mid == answers + ratings - repeats
    run = DepthRun()
    await run.play(run.spec(*modes))  # without a cache nothing is shared
    assert len(run.model.asked) == answers + ratings
    asked = {request.messages for request in run.model.asked if request.purpose != "rating"}
    assert calls(plan, "target").mid == len(asked)
    steps = longest_talk(real_spec(*modes), TWO_TREES)
    assert len(steps) == sequence_of(real_spec(*modes), TWO_TREES) == run.model.rounds


def test_what_an_earlier_run_of_the_launch_has_asked_is_not_asked_again() -> None:
    twice = estimate_ask([sim_spec(), sim_spec()], TOY, FREE)
    assert (twice.calls, twice.repeats) == (fixed(16), 16)
    other = estimate_ask([real_spec(), real_spec(target="openai:gpt-4o")], TOY, FREE)
    assert (other.calls.mid, other.repeats) == (32, 0)


def test_of_given_answers_only_ratings_are_planned_and_their_tokens_are_those_of_the_texts() -> None:
    given = (GivenAnswer(node="c", text="x" * 100), GivenAnswer(node="b1", text=" "))
    material = Material(graph=TWO_TREES, answers=given)
    plan = estimate_ask([real_spec(target="given:somebody", material=material)], material, FREE)
    (judge,) = plan.roles
    assert (judge.role, judge.calls) == ("judge", Spread(1, 1, 1.6))  # of silence nobody is asked
    # prompt, "What about c?", "The truth about c.", the answer, and three pairs of tags; four characters per token
    characters = length("rating") + 13 + 18 + 100 + 3 * 25
    assert judge.input_tokens.mid == pytest.approx(characters / 4)


def past_of(spec: DepthQASpec, length: float = 400.0, lost: int = 0, calls: int = 10) -> PastDepthQA:
    """A past run whose answers took `length` characters, half a token each; prompts took a third of a token each."""
    means = StepMeans(items=10, calls=calls, per_character=1 / 3, input_tokens=0.0, output_tokens=70.0, seconds=9.0)
    return PastDepthQA(
        spec, dict.fromkeys((ANSWER, CONTEXT, RATING), means), lost, dict.fromkeys((1, 2, 3), length), 0.5
    )


def test_prompts_quote_references_or_answers_as_long_as_they_were_in_past_runs() -> None:
    """c, b1, b2, f, e quote 8 others; texts: 13 characters each, those of nodes with one letter 12, their references 17
    and 18; d is "What about  a2?", 14 and 18."""
    texts = {node.id: (len(node.question), len(node.reference)) for node in TWO_TREES.nodes}
    assert (texts["c"], texts["b1"], texts["d"]) == ((13, 18), (14, 19), (15, 19))
    own = sum(texts[node][0] for node in ("c", "b1", "b2", "f", "e"))
    quoted = [texts[node] for node in ("b1", "b2", "a1", "a2", "a2", "a3", "e", "d")]
    prompt = 5 * (length("depth_with_context") + 25) + own + sum(question + 14 for question, _ in quoted)
    gold = estimate_ask([real_spec("prompt-gold")], TOY, FREE, DepthQAPriors([past_of(real_spec())])).roles[0]
    assert gold.input_tokens.mid == pytest.approx((prompt + sum(reference for _, reference in quoted)) / 3)
    assert gold.output_tokens.mid == pytest.approx(5 * 400 * 0.5)
    first = 6 * length("depth_answer") + sum(texts[node][0] for node in ("b1", "b2", "a1", "a2", "a3", "e"))
    pred = estimate_ask([real_spec("prompt-pred")], TOY, FREE, DepthQAPriors([past_of(real_spec())])).roles[0]
    assert pred.input_tokens.mid == pytest.approx((first + prompt + 8 * 400) / 3)


def test_past_runs_of_other_models_say_nothing_and_faults_only_raise_the_high_end() -> None:
    spec, bare = real_spec(), estimate_ask([real_spec()], TOY, FREE)
    other = real_spec(target="openai:a", judge="openai:b")
    assert estimate_ask([spec], TOY, FREE, DepthQAPriors([past_of(other)])).roles == bare.roles
    learnt = estimate_ask([spec], TOY, FREE, DepthQAPriors([past_of(spec)]))
    assert (learnt.past_runs, learnt.learnt) == (1, {"openai:gpt-5-mini": 1, "openai:gpt-5": 1})
    assert calls(learnt, "target") == pytest.approx((8, 8, 1.1 * 8))
    lossy = DepthQAPriors([past_of(spec, lost=1, calls=5), past_of(spec, lost=1, calls=30)])
    assert calls(estimate_ask([spec], TOY, FREE, lossy), "target").high == pytest.approx(1.1 * 3 * 8)
    shared = estimate_ask([spec], TOY, FREE, DepthQAPriors([past_of(real_spec(judge="openai:b"))]))
    assert shared.learnt == {"openai:gpt-5-mini": 1, "openai:gpt-5": 0}
    faulty = sim_spec(world=WorldSpec(faults=FaultRates(malformed=0.1)))
    assert calls(estimate_ask([faulty], TOY, FREE), "judge") == pytest.approx((7.2, 8, 12.8))


def test_cost_is_tokens_by_price_and_an_unknown_price_is_unknown() -> None:
    spec = real_spec(target="openai:nobody-knows")
    plan = estimate_ask([spec], TOY, FREE)
    assert (plan.usd, plan.unknown) == (None, ("openai:nobody-knows",))
    priced = estimate_ask([spec], TOY, PriceList.parse(["openai:nobody-knows=2/10"]))
    target = priced.roles[0]
    assert target.usd is not None
    assert target.usd.mid == pytest.approx((2 * target.input_tokens.mid + 10 * target.output_tokens.mid) / 1e6)
    assert priced.usd is not None
    assert priced.usd.mid == pytest.approx(target.usd.mid + plan.known_usd.mid)
    with pytest.raises(UsageError, match="openai:gpt-5-nano, which takes no part"):
        plan_asks([spec], TOY, LaunchOptions(), PriceList.parse(["openai:gpt-5-nano=1/2"]), None)


def test_a_mixed_plan_names_what_is_simulated_and_what_was_learnt_from() -> None:
    specs = [real_spec(), sim_spec(judge="openai:gpt-5")]
    plan = estimate_ask(specs, TOY, FREE, DepthQAPriors([past_of(real_spec(judge="openai:b"))]))
    said = simulated_words(specs, plan)
    assert said == "SIMULATED: sim:student is simulated, so the run of sim:student would give simulated numbers."
    basis = source_words(plan)
    assert "Lengths and times of openai:gpt-5-mini are from 1 past run of it." in basis
    assert "times of openai:gpt-5, sim:student are assumptions: there is no past run of these models" in basis
    assert arithmetic(specs, TOY, plan)[0] == "Graph: 2 trees, 9 nodes, 8 questions."


@pytest.mark.parametrize(
    ("mode", "connections", "seconds"),
    [("zero-shot", 50, 2), ("prompt-gold", 50, 2), ("prompt-pred", 50, 3), ("multi-turn", 50, 4), ("multi-turn", 4, 5)],
)  # the last: 20 calls, 4 at once
def test_the_time_is_the_longer_of_the_way_and_the_busiest_endpoint(mode: str, connections: int, seconds: int) -> None:
    limits, timing = Limits(max_connections=connections), Timing(latency_s=1.0)
    # of what every model says there are 10 to 20 calls, all of one simulated endpoint
    assert estimate_ask([sim_spec(mode)], TOY, FREE, limits=limits, timing=timing).wall_s.high == seconds


def damage(runs: Path) -> None:
    (max(runs.glob("*/")) / "events.jsonl").write_text("{}\n{}\n")


async def test_a_simulated_launch_asks_what_was_planned(tmp_path: Path) -> None:
    material = Material(graph=graph_of(1, 1))
    specs = [sim_spec(material=material), sim_spec(*MODES, material=material, target="sim:novice")]
    one, both = estimate_ask(specs[:1], material, FREE), estimate_ask(specs, material, FREE)
    options = LaunchOptions(runs=tmp_path, materials={material.digest: material})
    reports = await Launch[DepthQAResult](specs, options).run()
    first, second = (report.result.usage for report in reports if report.result)
    made = {
        (n, role): used.calls - used.cached for n, usage in enumerate((first, second)) for role, used in usage.items()
    }
    assert made[0, "target"] == calls(one, "target").mid
    assert sum(used.calls for used in first.values()) == one.calls.mid == one.calls.high
    assert calls(both, "target") == fixed(made[0, "target"] + made[1, "target"])
    assert calls(both, "judge").low <= made[0, "judge"] + made[1, "judge"] <= calls(both, "judge").high
    for tokens in ("input_tokens", "output_tokens"):
        spent = sum(getattr(used, tokens) for used in first.values())
        assert getattr(one, tokens).low <= spent <= getattr(one, tokens).high
    past = read_depthqa_priors(tmp_path, "depthqa")
    assert (len(past.runs), past.unreadable, read_depthqa_priors(tmp_path, "depthqa_build").runs) == (2, 0, [])
    learnt = estimate_ask(specs[:1], material, FREE, past)
    target = learnt.roles[0]
    assert target.output_tokens.mid == pytest.approx(first["target"].output_tokens, rel=0.01)
    assert target.input_tokens.mid == pytest.approx(first["target"].input_tokens, rel=0.01)
    damage(tmp_path)
    assert read_depthqa_priors(tmp_path, "depthqa").unreadable == 1
