"""DeepQuestion inside other LangGraph apps: as a subgraph, and in the example app."""

import asyncio
import json
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from fathom.agents.prompts import DEEPQUESTION_PROMPTS
from fathom.graphs.embed.deepquestion import embed_deepquestion
from fathom.state.deepquestion.items import ProblemSet, Transformed
from fathom.state.deepquestion.result import DeepQuestionResult
from fathom.state.errors import UsageError
from fathom.state.events import EVENT, ItemFinished, ProblemClosed, RunStarted
from fathom.state.spec import WorldSpec
from fathom.tools.files.deepquestion.transformed import read_transformed, write_transformed

from ...support.deepquestion.toy import GUIDES, SUMS, QuestionModel
from ...support.paths import EXAMPLES

EXAMPLE = runpy.run_path(str(EXAMPLES / "deepquestion_app.py"), run_name="example")


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


async def test_a_run_as_a_subgraph_and_another_model_asked_the_same_texts(tmp_path: Path) -> None:
    names = ("target", "evaluator", "generator", "judge")
    models = {name: QuestionModel(f"toy:{name}") for name in names}
    heard: list[str] = []
    listeners = [lambda event: heard.append(event.type)]
    async with embed_deepquestion(list(SUMS[:2]), *models.values(), listeners=listeners) as deep:
        given = deep.input(distractors=["none", "some"], baseline=1, answer_tokens=99)
        manner = {"stream_mode": ["custom", "values"], "subgraphs": True, "version": "v2"}
        parts = [part async for part in host(deep.graph).astream(given, **manner)]
        final = parts[-1]["data"]
        texts = deep.written(final["result"])
    custom = [part for part in parts if part["type"] == "custom"]
    assert all(part["ns"][0].startswith("asking:") for part in custom)
    events = [EVENT.validate_python(part["data"]) for part in custom]
    assert isinstance(events[0], RunStarted)
    assert events[0].problems == deep.problems
    assert [event.type for event in events] == heard
    kinds = Counter(event.item.type for event in events if isinstance(event, ItemFinished))
    assert (kinds["prompt_draft"], kinds["scenario"], kinds["created"]) == (6, 2, 2)  # two kinds, three drafts each
    assert sorted(event.problem for event in events if isinstance(event, ProblemClosed)) == ["p2", "p3"]
    result = DeepQuestionResult.model_validate(final["result"])
    assert (final["seen"], result.original.count, result.spec.judge) == (1, 2, "toy:judge")
    # each role is asked its own, and options reach them
    assert {name: set(model.counts) for name, model in models.items()} == {
        "target": {"solution", "created_question"},
        "evaluator": {
            *("prompt_score", "scenario_check", "independent_solution"),
            *("instruction_check", "instruction_met"),
        },
        "generator": {"prompt_draft", "prompt_redraft", "scenario", "distractors", "instruction"},
        "judge": {"comparison"},
    }
    assert {request.max_tokens for request in models["target"].asked} == {99}

    assert (texts.digest, texts.transformed) != (deep.problems.digest, None)
    assert texts.made["generator"] == "toy:generator"
    path = tmp_path / "texts.jsonl"
    write_transformed(path, texts, texts.transformed or (), texts.made)
    other, helper = QuestionModel("toy:other", solution=lambda _: "Answer: 0"), QuestionModel("toy:evaluator")
    async with embed_deepquestion(path, other, helper) as again:  # a file of texts is known as one
        assert again.problems == read_transformed(path)
        spec = again.spec(baseline=0)
        assert (spec.kinds, spec.distractors, spec.given) == (("q2s", "q2i"), ("none", "some"), True)
        output = await again.graph.ainvoke(again.input(distractors="some", baseline=0))
        assert again.written(output["result"]) == again.problems
    assert output["result"]["q2s"][0]["accuracy"]["count"] == 0
    seen = [request.messages[-1].content for request in other.asked if request.purpose == "solution"]
    assert {each.scenarios["some"] for each in texts.transformed or ()} <= set(seen)
    assert set(helper.counts) == {"independent_solution", "instruction_met", "comparison"}  # nothing is written again


