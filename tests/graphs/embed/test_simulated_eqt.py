"""Embedded Explain-Query-Tests against the simulated world's endpoint: over HTTP, with a host's own chat models."""

import runpy
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langchain_openai import ChatOpenAI

from fathom.agents.export import eqt as export_eqt
from fathom.graphs import factories
from fathom.graphs.embed.eqt import embed_eqt
from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.sim.server import RunningWorld, start
from fathom.state.eqt.result import EqtResult
from fathom.state.errors import UsageError
from fathom.state.spec import WorldSpec
from fathom.tools.models.clients import Clients

from ...support.paths import EXAMPLES

CONCEPTS = ["Gold", "Iodine"]
SMALL: dict[str, Any] = {"questions": 2, "options": 5, "paraphrases": 2}
EXAMPLE = runpy.run_path(str(EXAMPLES / "eqt_app.py"), run_name="example")


@pytest.fixture
async def world() -> AsyncIterator[RunningWorld]:
    running = await start(WorldSpec())
    yield running
    await running.aclose()


def lasting(result: EqtResult) -> dict[str, Any]:
    """The result without run id, times and usage."""
    kept = result.model_dump(exclude={"run_id", "usage", "wall_s", "cost_usd", "provenance", "notes"})
    return kept | {"concepts": result.model_dump_json(include={"concepts"}).replace(result.run_id[-8:], "RUN")}


async def test_a_host_gets_the_runners_result_whatever_runs_side_by_side() -> None:
    async with embed_eqt("sim:student", world=WorldSpec(seed=4)) as eqt:
        given = eqt.input(CONCEPTS, open_book=True, **SMALL)
        output = await eqt.graph.ainvoke(given, {"max_concurrency": 1})
        spec = eqt.spec(CONCEPTS, open_book=True, **SMALL)
        with pytest.raises(UsageError, match="bound with the graph"):
            eqt.spec(CONCEPTS, world=WorldSpec(seed=5))
    embedded = EqtResult.model_validate(output["result"])
    assert embedded.simulated
    assert spec.world == WorldSpec(seed=4)
    assert embedded.numbers.all.scored == 12
    (report,) = await Launch([spec], LaunchOptions()).run()
    assert isinstance(report.result, EqtResult)
    assert lasting(embedded) == lasting(report.result)


async def test_a_hosts_own_chat_models_take_an_eqt(world: RunningWorld) -> None:
    def chat(name: str) -> ChatOpenAI:
        return ChatOpenAI(model=name, base_url=world.api_url, api_key="simulated", temperature=0)

    async with embed_eqt(chat("student"), chat("evaluator")) as eqt:
        output = await eqt.graph.ainvoke(eqt.input("Gold", **SMALL))
    result = EqtResult.model_validate(output["result"])
    assert (result.spec.target, result.spec.examiner) == ("langchain:student", "langchain:evaluator")
    assert result.numbers.all.scored == 6
    assert result.simulated  # the endpoint's own model names say so, whatever the host calls its objects


async def test_an_embedded_eqt_may_use_the_cache(tmp_path: Path) -> None:
    served = []
    for _ in range(2):
        async with embed_eqt("sim:student", cache=tmp_path / "cache.sqlite") as eqt:
            output = await eqt.graph.ainvoke(eqt.input("Gold", **SMALL))
        usage = EqtResult.model_validate(output["result"]).usage.values()
        served.append(sum(used.cached for used in usage) / sum(used.calls for used in usage))
    assert served == [0.0, 1.0]


@pytest.fixture
async def clients(world: RunningWorld) -> AsyncIterator[Clients]:
    clients = Clients({}, sim_url=world.api_url)
    yield clients
    await clients.aclose()


async def test_the_skills_one_after_the_other(clients: Clients) -> None:
    examiner, target = "sim:evaluator", "sim:student"
    explained = await export_eqt.concept_explainer_tool(examiner, clients).ainvoke({"concept": "Gold"})
    asked = {"concept": "Gold", **explained, "kind": "characteristics", "count": 5}
    written = await export_eqt.choice_questioner_tool(examiner, clients).ainvoke(asked)
    assert len(written["options"]) == 5
    assert 0 < len(written["right"]) < 5
    assert written["dropped"] is None
    question = {"question": written["question"], "options": written["options"]}
    reworded = await export_eqt.paraphraser_tool(examiner, clients).ainvoke({**question, "k": 2})
    assert len(reworded["paraphrases"]) == 2
    for wording in (written["question"], *reworded["paraphrases"]):
        chosen = await export_eqt.chooser_tool(target, clients).ainvoke({**question, "question": wording})
        assert chosen["reading"] in ("letters", "none")
        judged = {**question, "answer": chosen["answer"], "right": written["right"]}
        marked = await export_eqt.letter_judge_tool().ainvoke(judged)
        assert marked == {
            "correct": chosen["letters"] == written["right"],
            "letters": chosen["letters"],
            "reading": chosen["reading"],
        }


async def test_a_factory_takes_its_models_from_the_configurable_values(
    world: RunningWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FATHOM_EXAMINER", raising=False)
    monkeypatch.delenv("FATHOM_JUDGE", raising=False)
    name = f"sim@{world.api_url}:student"
    async with embed_eqt(name) as eqt:
        given = eqt.input("Gold", **SMALL)
    async with factories.eqt({"configurable": {"target": name}}) as graph:
        output = await graph.ainvoke(given)
    assert output["result"]["numbers"]["all"]["scored"] == 6


async def test_the_example_app_runs(capsys: pytest.CaptureFixture[str]) -> None:
    final = await EXAMPLE["run"]("sim:expert", **SMALL)
    result = EqtResult.model_validate(final["result"])
    assert [row.concept for row in result.concepts] == ["Gold", "Iodine"]
    assert "gold" in final["explanation"].lower()
    accuracy = result.numbers.all.accuracy
    assert accuracy is not None
    assert final["may_teach"] == (accuracy >= 0.8)
    assert "eqt: Gold" in capsys.readouterr().out
