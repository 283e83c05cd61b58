"""Explain-Query-Test inside other LangGraph apps: as a subgraph, by factories, in the example app."""

import runpy
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from fathom.agents.prompts import EQT_PROMPTS
from fathom.graphs import factories
from fathom.graphs.embed.eqt import Concepts, embed_eqt
from fathom.state.eqt.result import EqtResult
from fathom.state.errors import CallFailed, UsageError
from fathom.state.events import EVENT, ConceptClosed, ItemFinished, RunStarted
from fathom.state.spec import Concept, EqtSpec
from fathom.tools.models.chat import ChatReply, ChatRequest
from fathom.tools.models.clients import Limits

from ...support.eqt.exam_chat import ExamChat
from ...support.paths import EXAMPLES

SMALL: dict[str, Any] = {"questions": 2, "options": 4, "paraphrases": 1}
EXAMPLE = runpy.run_path(str(EXAMPLES / "eqt_app.py"), run_name="example")


class HostState(TypedDict, total=False):
    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]
    seen: int


def host(eqt_graph: Any) -> Any:
    async def before(state: HostState) -> HostState:
        return {"seen": 1}

    builder = StateGraph(HostState)
    builder.add_node("before", before)
    builder.add_node("teaching", eqt_graph)
    builder.add_edge(START, "before")
    builder.add_edge("before", "teaching")
    builder.add_edge("teaching", END)
    return builder.compile()


async def test_an_eqt_as_a_subgraph_streams_its_events_with_namespaces() -> None:
    chat = ExamChat()
    async with embed_eqt(chat) as eqt:
        parts = [
            part
            async for part in host(eqt.graph).astream(
                eqt.input(["Entropy", "Heat"], **SMALL),
                stream_mode=["custom", "values"],
                subgraphs=True,
                version="v2",
            )
        ]
    custom = [part for part in parts if part["type"] == "custom"]
    assert all(part["ns"][0].startswith("teaching:") for part in custom)
    events = [EVENT.validate_python(part["data"]) for part in custom]
    assert isinstance(events[0], RunStarted)
    assert events[-1].type == "run_finished"
    items = [event.item for event in events if isinstance(event, ItemFinished)]
    kinds = [item.type for item in items]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "explanation": 2,
        "question": 4,
        "paraphrase": 4,
        "choice": 8,
    }
    assert sorted(event.concept for event in events if isinstance(event, ConceptClosed)) == ["Entropy", "Heat"]
    final = parts[-1]["data"]
    assert final["seen"] == 1
    result = EqtResult.model_validate(final["result"])
    assert (result.numbers.all.scored, result.numbers.all.correct) == (8, 8)
    assert result.numbers.consistency.acs == 1.0
    assert not result.simulated


async def test_the_target_examines_itself_unless_another_model_does() -> None:
    target, examiner, judge = ExamChat("target"), ExamChat("examiner"), ExamChat("judge")
    async with embed_eqt(target) as eqt:
        spec = eqt.spec("Entropy")
        assert (spec.target, spec.examiner, spec.judge) == ("target", "target", "target")
    async with embed_eqt(target, examiner) as eqt:
        assert eqt.spec("Entropy").judge == "examiner"
    async with embed_eqt(target, examiner, judge) as eqt:
        given = eqt.input("Entropy", open_book=True, verify_paraphrases=True, **SMALL)
        await host(eqt.graph).ainvoke(given)
    asked = [{request.purpose for request in chat.requests} for chat in (target, examiner, judge)]
    assert asked == [{"choice", "open_book"}, {"explanation", "choice_question", "paraphrase"}, {"same_question"}]


async def test_concepts_are_named_in_any_form_a_host_has_them_in() -> None:
    async with embed_eqt(ExamChat()) as eqt:
        forms: list[Concepts] = ["Entropy", ["Entropy"], (name for name in ["Entropy"]), [Concept(name="Entropy")]]
        assert [eqt.spec(form).concepts for form in forms] == [(Concept(name="Entropy"),)] * 4
        sorted_in = eqt.spec({"law": ["Tort", "Estoppel"], "physics": "Entropy"}).concepts
        assert [(one.category, one.name) for one in sorted_in] == [
            ("law", "Tort"),
            ("law", "Estoppel"),
            ("physics", "Entropy"),
        ]
        assert eqt.spec("Entropy", questions=7, seed=3).questions == 7
        with pytest.raises(UsageError, match="concepts"):
            eqt.spec([])


async def test_prompts_of_the_hosts_own_are_used_and_are_part_of_the_spec() -> None:
    own = EQT_PROMPTS["explanation"].text.replace("You explain concepts", "You teach concepts")
    chat = ExamChat()
    async with embed_eqt(chat, prompts={"explanation": own}) as eqt:
        given = eqt.input("Entropy", **SMALL)
        assert given["spec"]["prompts"] == {"explanation": own}
        await eqt.graph.ainvoke(given)
        with pytest.raises(UsageError, match="give them to embed_eqt"):
            eqt.spec("Entropy", prompts={})
    assert chat.requests[0].messages[0].content.startswith("You teach concepts")


async def test_a_prompt_that_is_unknown_is_refused() -> None:
    with pytest.raises(UsageError, match="no prompt 'verdict'"):
        async with embed_eqt(ExamChat(), prompts={"verdict": "x"}):
            pass


