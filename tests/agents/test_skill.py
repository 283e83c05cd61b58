"""What a skill says once: prompt, role, stage and limit; and what a run's step makes of it."""

from dataclasses import replace

import orjson
import pytest

from fathom.agents.explainer.explain import name_aspects
from fathom.agents.judge.verdict import VERDICT, judge
from fathom.agents.skill import Ask
from fathom.graphs.method import METHODS, runnable
from fathom.graphs.step import Step
from fathom.state.errors import BudgetSpent
from fathom.state.records import Scored, Unscored
from fathom.tools.models.chat import ChatReply, ChatRequest

from ..support.drill.toy import ToyChat, ToySource, toy_deps, toy_spec
from ..support.scripted_chat import Scripted

WRONG = orjson.dumps({"verdict": "contradicts"}).decode()
NAMED = orjson.dumps({"aspects": ["Iodine"]}).decode()


def test_skills_and_prompts_have_names_of_their_own() -> None:
    skills_of = {method: METHODS[method].skills for method in runnable()}
    every = {id(skill): skill for skills in skills_of.values() for skill in skills}.values()
    assert (
        len({skill.name for skill in every})
        == len(every)
        == len({skill.prompt.name for skill in every})
    )


async def test_a_model_is_asked_as_it_is_or_with_settings() -> None:
    model, own = Scripted(WRONG, WRONG), replace(VERDICT, text=f"Be strict.{VERDICT.text}")
    assert (await judge(model, "Q?", "R.", "A.")).verdict == "wrong"
    await judge(Ask(model, seed=7, prompts={"verdict": own}), "Q?", "R.", "A.")
    plain, set_ = model.asked
    assert (plain.seed, plain.max_tokens, plain.temperature) == (None, 2000, 0.0)
    assert (set_.seed, set_.max_tokens, set_.temperature) == (7, 2000, 0.0)
    assert set_.messages[0].content == f"Be strict.{plain.messages[0].content}"
    assert set_.messages[1:] == plain.messages[1:]


async def test_the_same_is_asked_again_with_another_seed_and_room_for_more() -> None:
    model = Scripted(NAMED, NAMED, NAMED)
    asking = Ask(model, seed=7, language="de")
    for skill, count in ((name_aspects, 10), (name_aspects.again(2), 20)):
        await skill(asking, "Chemistry", count)
    await name_aspects.again(2)(model, "Chemistry", 5)
    assert [(request.seed, request.max_tokens) for request in model.asked] == [
        (7, 2240),
        (9, 2480),
        (None, 2120),
    ]
    assert "\nde\n" in model.asked[0].messages[1].content


async def test_a_step_asks_who_plays_the_role_and_a_failure_is_data_of_its_stage() -> None:
    deps = toy_deps(ToyChat(), ToySource())
    failing = ToyChat(fault=lambda purpose, text: True)
    step = Step(replace(deps, evaluator=failing), toy_spec(seed=5, language="de"), "x", None)
    told = await step.ask(judge, "Q?", "It is 1.", "It is 1.")
    assert isinstance(told, Scored)
    lost = await step.ask(judge.by("evaluator", "check"), "Q?", "It is 1.", "It is 2.")
    assert lost == Unscored(stage="check", kind="server", message="toy fault")
    assert [(call.role, call.purpose, call.failure) for call in step.calls] == [
        ("judge", "verdict", None),
        ("evaluator", "verdict", "server"),
    ]
    assert failing.requests[0].seed == 5
    first = step.fields()["prompt"]
    assert "It is 1." in first[-1].text  # the first that was sent, whoever was asked


class Broke(ToyChat):
    async def complete(self, request: ChatRequest) -> ChatReply:
        raise BudgetSpent("all of it")


async def test_what_ends_the_run_is_no_data() -> None:
    step = Step(toy_deps(Broke(), ToySource()), toy_spec(), "x", None)
    with pytest.raises(BudgetSpent):
        await step.ask(judge, "Q?", "R.", "A.")
