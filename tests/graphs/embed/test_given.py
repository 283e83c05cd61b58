"""What a host may hand over for each method, in all its forms, and what is no spec."""

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings

from fathom.graphs.embed import embed
from fathom.state.depthqa.spec import SourceQuestion
from fathom.state.errors import UsageError
from fathom.state.problems import ProblemSet, Transformed
from fathom.state.question_graph import QuestionGraph
from fathom.state.spec import WorldSpec
from fathom.tools.files.question_graph import write_graph
from fathom.tools.files.transformed import read_transformed, write_transformed

from ...support.deepquestion.toy import GUIDES, SUMS, QuestionModel
from ...support.depthqa.toy import TWO_TREES, BuildModel, DepthModel, node
from ...support.embedded import EMBEDDINGS, bound


def embed_depthqa(questions: Any, target: Any, judge: Any, **host: Any) -> Any:
    return embed("depthqa", {"target": target, "judge": judge}, material=questions, **host)


def embed_deepquestion(problems: Any, target: Any, evaluator: Any) -> Any:
    models = {"target": target, "evaluator": evaluator}
    return embed("deepquestion", models, material=problems)


async def test_a_question_graph_is_taken_in_any_form_a_host_has_it_in(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    write_graph(TWO_TREES, path)
    as_json: Any = TWO_TREES.model_dump(mode="json")
    for form in (TWO_TREES, as_json, json.dumps(as_json), path, str(path), tmp_path):
        async with embed_depthqa(form, DepthModel(), DepthModel()) as depthqa:
            assert depthqa.deps.material.graph == TWO_TREES
    async with embed_depthqa(json.dumps(as_json["nodes"]), DepthModel(), DepthModel()) as depthqa:
        assert depthqa.deps.material.graph.nodes == TWO_TREES.nodes
        assert depthqa.spec().graph == "graph"


async def test_a_graph_is_built_from_questions_in_any_form_and_can_be_asked() -> None:
    model = BuildModel()
    third = SourceQuestion(id="third", question="What about q3?", reference="Three.")
    sources: list[Any] = [
        "What about q1?",
        {"question": "What about q2?", "key_points": "two"},
        third,
    ]
    async with embed("depthqa_build", {"evaluator": model}) as build:
        assert [source.id for source in build.spec(sources).questions] == ["q1", "q2", "third"]
        built = (await build.graph.ainvoke(build.input(sources, name="mine")))["result"]["graph"]
    assert model.counts == {"reference_answer": 2, "deconstruction": 3 * (1 + 2)}
    assert len(built["nodes"]) == 3 * (1 + 2 + 4)
    async with embed_depthqa(built, DepthModel(), DepthModel()) as depthqa:
        assert depthqa.spec().graph == "mine"
        asked = await depthqa.graph.ainvoke(depthqa.input())
    assert asked["result"]["modes"][0]["accuracy"]["overall"]["scored"] == 21


class Alike(Embeddings):
    """Takes all texts for one."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0]


async def test_a_hosts_own_embeddings_tell_what_is_alike() -> None:
    async with embed("depthqa_build", {"evaluator": BuildModel()}, material=Alike()) as build:
        given = build.input("What about q1?")
        output = await build.graph.ainvoke(given)
    assert given["spec"]["similarity"] == "langchain:Alike"
    gone = {row["node"]: row["reason"] for row in output["result"]["removed"]}
    assert (gone["q1.1"], gone["q1.1.1"]) == ("like a shallower", "orphan")


async def test_given_answers_are_judged_and_nobody_else_is_asked() -> None:
    judge, said = DepthModel("judge"), {"c": "Knows about c.", "b1": ""}
    async with embed_depthqa(TWO_TREES, "given:a host", judge, answers=said) as depthqa:
        assert depthqa.spec().given
        output = await depthqa.graph.ainvoke(depthqa.input("prompt-pred"))
        with pytest.raises(UsageError, match="leave those out"):
            depthqa.spec(["zero-shot", "multi-turn"])
    assert judge.counts == {"rating": 1}  # of silence nobody is asked
    scores = {asked["nodes"][0]: asked["score"] for asked in output["result"]["answers"]}
    assert scores == {"c": 5, "b1": None}


async def test_options_of_a_spec_reach_who_is_asked() -> None:
    target, judge = DepthModel("target"), DepthModel("judge")
    async with embed_depthqa(TWO_TREES, target, judge) as depthqa:
        await depthqa.graph.ainvoke(depthqa.input(["prompt-gold"], judge_temperature=None))
    assert (set(target.counts), set(judge.counts)) == ({"depth_with_context"}, {"rating"})
    assert {request.temperature for request in judge.asked} == {None}


async def test_another_model_is_asked_the_texts_that_were_written(tmp_path: Path) -> None:
    writer = QuestionModel("toy:writer")
    async with embed_deepquestion(list(SUMS[:2]), QuestionModel("toy:target"), writer) as deep:
        result = (await deep.graph.ainvoke(deep.input(distractors=["none", "some"])))["result"]
        texts = deep.written(result)
    assert (texts.digest, texts.transformed) != (deep.problems.digest, None)
    assert texts.made == {
        **texts.made,
        "generator": "toy:writer",
        "evaluator": "toy:writer",
        "run": result["run_id"],
    }
    path = tmp_path / "texts.jsonl"
    write_transformed(path, texts, texts.transformed or (), texts.made)
    other, helper = (
        QuestionModel("toy:other", solution=lambda _: "Answer: 0"),
        QuestionModel("toy:evaluator"),
    )
    async with embed_deepquestion(path, other, helper) as again:  # a file of texts is known as one
        assert again.problems == read_transformed(path)
        spec = again.spec(baseline=0)
        assert (spec.kinds, spec.distractors, spec.given) == (
            ("q2s", "q2i"),
            ("none", "some"),
            True,
        )
        output = await again.graph.ainvoke(again.input(distractors="some", baseline=0))
        assert again.written(output["result"]) == again.problems
    assert output["result"]["q2s"][0]["accuracy"]["count"] == 0
    seen = [
        request.messages[-1].content for request in other.asked if request.purpose == "solution"
    ]
    assert {each.scenarios["some"] for each in texts.transformed or ()} <= set(seen)
    assert set(helper.counts) == {
        "independent_solution",
        "instruction_met",
        "comparison",
    }  # nothing is written again


async def test_transformation_prompts_may_be_given_and_what_is_not_asked_is_left_out_of_the_spec() -> (
    None
):
    model = QuestionModel("toy")
    async with embed_deepquestion(list(SUMS[:1]), model, model) as deep:
        spec = deep.spec(kinds="q2s", guides=GUIDES, distractors="none")
        assert (spec.guides, spec.baseline, spec.given, spec.problems) == (
            {"q2s": GUIDES["q2s"]},
            0,
            False,
            1,
        )
        for options, source in (
            ({"guides": GUIDES}, "given"),
            ({"single_pass": True}, "single pass"),
        ):
            output = await deep.graph.ainvoke(
                deep.input(kinds="q2s", distractors="none", **options)
            )
            assert output["result"]["prompts"][0]["source"] == source


async def test_a_simulated_world_is_part_of_the_spec_though_none_is_named() -> None:
    problem = json.dumps([{"question": "1 + 1?", "answer": "2"}])
    async with embed_deepquestion(problem, "sim:student", "sim:evaluator") as deep:
        spec = deep.spec()
        assert (spec.world, spec.simulated) == (WorldSpec(), True)


CYCLE = QuestionGraph(nodes=(node("a", 2, "b"), node("b", 2, "a")))
LEAF = TWO_TREES.model_copy(update={"nodes": TWO_TREES.nodes[3:4]})
BOTH_NEEDED = "Given answers need a target that is called given:NAME"


@pytest.mark.parametrize(
    ("questions", "target", "answers", "fault"),
    [
        ({"nodes": []}, None, None, "it has no row"),
        ("{", None, None, "<question graph> is not valid JSON"),
        (CYCLE, None, None, "The node a of the question graph is of depth 2 and its predecessor b"),
        ("-", None, None, "cannot be read from the standard input"),
        ("nowhere.json", None, None, "nowhere.json"),
        (5, None, None, "cannot be of type int"),
        *((text, None, None, "cannot be read|There is no file|The file")
          for text in ("y" * 300, "[]", '[{"id": "a"}]', "\0")),
        (TWO_TREES, "given:x", None, BOTH_NEEDED),
        (TWO_TREES, None, {"c": "Yes."}, BOTH_NEEDED),
        (TWO_TREES, "given:x", {"z": "Yes."}, "an answer for the node 'z', and no such node"),
        (TWO_TREES, "given:x", {}, "no answer among the given ones"),
    ],
)  # fmt: skip
async def test_questions_and_answers_that_fit_nothing_are_refused(
    questions: Any, target: Any, answers: Any, fault: str
) -> None:
    with pytest.raises(UsageError, match=fault):
        await embed_depthqa(
            questions, target or DepthModel(), DepthModel(), answers=answers
        ).__aenter__()


TEXTS = (Transformed(problem="p2", scenarios={"none": "How many?"}), Transformed(problem="p3"))
WRITTEN = ProblemSet(name="sums", problems=SUMS, transformed=TEXTS)
SPECS: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("drill", ("Toys",), {"n": 0}, "-n cannot be 0"),
    ("drill", (" ",), {}, "given as domain cannot be used"),
    ("drill", ("",), {}, "given as domain cannot be used"),
    ("drill", ([],), {}, "given as domain cannot be used"),
    ("eqt", ([],), {}, "CONCEPT cannot be"),
    ("eqt", (5,), {}, "cannot be of type int"),
    ("eqt", ("Entropy",), {"prompts": {}}, r"cannot be an option of a spec \(prompts\)"),
    ("depthqa", ("few-shot",), {}, "--mode cannot be 'few-shot'"),
    ("depthqa", (["zero-shot", "zero-shot"],), {}, "--mode cannot be"),
    ("depthqa", (), {"answer_tokens": 1}, "--answer-tokens cannot be 1: it must be at least 16"),
    *(("depthqa", (), {name: "x"}, rf"cannot be an option of a spec \({name}\)")
      for name in ("material", "graph", "prompts")),
    ("depthqa_build", ([],), {}, "holds no questions"),
    ("depthqa_build", ([5],), {}, "Item 1 of <questions> is a number"),
    ("depthqa_build", (5,), {}, "cannot be of type int"),
    ("depthqa_build", ("Why?",), {"width": 9}, "--width cannot be 9"),
    ("depthqa_build", ("Why?",), {"similarity": "lexical"}, r"\(similarity\)"),
    ("deepquestion", (), {"kinds": "q2x"}, "--kinds cannot be 'q2x'"),
    ("deepquestion", (), {"kinds": []}, "--kinds cannot be"),
    ("deepquestion", (), {"distractors": ["few"]}, "--distractors cannot be 'few'"),
    ("deepquestion", (), {"rounds": 0}, "--rounds cannot be 0"),
    ("deepquestion", (), {"guides": GUIDES, "single_pass": True}, "single pass drafts a prompt"),
    ("deepquestion", (), {"guides": {"q2s": " "}}, "prompt for q2s is empty"),
    ("deepquestion", (), {"kinds": "q2s", "baseline": 3}, "--baseline is about the judge"),
    *(("deepquestion", (), {name: "x"}, rf"cannot be an option of a spec \({name}\)") for name in (
      "benchmark", "material", "problems", "given", "target", "generator", "evaluator", "judge", "prompts")),
]  # fmt: skip


@pytest.mark.parametrize(("method", "asks", "options", "fault"), SPECS)
async def test_what_no_spec_can_have_and_what_is_bound_is_refused(
    method: str, asks: tuple[Any, ...], options: dict[str, Any], fault: str
) -> None:
    async with bound(method, EMBEDDINGS[method].toy("toy")) as embedded:
        with pytest.raises(UsageError, match=fault):
            embedded.spec(*asks, **options)


async def test_given_texts_and_graphs_without_predecessors_bound_what_can_be_asked() -> None:
    model = QuestionModel()
    async with (
        embed_deepquestion(WRITTEN, model, model) as given,
        embed_deepquestion(list(SUMS), model, model) as deep,
    ):
        assert (given.spec().kinds, given.spec().distractors) == (("q2s",), ("none",))
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"kinds": ["q2s", "q2i"]}, "given texts have nothing for q2i"),
            ({"kinds": "q2i"}, "given texts have nothing for q2i"),
            ({"distractors": ["none", "many"]}, "given texts have nothing for many"),
            *(
                ({name: 3}, f"no prompt is drafted or used: leave {name} out")
                for name in ("threshold", "rounds")
            ),
            ({"single_pass": True}, "leave single_pass out"),
        ]
        for options, fault in wrong:
            with pytest.raises(UsageError, match=fault):
                given.spec(**options)
        done = await deep.graph.ainvoke(deep.input(kinds="q2s", single_pass=True))
        with pytest.raises(UsageError, match="about other problems"):
            given.written(done["result"])
    async with embed_depthqa(LEAF, DepthModel(), DepthModel()) as depthqa:
        with pytest.raises(
            UsageError, match="mode prompt-gold quotes predecessors, and no question"
        ):
            depthqa.spec(["zero-shot", "prompt-gold"])
        assert depthqa.spec("multi-turn").modes == ("multi-turn",)
