"""The simulated embeddings over HTTP, and what is refused."""

from collections.abc import AsyncIterator

import httpx
import pytest
from httpx_aiohttp import AiohttpTransport

from fathom.sim import embeddings
from fathom.sim.faults import BadRequest
from fathom.sim.server import RunningWorld, start
from fathom.state.spec import WorldSpec

IRON, GOLD = "What is the melting point of iron?", "What is the melting point of gold?"


@pytest.fixture
async def served() -> AsyncIterator[RunningWorld]:
    running = await start(WorldSpec(seed=7))
    yield running
    await running.aclose()


def client(running: RunningWorld) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=AiohttpTransport(), base_url=running.api_url)


async def test_embeddings_come_as_floats(served: RunningWorld) -> None:
    body = {"model": "embedding", "input": [IRON, GOLD, IRON]}
    async with client(served) as http:
        plain = (await http.post("/embeddings", json=body)).json()
        one = (
            await http.post("/embeddings", json={"model": "embedding", "input": IRON})
        ).json()
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
