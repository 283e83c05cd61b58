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
from fathom.tools.files.question_graph import write_graph

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
    async with embed_depthqa(
        json.dumps(as_json["nodes"]), DepthModel(), DepthModel()
    ) as depthqa:
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
        built = (await build.graph.ainvoke(build.input(sources, name="mine")))["result"][
            "graph"
        ]
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


async def test_options_of_a_spec_reach_who_is_asked() -> None:
    target, judge = DepthModel("target"), DepthModel("judge")
    async with embed_depthqa(TWO_TREES, target, judge) as depthqa:
        await depthqa.graph.ainvoke(depthqa.input(["prompt-gold"], judge_temperature=None))
    assert (set(target.counts), set(judge.counts)) == ({"depth_with_context"}, {"rating"})
    assert {request.temperature for request in judge.asked} == {None}


CYCLE = QuestionGraph(nodes=(node("a", 2, "b"), node("b", 2, "a")))


@pytest.mark.parametrize(
    ("questions", "fault"),
    [
        ({"nodes": []}, "it has no row"),
        ("{", "<question graph> is not valid JSON"),
        (CYCLE, "The node a of the question graph is of depth 2 and its predecessor b"),
        ("-", "cannot be read from the standard input"),
        ("nowhere.json", "nowhere.json"),
        (5, "cannot be of type int"),
        *((text, "cannot be read|There is no file|The file")
          for text in ("y" * 300, "[]", '[{"id": "a"}]', "\0")),
    ],
)  # fmt: skip
async def test_questions_that_are_no_graph_are_refused(questions: Any, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        await embed_depthqa(questions, DepthModel(), DepthModel()).__aenter__()


TEXTS = (Transformed(problem="p2", scenarios={"none": "How many?"}), Transformed(problem="p3"))
WRITTEN = ProblemSet(name="sums", problems=SUMS, transformed=TEXTS)
SPECS: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("drill", ("Toys",), {"n": 0}, "-n cannot be 0"),
    ("drill", (" ",), {}, "DOMAIN cannot be"),
    ("drill", ([],), {}, "DOMAIN cannot be"),
    ("eqt", ([],), {}, "CONCEPT cannot be"),
    ("eqt", (5,), {}, "cannot be of type int"),
    ("eqt", ("Entropy",), {"prompts": {}}, r"cannot be an option of a spec \(prompts\)"),
    ("depthqa", ("few-shot",), {}, "--mode cannot be 'few-shot'"),
    ("depthqa", (["zero-shot", "zero-shot"],), {}, "--mode cannot be"),
    ("depthqa", (), {"answer_tokens": 1}, "--answer-tokens cannot be 1: it must be at least 16"),
    *(("depthqa", (), {name: "x"}, rf"cannot be an option of a spec \({name}\)")
      for name in ("material", "graph", "prompts")),
    ("depthqa_build", ([],), {}, "holds no questions"),
    ("depthqa_build", ([5],), {}, "Item 1 of <questions> must be"),
    ("depthqa_build", (5,), {}, "cannot be of type int"),
    ("depthqa_build", ("Why?",), {"width": 9}, "--width cannot be 9"),
    ("depthqa_build", ("Why?",), {"similarity": "lexical"}, r"\(similarity\)"),
    ("deepquestion", (), {"kinds": "q2x"}, "--kinds cannot be 'q2x'"),
    ("deepquestion", (), {"kinds": []}, "--kinds cannot be"),
    ("deepquestion", (), {"distractors": ["few"]}, "--distractors cannot be 'few'"),
    ("deepquestion", (), {"rounds": 0}, "--rounds cannot be 0"),
    ("deepquestion", (), {"guides": GUIDES, "single_pass": True}, "single pass drafts a prompt"),
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


async def test_given_texts_bound_what_can_be_asked() -> None:
    model = QuestionModel()
    async with embed_deepquestion(WRITTEN, model, model) as given:
        assert (given.spec().kinds, given.spec().distractors) == (("q2s",), ("none",))
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"kinds": ["q2s", "q2i"]}, "given texts have nothing for q2i"),
            ({"distractors": ["none", "many"]}, "given texts have nothing for many"),
        ]
        for options, fault in wrong:
            with pytest.raises(UsageError, match=fault):
                given.spec(**options)
