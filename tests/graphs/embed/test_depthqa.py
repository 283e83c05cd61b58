"""DepthQA inside other LangGraph apps: as a subgraph, and in the example app."""

import asyncio
import json
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from fathom.agents.prompts import DEPTHQA_BUILD_PROMPTS, DEPTHQA_PROMPTS
from fathom.graphs.embed.depthqa import embed_depthqa, embed_depthqa_build
from fathom.graphs.embed.handed_over import Questions, Source, graph_of
from fathom.state.depthqa.build import DepthQABuildResult
from fathom.state.depthqa.items import Material, QuestionGraph
from fathom.state.depthqa.result import DepthQAResult
from fathom.state.depthqa.spec import SourceQuestion
from fathom.state.errors import UsageError
from fathom.state.events import EVENT, ItemFinished, RunStarted, TreeClosed
from fathom.state.spec import WorldSpec
from fathom.tools.files.depthqa.graph import write_graph

from ...support.depthqa.toy import TWO_TREES, BuildModel, DepthModel, node
from ...support.paths import EXAMPLES

EXAMPLE = runpy.run_path(str(EXAMPLES / "depthqa_app.py"), run_name="example")


class HostState(TypedDict, total=False):
    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]
    seen: int


def host(graph: Any) -> Any:
    async def before(state: HostState) -> HostState:
        return {"seen": 1}

    builder = StateGraph(HostState)
    builder.add_node("before", before)
    builder.add_node("asking", graph)
    builder.add_edge(START, "before")
    builder.add_edge("before", "asking")
    builder.add_edge("asking", END)
    return builder.compile()


async def test_an_asked_graph_as_a_subgraph_streams_its_events_with_namespaces() -> None:
    async with embed_depthqa(TWO_TREES, DepthModel("target"), DepthModel("judge", {"c": 2})) as depthqa:
        manner = {"stream_mode": ["custom", "values"], "subgraphs": True, "version": "v2"}
        parts = [part async for part in host(depthqa.graph).astream(depthqa.input(), **manner)]
    custom = [part for part in parts if part["type"] == "custom"]
    assert all(part["ns"][0].startswith("asking:") for part in custom)
    events = [EVENT.validate_python(part["data"]) for part in custom]
    assert isinstance(events[0], RunStarted)
    assert events[0].material == Material(graph=TWO_TREES)
    assert events[-1].type == "run_finished"
    kinds = Counter(event.item.type for event in events if isinstance(event, ItemFinished))
    assert kinds == {"depth_answer": 8, "rating": 8}  # nine nodes, two of them with one question
    assert sorted(event.root for event in events if isinstance(event, TreeClosed)) == ["c", "f"]
    final = parts[-1]["data"]
    assert final["seen"] == 1
    forward = DepthQAResult.model_validate(final["result"]).modes[0].discrepancies.forward["D2 → D3"]
    # c: (5 − 2)/4 = .75, f: 0
    assert forward.eligible == 2
    assert forward.average == pytest.approx(0.375)


async def test_each_role_is_asked_its_own_and_options_of_the_spec_reach_them() -> None:
    target, judge = DepthModel("target"), DepthModel("judge")
    async with embed_depthqa(TWO_TREES, target, judge) as depthqa:
        await depthqa.graph.ainvoke(depthqa.input(["prompt-gold"], answer_tokens=99, judge_temperature=None))
    assert (set(target.counts), set(judge.counts)) == ({"depth_with_context"}, {"rating"})
    assert {request.max_tokens for request in target.asked} == {99}
    assert {request.temperature for request in judge.asked} == {None}


async def test_a_question_graph_is_taken_in_any_form_a_host_has_it_in(tmp_path: Path) -> None:
    write_graph(TWO_TREES, tmp_path / "graph.json")
    as_json = TWO_TREES.model_dump(mode="json")
    forms: list[Questions] = [TWO_TREES, as_json, json.dumps(as_json)]
    forms += [tmp_path / "graph.json", str(tmp_path / "graph.json"), tmp_path]
    assert [await graph_of(form) for form in forms] == [TWO_TREES] * len(forms)


CYCLE = QuestionGraph(nodes=(node("a", 2, "b"), node("b", 2, "a")))


