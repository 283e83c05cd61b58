"""The plan of asking and of building a DepthQA graph: its arithmetic by hand, and against what toys really ask."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fathom.agents.prompts import DEPTHQA_PROMPTS
from fathom.commands.plan_depthqa import plan_asks
from fathom.graphs.depthqa_counts import longest_talk
from fathom.graphs.depthqa_estimate import DepthQAPlan, estimate_ask, estimate_build
from fathom.graphs.depthqa_past import DepthQAPriors, past_depthqa, read_depthqa_priors
from fathom.graphs.depthqa_protocol import sequence_of
from fathom.graphs.options import LaunchOptions
from fathom.graphs.run import Launch
from fathom.graphs.spread import Spread, fixed, total
from fathom.sim.deep_questions import graph_of
from fathom.sim.server import Timing
from fathom.state.depthqa import MODES, GivenAnswer, Material
from fathom.state.depthqa_result import DepthQAResult
from fathom.state.errors import UsageError
from fathom.state.spec import DepthQABuildSpec, DepthQASpec, FaultRates, WorldSpec
from fathom.tools.models.attempts import Limits
from fathom.tools.models.priced import PriceList

from .depthqa_toy import TWO_TREES, BuildRun, DepthRun

FREE = PriceList()
TOY = Material(graph=TWO_TREES)


def sim_spec(*modes: str, material: Material = TOY, **changes: Any) -> DepthQASpec:
    values: dict[str, Any] = {"graph": "toy", "material": material.digest, "modes": modes or ("zero-shot",)}
    values |= {"target": "sim:student", "judge": "sim:evaluator", "world": WorldSpec()}
    return DepthQASpec.model_validate(values | changes)


def real_spec(*modes: str, **changes: Any) -> DepthQASpec:
    """Models of a provider, as they would be asked over the network: nobody is."""
    return sim_spec(*modes, **{"target": "openai:gpt-5-mini", "judge": "openai:gpt-5", "world": None} | changes)


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
    characters = len(DEPTHQA_PROMPTS["rating"].text) + 13 + 18 + 100 + 3 * 25
    assert judge.input_tokens.mid == pytest.approx(characters / 4)


def test_prompts_are_as_long_as_what_they_quote() -> None:
    """All answers take 200 characters here, questions 13 to 15, references 18 to 20."""
    past = past_depthqa(iter(()))
    assert past is None  # nothing was finished
    alone, gold, pred = (estimate_ask([real_spec(mode)], TOY, FREE).roles[0] for mode in MODES[:3])
    prompt = len(DEPTHQA_PROMPTS["depth_answer"].text)
    assert alone.input_tokens.mid == pytest.approx((8 * prompt + 2 * 13 + 6 * 13 + 6) / 4, abs=2)
    more = len(DEPTHQA_PROMPTS["depth_with_context"].text) - prompt
    assert gold.input_tokens.mid > 5 * (prompt + more) / 4
    assert pred.input_tokens.mid > gold.input_tokens.mid + 8 * 1000 / 4  # eight answers of over a thousand characters


async def test_lengths_times_and_repeats_are_those_of_past_runs_of_the_same_model() -> None:
    run = DepthRun()
    await run.play(run.spec("zero-shot"))
