"""The graphs of the methods by the factories that langgraph.json names: bound by configurable values or environment."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from fathom.sim.server import start
from fathom.state.errors import UsageError
from fathom.state.spec import WorldSpec
from fathom.tools.files.depthqa.graph import write_graph

from ...support.deepquestion.toy import SUMS
from ...support.depthqa.toy import TWO_TREES
from ...support.embedded import EMBEDDINGS, METHODS, bound, given_to, picture
from ...support.paths import ROOT

NAMED = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"]
SETTINGS = (
    *("TARGET", "EVALUATOR", "EXAMINER", "GENERATOR", "JUDGE", "FACTS"),
    *("BENCHMARK", "QUESTION_GRAPH", "SIMILARITY", "JOURNAL"),
)
FIRST_PROBLEM = json.dumps([{"question": SUMS[0].question, "answer": SUMS[0].answer}])


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in SETTINGS:
        monkeypatch.delenv(f"FATHOM_{setting}", raising=False)


def built(method: str, values: dict[str, Any] | None = None) -> Any:
    """The factory, called as a server does."""
    module, _, name = NAMED[method].partition(":")
    return getattr(importlib.import_module(module), name)({} if values is None else {"configurable": values})


async def input_for(method: str, **named: str) -> Any:
    """An input whose spec names these models."""
    async with bound(method, EMBEDDINGS[method].toy("toy")) as embedded:
        given = given_to(embedded, method)
    return {**given, "spec": given["spec"] | named}


@pytest.mark.parametrize("method", METHODS)
async def test_a_factory_builds_a_graph_without_models(method: str) -> None:
    async with built(method) as graph:
        assert "__start__" in graph.get_graph().draw_mermaid()
        assert set(graph.get_input_jsonschema()["required"]) == {"spec", "run_id"}
        assert graph.get_output_jsonschema()["properties"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("by_value", [True, False], ids=["by value", "by environment"])
async def test_a_factory_gives_what_an_embedded_graph_gives(
    method: str, by_value: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await start(WorldSpec())
    roles = [role for role in EMBEDDINGS[method].roles if role not in EMBEDDINGS[method].stands_in]
    names = [f"sim@{world.api_url}:{name.partition(':')[2]}" for name in EMBEDDINGS[method].simulated]
    facts = {"facts": f"sim@{world.base_url}"} if method == "drill" else {}
    write_graph(TWO_TREES, tmp_path / "graph.json")
    (tmp_path / "sums.json").write_text(json.dumps([problem.model_dump(mode="json") for problem in SUMS[:2]]))
    beside = {"question_graph": str(tmp_path / "graph.json"), "benchmark": str(tmp_path / "sums.json")}
    values: dict[str, Any] = dict(zip(roles, names, strict=True)) | facts | beside
    for name, value in {} if by_value else values.items():
        monkeypatch.setenv(f"FATHOM_{name.upper()}", value)
    problems = json.dumps([problem.model_dump(mode="json") for problem in SUMS[:2]])
    if by_value:
        values["benchmark"] = problems
        values["question_graph"] = TWO_TREES.model_dump(mode="json")
    async with bound(method, *names, **facts) as embedded:
        given = given_to(embedded, method)
        expected = await embedded.graph.ainvoke(given)
    if method == "drill":
        given["spec"]["facts"] = {tier: ["configured"] for tier in given["spec"]["facts"]}
    async with built(method, values if by_value else {}) as graph:
        output = await graph.ainvoke(given)
    await world.aclose()
    if method == "drill":
        assert [row["scored"] for row in output["result"]["depths"]] == [4, 4]
    else:
        assert picture(output["result"]) == picture(expected["result"])


T, E, X, G, J = ({role: role} for role in ("target", "evaluator", "examiner", "generator", "judge"))


@pytest.mark.parametrize(
    ("method", "values", "filled"),
    [
        ("drill", T | E, {"target": "target", "evaluator": "evaluator", "judge": "evaluator"}),
        ("drill", T | E | J, {"judge": "judge"}),
        ("eqt", T, {"target": "target", "examiner": "target", "judge": "target"}),
        ("eqt", T | X, {"examiner": "examiner", "judge": "examiner"}),
        ("eqt", T | X | J, {"target": "target", "examiner": "examiner", "judge": "judge"}),
        ("eqt", T | J, {"examiner": "target", "judge": "judge"}),
        ("depthqa", T | E, {"target": "target", "judge": "evaluator"}),
        ("depthqa", T | E | J, {"judge": "judge"}),
        ("depthqa_build", E | J, {"evaluator": "evaluator"}),
        ("deepquestion", T | E, {"target": "target", "generator": "evaluator", "judge": "evaluator"}),
        ("deepquestion", T | E | G | J, {"evaluator": "evaluator", "generator": "generator", "judge": "judge"}),
    ],
)
async def test_the_roles_that_a_factory_is_not_given_are_filled_by_others(
    method: str, values: dict[str, str], filled: dict[str, str]
) -> None:
    beside = {"question_graph": TWO_TREES.model_dump(mode="json")}
    beside["benchmark"] = json.dumps([problem.model_dump(mode="json") for problem in SUMS[:2]])  # type: ignore[assignment]
    async with built(method, values | beside) as graph:
        first = await input_for(method)
        named = {role: first["spec"][role] for role in EMBEDDINGS[method].roles}
        bound_to = {role: filled.get(role, values.get(role, "")) for role in named}
        if method == "drill":
            first["spec"]["facts"] = {tier: ["configured"] for tier in first["spec"]["facts"]}
        for role, player in filled.items():
            given = {**first, "spec": first["spec"] | bound_to | {role: "another"}}
            with pytest.raises(UsageError, match=f"{role} is 'another' but the graph is bound to '{player}'"):
                await graph.ainvoke(given)


@pytest.mark.parametrize(
    ("method", "values", "fault"),
    [
        ("depthqa", {}, "set FATHOM_QUESTION_GRAPH or the configurable value 'question_graph'"),
        ("depthqa", {"question_graph": {"nodes": [{"id": "a", "depth": 1, "question": "Q?", "reference": "R."}]}},
         "questions of toy are not this run's"),
        ("depthqa", {"question_graph": TWO_TREES.model_dump(mode="json")}, "sim:toy needs the simulated world"),
        ("depthqa_build", {"similarity": "openai@http://localhost:1/v1:embedding"},
         "similarity is 'lexical' but the graph is bound to 'openai@http"),
        ("deepquestion", {}, "set FATHOM_BENCHMARK or the configurable value 'benchmark'"),
        ("deepquestion", {"benchmark": FIRST_PROBLEM}, "problems of benchmark are not this run's"),
    ],
)  # fmt: skip
async def test_what_a_factory_is_about_has_to_be_what_the_spec_is_about(
    method: str, values: dict[str, Any], fault: str
) -> None:
    roles = dict.fromkeys(EMBEDDINGS[method].roles, "sim:toy")
    given = await input_for(method, **roles)
    async with built(method, roles | values) as graph:
        with pytest.raises(UsageError, match=fault):
            await graph.ainvoke(given)
