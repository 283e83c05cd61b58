"""Similarity by embeddings: cosines from a real endpoint on loopback, and every failure classified,
without the key."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings
from tests.support.embedding_server import data, embedded, embedding
from tests.support.model_server import FakeTime, Step, answer, hang, refuse

from fathom.state.errors import (
    CallFailed,
    EndpointRefused,
    EndpointUnreachable,
    FathomError,
    UsageError,
)
from fathom.tools.models.address import key_of, parse_model
from fathom.tools.models.embeddings import EmbeddingSimilarity, EndpointEmbeddings
from fathom.tools.models.limiter import Limits
from fathom.tools.offline import check_model
from fathom.tools.similarity import similarity_of

KEY = "sk-canary-1234567890"
ENV = {"OPENAI_API_KEY": KEY}
VECTORS = {"a": (3.0, 4.0), "b": (4.0, 3.0), "c": (-4.0, 3.0), "d": (0.0, 0.0)}


async def test_cosines_of_what_the_endpoint_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_API_TYPE",
        "OPENAI_ORG_ID",
        "OPENAI_CUSTOM_HEADERS",
        "OPENAI_API_BASE",
    ):
        monkeypatch.setenv(name, "azure")  # settings for another program
    async with embedding(embedded(VECTORS)) as server:
        measure = similarity_of(f"openai@{server.base_url}:e5 key=OPENAI_API_KEY", ENV)
        found = await measure.pairs(["a", "b", "c", "d", "a", "d"], 0.9)
    # a·b = 12 + 12 = 24, of lengths 5 and 5: .96; a·c = −12 + 12 = 0; b·c = −16 + 9 < 0; d has no
    # length
    assert found == {
        (0, 1): pytest.approx(0.96),
        (0, 4): 1,
        (1, 4): pytest.approx(0.96),
        (3, 5): 1,
    }
    assert list(found) == sorted(found)
    assert measure.name == f"openai@{server.base_url}:e5 key=OPENAI_API_KEY"
    # texts as they are, each once; nothing that was not asked for
    assert server.bodies == [{"model": "e5", "input": ["a", "b", "c", "d"]}]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert not [name for name in server.headers[0] if name.lower().startswith(("openai", "x-"))]


async def test_many_texts_go_in_batches_and_none_in_none() -> None:
    texts = [f"q{k}" for k in range(300)]
    async with embedding(
        embedded({text: (float(k), 1.0) for k, text in enumerate(texts)})
    ) as server:
        measure = similarity_of("sim:embedding", {}, server.base_url)
        found = await measure.pairs(texts, 0.8)
        assert await measure.pairs([], 0.8) == {}
    assert [len(body["input"]) for body in server.bodies] == [256, 44]
    assert server.bodies[0]["model"] == "embedding"
    # (0, 1) and (1, 1): 1/√2 < .8; (1, 1) and (299, 1): 300/(√2·√89402) < .8; (2, 1) and (299, 1):
    # 599/(√5·√89402)
    assert (0, 1) not in found
    assert (1, 299) not in found
    assert found[2, 299] == pytest.approx(599 / (5 * 89402) ** 0.5)
    # every pair of 3, 4, …, 299: 3/1 is the flattest, and (3, 1) to (1000, 1) is .949
    assert sum(one >= 3 for one, _ in found) == 297 * 296 / 2
    assert max(found.values()) <= 1


async def failure(
    *steps: Step, time: FakeTime | None = None, **limits: Any
) -> tuple[FathomError, int]:
    async with embedding(*steps) as server:
        own = (time or FakeTime()).timing
        measure = similarity_of(
            f"openai@{server.base_url}:e5", ENV, limits=Limits(**limits), timing=own
        )
        with pytest.raises(FathomError) as error:
            await measure.pairs(["a", "b"], 0.9)
    said = str(error.value)
    assert KEY not in said
    assert KEY not in repr(measure)
    assert "e5" in said
    return error.value, server.calls


@pytest.mark.parametrize(
    ("step", "kind", "calls"),
    [
        (refuse(500), "server", 3),
        (refuse(400, f"no such thing for {KEY}"), "bad_request", 1),
        (data([1.0]), "server", 3),
        (data([1.0], [1.0, 2.0]), "server", 3),
        (data([], []), "server", 3),
        (data("AACAPw==", "AACAPw=="), "server", 3),
        (data(["x"], ["y"]), "server", 3),
        (answer(b'{"data": [{"embedding": [1]}, {"embedding": [1e999]}]}'), "server", 3),
        (answer(b"<html>not here</html>", content_type="text/html"), "server", 3),
        (answer(b'{"error": {"message": "busy", "code": 503}}'), "server", 3),
    ],
)
async def test_what_fails_is_tried_again_and_classified(
    step: Step, kind: str, calls: int
) -> None:
    error, made = await failure(step, attempts=3)
    assert isinstance(error, CallFailed)
    assert (error.kind, error.attempts, made) == (kind, calls, calls)


@pytest.mark.parametrize(
    "step",
    [
        refuse(401, f"wrong key {KEY}"),
        refuse(404, "no model"),
        refuse(429, "no money", "insufficient_quota"),
        answer(b"", 307, Location="https://elsewhere.example/v1"),
    ],
)
async def test_a_refusal_ends_the_run(step: Step) -> None:
    error, calls = await failure(step)
    assert isinstance(error, EndpointRefused)
    assert calls == 1


async def test_the_endpoints_own_wait_is_kept_and_a_later_answer_counts() -> None:
    clock = FakeTime()
    async with embedding(
        refuse(429, Retry_After="7"), refuse(503), embedded(VECTORS)
    ) as server:
        measure = similarity_of(f"openai@{server.base_url}:e5", ENV, timing=clock.timing)
        assert await measure.pairs(["a", "b"], 0.9) == {(0, 1): pytest.approx(0.96)}
    assert 7.0 <= clock.slept[0] <= 7.5
    assert 0.25 <= clock.slept[-1] <= 0.5  # the first wait of a fault, with jitter of a half


async def test_a_hanging_endpoint_times_out_and_a_missing_one_is_unreachable() -> None:
    error, _ = await failure(hang, timeout_s=0.05, attempts=1)
    assert isinstance(error, CallFailed)
    assert error.kind == "timeout"
    async with embedding(hang) as server:
        gone = server.base_url
    measure = similarity_of(
        f"openai@{gone}:e5", ENV, limits=Limits(attempts=2), timing=FakeTime().timing
    )
    with pytest.raises(EndpointUnreachable, match="after 2 attempts"):
        await measure.pairs(["a"], 0.9)


class Host(Embeddings):
    """An embeddings model such as LangChain's packages bring."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.error is not None:
            raise self.error
        return [[float(len(text)), 1.0] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class StatusError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"status {status} for {KEY}")
        self.status_code = status


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (StatusError(429), "rate_limit"),
        (StatusError(503), "server"),
        (StatusError(400), "bad_request"),
        (TimeoutError(), "timeout"),
        (ConnectionResetError("gone"), "connection"),
        (KeyError("data"), "server"),
    ],
)
async def test_whatever_a_langchain_model_raises_becomes_a_failed_call(
    error: Exception, kind: str
) -> None:
    measure = EmbeddingSimilarity(
        Host(error), "host", key=KEY, limits=Limits(attempts=2), timing=FakeTime().timing
    )
    with pytest.raises(CallFailed) as caught:
        await measure.pairs(["a"], 0.9)
    assert caught.value.kind == kind
    assert KEY not in str(caught.value)
    with pytest.raises(EndpointRefused):
        await EmbeddingSimilarity(Host(StatusError(401)), "host", key=KEY).pairs(["a"], 0.9)


