"""LangChain chat models such as a host app might bring, and the errors they raise."""

import asyncio
from types import SimpleNamespace
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field

TOKENS = [{"token": "Ne", "logprob": -0.5}, {"token": "on.", "logprob": -0.25}]
NEON = (-0.5, -0.25)
"""The log-probabilities of TOKENS."""


class HostModel(BaseChatModel):
    """A chat model such as a host app might bring."""

    reply: AIMessage | None = None
    error: Exception | None = None
    hangs: bool = False
    seen: list[list[BaseMessage]] = Field(default_factory=list)
    model_name: str = "host-model"

    @property
    def _llm_type(self) -> str:
        return "host"

    def _generate(self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any) -> ChatResult:
        self.seen.append(messages)
        if self.error is not None:
            raise self.error
        return ChatResult(
            generations=[ChatGeneration(message=self.reply or AIMessage("Neon."))]
        )

    async def _agenerate(
        self, messages: list[BaseMessage], *_args: Any, **_kwargs: Any
    ) -> ChatResult:
        if self.hangs:
            await asyncio.Event().wait()
        return self._generate(messages)


class StatusError(Exception):
    def __init__(self, status: int, words: str = "key sk-abcdef12345") -> None:
        super().__init__(f"status {status}, {words}")
        self.status_code = status
        self.response: SimpleNamespace | None = None
