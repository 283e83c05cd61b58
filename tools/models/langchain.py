"""A host's own objects as Chat: LangChain chat models, apps under test, and one exchange with any of the
models."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable

from ...state.errors import CallFailed, FathomError, UsageError
from .chat import ChatReply, ChatRequest
from .dialect import (
    cut_at,
    finish_name,
    strict_schema,
    usage_of,
    with_schema_block,
    without_key,
)
from .faults import AttemptFailed, failure_by_status, redact, retry_after
from .limiter import Timing
from .logprobs import read_logprobs
from .replies import text_of, without_thoughts

App = Runnable[Any, Any] | Callable[[Any], Awaitable[Any]]


class LangChainChat:
    """Any LangChain chat model of a host's own. Implements Chat.

    Its own settings rule: temperature, top_p, token limit, seed, retries and connections are the
    model's, because the host chose them, and so is whether it returns log-probabilities; a JSON
    shape is asked for in the prompt. The cost of its calls is unknown.
    """

    def __init__(
        self,
        model: BaseChatModel,
        name: str | None = None,
        *,
        timeout_s: float | None = None,
        timing: Timing | None = None,
    ) -> None:
        self._model = model
        self.name = name or f"langchain:{_model_name(model) or type(model).__name__}"
        self._timeout_s = timeout_s
        self._timing = timing or Timing()
        self._logprobs = False

    @property
    def caveats(self) -> tuple[str, ...]:
        """What of a request is not honoured, in words; log-probabilities once they have been asked
        for."""
        fixed = "temperature, top_p, token limit and seed are the model's own: none is sent"
        set_to = "log-probabilities are only there if the model is set to return them"
        return (fixed, set_to) if self._logprobs else (fixed,)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """One reply. Raises CallFailed or EndpointRefused; whatever the model raises is classified,
        never passed on."""
        self._logprobs |= request.logprobs
        try:
            return await exchange(
                self._model, request, self.name, self._timing, timeout_s=self._timeout_s
            )
        except AttemptFailed as fault:
            raise CallFailed(fault.kind, f"{fault}.") from None


async def exchange(
    model: BaseChatModel,
    request: ChatRequest,
    name: str,
    timing: Timing,
    *,
    timeout_s: float | None,
    max_wait_s: float = 60.0,
    parameters: Mapping[str, Any] | None = None,
    limit: int | None = None,
    key: str | None = None,
) -> ChatReply:
    """One attempt through LangChain. What the model raises becomes AttemptFailed or EndpointRefused; `key`
    is in neither it nor the reply. `limit`: that of its tokens, where the model was given one."""
    messages = request.messages
    if request.schema is not None:
        messages = with_schema_block(messages, strict_schema(request.schema))
    turns = [(message.role, message.content) for message in messages]
    started = timing.clock()
    try:
        async with asyncio.timeout(timeout_s):
            message = await model.ainvoke(turns, **(parameters or {}))
        reply = _reply(
            model,
            name,
            message,
            timing.clock() - started,
        )
        if request.logprobs:
            reply = replace(reply, logprobs=_logprobs(message, reply))
    except (FathomError, AttemptFailed):
        raise
    except Exception as error:  # the model is anybody's: all its failures become data here
        if is_signal(error):
            raise
        raise classified(
            error,
            name,
            timing.wall(),
            max_wait_s,
            key,
        ) from None
    return without_key(cut_at(reply, limit), key)


def _reply(
    model: BaseChatModel,
    name: str,
    message: BaseMessage,
    latency_s: float,
) -> ChatReply:
    metadata = message.response_metadata
    reasons = (metadata.get(key) for key in ("finish_reason", "stop_reason", "done_reason"))
    finish = next(filter(None, reasons), "")
    text = text_of(message.content)
    refusal = text_of(message.additional_kwargs.get("refusal")).strip()
    if finish_name(finish) == "refusal":
        refusal = refusal or text or "refused"
    reply = ChatReply(
        text=text,
        finish=finish_name(finish),
        refusal=refusal or None,
        reasoning=text_of(message.additional_kwargs.get("reasoning_content")) or None,
        usage=usage_of(_metadata(message), "input_tokens", "output_tokens"),
        latency_s=latency_s,
        model=text_of(metadata.get("model_name") or metadata.get("model"))
        or _model_name(model)
        or name,
    )
    return without_thoughts(reply)


def _metadata(message: object) -> Mapping[str, Any]:
    """Of its tokens."""
    return (message.usage_metadata if isinstance(message, AIMessage) else None) or {}


def _logprobs(message: BaseMessage, reply: ChatReply) -> tuple[float, ...] | None:
    """Those of the visible reply; Google's models keep them under a name of their own."""
    metadata = message.response_metadata
    logprobs = metadata.get("logprobs") or metadata.get("logprobs_result")
    unseen = bool(_metadata(message).get("output_token_details", {}).get("reasoning"))
    # what is no text in a list of parts is hidden reasoning: no tools are ever offered
    thought = bool(reply.reasoning) or unseen or reply.text != _all_text(message.content)
    return read_logprobs(logprobs, reply.text, thought=thought)


