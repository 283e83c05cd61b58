"""A chat that replies by script, and a shape to ask it for."""

from typing import Annotated

from pydantic import BaseModel, Field, StrictBool

from fathom.tools.models.chat import ChatReply, ChatRequest


class Verdict(BaseModel):
    reason: str
    right: StrictBool
    confidence: Annotated[float, Field(ge=0.0, le=1.0)]


GOOD = '{"reason": "It says so.", "right": true, "confidence": 0.9}'
VERDICT = Verdict(reason="It says so.", right=True, confidence=0.9)


class Scripted:
    """A chat that gives its replies in turn, the last one again and again, with thoughts taken out
    as clients do."""

    name = "scripted:model"

    def __init__(self, *replies: ChatReply | str) -> None:
        self.replies = [
            reply if isinstance(reply, ChatReply) else ChatReply(reply) for reply in replies
        ]
        self.asked: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        return self.replies[min(len(self.asked), len(self.replies)) - 1]
