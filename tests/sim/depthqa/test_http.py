"""What DepthQA asks of the simulated endpoint: conversations, log-probabilities, embeddings."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from httpx_aiohttp import AiohttpTransport

from fathom.sim import chat_api, embeddings
from fathom.sim.evaluator import Evaluator
from fathom.sim.faults import BadRequest
from fathom.sim.server import RunningWorld, start
from fathom.sim.world import World
from fathom.state.spec import WorldSpec

from ...support.depthqa.elements import graph_of
from ...support.in_world import WORLD

GRAPH = graph_of(60, 6, shared=False)
IRON, GOLD = "What is the melting point of iron?", "What is the melting point of gold?"


def said(model: str, question: str, world: World = WORLD, **more: Any) -> dict[str, Any]:
    """The choice of a reply."""
    body = {"model": model, "messages": [{"role": "user", "content": question}], **more}
    choice: dict[str, Any] = chat_api.complete(
        chat_api.read(body), Evaluator(world), "0", None, []
    )["choices"][0]
    return choice


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


async def test_embeddings_come_as_floats(served: RunningWorld) -> None:
    body = {"model": "embedding", "input": [IRON, GOLD, IRON]}
    async with client(served) as http:
        plain = (await http.post("/embeddings", json=body)).json()
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
    assert {record.kind for record in served.log} == {"embeddings", "models"}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"model": "other", "input": IRON}, "one embeddings model, 'embedding'"),
        ({"model": "embedding"}, "none of them empty"),
        ({"model": "embedding", "input": []}, "none of them empty"),
        ({"model": "embedding", "input": ["a", ""]}, "none of them empty"),
        ({"model": "embedding", "input": [[1, 2]]}, "none of them empty"),
        ({"model": "embedding", "input": "a", "dimensions": 8}, "floats"),
        ({"model": "embedding", "input": "a", "encoding_format": "base64"}, "floats"),
        ([], "one embeddings model"),
    ],
)
def test_what_cannot_be_embedded_is_refused(body: object, reason: str) -> None:
    with pytest.raises(BadRequest, match=reason):
        embeddings.embed(body)
