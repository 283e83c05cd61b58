"""Every skill as a node and as a tool of other people's apps, and by the factories that
langgraph.json names."""

import asyncio
import re
from functools import partial
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_core.utils.json_schema import dereference_refs

from fathom.sim.server import start
from fathom.state.eqt.items import KINDS
from fathom.state.errors import CallFailed, UsageError
from fathom.state.spec import WorldSpec
from fathom.state.tiers import TIERS
from fathom.tools.background import synchronous
from fathom.tools.models.chat import ChatReply, ChatRequest
from fathom.tools.models.clients import Clients

from ...support.factories import NAMED, built, name_nothing
from ...support.skills import MODELLESS, SKILLS, graph_of, model_of, scripted, tool_of

every_skill = pytest.mark.parametrize("skill", SKILLS)


@every_skill
async def test_a_graph_says_what_it_takes_and_gives_and_does_so(skill: str) -> None:
    model, said = model_of(skill), SKILLS[skill]
    graph = graph_of(skill, model)
    first = "begin(begin)" if skill == "prompt_optimiser" else f"{skill}({skill})"
    assert first in graph.get_graph().draw_mermaid()
    assert set(graph.get_input_jsonschema()["required"]) == set(said.takes) - {"count"}
    assert set(graph.get_output_jsonschema()["properties"]) == set(said.gives)
    assert await graph.ainvoke(said.takes) == said.gives
    if skill not in MODELLESS and skill != "factfinder":
        prompt = "\n".join(message.content for message in model.asked[0].messages)
        assert [text for text in said.shown if text not in prompt] == []


