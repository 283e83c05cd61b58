"""Calls of models that are named by strings as a host's LangChain callbacks see them: each a run of its own."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import structlog

from .chat import ChatReply, ChatRequest

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
    from langchain_core.outputs import LLMResult

_PLACES = ("probe", "concept", "answer", "tree", "node", "problem")
"""What the graphs say of where a call belongs, by the name it has in the log."""
_NOT_STREAMED = "nostream"
"""LangGraph's tag for what its stream mode `messages` leaves out: an evaluator's prompts are no message of the host."""


async def traced(name: str, request: ChatRequest, call: Callable[[], Awaitable[ChatReply]]) -> ChatReply:
    """What `call` returns or raises; told to the callbacks of the graph that is running, where it has any: the run is
    named by the request's purpose, its tags are the role and the probe, its result has the tokens."""
    run = await _begun(name, request)
    if run is None:
        return await call()
    try:
        reply = await call()
    except BaseException as error:
        await run.on_llm_error(error)
        raise
    await run.on_llm_end(_result(reply))
    return reply


async def _begun(name: str, request: ChatRequest) -> "AsyncCallbackManagerForLLMRun | None":
    # heavy for who only asks one model; whoever runs a graph has it already
    from langchain_core.runnables.config import get_async_callback_manager_for_config, var_child_runnable_config

    config = var_child_runnable_config.get()
    callbacks: Any = config and config.get("callbacks")
    if config is None or not getattr(callbacks, "handlers", callbacks):
        return None
    from .transport import langchain_messages

    manager = get_async_callback_manager_for_config(config)
    known = structlog.contextvars.get_contextvars()
    places = [str(known[place]) for place in _PLACES if place in known]
    manager.add_tags([*([request.role] if request.role else []), *places, _NOT_STREAMED], inherit=False)
    manager.add_metadata({"ls_model_name": name, "ls_model_type": "chat"}, inherit=False)
    messages = [langchain_messages(request.messages)]
    (run,) = await manager.on_chat_model_start({"name": name}, messages, name=request.purpose)
    return run


def _result(reply: ChatReply) -> "LLMResult":
    from langchain_core.messages import AIMessage
    from langchain_core.messages.ai import UsageMetadata
    from langchain_core.outputs import ChatGeneration, LLMResult

    read, written = reply.usage.input_tokens or 0, reply.usage.output_tokens or 0
    usage = UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
    message = AIMessage(reply.text, usage_metadata=usage, response_metadata={"finish_reason": reply.finish})
    return LLMResult(generations=[[ChatGeneration(message=message)]], llm_output={"model_name": reply.model})