async def test_two_runs_through_one_graph_do_not_mix() -> None:
    async with embed_eqt(ExamChat()) as eqt:
        for concept in ("Entropy", "Heat"):
            output = await eqt.graph.ainvoke(eqt.input(concept, **SMALL))
            assert [row["concept"] for row in output["result"]["concepts"]] == [concept]
            assert output["result"]["numbers"]["all"]["scored"] == 4
        assert list(eqt.deps.sink.items("anything")) == []


async def test_a_spec_that_names_other_models_than_the_bound_ones_is_refused() -> None:
    chat = ExamChat()
    async with embed_eqt(chat) as eqt:
        with pytest.raises(UsageError, match="examiner is 'openai:x' but the graph is bound to 'exam'"):
            await eqt.graph.ainvoke(eqt.input("Entropy", examiner="openai:x"))
    assert chat.requests == []


async def test_listeners_hear_what_the_host_is_told() -> None:
    heard: list[str] = []
    async with embed_eqt(ExamChat(), listeners=[lambda event: heard.append(event.type)]) as eqt:
        await eqt.graph.ainvoke(eqt.input("Entropy", **SMALL))
    assert heard[0] == "run_started"
    assert heard[-1] == "run_finished"
    assert heard.count("item_finished") == 9


async def test_a_fault_of_the_endpoint_is_not_counted_against_the_target() -> None:
    class Broken(ExamChat):
        async def complete(self, request: ChatRequest) -> ChatReply:
            if request.purpose == "choice" and len(self.requests) % 2:
                self.requests.append(request)
                raise CallFailed("server", "HTTP 500.")
            return await super().complete(request)

    async with embed_eqt(Broken()) as eqt:
        output = await eqt.graph.ainvoke(eqt.input("Entropy", questions=4, options=4, paraphrases=1))
    numbers = EqtResult.model_validate(output["result"]).numbers
    assert numbers.all.scored == numbers.all.correct
    assert numbers.all.scored + sum(numbers.unscored.values()) == 8
    assert numbers.unscored


FACTORIES = {
    "concept_explainer": {"concept"},
    "choice_questioner": {"concept", "explanation"},
    "paraphraser": {"question", "options"},
    "chooser": {"question", "options"},
    "letter_judge": {"answer", "options", "right"},
    "eqt": {"spec", "run_id"},
}


@pytest.mark.parametrize("name", FACTORIES)
async def test_every_factory_builds_a_graph_that_can_be_drawn_and_described(name: str) -> None:
    async with getattr(factories, name)({"configurable": {}}) as graph:
        assert "__start__" in graph.get_graph().draw_mermaid()
        assert set(graph.get_input_jsonschema()["required"]) == FACTORIES[name]
        assert graph.get_output_jsonschema()["properties"]


ROLES = {
    "paraphraser": "examiner",
    "concept_explainer": "examiner",
    "choice_questioner": "examiner",
    "chooser": "target",
}
GIVEN = {
    "concept": "Gold",
    "explanation": "Gold is a metal.",
    "question": "Which hold for gold?",
    "options": ["a", "b"],
}


@pytest.mark.parametrize("name", ROLES)
async def test_a_factory_says_what_is_not_configured(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for role in ("TARGET", "EXAMINER", "JUDGE"):
        monkeypatch.delenv(f"FATHOM_{role}", raising=False)
    async with getattr(factories, name)({}) as graph:
        with pytest.raises(UsageError, match=f"No {ROLES[name]} is named: set FATHOM_{ROLES[name].upper()} "):
            await graph.ainvoke(GIVEN)


async def test_the_examiner_of_a_factory_is_the_target_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FATHOM_EXAMINER", raising=False)
    monkeypatch.setenv("FATHOM_TARGET", "sim:from-the-environment")
    for values, named in (
        ({}, "sim:from-the-environment"),
        ({"target": "sim:t"}, "sim:t"),
        ({"target": "sim:t", "examiner": "sim:e"}, "sim:e"),
    ):
        async with factories.paraphraser({"configurable": values}) as graph:
            with pytest.raises(UsageError, match=f"^{named} needs the simulated world"):
                await graph.ainvoke(GIVEN)


@pytest.mark.parametrize(
    ("values", "bound"),
    [
        ({"target": "t"}, ("t", "t", "t")),
        ({"target": "t", "examiner": "e"}, ("t", "e", "e")),
        ({"target": "t", "examiner": "e", "judge": "j"}, ("t", "e", "j")),
        ({"target": "t", "judge": "j"}, ("t", "t", "j")),
    ],
)
async def test_the_roles_that_an_eqt_factory_is_not_given_are_filled_by_others(
    values: dict[str, str], bound: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for role in ("TARGET", "EXAMINER", "JUDGE"):
        monkeypatch.delenv(f"FATHOM_{role}", raising=False)
    roles = ("target", "examiner", "judge")
    named = dict(zip(roles, bound, strict=True))
    async with factories.eqt({"configurable": values}) as graph:
        for role in roles:
            spec = EqtSpec(concepts=(Concept(name="Entropy"),), verify_paraphrases=True, **{**named, role: "another"})
            with pytest.raises(UsageError, match=f"{role} is 'another' but the graph is bound to '{named[role]}'"):
                await graph.ainvoke({"spec": spec.model_dump(mode="json"), "run_id": "r"})


async def test_the_connections_say_how_much_is_worked_on_side_by_side() -> None:
    async with embed_eqt(ExamChat(), limits=Limits(max_connections=7)) as eqt:
        assert eqt.deps.connections == 7
