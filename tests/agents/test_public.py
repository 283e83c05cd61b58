"""The six agents as other programs have them: each an app of twenty lines, a call, and what is
refused before anybody is asked."""

import json
import runpy
from typing import Any, NamedTuple

import pytest

import fathom
from fathom.state.tiers import Tier
from fathom.tools.models.chat import ChatReply

from ..support.drill.toy import ToySource
from ..support.paths import EXAMPLES
from ..support.scripted_chat import Scripted


class Case(NamedTuple):
    """An input, what the model replies in turn, and some of what comes of it."""

    given: dict[str, Any]
    replies: tuple[Any, ...]
    result: Any


DRILLED = {"domain": "Toys", "concept": "c7"}
PASSAGE = "Item c7.C0 bears the code 765479."
WRITTEN = {
    "question": "What code does item c7.C0 bear?",
    "reference": "It is 765479.",
    "quote": "Item c7.C0 bears the code 765479",
}
ABSTAINED = {"reason": "R.", "verdict": "abstains"}
CHOICE = {"question": "Which hold for it?", "options": ["It counts", "It falls"]}
CASES = {
    "explainer": Case(
        {**DRILLED, "question": "Which tool?", "answer": "I had the Rod.", "count": 3},
        ({"concepts": [{"said": "the Rod", "name": "Rod"}], "aspects": ["Wheel"]},),
        {"concepts": [{"said": "the Rod", "name": "Rod"}], "aspects": ["Wheel"]},
    ),
    "questioner": Case(
        {**DRILLED, "passages": [PASSAGE], "line": None},
        (WRITTEN,),
        {"question": {"text": WRITTEN["question"], "reference": WRITTEN["reference"]}},
    ),
    "paraphraser": Case(
        CHOICE,
        ({"paraphrase": CHOICE["question"]}, {"paraphrase": "Name what is true of it."}),
        "Name what is true of it.",
    ),
    "prober": Case({"question": "Is it so?"}, ("So.",), {"text": "So.", "refusal": False}),
    "factfinder": Case(
        {**DRILLED, "tier": "TEXTBOOK"}, (), [{"text": "Item c7.T0 bears the code 138474."}]
    ),
    "judge": Case(
        {"question": "Is it so?", "reference": "No.", "answer": "Who knows."},
        (ABSTAINED,),
        {"verdict": "abstained", "reason": "R."},
    ),
}


def scripted(*replies: Any) -> Scripted:
    return Scripted(*(one if isinstance(one, str) else json.dumps(one) for one in replies))


def bound_to(agent: str, replies: tuple[Any, ...]) -> Any:
    """The model that gives these replies, or for the FactFinder its sources."""
    return FACTS if agent == "factfinder" else scripted(*replies)


FACTS = {tier: [ToySource(per_page=1)] for tier in Tier}


def holds(found: Any, expected: Any) -> bool:
    """Whether objects have the expected fields, whatever else they have."""
    if isinstance(expected, dict):
        return all(holds(found[name], value) for name, value in expected.items())
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(holds, found, expected))
    return bool(found == expected)


@pytest.mark.parametrize("agent", CASES)
async def test_an_app_of_twenty_lines_has_an_agent_as_a_node_and_as_a_tool(agent: str) -> None:
    app, case = EXAMPLES / "agents" / f"{agent}.py", CASES[agent]
    assert len([line for line in app.read_text().splitlines() if line]) <= 20
    # the app calls twice: what is replied in turn is replied again
    bound = bound_to(agent, case.replies * 2)
    node, tool = await runpy.run_path(str(app))["run"](bound, case.given)
    assert holds(node, case.result)
    assert holds(tool, case.result)
    assert json.loads(json.dumps(node)) == node, "a host may keep it in a checkpoint"


