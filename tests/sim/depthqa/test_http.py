"""What DepthQA asks of the simulated endpoint: conversations, log-probabilities, embeddings."""

from base64 import b64decode
from collections.abc import AsyncIterator
from math import log
from statistics import fmean
from struct import unpack
from typing import Any

import httpx
import numpy as np
import pytest
from httpx_aiohttp import AiohttpTransport

from fathom.sim import chat_api, embeddings
from fathom.sim.errors import BadRequest
from fathom.sim.evaluator import Evaluator
from fathom.sim.personas import persona_of
from fathom.sim.server import RunningWorld, start
from fathom.sim.token_chances import MEMORISED, ORDINARY
from fathom.sim.world import World
from fathom.state.depthqa.items import MIN_K_SHARE, MIN_K_TOKENS
from fathom.state.spec import FaultRates, WorldSpec

from ...support.depthqa.elements import graph_of
from ...support.in_world import WORLD
from ...support.truth import true_min_k

GRAPH = graph_of(60, 6, shared=False)
IRON, GOLD = "What is the melting point of iron?", "What is the melting point of gold?"


def said(model: str, question: str, world: World = WORLD, **more: Any) -> dict[str, Any]:
    """The choice of a reply."""
    body = {"model": model, "messages": [{"role": "user", "content": question}], **more}
    choice: dict[str, Any] = chat_api.complete(
        chat_api.read(body), Evaluator(world), "0", None, []
    )["choices"][0]
    return choice


def min_k(choice: dict[str, Any]) -> float:
    surprises = sorted(-token["logprob"] for token in choice["logprobs"]["content"][:MIN_K_TOKENS])
    return fmean(surprises[-max(1, int(MIN_K_SHARE * len(surprises))) :])


def test_the_tokens_of_a_reply_are_its_text() -> None:
    for node in GRAPH.nodes[::40]:
        choice = said("student", node.question, logprobs=True, top_p=0.9)
        tokens = choice["logprobs"]["content"]
        text = choice["message"]["content"]
        assert "".join(token["token"] for token in tokens) == text
        assert len(tokens) == chat_api.tokens_in(text)
        assert all(token["logprob"] < 0 for token in tokens)
        assert b"".join(bytes(token["bytes"]) for token in tokens).decode() == text
        assert choice == said("student", node.question, logprobs=True, top_p=0.9)
        assert said("student", node.question)["logprobs"] is None
        assert said("student,logprobs=0", node.question, logprobs=True)["logprobs"] is None
    cut = said("student", GRAPH.nodes[0].question, logprobs=True, max_tokens=5)
    assert len(cut["logprobs"]["content"]) == 5


def test_deeper_answers_are_more_rarely_memorised_and_less_likely() -> None:
    model = "d1=0.9,memorised=0.8"
    found: dict[int, list[tuple[float, float]]] = {1: [], 2: [], 3: []}
    for node in GRAPH.nodes:
        choice = said(model, node.question, logprobs=True)
        tokens = min(MIN_K_TOKENS, len(choice["logprobs"]["content"]))
        truth = true_min_k(persona_of(model), node.depth, tokens, max(1, int(MIN_K_SHARE * tokens)))
        found[node.depth].append((min_k(choice), truth))
    means = [fmean(measured for measured, _ in rows) for rows in found.values()]
    assert means == sorted(means)
    assert means[2] > 1.25 * means[0]
    for depth, rows in found.items():
        # at .8³ of 60 answers either 2.4 · .25 or 2.4: a standard error of .14
        assert fmean(m - t for m, t in rows) == pytest.approx(0, abs=0.5 if depth == 3 else 0.25)


def test_the_mean_of_the_least_likely_is_that_of_the_largest_of_exponentials() -> None:
    # n = 10, m = 2: 1 + H₁₀ - H₂ = 1 + 2.928968 - 1.5
    assert true_min_k(persona_of("d1=1,memorised=0"), 3, 10, 2) == pytest.approx(
        ORDINARY * 2.428968
    )
    # all but the fifth: for long answers 1 + ln 5
    assert true_min_k(persona_of("d1=1,memorised=1"), 3, 5000, 1000) == pytest.approx(
        MEMORISED * (1 + log(5)), rel=1e-3
    )
    half = true_min_k(persona_of("d1=1,memorised=0.5"), 1, 10, 2)
    assert half == pytest.approx(2.428968 * (ORDINARY + MEMORISED) / 2)


def test_a_conversation_is_no_task_that_was_sent_back() -> None:
    turns = [
        {"role": "system", "content": "Answer."},
        {"role": "user", "content": IRON},
        {"role": "assistant", "content": "1538 °C."},
        {"role": "user", "content": GOLD},
    ]
    asked = chat_api.read({"model": "student", "messages": turns})
    assert (asked.purpose, asked.attempt, asked.question) == ("turn", 0, GOLD)
    assert asked.earlier == ((IRON, "1538 °C."),)
    context = f"<context>\nQuestion: {IRON}\nAnswer: 1538 °C.\n</context>\n\nQuestion:\n{GOLD}"
    asked = chat_api.read({"model": "student", "messages": [{"role": "user", "content": context}]})
    assert (asked.purpose, asked.attempt, asked.earlier) == ("with_context", 0, ())


@pytest.fixture
async def served() -> AsyncIterator[RunningWorld]:
    running = await start(WorldSpec(seed=7))
    yield running
    await running.aclose()


