"""Cosine similarity of texts by the embeddings of any LangChain model."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement, product
from random import Random
from typing import TYPE_CHECKING, Protocol

from ...state.errors import CallFailed, EndpointUnreachable, FathomError
from ..runs.log import get_logger
from .faults import AttemptFailed
from .langchain import classified
from .limiter import Limits, Timing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

BATCH = 256
"""Texts per request at most."""
_LOG = get_logger()


class Embeds(Protocol):
    """What is asked of an embeddings model; any of LangChain's does it."""

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]: ...


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
        """`key` is kept out of messages. Of `limits`, attempts and waits count; 429s are attempts
        here."""
        self._embeddings = embeddings
        self.name = name
        self._key = key
        self._limits = limits or Limits()
        self._timing = timing or Timing()
        self._answered = False

    async def pairs(self, texts: Sequence[str], least: float) -> dict[tuple[int, int], float]:
        """The pairs of texts whose cosine similarity is at least `least` (above 0, up to 1); a text
        has 1 with itself.

        A text is sent once, however often it is there. Raises CallFailed, EndpointRefused, or
        EndpointUnreachable where no connection ever came about.
        """
        distinct: dict[str, list[int]] = defaultdict(list)
        for place, text in enumerate(texts):
            distinct[text].append(place)
        vectors = await self._vectors(list(distinct))
        places = list(distinct.values())
        found = {pair: 1.0 for same in places for pair in combinations(same, 2)}
        for one, other, cosine in near(vectors, least):
            found |= {
                (min(pair), max(pair)): cosine for pair in product(places[one], places[other])
            }
        return dict(sorted(found.items()))

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
        attempts = self._limits.attempts
        for attempt in range(1, attempts + 1):
            try:
                return await self._once(texts)
            except AttemptFailed as fault:
                if attempt == attempts or not fault.retryable:
                    said = f"{fault} (after {attempt} attempts)."
                    if fault.unreached and not self._answered:
                        raise EndpointUnreachable(
                            f"{said} Check the address, and whether the server runs."
                        ) from None
                    raise CallFailed(fault.kind, said, attempts=attempt) from None
                wait_s = self._wait_s(fault, attempt)
                _LOG.warning(
                    "call retried",
                    model=self.name,
                    purpose="embedding",
                    fault=str(fault),
                    wait_s=wait_s,
                )
            await self._timing.sleep(wait_s)
        raise AssertionError("unreachable")

    async def _once(self, texts: list[str]) -> list[list[float]]:
        """Raises AttemptFailed or EndpointRefused, whatever the model raises."""
        try:
            vectors = await self._embeddings.aembed_documents(texts)
        except (FathomError, AttemptFailed):
            raise
        except Exception as error:  # noqa: BLE001  # the model is anybody's: all its failures become data here
            raise classified(
                error, self.name, self._timing.wall(), self._limits.max_wait_s, self._key
            ) from None
        self._answered = True
        sizes = {len(vector) for vector in vectors}
        sound = len(vectors) == len(texts) and len(sizes) == 1 and min(sizes) > 0
        if not sound or not all(math.isfinite(number) for vector in vectors for number in vector):
            raise AttemptFailed(
                "server", f"{self.name} gave no vector of finite numbers for each text"
            )
        return vectors

    def _wait_s(self, fault: AttemptFailed, attempt: int) -> float:
        """The endpoint's own time, or doubling waits with jitter."""
        if fault.retry_after_s is not None:
            return min(self._limits.max_wait_s, fault.retry_after_s)
        doubled = self._limits.backoff_s * 2.0 ** (attempt - 1)
        return min(self._limits.max_wait_s, doubled) * (
            0.5 + Random(f"{self.name}:{attempt}").random() / 2
        )


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
