"""Calls and look-ups, told to the callbacks of the graph that is running, such as LangSmith's."""

import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import structlog

from ...state.records import Evidence
from .chat import ChatReply, ChatRequest

if TYPE_CHECKING:
    from langchain_core.callbacks import AsyncCallbackManager

_PLACES = ("probe", "concept", "answer", "tree", "node", "problem")
"""What the graphs say of where a call belongs, by the name it has in the log."""
_NOT_STREAMED = "nostream"
"""LangGraph's tag for what its stream mode `messages` leaves out: an evaluator's prompts are no
message of the host."""


def _host_callbacks(tags: Sequence[str]) -> "AsyncCallbackManager | None":
    """The callbacks of the graph that is running, where it has any, with tags and the place of the
    call."""
    # whoever runs a graph has it; it is heavy to import
    running = sys.modules.get("langchain_core.runnables.config")
    config = running and running.var_child_runnable_config.get()
    callbacks: Any = config and config.get("callbacks")
    if running is None or not getattr(callbacks, "handlers", callbacks):
        return None
    manager: AsyncCallbackManager = running.get_async_callback_manager_for_config(config)
    context = structlog.contextvars.get_contextvars()
    places = [str(context[name]) for name in _PLACES if name in context]
    manager.add_tags([*tags, *places], inherit=False)
    return manager


async def traced(
    name: str, request: ChatRequest, call: Callable[[], Awaitable[ChatReply]]
) -> ChatReply:
    """What `call` returns or raises; told to the callbacks of the graph that is running, where it
    has any: the run is named by the request's purpose, its tags are the role and the probe, its
    result has the tokens."""
    manager = _host_callbacks([*([request.role] if request.role else []), _NOT_STREAMED])
    if manager is None:
        return await call()

    from langchain_core.messages import AIMessage, convert_to_messages
    from langchain_core.messages.ai import UsageMetadata
    from langchain_core.outputs import ChatGeneration, LLMResult

    manager.add_metadata({"ls_model_name": name, "ls_model_type": "chat"}, inherit=False)
    turns = convert_to_messages([(turn.role, turn.content) for turn in request.messages])
    (run,) = await manager.on_chat_model_start({"name": name}, [turns], name=request.purpose)
    try:
        reply = await call()
    except BaseException as error:
        await run.on_llm_error(error)
        raise
    read, written = reply.usage.input_tokens, reply.usage.output_tokens
    message = AIMessage(
        reply.text,
        usage_metadata=UsageMetadata(
            input_tokens=read, output_tokens=written, total_tokens=read + written
        ),
        response_metadata={"finish_reason": reply.finish},
    )
    generations = [[ChatGeneration(message=message)]]
    model = {"model_name": reply.model}
    await run.on_llm_end(LLMResult(generations=generations, llm_output=model))
    return reply


async def traced_look_up(
    concept: str, tier: str, look_up: Callable[[], Awaitable[list[Evidence]]]
) -> list[Evidence]:
    """What `look_up` returns or raises; told to the callbacks of the graph that is running as a
    retriever's run, with the passages as documents."""
    manager = _host_callbacks(["factfinder", tier])
    if manager is None:
        return await look_up()

    from langchain_core.documents import Document

    run = await manager.on_retriever_start(
        {"name": "factfinder"}, concept, name="find_evidence"
    )
    try:
        passages = await look_up()
    except BaseException as error:
        await run.on_retriever_error(error)
        raise
    documents = []
    for passage in passages:
        metadata = passage.model_dump(mode="json", exclude={"text"})
        documents.append(Document(page_content=passage.text, metadata=metadata))
    await run.on_retriever_end(documents)
    return passages
