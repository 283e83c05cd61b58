"""The graphs of the methods by the factories that langgraph.json names: bound by configurable
values or environment."""

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
from ...support.factories import built, name_nothing

PROBLEMS = json.dumps([problem.model_dump(mode="json") for problem in SUMS[:2]])
BESIDE = {"question_graph": TWO_TREES.model_dump(mode="json"), "benchmark": PROBLEMS}


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    name_nothing(monkeypatch)


async def input_for(
    method: str, *models: Any, played: bool = False, **more: Any
) -> tuple[Any, Any]:
    """An input for a factory, and if `played` what comes of it where the models are bound by
    `embed`."""
    async with bound(method, *models, **more) as embedded:
        given = given_to(embedded, method)
        output = await embedded.graph.ainvoke(given) if played else None
    if method == "drill":
        given["spec"]["facts"] = {tier: ["configured"] for tier in given["spec"]["facts"]}
    return given, output


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
    world, own = await start(WorldSpec()), EMBEDDINGS[method]
    names = [f"sim@{world.api_url}:{name.partition(':')[2]}" for name in own.simulated]
    facts = {"facts": f"sim@{world.base_url}"} if method == "drill" else {}
    values = (
        dict(zip((role for role in own.roles if role not in own.stands_in), names, strict=True))
        | facts
        | BESIDE
    )
    if not by_value:
        write_graph(TWO_TREES, tmp_path / "graph.json")
        (tmp_path / "sums.json").write_text(PROBLEMS)
        files = {
            "question_graph": str(tmp_path / "graph.json"),
            "benchmark": str(tmp_path / "sums.json"),
        }
        for name, value in (values | files).items():
            monkeypatch.setenv(f"FATHOM_{name.upper()}", str(value))
    given, expected = await input_for(method, *names, played=method != "drill", **facts)
    async with built(method, values if by_value else {}) as graph:
        output = await graph.ainvoke(given)
    await world.aclose()
    if method == "drill":  # its spec names other sources
        assert [row["scored"] for row in output["result"]["depths"]] == [4, 4]
    else:
        assert picture(output["result"]) == picture(expected["result"])


@pytest.mark.parametrize(
    ("method", "named", "filled"),
    [
        ("drill", "target evaluator", "target evaluator evaluator"),
        ("drill", "target evaluator judge", "target evaluator judge"),
        ("eqt", "target", "target target target"),
        ("eqt", "target examiner", "target examiner examiner"),
        ("eqt", "target examiner judge", "target examiner judge"),
        ("eqt", "target judge", "target target judge"),
        ("depthqa", "target evaluator", "target evaluator"),
        ("depthqa", "target evaluator judge", "target judge"),
        ("depthqa_build", "evaluator judge", "evaluator"),
        ("deepquestion", "target evaluator", "target evaluator evaluator evaluator"),
        ("deepquestion", "target evaluator generator judge", "target evaluator generator judge"),
    ],
)
async def test_the_roles_that_a_factory_is_not_given_are_filled_by_others(
    method: str, named: str, filled: str
) -> None:
    given, _ = await input_for(method, EMBEDDINGS[method].toy("toy"))
    players = dict(zip(EMBEDDINGS[method].roles, filled.split(), strict=True))
    async with built(method, {role: role for role in named.split()} | BESIDE) as graph:
        for role, player in players.items():
            other = {**given, "spec": given["spec"] | players | {role: "another"}}
            with pytest.raises(
                UsageError, match=f"{role} is 'another' but the graph is bound to '{player}'"
            ):
                await graph.ainvoke(other)


@pytest.mark.parametrize(
    ("method", "values", "fault"),
    [
        ("depthqa", {}, "set FATHOM_QUESTION_GRAPH or the configurable value 'question_graph'"),
        ("depthqa", {"question_graph": {"nodes": [{"id": "a", "depth": 1, "question": "Q?", "reference": "R."}]}},
         "questions of toy are not this run's"),
        ("depthqa", BESIDE, "sim:toy needs the simulated world"),
        ("depthqa_build", {"similarity": "openai@http://localhost:1/v1:embedding"},
         "similarity is 'lexical' but the graph is bound to 'openai@http"),
        ("deepquestion", {}, "set FATHOM_BENCHMARK or the configurable value 'benchmark'"),
        ("deepquestion", {"benchmark": json.dumps(json.loads(PROBLEMS)[:1])},
         "problems of benchmark are not this run's"),
    ],
)  # fmt: skip
async def test_what_a_factory_is_about_has_to_be_what_the_spec_is_about(
    method: str, values: dict[str, Any], fault: str
) -> None:
    given, _ = await input_for(method, EMBEDDINGS[method].toy("sim:toy"))
    async with built(method, dict.fromkeys(EMBEDDINGS[method].roles, "sim:toy") | values) as graph:
        with pytest.raises(UsageError, match=fault):
            await graph.ainvoke(given)
