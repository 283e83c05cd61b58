"""Prober: puts a question to the target, closed book, and keeps the answer word for word."""

from ..state.records import Answer
from ..tools.models.chat import Chat, ChatRequest
from ..tools.models.structured import prose
from .prompting import Prompt

ANSWER = Prompt(
    "answer",
    """You are taking an oral examination without any aids. Answer from memory in two to four sentences: first the fact
that was asked for, then what belongs to it. If you do not know, say so. Answer in the language of the question.
=== user ===
$question""",
    frozenset({"question"}),
)


async def ask(
    model: Chat, question: str, *, max_tokens: int = 2048, seed: int | None = None, prompt: Prompt = ANSWER
) -> Answer:
    """The target's answer to the question alone, at temperature 0. A cut-off answer is asked for once more with room.

    Raises CallFailed, ReplyUnreadable (cut_off, content_filter, empty), EndpointRefused, EndpointUnreachable.
    """
    request = ChatRequest(prompt.render_bare(question=question), prompt.name, max_tokens=max_tokens, seed=seed)
    reply = await prose(model, request)
    return Answer(
        text=reply.text or (reply.refusal or ""),
        finish=reply.finish,
        refusal=bool(reply.refusal),
        usage=reply.usage,
        latency_s=reply.latency_s,
        logprobs=reply.logprobs,
    )