async def test_agents_are_called_like_functions() -> None:
    """mypy reads the types here."""
    passages = await fathom.agents.factfinder(FACTS, "Toys", "c7", limit=1)
    chat = scripted(WRITTEN, ABSTAINED)
    written = (await fathom.agents.questioner(chat, "Toys", "c7", passages)).question
    assert written is not None
    scored = await fathom.agents.judge(fathom.Ask(chat, seed=7), written.text, "R.", "A.")
    assert scored.verdict == "abstained"
    assert chat.asked[1].seed == 7
    answer = await fathom.agents.prober(scripted("So."), written.text)
    mentions = await fathom.agents.explainer(
        scripted(*CASES["explainer"].replies), "Toys", "c7", "Which?", "I had the Rod."
    )
    reworded = await fathom.agents.paraphraser(
        scripted(*CASES["paraphraser"].replies), "Which hold for it?", ["It counts", "It falls"]
    )
    assert (answer.text, mentions.aspects, reworded) == (
        "So.",
        ("Wheel",),
        CASES["paraphraser"].result,
    )


@pytest.mark.parametrize(
    ("agent", "changes", "fault"),
    [
        ("explainer", {"answer": " "}, "answer: "),
        ("explainer", {"count": 0}, "count: "),
        ("questioner", {"passages": []}, "passages: "),
        ("questioner", {"passages": [""]}, "passages.0"),
        ("paraphraser", {"options": ["one"]}, "options: "),
        ("prober", {"question": None}, "question: "),
        ("factfinder", {"tier": "EASY"}, "tier"),
        ("factfinder", {"limit": 0}, "limit: "),
        ("factfinder", {"as_of": "tomorrow"}, "as_of: "),
        ("judge", {"reference": ""}, "reference: "),
    ],
)
async def test_what_cannot_be_used_is_refused_before_anybody_is_asked(
    agent: str, changes: dict[str, Any], fault: str
) -> None:
    bound: Any = {} if agent == "factfinder" else scripted("")
    given = CASES[agent].given | changes
    with pytest.raises(fathom.UsageError, match=f"These arguments will not do: .*{fault}"):
        await getattr(fathom.agents, agent).graph(bound).ainvoke(given)
    told = await getattr(fathom.agents, agent).tool(bound).ainvoke(given)
    assert fault in told
    assert not getattr(bound, "asked", [])


async def test_a_tier_without_a_source_and_a_model_without_clients_are_refused() -> None:
    with pytest.raises(fathom.UsageError, match="No source serves the tier COMMON"):
        await fathom.agents.factfinder({}, "Toys", "c7")
    with pytest.raises(fathom.UsageError, match="named by a string"):
        fathom.agents.judge.graph("openai:gpt-5")


async def test_what_is_rejected_twice_is_the_result_of_whoever_wrote_it() -> None:
    same = {"paraphrase": CHOICE["question"]}
    rejected = await fathom.agents.paraphraser.tool(scripted(same)).ainvoke(CHOICE)
    assert [one["reason"] for one in rejected] == ["it is worded like the question"] * 2
    odd = scripted({**WRITTEN, "quote": "It bears nothing."})
    node = fathom.agents.questioner.graph(odd, output="written")
    state = await node.ainvoke(CASES["questioner"].given)
    assert "quote" in state["written"]["rejected"][0]["reason"]


class Failing:
    name = "failing:model"

    async def complete(self, request: Any) -> ChatReply:
        raise fathom.UsageError("there is no such model")


async def test_a_tool_tells_its_caller_what_failed() -> None:
    told = await fathom.agents.prober.tool(Failing()).ainvoke({"question": "Is it so?"})
    assert told == "there is no such model"


async def test_sources_are_opened_by_name_and_closed_with_the_block() -> None:
    async with fathom.facts("COMMON=wikipedia,PROFESSIONAL=europepmc") as facts:
        assert [source.name for source in facts[Tier.COMMON]] == ["wikipedia"]
        assert [source.name for source in facts[Tier.PROFESSIONAL]] == ["europepmc"]
    with pytest.raises(fathom.UsageError, match="TAVILY_API_KEY"):
        await fathom.facts("COMMON=tavily").__aenter__()
