"""A model that notes what each of its calls cost: the source of every figure on usage."""

from dataclasses import replace

from ...state.errors import CallFailed
from ...state.records import Call, Role
from .chat import Chat, ChatReply, ChatRequest, Payer


class Metered:
    """A Chat that appends one `Call` per completed or failed call to a list, in order of completion."""

    def __init__(
        self,
        inner: Chat,
        role: Role,
        calls: list[Call],
        payer: Payer | None = None,
        heard: list[ChatRequest] | None = None,
    ) -> None:
        """`payer`: who answers for the price of the calls under a budget; `heard`: what is asked is added to it."""
        self._inner = inner
        self._heard = heard
        self._payer = payer
        self._role = role
        self._calls = calls

    @property
    def name(self) -> str:
        return self._inner.name

    async def complete(self, request: ChatRequest) -> ChatReply:
        if self._heard is not None:
            self._heard.append(request)
        try:
            reply = await self._inner.complete(replace(request, payer=self._payer or request.payer, role=self._role))
        except CallFailed as error:
            self._calls.append(
                Call(
                    role=self._role,
                    purpose=request.purpose,
                    model=self.name,
                    attempts=error.attempts,
                    failure=error.kind,
                )
            )
            raise
        self._calls.append(
            Call(
                role=self._role,
                purpose=request.purpose,
                model=reply.model or self.name,
                usage=reply.usage,
                cost_usd=reply.cost_usd,
                latency_s=reply.latency_s,
                attempts=reply.attempts,
                cached=reply.cached,
                saved_usd=reply.saved_usd,
                request=reply.request,
            )
        )
        return reply
