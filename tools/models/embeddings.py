"""How alike texts are by the embeddings of a model: any of LangChain's, or one by name at an
OpenAI-compatible endpoint."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, combinations_with_replacement, product
from typing import TYPE_CHECKING, Protocol

from ...state.errors import CallFailed, EndpointUnreachable, FathomError, UsageError
from .address import parse_model
from .chat import ChatRequest
from .clients import Clients
from .endpoint import EndpointChat
from .faults import AttemptFailed
from .limiter import Limiter, Limits, Meter, Timing
from .providers import INTEGRATIONS
from .retry import RetryLoop, call_failed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

BATCH = 256
"""Texts per request at most."""
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
        self._name, self._env, self._sim_url = name, env, sim_url
        self._limits, self._timing = limits, timing
        _ = self._chat(self._clients()).endpoint

    def _clients(self) -> Clients:
        return Clients(self._env, self._limits, self._sim_url, timing=self._timing)

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """One request. Raises AttemptFailed or EndpointRefused."""
        clients = self._clients()
        try:
            return await self._chat(clients).embed(texts)
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
        self._limiter = Limiter(1, self._timing, Meter(), max_pause_s=self._limits.max_wait_s)
        self._answered = False

    async def pairs(self, texts: Sequence[str], least: float) -> dict[tuple[int, int], float]:
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

    async def _vectors(self, texts: list[str]) -> "list[Matrix]":
        import numpy as np  # heavy: only where questions are compared

        starts = range(0, len(texts), BATCH)
        batches = [
            np.asarray(await self._batch(texts[at : at + BATCH]), dtype=np.float64) for at in starts
        ]
        if len({batch.shape[1] for batch in batches}) > 1:
            raise CallFailed("server", f"{self.name} gave vectors of several lengths.")
        return batches

    async def _batch(self, texts: list[str]) -> list[list[float]]:
        loop = RetryLoop(self.name, _REQUEST, self._limiter, self._limits, self._timing)
        try:
            return await loop.run(lambda attempt: self._embed(texts))
        except AttemptFailed as failed:
            error = call_failed(failed, self.name, self.name, loop.attempts)
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

            wall_s = self._timing.wall()
            raise classified(error, self.name, wall_s, self._limits.max_wait_s, self._key) from None
        self._answered = True
        sizes = {len(vector) for vector in vectors}
        sound = len(vectors) == len(texts) and len(sizes) == 1 and min(sizes) > 0
        if not sound or not all(math.isfinite(number) for vector in vectors for number in vector):
            raise AttemptFailed(
                "server", f"{self.name} gave no vector of finite numbers for each text"
            )
        return vectors


def near(batches: "Sequence[Matrix]", least: float) -> Iterator[tuple[int, int, float]]:
    """Row, a later row, and their cosine where it is at least `least`; a vector of no length is
    like none.

    Works by batches of rows: the matrix of all cosines of a large graph would take gigabytes.
    """
    import numpy as np

    units = [
        batch / np.where((size := np.linalg.norm(batch, axis=1, keepdims=True)) > 0, size, 1)
        for batch in batches
    ]
    starts = np.cumsum([0, *(len(batch) for batch in units)])
    for (start, batch), (later, others) in combinations_with_replacement(
        zip(starts, units, strict=False), 2
    ):
        cosines = np.minimum(batch @ others.T, 1.0)
        for row, column in zip(*np.nonzero(cosines >= least), strict=True):
            if start + row < later + column:
                yield int(start + row), int(later + column), float(cosines[row, column])
