"""The factories of DepthQA that langgraph.json names."""

from pathlib import Path

import pytest

from fathom.graphs.embed.depthqa import embed_depthqa, embed_depthqa_build
from fathom.graphs.factories import depthqa as factories_depthqa
from fathom.state.errors import UsageError
from fathom.tools.files.depthqa.graph import write_graph

from ...support.depthqa.toy import TWO_TREES, BuildModel, DepthModel

FACTORIES = {
    "depthqa": {"spec", "run_id"},
    "depthqa_build": {"spec", "run_id"},
    "deep_answerer": {"question"},
    "rater": {"question", "reference", "answer"},
    "classifier": {"question"},
    "deconstructor": {"question", "reference"},
    "opener": {"question", "reference"},
    "referencer": {"question"},
    "relation_rater": {"question", "reference", "predecessors"},
}
ROLES = {"deep_answerer": "target", "rater": "judge"}
GIVEN = {
    "question": "Is gold a metal?",
    "reference": "It is.",
    "answer": "Yes.",
    "predecessors": [{"question": "What is a metal?", "reference": "It conducts."}],
}


@pytest.mark.parametrize("name", FACTORIES)
async def test_every_factory_builds_a_graph_without_models_and_says_what_is_missing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for setting in ("TARGET", "EVALUATOR", "JUDGE", "QUESTION_GRAPH", "SIMILARITY"):
        monkeypatch.delenv(f"FATHOM_{setting}", raising=False)
    async with getattr(factories_depthqa, name)({}) as graph:
        assert "__start__" in graph.get_graph().draw_mermaid()
        assert set(graph.get_input_jsonschema()["required"]) == FACTORIES[name]
        if name not in ("depthqa", "depthqa_build"):
            role = ROLES.get(name, "evaluator")
            with pytest.raises(UsageError, match=f"No {role} is named: set FATHOM_{role.upper()} "):
                await graph.ainvoke(GIVEN)


async def test_the_question_graph_of_a_factory_is_named_by_value_or_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FATHOM_QUESTION_GRAPH", raising=False)
    roles = {"target": "sim:t", "judge": "sim:j"}
    async with embed_depthqa(TWO_TREES, DepthModel("sim:t"), DepthModel("sim:j")) as depthqa:
        given = depthqa.input()
    async with factories_depthqa.depthqa({"configurable": roles}) as graph:
        with pytest.raises(UsageError, match="set FATHOM_QUESTION_GRAPH or the configurable value 'question_graph'"):
            await graph.ainvoke(given)
    write_graph(TWO_TREES, tmp_path / "graph.json")
    monkeypatch.setenv("FATHOM_QUESTION_GRAPH", str(tmp_path / "graph.json"))
    other = TWO_TREES.model_copy(update={"nodes": TWO_TREES.nodes[-1:]}).model_dump(mode="json")
    for values, fault in ((roles, "sim:t needs the simulated world"), (roles | {"question_graph": other}, "not this")):
        async with factories_depthqa.depthqa({"configurable": values}) as graph:
            with pytest.raises(UsageError, match=fault):
                await graph.ainvoke(given)


async def test_a_built_graph_of_a_factory_is_compared_by_the_similarity_that_is_named() -> None:
    async with embed_depthqa_build(BuildModel("sim:e")) as build:
        given = build.input("What about q1?")
    values = {"evaluator": "sim:e", "similarity": "openai@http://localhost:1/v1:embedding"}
    async with factories_depthqa.depthqa_build({"configurable": values}) as graph:
        with pytest.raises(UsageError, match="similarity is 'lexical' but the graph is bound to 'openai@http"):
            await graph.ainvoke(given)
