"""How alike texts are by the embeddings of a model: any of LangChain's, or one by name at an
OpenAI-compatible endpoint."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from typing import Protocol

import orjson

from ...state.errors import CallFailed, EndpointUnreachable, FathomError, UsageError
from ..net import MOST_BYTES, MOST_PARTS
from .address import parse_model
from .chat import ChatRequest
from .clients import Clients
from .faults import AttemptFailed, error_body_of
from .limiter import Limiter, Limits, Meter, RetryLoop, Timing, call_failed
from .model import EndpointChat
from .providers import INTEGRATIONS

BATCH = 256
"""Texts per request at most."""
_LONGEST_VECTOR = 12_500
"""Numbers in the longest vectors that models give, and a few more."""
_LONGEST_NUMBER = 24
"""Characters of a number with all its digits, and the comma."""
_REQUEST = ChatRequest((), "embedding", 1)
"""What the loop of attempts is told of a batch."""


class Embeds(Protocol):
    """What is asked of an embeddings model; any of LangChain's does it."""

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]: ...


class EndpointEmbeddings:
    """The embeddings model of a name, written as a chat model's: `openai:text-embedding-3-small`,
    `openai@https://host/v1:model`, `sim:embedding` (at `sim_url`). Implements Embeds.

    LangChain's own class for such endpoints would tokenise, and add names and headers from OPENAI_*
    variables even where the endpoint is another company's.
    """

    def __init__(
        self,
        name: str,
        env: Mapping[str, str],
        sim_url: str | None = None,
        *,
        limits: Limits | None = None,
        timing: Timing | None = None,
    ) -> None:
        """Raises UsageError for a malformed name, a missing key, a simulated world that is not
        running, and a key that would go to another machine unencrypted."""
        self._name = name
        self._clients = partial(
            Clients,
            env,
            limits,
            sim_url,
            timing=timing,
        )
        _ = self._chat(self._clients()).endpoint

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """One request. Raises AttemptFailed or EndpointRefused."""
        clients = self._clients()
        try:
            return await _embed(self._chat(clients), texts)
        finally:
            await clients.aclose()

    def _chat(self, clients: Clients) -> EndpointChat:
        address = parse_model(self._name)
        if address.provider in INTEGRATIONS:
            raise UsageError(
                f"{address.label} has no embeddings here: name a model at an OpenAI-compatible "
                "address, such as ollama:MODEL."
            )
        chat = clients.get(self._name)
        assert isinstance(chat, EndpointChat)  # all other providers have an address
        return chat


async def _embed(chat: EndpointChat, texts: list[str]) -> list[list[float]]:
    """One vector for each text, in one attempt; nothing is tokenised here. Raises AttemptFailed and
    EndpointRefused."""
    endpoint, numbers = chat.endpoint, len(texts) * _LONGEST_VECTOR
    raw = await endpoint.exchange(
        {"model": chat.model, "input": texts},
        door="embeddings",
        most=max(MOST_BYTES, numbers * _LONGEST_NUMBER),
        parts=max(MOST_PARTS, numbers),
    )
    vectors = _vectors(raw.body, len(texts)) if raw.status < 300 else None
    if vectors is not None:
        return vectors
    body = error_body_of(raw, endpoint.access.secrets)
    if raw.status < 300 and not body.status and not body.codes:
        raise AttemptFailed("server", f"{chat.where} answered without one embedding per text")
    raise chat.failure(raw, body)


def _vectors(body: bytes, count: int) -> list[list[float]] | None:
    """The vectors in the order of the texts; None when the body holds no such thing."""
    try:
        data = orjson.loads(body)["data"]
        ordered = sorted(data, key=lambda entry: entry.get("index", 0))
        vectors = [[float(number) for number in entry["embedding"]] for entry in ordered]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return vectors if len(vectors) == count else None