@pytest.mark.parametrize(
    ("name", "env", "said"),
    [
        ("openai:text-embedding-3-small", {}, "needs a key: set OPENAI_API_KEY"),
        (
            "openai@http://gpu.example/v1:e5 key=OPENAI_API_KEY",
            ENV,
            "would send your key unencrypted",
        ),
        ("sim:embedding", {}, "needs the simulated world"),
        ("lexicon", {}, "is not a model"),
        ("lexicon:x", {}, "There is no provider"),
        ("openai:", ENV, "no model"),
        ("huggingface:mpnet", {}, "has no embeddings here"),
    ],
)
def test_names_that_are_refused(name: str, env: Mapping[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said) as error:
        similarity_of(name, env)
    assert KEY not in str(error.value)


def test_a_model_elsewhere_is_refused_offline_and_no_key_is_shown() -> None:
    check_model("ollama:nomic", {})
    with pytest.raises(UsageError, match="--offline refuses"):
        check_model("openai:text-embedding-3-small", {})
    assert tuple(
        key_of(parse_model(name), ENV) for name in ("openai:e", "ollama:e", "bedrock:e")
    ) == (KEY, None, None)
    with pytest.raises(
        UsageError, match="COHERE_API_KEY cannot be a key: it contains quotation marks"
    ):
        key_of(parse_model("cohere:e"), {"COHERE_API_KEY": '"in quotes"'})
    assert KEY not in json.dumps(repr(EndpointEmbeddings("openai:e", ENV)))
