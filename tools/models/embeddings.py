"""Embeddings of a model by name: at an OpenAI-compatible endpoint, or of a provider that only LangChain reaches."""

import asyncio
import importlib
from collections.abc import Mapping
from typing import Any

import aiohttp
import orjson
from langchain_core.embeddings import Embeddings
from langchain_openai import OpenAIEmbeddings
from pydantic import SecretStr

from ... import __version__
from ...state.errors import UsageError
from ..net import ACCEPTED, MOST_BYTES, MOST_PARTS, PIECE, Garbled, TooLarge, is_loopback, read_body
from .address import ModelAddress, check_base_url, key_of, locate_model, parse_model
from .clients import Clients
from .faults import Fault, Raw, complaint_of, failure_of, redact
from .limiter import Limits, Timing
from .providers import INTEGRATIONS
from .similarity import BATCH
from .transport import fault_of

_KEY_NAMES = {"azure_openai": "api_key", "cohere": "cohere_api_key", "google_genai": "google_api_key"}
"""What LangChain's packages call the key; those of the other providers find theirs by themselves, or need none."""
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
) -> Embeddings:
    """The embeddings model of this name, written as a chat model's: `openai:text-embedding-3-small`,
    `openai@https://host/v1:model`, `sim:embedding` (at `sim_url`), `cohere:model` through LangChain.

    Texts are sent as they are, and nothing is tokenised here. Makes one attempt per request. Raises UsageError for a
    malformed name, a missing key or package, a simulated world that is not running, and a key that would go to another
    machine unencrypted.
    """
    address = parse_model(name)
    if address.provider in INTEGRATIONS:
        return _through_langchain(address, env)
    Clients(env).get(address.text)  # what is refused of a chat model is refused here: no key, or a way that betrays it
    route = _Route(
        address.label,
        _base_url(address, env, sim_url),
        key_of(address, env),
        limits or Limits(),
        timing or Timing(),
        address.settings.sent_headers(env),
    )
    return OpenAIEmbeddings(
        model=address.model,
        openai_api_key=SecretStr("none"),  # the route has the key: none is to be looked for in the environment
        openai_api_type="openai",
        client=route,
        async_client=route,
        chunk_size=BATCH,
        check_embedding_ctx_length=False,  # the tokeniser would be fetched from the network
    )


def embedding_url(name: str, env: Mapping[str, str]) -> str | None:
    """Where the texts are sent; None where only the start of a run (`sim:…`) or LangChain knows. Raises UsageError."""
    return locate_model(parse_model(name), env)[0]


class _Route:
    """Stands in the place of the SDK's client: the SDK would add names and headers from OPENAI_* variables, even where
    the endpoint is another company's, and hold a pool that nobody closes."""

    def __init__(
        self, name: str, base_url: str, key: str | None, limits: Limits, timing: Timing, headers: Mapping[str, str]
    ) -> None:
        self.base_url = base_url
        self._headers = headers
        self._name = name
        self._key = key
        self._limits = limits
        self._timing = timing

    def __repr__(self) -> str:
        return f"_Route({self.base_url})"

    async def create(self, **payload: Any) -> dict[str, Any]:
        """One request. Raises Fault or EndpointRefused."""
        where = f"{self._name} at {self.base_url}"
        try:
            async with asyncio.timeout(self._limits.timeout_s):
                raw = await self._post(payload)
        except (aiohttp.ClientError, TimeoutError, TooLarge, Garbled) as error:
            fault = fault_of(error, self._limits.timeout_s)
            said = f"{where}: {fault}"
            raise Fault(fault.kind, said, retryable=fault.retryable, unreached=fault.unreached) from None
        vectors = _vectors(raw.body, len(payload["input"])) if raw.status < 300 else None
        if vectors is not None:
            return {"data": [{"embedding": vector} for vector in vectors]}
        complaint = complaint_of(raw, self._key)
        if raw.status < 300 and not complaint.status and not complaint.codes:
            raise Fault("server", f"{where} answered without one embedding per text")
        raise failure_of(raw, complaint, where, self._timing.wall(), self._limits.max_wait_s)

    async def _post(self, payload: Mapping[str, Any]) -> Raw:
        headers = {"Authorization": f"Bearer {self._key or 'none'}", "User-Agent": f"fathom/{__version__}"}
        headers |= {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": ACCEPTED}
        headers |= self._headers
        most = max(MOST_BYTES, len(payload["input"]) * _LONGEST_VECTOR * _LONGEST_NUMBER)
        parts = max(MOST_PARTS, len(payload["input"]) * _LONGEST_VECTOR)
        async with (
            aiohttp.ClientSession(
                # a proxy for the outside world has no business between two processes of one machine
                trust_env=not is_loopback(self.base_url),
                headers=headers,
                auto_decompress=False,  # `read_body` does it, within its limits
            ) as session,
            # a key must not follow a redirect to another host
            session.post(f"{self.base_url}/embeddings", data=orjson.dumps(payload), allow_redirects=False) as response,
        ):
            told = {name.lower(): value for name, value in response.headers.items()}
            pieces = response.content.iter_chunked(PIECE)
            body = await read_body(pieces, told.get("content-encoding"), most=most, parts=parts)
            return Raw(response.status, told, body)


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
        raise UsageError(f"{address.label} needs the simulated world, which is not up: write sim@ADDRESS:model.")
    return check_base_url(sim_url, "The simulated world's address")


def _through_langchain(address: ModelAddress, env: Mapping[str, str]) -> Embeddings:
    integration = INTEGRATIONS[address.provider]
    key, named = key_of(address, env), _KEY_NAMES.get(address.provider)
    if named and key is None:
        raise UsageError(f"{address.label} needs a key: set {integration.key_variable} in the environment or in .env.")
    options = {named: key} if named else {}
    try:
        init_embeddings = importlib.import_module("langchain.embeddings").init_embeddings
        made = init_embeddings(address.model, provider=address.provider, **options)
    except ImportError:
        raise UsageError(
            f"{address.label} is reached through LangChain: install it with"
            f" pip install langchain {integration.package}."
        ) from None
    except (TypeError, ValueError) as error:
        said = redact(str(error).splitlines()[0] if str(error) else type(error).__name__, key)[:300]
        raise UsageError(f"{address.label} cannot be set up through LangChain: {said}.") from None
    assert isinstance(made, Embeddings)
    return made