class EmbeddingSimilarity:
    """The similarity of questions by a model's embeddings. Implements
    `fathom.tools.similarity.Similarity`."""

    def __init__(
        self,
        embeddings: Embeds,
        name: str,
        *,
        key: str | None = None,
        limits: Limits | None = None,
        timing: Timing | None = None,
    ) -> None:
        """`key` is kept out of messages. Of `limits`, attempts and waits count."""
        self._embeddings = embeddings
        self.name = name
        self._key = key
        self._limits = limits or Limits()
        self._timing = timing or Timing()
        longest_s = self._limits.max_wait_s
        self._limiter = Limiter(
            1,
            self._timing,
            Meter(),
            max_pause_s=longest_s,
        )
        self._answered = False

    async def pairs(
        self,
        texts: Sequence[str],
        least: float,
    ) -> dict[tuple[int, int], float]:
        """The pairs of texts whose cosine similarity is at least `least` (above 0, up to 1); a text
        has 1 with itself.

        A text is sent once, however often it is there. Raises CallFailed, EndpointRefused, or
        EndpointUnreachable where no connection ever came about.
        """
        indexes: dict[str, list[int]] = defaultdict(list)
        for index, text in enumerate(texts):
            indexes[text].append(index)
        vectors = await self._vectors(list(indexes))
        repeats = list(indexes.values())
        cosines = {pair: 1.0 for group in repeats for pair in combinations(group, 2)}
        for row, column, cosine in near(vectors, least):
            pairs = product(repeats[row], repeats[column])
            cosines |= {(min(pair), max(pair)): cosine for pair in pairs}
        return dict(sorted(cosines.items()))

    async def _vectors(self, texts: list[str]) -> list[list[float]]:
        vectors = list[list[float]]()
        for start in range(0, len(texts), BATCH):
            vectors += await self._batch(texts[start : start + BATCH])
        if len(set(map(len, vectors))) > 1:
            raise CallFailed("server", f"{self.name} gave vectors of several lengths.")
        return vectors

    async def _batch(self, texts: list[str]) -> list[list[float]]:
        loop = RetryLoop(
            self.name,
            _REQUEST,
            self._limiter,
            self._limits,
            self._timing,
        )
        try:
            return await loop.run(lambda attempt: self._embed(texts))
        except AttemptFailed as failed:
            error = call_failed(
                failed,
                self.name,
                self.name,
                loop.attempts,
            )
            if failed.unreached and not self._answered:
                raise EndpointUnreachable(
                    f"{error} Check the address, and whether the server runs."
                ) from None
            raise error from None

    async def _embed(self, texts: list[str]) -> list[list[float]]:
        """Raises AttemptFailed or EndpointRefused, whatever the model raises."""
        try:
            vectors = await self._embeddings.aembed_documents(texts)
        except (FathomError, AttemptFailed):
            raise
        except Exception as error:  # noqa: BLE001  # the model is anybody's: all its failures become data here
            from .langchain import classified  # heavy

            wall_s, longest_s = self._timing.wall(), self._limits.max_wait_s
            raise classified(
                error,
                self.name,
                wall_s,
                longest_s,
                self._key,
            ) from None
        self._answered = True
        sizes = {len(vector) for vector in vectors}
        sound = len(vectors) == len(texts) and len(sizes) == 1 and min(sizes) > 0
        if not sound or not all(
            math.isfinite(number) for vector in vectors for number in vector
        ):
            raise AttemptFailed(
                "server", f"{self.name} gave no vector of finite numbers for each text"
            )
        return vectors


def near(vectors: Sequence[Sequence[float]], least: float) -> Iterator[tuple[int, int, float]]:
    """Row, a later row, and their cosine where it is at least `least`; a vector of no length is
    like none."""
    import numpy as np  # heavy: only where questions are compared

    if len(vectors) == 0:
        return
    matrix = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    units = matrix / np.where(lengths > 0, lengths, 1)
    for row, unit in enumerate(units):
        # row by row: the matrix of all cosines of a large graph would take gigabytes
        cosines = np.minimum(units[row + 1 :] @ unit, 1.0)
        for offset in np.flatnonzero(cosines >= least):
            yield row, row + 1 + int(offset), float(cosines[offset])
