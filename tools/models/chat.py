"""The seam between agents and models: a request, a reply, and a protocol with one method."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, Field

from ...state.records import Role, Usage


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Payer(Protocol):
    """Who answers for the price of a call: the slot of a budget that was admitted."""

    async def hold(self, worst_usd: float | None) -> float:
        """Set aside one call and the most it can cost before it is sent (None: the price is
        unknown).

        Waits until that much is free; returns what was set aside. Raises BudgetSpent when it never
        will be.
        """
        ...

    def settle(
        self,
        held_usd: float,
        cost_usd: float | None,
        calls: int = 1,
    ) -> None:
        """The call is over: it cost this much (None: it failed, or its price is unknown), the rest
        is free again. `calls`: 0 where it was not made."""
        ...


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """Everything that shapes a reply. `purpose` is the prompt's name, for figures and logs; only a
    simulated model is told it."""

    messages: tuple[Message, ...]
    purpose: str
    max_tokens: int
    temperature: float | None = 0.0
    seed: int | None = None
    schema: type[BaseModel] | None = None
    """Ask for a JSON object of this shape; None asks for prose."""
    top_p: float | None = None
    """Nucleus sampling; None: not sent."""
    logprobs: bool = False
    """Ask for the log-probability of each token of the reply."""
    sample: int = 0
    """Distinguishes deliberate repeats of one request: the cache does not collapse them."""
    payer: Payer | None = field(default=None, compare=False, repr=False)
    """Who pays under a budget; no part of what is sent. None: nobody asks."""
    role: Role | None = field(default=None, compare=False)
    """For whom is asked, for traces only; no part of what is sent."""
    about: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """The prompt's values as they were before they became text, as JSON has them: a simulated model
    is told them beside the prompt, nobody else."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A reply as it came, after the client's retries."""

    text: str
    finish: str = "stop"
    """The endpoint's finish reason: stop, length, content_filter, …; `thoughts` where these never
    end."""
    refusal: str | None = None
    reasoning: str | None = None
    thoughts: bool = False
    """The answer came with its reasoning in one text, and was taken out of it."""
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
    read: Annotated[BaseModel | None, Field(exclude=True)] = field(
        default=None, compare=False, repr=False
    )
    """The object of the shape that was asked for, where the cache has read it already."""
    logprobs: tuple[float, ...] | None = None
    """Natural logarithm of each token's probability, of the visible reply only. None: not asked
    for, not sent, or the reply also held hidden reasoning that they cannot be told apart from."""


@runtime_checkable
class Placed(Protocol):
    """A chat model that knows where its replies come from, and so can be cached."""

    async def place(self) -> str:
        """The endpoint as the cache names it: two models of one name share replies only at the same
        place. No secret stands in it. Raises what `complete` raises when it has to be asked for and
        cannot be reached."""
        ...


@runtime_checkable
class Chat(Protocol):
    """A chat model. Raises CallFailed after its retries, EndpointRefused or EndpointUnreachable
    when it is no use."""

    @property
    def name(self) -> str:
        """The model as written in a spec: `openai:gpt-5-mini`, `sim:student`."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply: ...