@every_skill
async def test_a_tool_says_what_it_takes_and_gives_the_same(
    skill: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, second = SKILLS[skill], model_of(skill)
    monkeypatch.setattr(Clients, "get", lambda _, name: {"a:model": second}[name])
    named = {"clients": Clients({})} if said.replies else {}  # a model may be named by a string
    tools = [
        tool_of(skill, model_of(skill)),
        tool_of(skill, "a:model" if named else second, **named),
    ]
    described = convert_to_openai_tool(tools[0])["function"]  # what a model gets to see
    assert isinstance(tools[0], BaseTool)
    assert described["name"] == said.tool
    assert described["description"]
    assert set(described["parameters"]["required"]) == set(said.takes) - {"count"}
    assert await tools[0].ainvoke(said.takes) == said.gives
    assert await asyncio.to_thread(tools[1].invoke, said.takes) == said.gives
    with pytest.raises(UsageError, match="use `await"):
        tools[1].invoke(said.takes)


class Failing:
    """An endpoint, and a source, that cannot be had."""

    name = "toy"
    tiers = frozenset(TIERS)

    async def complete(self, request: ChatRequest) -> ChatReply:
        raise CallFailed("server", "toy fault")


@every_skill
async def test_a_slip_and_a_call_that_fails_are_an_error_message_to_who_calls(skill: str) -> None:
    model, takes = model_of(skill), SKILLS[skill].takes
    tool = tool_of(skill, model)
    for field in takes.keys() - {"count"}:
        rest = {name: value for name, value in takes.items() if name != field}
        for given, fault in ((rest, "Field required"), (rest | {field: 5}, "Input should be ")):
            assert re.match(
                rf"These arguments will not do: {field}(\.\S+)?: {fault}", await tool.ainvoke(given)
            )
    assert skill in MODELLESS or model.asked == []
    if skill not in (*MODELLESS, "factfinder"):
        assert "toy" in await tool_of(skill, Failing()).ainvoke(takes)


def test_names_of_tools_are_their_own() -> None:
    assert len({skill.tool for skill in SKILLS.values()}) == len(SKILLS)


@pytest.mark.parametrize(
    ("skill", "field", "bounds"),
    [
        ("factfinder", "tier", {"enum": [tier.value for tier in TIERS]}),
        ("choice_questioner", "kind", {"enum": list(KINDS)}),
        ("choice_questioner", "count", {"minimum": 2, "maximum": 26}),
        ("paraphraser", "k", {"minimum": 1}),
        ("chooser", "options", {"minItems": 2, "maxItems": 26}),
        ("letter_judge", "right", {"minItems": 1}),
        ("prompted_answerer", "predecessors", {"minItems": 1}),
        ("deconstructor", "depth", {"minimum": 2, "maximum": 3}),
        ("deconstructor", "count", {"minimum": 1, "maximum": 8}),
        ("relation_rater", "predecessors", {"minItems": 1}),
        ("rater", "score", {"minimum": 1, "maximum": 5}),
        ("prompt_drafter", "kind", {"enum": ["q2s", "q2i"]}),
        ("prompt_scorer", "problems", {"minItems": 1, "maxItems": 20}),
        ("prompt_scorer", "score", {"minimum": 1, "maximum": 10}),
        ("distractor_writer", "count", {"minimum": 1, "maximum": 10}),
        ("prompt_optimiser", "problems", {"minItems": 1}),
        ("prompt_optimiser", "threshold", {"minimum": 1, "maximum": 10}),
        ("prompt_optimiser", "rounds", {"minimum": 1, "maximum": 50}),
        ("prompt_optimiser", "sample", {"minimum": 1, "maximum": 20}),
    ],
)
def test_the_schemas_say_what_a_value_may_be(
    skill: str, field: str, bounds: dict[str, Any]
) -> None:
    graph = graph_of(skill, model_of(skill))
    schema = graph.get_output_jsonschema() if field == "score" else graph.get_input_jsonschema()
    assert bounds.items() <= dereference_refs(schema)["properties"][field].items()
    if field != "score":
        of_tool = convert_to_openai_tool(tool_of(skill, model_of(skill)))["function"]["parameters"]
        shape = of_tool["properties"][field]
        kind, *null = shape.get("anyOf", [shape])  # what may be left out may be null
        assert bounds.items() <= kind.items()
        assert null == ([] if "anyOf" not in shape else [{"type": "null"}])


@pytest.mark.parametrize("skill", SKILLS)
async def test_a_tool_takes_null_for_what_may_be_left_out_and_describes_every_argument(
    skill: str,
) -> None:
    """OpenAI's strict mode has a model send every argument."""
    tool = tool_of(skill, model_of(skill))
    shapes = convert_to_openai_tool(tool, strict=True)["function"]["parameters"]["properties"]
    assert [name for name, shape in shapes.items() if not shape.get("description")] == []
    assert await tool.ainvoke(dict.fromkeys(shapes) | SKILLS[skill].takes) == SKILLS[skill].gives


async def test_a_question_is_written_from_the_text_of_a_passage_alone() -> None:
    """Its digest is computed, whatever a host says of it."""
    takes, gives = SKILLS["questioner"].takes, SKILLS["questioner"].gives
    for passage in (takes["evidence"]["text"], {"text": takes["evidence"]["text"], "digest": "no"}):
        tool = tool_of("questioner", model_of("questioner"))
        assert await tool.ainvoke(takes | {"evidence": passage}) == gives
    assert "The evidence is empty" in await tool.ainvoke(takes | {"evidence": {"text": " "}})
    assert "cannot be used: retrieved_at" in await tool.ainvoke(
        takes | {"evidence": {"text": "So.", "retrieved_at": "x"}}
    )


def test_the_day_is_a_date_in_the_schema() -> None:
    shapes = convert_to_openai_tool(tool_of("factfinder", model_of("factfinder")))["function"][
        "parameters"
    ]["properties"]
    assert {"type": "string", "format": "date"} in shapes["as_of"]["anyOf"]


def test_what_is_settled_when_a_skill_is_bound_is_no_field() -> None:
    for skill, field in (
        ("chooser", "explanation"),
        ("deep_answerer", "predecessors"),
        ("deep_answerer", "turns"),
    ):
        assert field not in graph_of(skill, scripted()).get_input_jsonschema()["properties"]
    with pytest.raises(
        UsageError, match="no way of asking 'both'; the ways are alone, prompt, conversation"
    ):
        graph_of("deep_answerer", scripted(), asking="both")


ROLES = ("target", "evaluator", "examiner", "generator", "judge")
FACTORIES = [name for name in NAMED if name in SKILLS]


@pytest.mark.parametrize("skill", FACTORIES)
async def test_a_factory_builds_the_skill_and_has_it_done_by_who_is_named(
    skill: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name_nothing(monkeypatch)
    model, said = model_of(skill), SKILLS[skill]
    wanted, called = graph_of(skill, model), list[str]()

    def get(_: Clients, name: str) -> Any:
        called.append(name)
        return model

    monkeypatch.setattr(Clients, "get", get)
    async with built(skill) as graph:
        assert graph.get_graph().draw_mermaid() == wanted.get_graph().draw_mermaid()
        assert graph.get_input_jsonschema() == wanted.get_input_jsonschema()
        assert graph.get_output_jsonschema() == wanted.get_output_jsonschema()
        for role in said.roles.split()[:1]:
            with pytest.raises(
                UsageError, match=f"No {role} is named: set FATHOM_{role.upper()} .* value '{role}'"
            ):
                await graph.ainvoke(said.takes)
    roles = said.roles.split()
    others = dict.fromkeys(set(ROLES) - set(roles), "somebody")
    for place, role in enumerate(roles):  # the later ones stand in for the first
        for setting, values in (("", {role: f"the {role}"}), (f"FATHOM_{role.upper()}", {})):
            if setting:
                monkeypatch.setenv(setting, f"the {role}")
            model.asked.clear()
            called.clear()
            async with built(
                skill, others | dict.fromkeys(roles[place + 1 :], "another") | values
            ) as graph:
                assert await graph.ainvoke(said.takes) == said.gives
            assert called[0] == f"the {role}"
            assert skill != "prompt_optimiser" or called[-1] in ("another", "the evaluator")
            monkeypatch.delenv(setting or "-", raising=False)
    if skill in MODELLESS:
        async with built(skill) as graph:
            assert await graph.ainvoke(said.takes) == said.gives


def test_all_skills_but_those_that_are_settled_by_code_have_a_factory() -> None:
    assert SKILLS.keys() - set(FACTORIES) == {
        "open_book_chooser",
        "prompted_answerer",
        "conversation_answerer",
    }


ASKED = {"question": "What is the chemical symbol of gold?"}


def test_a_tool_of_a_synchronous_host_keeps_its_connections_between_calls() -> None:
    world = synchronous(partial(start, WorldSpec()))()
    clients = Clients({}, sim_url=world.api_url)
    tool = tool_of("prober", "sim:student", clients)
    for _ in range(2):
        assert tool.invoke(ASKED)["finish"] == "stop"
    assert "question: Field required" in tool.invoke({})
    assert "toy" in tool_of("prober", Failing()).invoke(ASKED)
    for left in (clients, world):
        synchronous(left.aclose)()


async def test_a_tool_made_in_a_hosts_loop_shares_its_connections_with_the_hosts_threads() -> None:
    world = await start(WorldSpec())
    clients = Clients({}, sim_url=world.api_url)
    tool = tool_of("prober", "sim:student", clients)
    assert await asyncio.to_thread(tool.invoke, ASKED) == await tool.ainvoke(ASKED)
    await clients.aclose()
    await world.aclose()
