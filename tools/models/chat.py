"""The seam between agents and models: a request, a reply, and a protocol with one method; and each
call and look-up as the callbacks of a host's LangChain see it."""

import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, runtime_checkable

import orjson
import structlog
from pydantic import BaseModel, Field

from ...state.records import Evidence, Role, Usage

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManager, AsyncCallbackManagerForLLMRun
    from langchain_core.outputs import LLMResult

    from .settings import ModelSettings


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


def instructed(request: ChatRequest, settings: "ModelSettings") -> ChatRequest:
    """The request as it is sent to a model: with the sampling and the system prompt among its
    settings."""
    names = ("temperature", "top_p", "max_tokens")
    chosen: dict[str, Any] = {name: getattr(settings, name) for name in names}
    changes = {name: value for name, value in chosen.items() if value is not None}
    if settings.system:
        systems = [message for message in request.messages[:1] if message.role == "system"]
        text = "\n\n".join([settings.system, *(message.content for message in systems)])
        changes["messages"] = (Message("system", text), *request.messages[len(systems) :])
    return replace(request, **changes) if changes else request


# constraints that strict modes refuse, and words that repeat a field's name or speak to programmers
_KEYWORDS = """title description default examples format pattern minLength maxLength minItems maxItems
uniqueItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"""
_NOT_STRICT = frozenset(_KEYWORDS.split())
_NAMED = {"properties", "$defs"}  # below these, keys are names and not keywords


@lru_cache(maxsize=256)
def strict_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a shape as strict modes take it, in as few words as will do: every field
    required, none beyond them, no constraints. All who ask share it: not to be changed."""
    return _strict_keywords(shape.model_json_schema())


def _strict_keywords(node: Mapping[str, Any]) -> dict[str, Any]:
    strict = {
        key: _strict_value(key, value) for key, value in node.items() if key not in _NOT_STRICT
    }
    if "properties" in strict:
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict


def _strict_value(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        if key in _NAMED:
            return {name: _strict_keywords(schema) for name, schema in value.items()}
        return _strict_keywords(value)
    if isinstance(value, list):
        return [_strict_keywords(item) if isinstance(item, dict) else item for item in value]
    return value


def with_schema_block(messages: Sequence[Message], schema: dict[str, Any]) -> tuple[Message, ...]:
    """The conversation with the schema in its last user message: for endpoints that take no schema
    of their own."""
    last = max((i for i, message in enumerate(messages) if message.role == "user"), default=None)
    if last is None:
        raise ValueError("a request needs at least one user message")
    block = (
        "Reply with one JSON object that fits this JSON schema, and nothing else.\n"
        f"<schema>\n{orjson.dumps(schema).decode()}\n</schema>"
    )
    changed = replace(messages[last], content=f"{messages[last].content}\n\n{block}")
    return (*messages[:last], changed, *messages[last + 1 :])


_PLACES = ("probe", "concept", "answer", "tree", "node", "problem")
"""What the graphs say of where a call belongs, by the name it has in the log."""
_NOT_STREAMED = "nostream"
"""LangGraph's tag for what its stream mode `messages` leaves out: an evaluator's prompts are no
message of the host."""


async def traced(
    name: str, request: ChatRequest, call: Callable[[], Awaitable[ChatReply]]
) -> ChatReply:
    """What `call` returns or raises; told to the callbacks of the graph that is running, where it
    has any: the run is named by the request's purpose, its tags are the role and the probe, its
    result has the tokens."""
    run = await _callbacks_of_call(name, request)
    if run is None:
        return await call()
    try:
        reply = await call()
    except BaseException as error:
        await run.on_llm_error(error)
        raise
    await run.on_llm_end(_result(reply))
    return reply


async def _callbacks_of_call(
    name: str, request: ChatRequest
) -> "AsyncCallbackManagerForLLMRun | None":
    manager = host_callbacks([*([request.role] if request.role else []), _NOT_STREAMED])
    if manager is None:
        return None

    from langchain_core.messages import convert_to_messages

    manager.add_metadata({"ls_model_name": name, "ls_model_type": "chat"}, inherit=False)
    messages = [
        convert_to_messages([(message.role, message.content) for message in request.messages])
    ]
    run: AsyncCallbackManagerForLLMRun
    (run,) = await manager.on_chat_model_start({"name": name}, messages, name=request.purpose)
    return run


def _result(reply: ChatReply) -> "LLMResult":
    from langchain_core.messages import AIMessage
    from langchain_core.messages.ai import UsageMetadata
    from langchain_core.outputs import ChatGeneration, LLMResult

    tokens = reply.usage.input_tokens, reply.usage.output_tokens
    usage = UsageMetadata(
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        total_tokens=sum(tokens),
    )
    message = AIMessage(
        reply.text, usage_metadata=usage, response_metadata={"finish_reason": reply.finish}
    )
    return LLMResult(
        generations=[[ChatGeneration(message=message)]], llm_output={"model_name": reply.model}
    )


def host_callbacks(tags: Sequence[str]) -> "AsyncCallbackManager | None":
    """The callbacks of the graph that is running, where it has any, with tags and the place of the
    call."""
    running = sys.modules.get(
        "langchain_core.runnables.config"
    )  # whoever runs a graph has it; it is heavy to import
    config = running and running.var_child_runnable_config.get()
    callbacks: Any = config and config.get("callbacks")
    if running is None or not getattr(callbacks, "handlers", callbacks):
        return None
    manager: AsyncCallbackManager = running.get_async_callback_manager_for_config(config)
    context = structlog.contextvars.get_contextvars()
    places = [str(context[name]) for name in _PLACES if name in context]
    manager.add_tags([*tags, *places], inherit=False)
    return manager


async def traced_look_up(
    concept: str, tier: str, look_up: Callable[[], Awaitable[list[Evidence]]]
) -> list[Evidence]:
    """What `look_up` returns or raises; told to the callbacks of the graph that is running as a
    retriever's run, with the passages as documents."""
    manager = host_callbacks(["factfinder", tier])
    if manager is None:
        return await look_up()

    from langchain_core.documents import Document

    run = await manager.on_retriever_start({"name": "factfinder"}, concept, name="find_evidence")
    try:
        passages = await look_up()
    except BaseException as error:
        await run.on_retriever_error(error)
        raise
    documents = [
        Document(
            page_content=passage.text,
            metadata=passage.model_dump(mode="json", exclude={"text"}),
        )
        for passage in passages
    ]
    await run.on_retriever_end(documents)
    return passages