def _all_text(content: str | Sequence[object]) -> str | None:
    """The whole content, None when not all of it is text."""
    if isinstance(content, str):
        return content
    parts = [part if isinstance(part, str) else text_of([part]) for part in content]
    return "".join(parts) if all(parts) else None


def is_signal(error: Exception) -> bool:
    """Whether it is LangGraph's own word to the graph that runs (an interrupt, a command), which is
    no failure."""
    return any(base.__name__ == "GraphBubbleUp" for base in type(error).__mro__)


def classified(
    error: Exception,
    name: str,
    wall_s: float,
    max_wait_s: float,
    key: str | None,
) -> Exception:
    """AttemptFailed or EndpointRefused: by the HTTP status, where the error carries one, else by its type's
    name."""
    words = redact(str(error), key)[:300].rstrip(".")
    reason = f"{name} failed with {type(error).__name__}: {words or 'no further word'}"
    wait_s = retry_after(_headers(error), wall_s, max_wait_s)
    failure = failure_by_status(
        _status(error),
        reason,
        wait_s,
        is_explained=bool(words),
    )
    if failure is not None:
        return failure
    names = " ".join(base.__name__ for base in type(error).__mro__).lower()
    if "timeout" in names:
        return AttemptFailed("timeout", reason)
    return AttemptFailed("connection" if "connect" in names else "server", reason)


def _headers(error: Exception) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    pairs = headers.items() if isinstance(headers, Mapping) else ()
    return {str(name).lower(): str(value) for name, value in pairs}


def _status(error: Exception) -> int:
    response = getattr(error, "response", None)
    for value in (getattr(error, "status_code", None), getattr(response, "status_code", None)):
        if isinstance(value, int):
            return value
    return 0


def _model_name(model: BaseChatModel) -> str | None:
    for attribute in ("model_name", "model"):
        value = getattr(model, attribute, None)
        if isinstance(value, str) and value:
            return value
    return None


class AppChat:
    """An app that is examined like a model. Implements Chat.

    It is given the question alone and its own settings rule: temperature, token limit and seed
    reach no app. A fault in it is a failed call with its cause; LangGraph's own signals (an
    interrupt of the app) pass through to the host.
    """

    caveats = ("temperature, top_p, token limit and seed are the app's own: none is sent",)
    """What of a request is not honoured, in words."""

    def __init__(
        self,
        app: App,
        name: str,
        *,
        input: Callable[[str], Any] | None = None,  # as LangChain names it
        output: Callable[[Any], str] | None = None,
        timeout_s: float | None = 120.0,
        timing: Timing | None = None,
    ) -> None:
        """`name` is what results call it. `input` makes what the app takes from the question, by
        default the question itself; `output` takes the answer's text from what it returns, by
        default a text, a message, or the last message of a state with `messages`. Raises UsageError
        for what is no app or not async, or without a name."""
        if not isinstance(app, Runnable) and not _is_async(app):
            kind = f"{type(app).__name__}{' that is not async' if callable(app) else ''}"
            raise UsageError(
                f"A {kind} is no app: give a Runnable, a compiled graph or an async function."
            )
        if not name.strip():
            raise UsageError("An app needs a name: results and reports call it by that.")
        self._ask: Callable[[Any], Awaitable[Any]] = (
            app.ainvoke if isinstance(app, Runnable) else app
        )
        self.name = f"app:{name.strip()}"
        self._input = input or str
        self._output = output or _text_in
        self._timeout_s = timeout_s
        self._timing = timing or Timing()

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The app's answer to the last message. Raises CallFailed, whatever the app raises; never
        tries again."""
        started = self._timing.clock()
        try:
            async with asyncio.timeout(self._timeout_s):
                returned = await self._ask(self._input(request.messages[-1].content))
            text = self._output(returned)
        except Exception as error:  # the app is anybody's: all its failures become data here
            if is_signal(error):
                raise
            fault = classified(
                error,
                self.name,
                self._timing.wall(),
                0.0,
                None,
            )
            kind = fault.kind if isinstance(fault, AttemptFailed) else "server"
            raise CallFailed(kind, f"{fault}.", attempts=1) from None
        if not isinstance(text, str):
            reason = f"{self.name} returned a {type(text).__name__} in place of a text."
            raise CallFailed("bad_request", reason, attempts=1)
        latency_s = self._timing.clock() - started
        usage = usage_of(_metadata(_message(returned)), "input_tokens", "output_tokens")
        return ChatReply(
            text,
            usage=usage,
            latency_s=latency_s,
            model=self.name,
        )


def _is_async(app: Any) -> bool:
    """Whether a function, or what an object does when it is called, can be awaited; decorators are
    looked through."""
    call = inspect.unwrap(app) if callable(app) else app
    return inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(type(call).__call__)


def _text_in(returned: Any) -> str:
    """The answer's text. Raises TypeError for what holds none."""
    message = _message(returned)
    if isinstance(message, str):
        return message
    if isinstance(message, BaseMessage):
        return text_of(message.content)
    raise TypeError(
        f"what it returned ({type(returned).__name__}) is no text and no message: say where "
        "with output=…"
    )


def _message(returned: Any) -> Any:
    messages = returned.get("messages") if isinstance(returned, Mapping) else None
    return messages[-1] if isinstance(messages, Sequence) and messages else returned
