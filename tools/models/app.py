"""An application under test as a model: a Runnable, a compiled graph or an async function that
answers a question."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable

from ...state.errors import CallFailed, UsageError
from ...state.records import Usage
from .chat import ChatReply, ChatRequest
from .faults import AttemptFailed
from .langchain import classified, is_signal
from .limiter import Timing
from .reading import text_of

App = Runnable[Any, Any] | Callable[[Any], Awaitable[Any]]


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
            kind = (
                f"{type(app).__name__} that is not async" if callable(app) else type(app).__name__
            )
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
            fault = classified(error, self.name, self._timing.wall(), 0.0, None)
            raise CallFailed(
                fault.kind if isinstance(fault, AttemptFailed) else "server",
                f"{fault}.",
                attempts=1,
            ) from None
        if not isinstance(text, str):
            raise CallFailed(
                "bad_request",
                f"{self.name} returned a {type(text).__name__} in place of a text.",
                attempts=1,
            )
        latency_s = self._timing.clock() - started
        return ChatReply(
            text=text,
            usage=_usage(returned),
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


def _usage(returned: Any) -> Usage:
    message = _message(returned)
    usage = message.usage_metadata if isinstance(message, AIMessage) else None
    return (
        Usage(input_tokens=usage["input_tokens"], output_tokens=usage["output_tokens"])
        if usage
        else Usage()
    )
