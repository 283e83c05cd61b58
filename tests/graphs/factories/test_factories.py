"""The graphs that langgraph.json names: bound by configurable values or environment."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from fathom.sim.server import start
from fathom.state.errors import UsageError
from fathom.state.spec import WorldSpec
from fathom.tools.files.question_graph import write_graph

from ...support.deepquestion.toy import SUMS
from ...support.depthqa.toy import TWO_TREES
from ...support.embedded import EMBEDDINGS, bound, given_to, picture
from ...support.factories import NAMED, built, name_nothing

PROBLEMS = json.dumps([problem.model_dump(mode="json") for problem in SUMS[:2]])
BESIDE = {"question_graph": TWO_TREES.model_dump(mode="json"), "benchmark": PROBLEMS}
AGENTS = {
    "explainer": "evaluator",
    "questioner": "evaluator",
    "paraphraser": "examiner",
    "prober": "target",
    "judge": "judge",
}
"""Who does what an agent is for."""


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    name_nothing(monkeypatch)


@pytest.mark.parametrize("name", NAMED)
async def test_a_graph_is_drawn_without_anything_configured(name: str) -> None:
    async with built(name, {"__is_for_execution__": False}) as graph:
        assert "__start__" in graph.get_graph().draw_mermaid()
        assert graph.get_input_jsonschema()["properties"]
        assert graph.get_output_jsonschema()["properties"]["result"]


@pytest.mark.parametrize(
    ("method", "by_value"),
    [("drill", True), ("drill", False), ("depthqa", False), ("deepquestion", False)],
)
async def test_a_factory_gives_what_an_embedded_graph_gives(
    method: str, by_value: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, own = await start(WorldSpec()), EMBEDDINGS[method]
    names = [f"sim@{world.api_url}:{name.partition(':')[2]}" for name in own.simulated]
    facts = {"facts": f"sim@{world.base_url}"} if method == "drill" else {}
    needed = [role for role in own.roles if role not in own.stands_in]
    values = dict(zip(needed, names, strict=True)) | facts | BESIDE
    if method == "depthqa":
        values["evaluator"] = values.pop("judge")  # who stands in
    if not by_value:
        write_graph(TWO_TREES, tmp_path / "graph.json")
        (tmp_path / "sums.json").write_text(PROBLEMS)
        files = {
            "question_graph": str(tmp_path / "graph.json"),
            "benchmark": str(tmp_path / "sums.json"),
        }
        for name, value in (values | files).items():
            monkeypatch.setenv(f"FATHOM_{name.upper()}", str(value))
    async with bound(method, *names, **facts) as embedded:
        given = given_to(embedded, method)
        expected = await embedded.graph.ainvoke(given)
    async with built(method, values if by_value else {}) as graph:
        output = await graph.ainvoke(given)
    await world.aclose()
    assert picture(output["result"]) == picture(expected["result"])


@pytest.mark.parametrize("agent", AGENTS)
async def test_an_agent_is_played_by_whose_role_it_is(agent: str) -> None:
    world = await start(WorldSpec())
    role, name = AGENTS[agent], f"sim@{world.api_url}:student"
    with pytest.raises(UsageError, match=f"No {role} is named: set FATHOM_{role.upper()}"):
        await built(agent).__aenter__()
    async with built(agent, {role: name}) as graph:
        given = {"question": "What is the chemical symbol of gold?", "reference": "Au"}
        if agent == "prober":
            assert (await graph.ainvoke(given))["result"]["text"]
        else:
            with pytest.raises(UsageError, match="These arguments will not do"):
                await graph.ainvoke(given)
    await world.aclose()


async def test_the_factfinder_looks_into_the_configured_sources() -> None:
    world = await start(WorldSpec())
    async with built("factfinder", {"facts": f"sim@{world.base_url}"}) as graph:
        found = await graph.ainvoke({"domain": "Chemical elements", "concept": "Gold"})
    await world.aclose()
    assert found["result"][0]["title"] == "Gold"


@pytest.mark.parametrize(
    ("method", "values", "fault"),
    [
        ("drill", {"target": ""}, "No target is named: set FATHOM_TARGET"),
        ("depthqa", {}, "set FATHOM_QUESTION_GRAPH"),
        ("deepquestion", {}, "set FATHOM_BENCHMARK"),
        ("depthqa", {"question_graph": "{}"}, "question graph"),
    ],
)
async def test_what_is_missing_is_said_before_anybody_is_asked(
    method: str, values: dict[str, Any], fault: str
) -> None:
    named = dict.fromkeys(EMBEDDINGS[method].roles, "ollama:none")
    with pytest.raises(UsageError, match=fault):
        await built(method, named | values).__aenter__()


async def test_a_thread_has_a_journal_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_JOURNAL", str(tmp_path / "journals"))
    values = {"target": "ollama:none", "thread_id": "a/b"}
    async with built("eqt", values | {"__is_for_execution__": False}):
        assert not (tmp_path / "journals").exists(), "a graph that is drawn leaves it alone"
    async with built("eqt", values):
        assert (tmp_path / "journals" / "a%2Fb.jsonl").exists()
    (tmp_path / "file").touch()
    monkeypatch.setenv("FATHOM_JOURNAL", str(tmp_path / "file"))
    with pytest.raises(UsageError, match="is no folder to write to"):
        await built("eqt", values).__aenter__()


async def test_a_served_drill_is_asked_for_by_its_domain() -> None:
    world = await start(WorldSpec())
    names = {role: f"sim@{world.api_url}:{who}" for role, who in ROLES.items()}
    async with built("drill", names | {"facts": f"sim@{world.base_url}"}) as made:
        graph = made.copy()  # the server makes one for each run
        assert {"domain", "n"} <= graph.get_input_jsonschema()["properties"].keys()
        asked = {"domain": "Noble gases", "n": 4, "max_depth": 2}
        result = (await graph.ainvoke(asked))["result"]
        for wrong, said in (
            ({}, "What to measure is missing: give {'domain': 'Cardiology'}"),
            ({"domian": "x"}, "drill takes no 'domian'"),
            ({"domain": "Noble gases", "n": -1}, "-n cannot be -1"),
        ):
            with pytest.raises(UsageError, match=re.escape(said)):
                await graph.ainvoke(wrong)
    await world.aclose()
    assert (result["spec"]["n"], result["spec"]["domain"]) == (4, "Noble gases")


ROLES = {"target": "student", "evaluator": "evaluator"}
