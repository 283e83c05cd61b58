"""The seam between agents and models: a request, a reply, and a protocol with one method."""

from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from pydantic import BaseModel

from ...state.records import Usage


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """Everything that shapes a reply. `purpose` is the prompt's name, for figures and logs only; it is not sent."""

    messages: tuple[Message, ...]
    purpose: str
    max_tokens: int
    temperature: float | None = 0.0
    seed: int | None = None
    schema: type[BaseModel] | None = None
    """Ask for a JSON object of this shape; None asks for prose."""
    sample: int = 0
    """Distinguishes deliberate repeats of one request (a later cache must not collapse them)."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A reply as it came, after the client's retries."""

    text: str
    finish: str = "stop"
    """The endpoint's finish reason: stop, length, content_filter, …"""
    refusal: str | None = None
    reasoning: str | None = None
    usage: Usage = field(default_factory=Usage)
    latency_s: float = 0.0
    """Time of the successful attempt, without queueing and waiting."""
    model: str = ""
    """The model as the endpoint names it."""
    attempts: int = 1
    cost_usd: float | None = None
    cached: bool = False
    """Taken from the cache: `usage` is that of the call when it was made, `cost_usd` is 0."""
    saved_usd: float | None = None
    """For a cached reply: what it cost when it was made, None when that is unknown."""
    request: str | None = None
    """Digest of the canonical request, set by the cache."""
    logprobs: tuple[float, ...] | None = None


@runtime_checkable
class Chat(Protocol):
    """A chat model. Raises CallFailed after its retries, EndpointRefused or EndpointUnreachable when it is no use."""

    @property
    def name(self) -> str:
        """The model as written in a spec: `openai:gpt-5-mini`, `sim:student`."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply: ...
