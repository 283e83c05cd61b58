"""Embeddings of a model by name, at an OpenAI-compatible endpoint."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from ...state.errors import UsageError
from ..net import MOST_BYTES, MOST_PARTS
from .address import Access, ModelAddress, check_base_url, locate_model, parse_model
from .clients import Clients
from .faults import AttemptFailed, error_body_of, failure_of
from .limiter import Limits, Timing
from .providers import INTEGRATIONS
from .similarity import Embeds
from .way import Way

_LONGEST_VECTOR = 12_500
"""Numbers in the longest vectors that models give, and a few more."""
_LONGEST_NUMBER = 24
"""Characters of a number with all its digits, and the comma."""


def embeddings_of(
    name: str,
    env: Mapping[str, str],
    sim_url: str | None = None,
    *,
    limits: Limits | None = None,
    timing: Timing | None = None,
) -> Embeds:
    """The embeddings model of this name, written as a chat model's:
    `openai:text-embedding-3-small`, `openai@https://host/v1:model`, `sim:embedding` (at `sim_url`).

    Texts are sent as they are, and nothing is tokenised here. Makes one attempt per request. Raises
    UsageError for a malformed name, a missing key, a simulated world that is not
    running, and a key that would go to another machine unencrypted.
    """
    address = parse_model(name)
    if address.provider in INTEGRATIONS:
        raise UsageError(
            f"{address.label} has no embeddings here: name a model at an OpenAI-compatible address, "
            "such as ollama:MODEL."
        )
    Clients(env).get(
        address.text
    )  # what is refused of a chat model is refused here: no key, or a way that betrays it
    base_url, access, way = (
        _base_url(address, env, sim_url),
        Access.of(address, env),
        Way.of(address, env),
    )
    return _AtEndpoint(address, base_url, access, way, limits, timing)


class _AtEndpoint:
    """Implements `similarity.Embeds`. LangChain's own class for such endpoints would tokenise, and
    add names and headers from OPENAI_* variables even where the endpoint is another company's."""

    def __init__(
        self,
        address: ModelAddress,
        base_url: str,
        access: Access,
        way: Way,
        limits: Limits | None,
        timing: Timing | None,
    ) -> None:
        self._address, self._base_url, self._access = address, base_url, access
        self._way = replace(way, responses=False)
        self._limits, self._timing = limits or Limits(), timing or Timing()

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """One request. Raises AttemptFailed or EndpointRefused."""
        where, limit_s = f"{self._address.label} at {self._base_url}", self._limits.timeout_s
        key, headers = self._access.key, self._access.headers
        pool: dict[str, Any] = {
            "connections": 1,
            "timeout_s": limit_s,
            "headers": headers,
        }
        route = self._way.transport(self._base_url, key, door="embeddings", **pool)
        numbers = len(texts) * _LONGEST_VECTOR
        most, parts = max(MOST_BYTES, numbers * _LONGEST_NUMBER), max(MOST_PARTS, numbers)
        try:
            asked = {"model": self._address.model, "input": texts}
            raw = await route.exchange(asked, limit_s, most=most, parts=parts)
        except AttemptFailed as fault:
            said = f"{where}: {fault}"
            raise AttemptFailed(
                fault.kind, said, retryable=fault.retryable, unreached=fault.unreached
            ) from None
        finally:
            await route.aclose()
        vectors = _vectors(raw.body, len(texts)) if raw.status < 300 else None
        if vectors is not None:
            return vectors
        complaint = error_body_of(raw, key)
        if raw.status < 300 and not complaint.status and not complaint.codes:
            raise AttemptFailed("server", f"{where} answered without one embedding per text")
        raise failure_of(raw, complaint, where, self._timing.wall(), self._limits.max_wait_s)


def _vectors(body: bytes, count: int) -> list[list[float]] | None:
    """The vectors in the order of the texts; None when the body holds no such thing."""
    try:
        data = orjson.loads(body)["data"]
        ordered = sorted(data, key=lambda entry: entry.get("index", 0))
        vectors = [[float(number) for number in entry["embedding"]] for entry in ordered]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return vectors if len(vectors) == count else None


def _base_url(address: ModelAddress, env: Mapping[str, str], sim_url: str | None) -> str:
    base_url, _ = locate_model(address, env)
    if base_url is not None:
        return base_url
    if sim_url is None:
        raise UsageError(
            f"{address.label} needs the simulated world, which is not up: write sim@ADDRESS:model."
        )
    return check_base_url(sim_url, "The simulated world's address")