async def test_generator_and_judge_are_the_evaluator_and_prompts_may_be_the_hosts_own() -> None:
    own = DEEPQUESTION_PROMPTS["solution"].text.replace("Solve the problem", "Work on the problem")
    target, evaluator = QuestionModel("toy:target"), QuestionModel("toy:evaluator")
    async with embed_deepquestion(list(SUMS[:1]), target, evaluator, prompts={"solution": own}) as deep:
        given = deep.input(kinds="q2s", guides=GUIDES, distractors="none")
        spec = given["spec"]
        assert (spec["generator"], spec["judge"]) == ("toy:evaluator", "toy:evaluator")
        assert (spec["prompts"], spec["baseline"]) == ({"solution": own}, 0)
        assert spec["guides"] == {"q2s": GUIDES["q2s"]}  # q2i is not asked
        # two runs of one graph do not mix
        second = deep.input(kinds="q2s", single_pass=True, distractors="none")
        outputs = await asyncio.gather(deep.graph.ainvoke(given), deep.graph.ainvoke(second))
        for field, fault in (("material", "problems of benchmark are not this run's"), ("judge", "'toy:evaluator'")):
            other: Any = {**given, "spec": {**spec, field: "another"}}
            with pytest.raises(UsageError, match=fault):
                await deep.graph.ainvoke(other)
    assert [output["result"]["prompts"][0]["source"] for output in outputs] == ["given", "single pass"]
    assert target.asked[0].messages[0].content.startswith("Work on the problem")
    with pytest.raises(UsageError, match="no prompt 'rating'"):
        async with embed_deepquestion(list(SUMS), target, evaluator, prompts={"rating": "x"}):
            pass


TEXTS = (Transformed(problem="p2", scenarios={"none": "How many?"}), Transformed(problem="p3"))
WRITTEN = ProblemSet(name="sums", problems=SUMS, transformed=TEXTS)


async def test_what_no_spec_can_have_and_what_is_bound_is_refused() -> None:
    model = QuestionModel()
    async with embed_deepquestion(list(SUMS), model, model) as deep, embed_deepquestion(WRITTEN, model, model) as given:
        wrong: list[tuple[Any, dict[str, Any], str]] = [
            (deep, {"kinds": "q2x"}, r"kinds.0: input should be 'q2s' or 'q2i'"),
            (deep, {"kinds": []}, "kinds: tuple should have at least 1 item"),
            (deep, {"distractors": ["few"]}, "distractors.0: input should be 'none', 'some' or 'many'"),
            (deep, {"rounds": 0}, "rounds: input should be greater than or equal to 1"),
            (deep, {"guides": GUIDES, "single_pass": True}, "a single pass drafts a prompt"),
            (deep, {"guides": {"q2s": " "}}, "prompt for q2s is empty"),
            (deep, {"kinds": "q2s", "baseline": 3}, "Without q2i no questions are compared"),
            (deep, {"target": "toy:other"}, r"cannot be an option of a spec \(target\)"),
            (deep, {"prompts": {}}, r"cannot be an option of a spec \(prompts\)"),
            (given, {"kinds": ["q2s", "q2i"]}, "given texts have nothing for q2i"),
            (given, {"kinds": "q2i"}, "given texts have nothing for q2i"),
            (given, {"distractors": ["none", "many"]}, "given texts have nothing for many"),
            (given, {"rounds": 3}, "no prompt is drafted or used: leave rounds out"),
        ]
        for embedded, options, fault in wrong:
            with pytest.raises(UsageError, match=fault):
                embedded.spec(**options)
        assert (given.spec().kinds, given.spec().distractors) == (("q2s",), ("none",))
        done = await deep.graph.ainvoke(deep.input(kinds="q2s", single_pass=True))
        with pytest.raises(UsageError, match="about other problems"):
            given.written(done["result"])


async def test_the_example_app_chooses_between_two_models_and_branches_on_the_drop(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Who is always misled is right about every problem and about no scenario with distractors: a drop of 1."""
    misled, steady, helpers = "sim:solve=1,mislead=1", "sim:solve=1", ("sim:evaluator", "sim:generator")
    final = await EXAMPLE["run"](misled, steady, *helpers, few=1)
    assert (final["chosen"]["spec"]["target"], final["manner"]) == (steady, "story")
    lines = [EXAMPLE["told"](final[name]) for name in ("result", "other")]
    assert lines[0].startswith(f"{misled} solves 0 of 1 scenarios, drop 1.00 (95% CI ")
    assert lines[1].startswith(f"{steady} solves 1 of 1 scenarios, drop 0.00 (95% CI ")
    assert all(line.endswith(" (simulated)") for line in lines)
    asked = [[problem["scenarios"] for problem in final[name]["problems"]] for name in ("result", "other")]
    assert asked[0] == asked[1] != [{}]  # the very same texts
    said = capsys.readouterr().out
    assert "first: draft 3 of the prompt scores 9" in said
    assert "second: chem-" in said
    assert "q2s-many right" in said
    final = await EXAMPLE["run"](misled, "sim:solve=0", *helpers, few=1)
    assert final["manner"] == "form"


async def test_a_simulated_world_is_started_and_part_of_the_spec() -> None:
    async with embed_deepquestion(
        json.dumps([{"question": "1 + 1?", "answer": "2"}]), "sim:student", "sim:evaluator"
    ) as deep:
        assert deep.spec().world == WorldSpec()
        assert deep.spec().simulated
        with pytest.raises(UsageError, match=r"\(world\)"):
            deep.spec(world=WorldSpec(seed=5))
