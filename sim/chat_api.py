"""The simulated model endpoint, as the OpenAI chat protocol has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import orjson

from .embeddings import MODEL as EMBEDDINGS
from .evaluator import Evaluator
from .faults import BadRequest, Fault
from .personas import MODELS, Persona, persona_of
from .values import draw

__all__ = ["MODELS", "Asked", "complete", "model_card", "model_list", "read"]

FINGERPRINT = "fp_simulated"
REFUSAL = "I'm sorry, but I can't help with that request."
Json = dict[str, Any]


def error_body(message: str, status: int, code: str | None = None) -> Json:
    """An error as OpenAI writes it."""
    kind = {429: "rate_limit_error", 500: "server_error"}.get(status, "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def model_list(world: str) -> Json:
    """The models as OpenAI lists them, and which world they live in."""
    return {
        "object": "list",
        "data": [model_card(name) for name in MODELS],
        "world": world,
    }


def model_card(name: str) -> Json:
    if name != EMBEDDINGS:
        check_model(name)
    return {
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "fathom-simulated",
    }


def check_model(name: object) -> str:
    """The name of a model of this world. Raises BadRequest."""
    try:
        persona_of(str(name))
    except ValueError as error:
        raise BadRequest(str(error), 404, "model_not_found") from None
    return str(name)


@dataclass(frozen=True, slots=True)
class Asked:
    """A chat request, read. What is asked for, and the values of the prompt, stand beside the
    messages, in the field `simulation`; without it the message is a bare question."""

    model: str
    purpose: str
    """The prompt's name."""
    about: Mapping[str, Any]
    message: str
    """The last turn of the user."""
    attempt: int
    """How often it was sent back: the user's turns behind the first."""
    structured: bool
    limit: int | None
    stream: bool
    logprobs: bool
    seed: int | None


def read(body: object) -> Asked:
    """Reads a request. Raises BadRequest for what the endpoint cannot serve."""
    if not isinstance(body, dict):
        raise BadRequest("The body is not a JSON object.")
    model = check_model(body.get("model"))
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("'messages' must be a list with at least one message.")
    texts = [_text(m) for m in messages if isinstance(m, dict) and m.get("role") == "user"]
    if not texts:
        raise BadRequest("There is no user message.")
    simulation = body.get("simulation") or {}
    limit, seed = body.get("max_completion_tokens") or body.get("max_tokens"), body.get("seed")
    return Asked(
        model=model,
        purpose=simulation.get("purpose", "answer"),
        about=simulation.get("about", {"question": texts[-1]}),
        message=texts[-1],
        attempt=len(texts) - 1,
        structured="response_format" in body,
        limit=limit if isinstance(limit, int) else None,
        stream=body.get("stream") is True,
        logprobs=body.get("logprobs") is True,
        seed=seed if isinstance(seed, int) else None,
    )


def _text(message: Json) -> str:
    content = message.get("content") or ""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content)


def complete(
    request: Asked,
    evaluator: Evaluator,
    digest: str,
    fault: Fault | None,
    messages: Sequence[object],
) -> Json:
    """The chat completion. `fault` may be malformed, refusal or cut_off; the others never get here.

    The answer to a bare question is refused in prose, everything else in the message's field for
    it.
    """
    persona = persona_of(request.model)
    reply = evaluator.do(
        request.purpose,
        request.about,
        persona,
        message=request.message,
        attempt=request.attempt,
        seed=request.seed,
    )
    text = reply if isinstance(reply, str) else orjson.dumps(reply).decode()
    finish, refusal = "stop", None
    if fault == "refusal":
        in_prose = request.purpose in ("answer", "depth_answer")
        text, refusal = (REFUSAL, None) if in_prose else ("", REFUSAL)
    elif fault == "malformed":
        text = f"Certainly! I would say that the {text.replace('{', '').replace(':', ' =')}"
    elif fault == "cut_off" or (request.limit is not None and tokens_in(text) > request.limit):
        keep = len(text) // 2 if fault == "cut_off" else (request.limit or 0) * TOKEN_LENGTH
        text, finish = text[:keep], "length"
    chances = None
    if request.logprobs and not refusal:
        chances = token_chances(evaluator.world.seed, persona, request, text)
    used = sum(tokens_in(_text(m)) for m in messages if isinstance(m, dict)) + 3
    reply_tokens = tokens_in(text or refusal or "")
    return {
        "id": f"chatcmpl-sim-{digest}",
        "object": "chat.completion",
        "created": 0,
        "model": f"sim-{request.model}",
        "system_fingerprint": FINGERPRINT,
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None if refusal else text,
                    "refusal": refusal,
                },
                "logprobs": chances,
                "finish_reason": finish,
            }
        ],
        "usage": {
            "prompt_tokens": used,
            "completion_tokens": reply_tokens,
            "total_tokens": used + reply_tokens,
        },
    }


def as_events(completion: Json) -> bytes:
    """The completion as server-sent events: the message in one piece, the finish with the usage,
    the end mark."""
    choice = completion["choices"][0]
    head = {**completion, "object": "chat.completion.chunk"}
    message = {key: value for key, value in choice["message"].items() if value is not None}
    start = {"index": 0, "delta": message, "logprobs": choice["logprobs"], "finish_reason": None}
    first = {**head, "choices": [start], "usage": None}
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    last = {**head, "choices": [end]}
    return b"".join(
        b"data: %s\n\n" % part for part in (orjson.dumps(first), orjson.dumps(last), b"[DONE]")
    )


def tokens_in(text: str) -> int:
    """Tokens, counted as one per four characters."""
    return -(-len(text) // TOKEN_LENGTH)


TOKEN_LENGTH = 4
"""Characters of a token."""
MEMORISED, ORDINARY = 0.25, 1.0
"""Mean surprise of a token in nats, in memorised answers, which half of them are, and in others;
surprises are exponentially distributed."""


def token_chances(seed: int, persona: Persona, request: Asked, text: str) -> Json:
    """The field `logprobs` of a choice with this text."""
    is_memorised = draw(seed, "memorised", persona.name, request.message) < 0.5
    scale = MEMORISED if is_memorised else ORDINARY
    content = []
    for index in range(0, len(text), TOKEN_LENGTH):
        token = text[index : index + TOKEN_LENGTH]
        chance = 1.0 - draw(seed, "token", persona.name, text, index)
        content.append(
            {
                "token": token,
                "logprob": round(scale * log(chance), 6),
                "bytes": list(token.encode()),
                "top_logprobs": [],
            }
        )
    return {"content": content, "refusal": None}