def client(running: RunningWorld) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=AiohttpTransport(), base_url=running.api_url)


async def test_chances_of_tokens_come_over_the_wire_and_in_streams(served: RunningWorld) -> None:
    body = {
        "model": "student",
        "messages": [{"role": "user", "content": IRON}],
        "logprobs": True,
        "top_p": 1.0,
    }
    async with client(served) as http:
        whole = (await http.post("/chat/completions", json=body)).json()["choices"][0]
        stream = (await http.post("/chat/completions", json=body | {"stream": True})).text
    assert (
        "".join(token["token"] for token in whole["logprobs"]["content"])
        == whole["message"]["content"]
    )
    assert '"logprob":' in stream
    assert [record.purpose for record in served.log] == ["answer", "answer"]


async def test_embeddings_come_as_floats_or_in_base64(served: RunningWorld) -> None:
    body = {"model": "embedding", "input": [IRON, GOLD, IRON]}
    async with client(served) as http:
        plain = (await http.post("/embeddings", json=body)).json()
        packed = (await http.post("/embeddings", json=body | {"encoding_format": "base64"})).json()
        one = (await http.post("/embeddings", json={"model": "embedding", "input": IRON})).json()
        assert (await http.get("/models/embedding")).json()["id"] == "embedding"
    assert plain["object"] == "list"
    assert [row["index"] for row in plain["data"]] == [0, 1, 2]
    # 34 + 34 + 34 characters at four to the token
    assert plain["usage"] == {"prompt_tokens": 27, "total_tokens": 27}
    assert (
        plain["data"][0]["embedding"]
        == plain["data"][2]["embedding"]
        == one["data"][0]["embedding"]
    )
    for row, other in zip(plain["data"], packed["data"], strict=True):
        floats = unpack(f"<{embeddings.DIMENSIONS}f", b64decode(other["embedding"]))
        assert list(floats) == pytest.approx(row["embedding"])
    assert {record.kind for record in served.log} == {"embeddings", "models"}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"model": "other", "input": IRON}, "one embeddings model, 'embedding'"),
        ({"model": "embedding"}, "none of them empty"),
        ({"model": "embedding", "input": []}, "none of them empty"),
        ({"model": "embedding", "input": ["a", ""]}, "none of them empty"),
        ({"model": "embedding", "input": [[1, 2]]}, "none of them empty"),
        ({"model": "embedding", "input": ["a"] * 2049}, "more than 2048"),
        ({"model": "embedding", "input": "a", "dimensions": 8}, "'dimensions'"),
        ({"model": "embedding", "input": "a", "encoding_format": "hex"}, "float or base64"),
        ([], "one embeddings model"),
    ],
)
def test_what_cannot_be_embedded_is_refused(body: object, reason: str) -> None:
    with pytest.raises(BadRequest, match=reason):
        embeddings.embed(body)


async def test_refused_embeddings_and_faults_are_spoken_as_openai_does(
    served: RunningWorld,
) -> None:
    async with client(served) as http:
        refused = await http.post("/embeddings", json={"model": "embedding", "input": []})
    assert refused.status_code == 400
    assert "empty" in refused.json()["error"]["message"]
    running = await start(WorldSpec(faults=FaultRates(rate_limit=1.0)))
    try:
        async with client(running) as http:
            limited = await http.post("/embeddings", json={"model": "embedding", "input": IRON})
    finally:
        await running.aclose()
    assert (limited.status_code, limited.headers["Retry-After"]) == (429, "1")


def test_likeness_is_in_the_words() -> None:
    def alike(one: str, other: str) -> float:
        return float(np.dot(embeddings.vector(one), embeddings.vector(other)))

    assert alike(IRON, IRON) == pytest.approx(1.0)
    assert alike(IRON, "what is the Melting Point of iron") == pytest.approx(1.0)
    assert alike(IRON, f"Briefly, {IRON}") >= 0.9
    assert alike(IRON, "What are the melting points of iron?") >= 0.7
    for other in (
        GOLD,
        "What is the boiling point of iron?",
        "Which bridges did Ada Nordström build?",
    ):
        assert alike(IRON, other) < 0.8
    for depth in (1, 2):
        vectors = np.array(
            [embeddings.vector(node.question) for node in GRAPH.nodes if node.depth == depth]
        )
        alike_all = np.unique(vectors, axis=0) @ np.unique(vectors, axis=0).T
        assert (alike_all >= 0.9).sum() == len(alike_all), (
            "no two questions of one depth are repeats"
        )
    assert alike("!", "!") == pytest.approx(1.0)
    assert alike(" ", " ") == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "purpose", "field"),
    [
        (IRON, "answer", "content"),
        (f"<context>\nQuestion: {GOLD}\nAnswer: 1064 °C.\n</context>\n{IRON}", "with_context", "refusal"),
    ],
)  # fmt: skip
def test_refusals_stand_where_the_endpoint_puts_them(text: str, purpose: str, field: str) -> None:
    body = {"model": "student", "messages": [{"role": "user", "content": text}], "logprobs": True}
    asked = chat_api.read(body)
    choice = chat_api.complete(asked, Evaluator(WORLD), "0", "refusal", [])["choices"][0]
    assert asked.purpose == purpose
    assert choice["message"][field] == chat_api.REFUSAL
    assert (choice["logprobs"] is None) is (field == "refusal")