@pytest.mark.parametrize(
    ("questions", "fault"),
    [
        ({"nodes": []}, "question graph cannot be read: nodes: tuple should have at least 1 item"),
        ("{", "text of the question graph is no JSON"),
        (CYCLE, "The node a of the question graph leads back to itself"),
        ("-", "not read from the standard input"),
        ("nowhere.json", "nowhere.json"),
    ],
)
async def test_a_question_graph_that_cannot_be_asked_is_refused(questions: Questions, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        async with embed_depthqa(questions, DepthModel(), DepthModel()):
            pass


async def test_given_answers_are_judged_and_nobody_else_is_asked() -> None:
    judge = DepthModel("judge")
    said = {"c": "Knows about c.", "b1": ""}
    async with embed_depthqa(TWO_TREES, "given:a host", judge, answers=said) as depthqa:
        assert depthqa.spec().given
        output = await depthqa.graph.ainvoke(depthqa.input("prompt-pred"))
        with pytest.raises(UsageError, match="one way: name that mode alone"):
            depthqa.spec(["zero-shot", "multi-turn"])
    assert judge.counts == {"rating": 1}  # of silence nobody is asked
    scores = {asked["nodes"][0]: asked["score"] for asked in output["result"]["answers"]}
    assert scores == {"c": 5, "b1": 1}


@pytest.mark.parametrize(
    ("target", "answers", "fault"),
    [
        ("given:x", None, "Given answers need a target that is called given:NAME"),
        (DepthModel(), {"c": "Yes."}, "Given answers need a target that is called given:NAME"),
        ("given:x", {"z": "Yes."}, "an answer for the node 'z', and no such node"),
        ("given:x", {}, "no answer among the given ones"),
    ],
)
async def test_answers_that_fit_nothing_are_refused(target: Any, answers: dict[str, str] | None, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        async with embed_depthqa(TWO_TREES, target, DepthModel(), answers=answers):
            pass


async def test_what_no_spec_can_have_and_what_is_bound_is_refused() -> None:
    async with (
        embed_depthqa(TWO_TREES, DepthModel(), DepthModel()) as depthqa,
        embed_depthqa_build(BuildModel()) as build,
    ):
        for wrong, fault in (
            ({"modes": "few-shot"}, "no way of asking 'few-shot'; the ways are zero-shot, "),
            ({"modes": ["zero-shot", "zero-shot"]}, "modes: a mode is named twice"),
            ({"answer_tokens": 1}, "answer_tokens: input should be greater than or equal to 16"),
            ({"material": "0" * 16}, r"cannot be an option of a spec \(material\)"),
            ({"prompts": {}}, r"cannot be an option of a spec \(prompts\)"),
        ):
            with pytest.raises(UsageError, match=fault):
                depthqa.spec(**wrong)
        wrong_questions: list[tuple[Any, dict[str, Any], str]] = [
            ([], {}, "questions: tuple should have at least 1 item"),
            (["Why?", "Why?"], {}, "the question 'Why\\?' stands there twice"),
            ([5], {}, "cannot be 5: give its text"),
            ("Why?", {"width": 9}, "width: input should be less than or equal to 8"),
            ("Why?", {"similarity": "lexical"}, r"\(similarity\)"),
        ]
        for questions, options, fault in wrong_questions:
            with pytest.raises(UsageError, match=fault):
                build.spec(questions, **options)


async def test_a_mode_that_quotes_predecessors_needs_some() -> None:
    async with embed_depthqa(
        TWO_TREES.model_copy(update={"nodes": TWO_TREES.nodes[3:4]}), DepthModel(), DepthModel()
    ) as depthqa:
        with pytest.raises(UsageError, match="mode prompt-gold quotes predecessors, and no question"):
            depthqa.spec(["zero-shot", "prompt-gold"])
        assert depthqa.spec("multi-turn").modes == ("multi-turn",)


async def test_prompts_of_the_hosts_own_are_used_and_are_part_of_the_spec() -> None:
    own = DEPTHQA_PROMPTS["depth_answer"].text.replace("Answer the question", "Reply to the question")
    model = DepthModel()
    async with embed_depthqa(TWO_TREES, model, model, prompts={"depth_answer": own}) as depthqa:
        given = depthqa.input()
        assert given["spec"]["prompts"] == {"depth_answer": own}
        await depthqa.graph.ainvoke(given)
    asked = next(request for request in model.asked if request.purpose == "depth_answer")
    assert asked.messages[0].content.startswith("Reply to the question")
    with pytest.raises(UsageError, match="no prompt 'relation'"):
        async with embed_depthqa(TWO_TREES, model, model, prompts={"relation": "x"}):
            pass


async def test_a_spec_for_other_questions_or_another_judge_is_refused() -> None:
    model = DepthModel()
    async with embed_depthqa(TWO_TREES, model, model) as depthqa:
        given = depthqa.input()
        for field, fault in (("material", "questions of toy are not this run's"), ("judge", "bound to 'toy:model'")):
            other: Any = {**given, "spec": {**given["spec"], field: "another"}}
            with pytest.raises(UsageError, match=fault):
                await depthqa.graph.ainvoke(other)
    assert model.asked == []


async def test_a_graph_is_built_from_questions_in_any_form_and_can_be_asked() -> None:
    model = BuildModel()
    sources: list[Source] = ["What about q1?", {"question": "What about q2?", "key_points": "two"}]
    sources += [SourceQuestion(id="third", question="What about q3?", reference="Three.")]
    async with embed_depthqa_build(model) as build:
        spec = build.spec(sources, name="mine")
        assert [source.id for source in spec.questions] == ["q1", "q2", "third"]
        output = await host(build.graph).ainvoke(build.input(sources, name="mine"))
    result = DepthQABuildResult.model_validate(output["result"])
    assert model.counts == {"reference_answer": 2, "deconstruction": 3 * (1 + 2)}
    assert result.graph is not None
    assert len(result.graph.nodes) == 3 * (1 + 2 + 4)
    async with embed_depthqa(output["result"]["graph"], DepthModel(), DepthModel()) as depthqa:
        assert depthqa.spec().graph == "mine"
        asked = await depthqa.graph.ainvoke(depthqa.input())
    assert DepthQAResult.model_validate(asked["result"]).modes[0].accuracy["overall"].scored == 21


class Alike(Embeddings):
    """Takes all texts for one."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0]


async def test_a_hosts_own_embeddings_tell_what_is_alike() -> None:
    async with embed_depthqa_build(BuildModel(), similarity=Alike()) as build:
        given = build.input("What about q1?")
        assert given["spec"]["similarity"] == "langchain:Alike"
        output = await build.graph.ainvoke(given)
    gone = {row["node"]: row["reason"] for row in output["result"]["removed"]}
    assert (gone["q1.1"], gone["q1.1.1"]) == ("like a shallower", "orphan")


async def test_listeners_hear_a_build_and_its_prompts_may_be_the_hosts_own() -> None:
    heard: list[str] = []
    own = DEPTHQA_BUILD_PROMPTS["deconstruction"].text.replace("for a study", "for a lesson")
    model = BuildModel()
    listeners = [lambda event: heard.append(event.type)]
    async with embed_depthqa_build(model, prompts={"deconstruction": own}, listeners=listeners) as build:
        await build.graph.ainvoke(build.input([{"question": "What about q1?", "reference": "One."}]))
    assert (heard[0], heard[-1], heard.count("item_finished")) == (
        "run_started",
        "run_finished",
        5,
    )  # 3 parts, 2 sieves
    assert "for a lesson" in model.asked[0].messages[0].content


async def test_a_simulated_world_is_started_and_part_of_the_spec() -> None:
    async with embed_depthqa(TWO_TREES, "sim:student", "sim:evaluator", world=WorldSpec(seed=4)) as depthqa:
        assert depthqa.spec().world == WorldSpec(seed=4)
        with pytest.raises(UsageError, match=r"\(world\)"):
            depthqa.spec(world=WorldSpec(seed=5))
        output = await depthqa.graph.ainvoke(depthqa.input())
    assert output["result"]["simulated"]
    assert output["result"]["modes"][0]["accuracy"]["overall"]["scored"] == 8


ABLE = "sim:accuracy=1,d2=1,d3=0,d1d2=1,d2d3=1,partial=0"
"""Knows all of depths 1 and 2 and fails at depth 3: there d = (5 - 1)/4 for both questions, at depth 2 it is 0 for the
seven of them."""


@pytest.mark.parametrize(
    ("target", "manner", "average"),
    [("sim:omniscient", "outright", 0), ("sim:ignorant", "unknown", None), (ABLE, "step by step", 2 / 9)],
)
async def test_the_example_app_decides_on_the_forward_discrepancy(
    target: str, manner: str, average: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    final = await EXAMPLE["run"](target, "sim:evaluator")
    assert final["manner"] == manner
    assert EXAMPLE["forward"](final).average == (average if average is None else pytest.approx(average))
    assert final["result"]["simulated"]
    said = capsys.readouterr().out
    assert "build: q1 rests on 4 simpler questions" in said
    assert "ask: q2 D1 " in said


async def test_runs_of_one_graph_do_not_mix_one_after_the_other_or_at_once() -> None:
    async with embed_depthqa(TWO_TREES, DepthModel(), DepthModel()) as depthqa:
        starts = [depthqa.input(mode) for mode in ("zero-shot", "multi-turn")]
        outputs = await asyncio.gather(*(depthqa.graph.ainvoke(start) for start in starts))
    assert [len(output["result"]["answers"]) for output in outputs] == [8, 10]
    async with embed_depthqa_build(BuildModel()) as build:
        for name in ("q1", "q7"):
            output = await build.graph.ainvoke(build.input(f"What about {name}?"))
            assert output["result"]["graph"]["nodes"][0]["question"] == f"What about {name}?"


@pytest.mark.parametrize("questions", ["y" * 300, "[]", '[{"id": "a"}]', "\0"])
async def test_what_is_no_question_graph_is_refused_in_words(questions: str) -> None:
    with pytest.raises(UsageError, match=r"question graph cannot be read|There is no file|The file"):
        await graph_of(questions)
