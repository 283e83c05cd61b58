"""Simulated models with settings, and the tasks of Explain-Query-Test on the wire."""

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from httpx_aiohttp import AiohttpTransport

from fathom.agents.prober.answer import with_options
from fathom.graphs.run.checks import check_persona
from fathom.sim import chat_api
from fathom.sim.personas import MODELS, persona_of
from fathom.sim.server import RunningWorld, start
from fathom.state.errors import UsageError
from fathom.state.spec import FaultRates, WorldSpec, is_simulated

from ..support.in_world import SPEC


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("accuracy=0.7,instability=0.2", "accuracy=0.7,instability=0.2"),
        ("instability=.20,accuracy=0.70", "accuracy=0.7,instability=0.2"),
        ("student,instability=1.0", "student,instability=1"),
        ("student", "student"),
        ("evaluator", "omniscient"),
        ("generator,mends=0", "generator,mends=0"),
        ("d1=0.9,d2=0.8", "accuracy=0.9,d2=0.8"),
        (
            "novice,slips=1e-1,accuracy=-0,instability=0",
            "novice,accuracy=0,instability=0,slips=0.1",
        ),
    ],
)
def test_settings_make_one_persona_however_they_are_written(
    written: str, canonical: str
) -> None:
    persona = persona_of(written)
    assert persona.name == canonical
    assert persona_of(persona.name) == persona
    check_persona(f"sim:{written}")
    check_persona(f"sim@http://127.0.0.1:8788/v1:{written}")
    assert is_simulated(f"sim:{written}")
    assert written in MODELS or chat_api.model_card(written)["id"] == written


def test_settings_change_what_they_name_and_nothing_else() -> None:
    student = persona_of("student")
    assert persona_of("student,instability=0.3").chances == student.chances
    sure = persona_of("student,accuracy=0.7")
    assert sure.chances == (0.7,) * 5
    assert (sure.instability, sure.abstains) == (student.instability, student.abstains)
    blank = persona_of("accuracy=0.7")
    assert (blank.instability, blank.solving, blank.abstains) == (0, 0.7, 0)
    named = {
        name: persona_of(name).instability
        for name in MODELS
        if name not in ("evaluator", "generator")
    }
    assert named == {
        "omniscient": 0, "expert": 0.05, "graduate": 0.1, "student": 0.15, "cautious": 0.1, "novice": 0.35,
        "ignorant": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("nobody", "has no model 'nobody'; it has omniscient, expert"),
        ("nobody,accuracy=1", "has no model 'nobody'"),
        ("accuracy=1.5", "sets accuracy to '1.5': it must be a number from 0 to 1"),
        ("accuracy=nan", "a number from 0 to 1"),
        ("accuracy=", "a number from 0 to 1"),
        ("student,instability=-0.1", "sets instability to '-0.1'"),
        (
            "student,patience=1",
            "has the unknown or repeated setting 'patience=1'; known settings, each once as KEY=VALUE: acc",
        ),
        ("student,", "has the unknown or repeated setting ''"),
        ("student,novice", "has the unknown or repeated setting 'novice'"),
        ("accuracy=0.7,accuracy=0.8", "unknown or repeated setting 'accuracy=0.8'"),
        ("instability=0.2", "lacks an accuracy"),
        ("", "has no model ''"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_sentence(written: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        persona_of(written)
    if written:
        with pytest.raises(UsageError, match=re.escape(reason)):
            check_persona(f"sim:{written}")


@pytest.fixture
async def served() -> AsyncIterator[RunningWorld]:
    running = await start(SPEC)
    yield running
    await running.aclose()


async def test_the_endpoint_knows_models_with_settings(served: RunningWorld) -> None:
    async with httpx.AsyncClient(transport=AiohttpTransport(), base_url=served.api_url) as http:
        listed = [model["id"] for model in (await http.get("/models")).json()["data"]]
        assert listed == list(MODELS)
        for path in ("accuracy=0.7,instability=0.2", "accuracy%3D0.7%2Cinstability%3D0.2"):
            assert (await http.get(f"/models/{path}")).json()[
                "id"
            ] == "accuracy=0.7,instability=0.2"
        assert (await http.get("/models/accuracy=1.5")).status_code == 404
        body = {"model": "accuracy=7", "messages": [{"role": "user", "content": "What?"}]}
        refused = await http.post("/chat/completions", json=body)
        assert refused.status_code == 404
        assert "must be a number from 0 to 1" in refused.json()["error"]["message"]
        body["model"] = "accuracy=1"
        assert (await http.post("/chat/completions", json=body)).json()[
            "model"
        ] == "sim-accuracy=1"


SHOWN = with_options(
    "Which bridges did Ada Nordström build?", ("The Hollow Bridge", "The Low Bridge")
).parts


@pytest.mark.parametrize(
    ("purpose", "about"),
    [
        ("explanation", {"concept": "Gold"}),
        ("choice", {"question": SHOWN}),
        ("open_book", {"question": SHOWN, "explanation": "She built it."}),
        ("answer", {"question": "What is the chemical symbol of gold?"}),
    ],
)
async def test_faults_and_the_log_know_the_purpose(purpose: str, about: dict[str, Any]) -> None:
    body = {
        "model": "student",
        "messages": [{"role": "user", "content": "Please."}],
        "simulation": {"purpose": purpose, "about": about},
    }
    seen: dict[str, Any] = {}
    for fault in ("refusal", "cut_off", "server_error", "malformed"):
        running = await start(WorldSpec(faults=FaultRates.model_validate({fault: 1.0})))
        try:
            async with httpx.AsyncClient(
                transport=AiohttpTransport(), base_url=running.api_url
            ) as http:
                reply = await http.post("/chat/completions", json=body)
        finally:
            await running.aclose()
        assert [(record.purpose, record.fault) for record in running.log] == [
            (purpose, fault if fault != "malformed" else None)
        ]
        seen[fault] = (
            reply.json()["choices"][0] if reply.status_code == 200 else reply.status_code
        )
    assert (seen["refusal"]["message"]["refusal"] is None) is (purpose == "answer")
    assert seen["cut_off"]["finish_reason"] == "length"
    assert seen["server_error"] == 500
    assert seen["malformed"]["message"]["content"]
