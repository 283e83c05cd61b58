"""The simulated model endpoint, as the OpenAI chat protocol has it."""

from math import log
from typing import Any, Literal

import orjson
from pydantic import BaseModel, ValidationError

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


class Simulation(BaseModel):
    """What stands beside the messages; without it the last message is a bare question."""

    purpose: str = "answer"
    """The prompt's name."""
    about: Json | None = None
    """The values of the prompt."""


class Asked(BaseModel):
    """A chat request."""

    model: str
    messages: list[Json]
    simulation: Simulation = Simulation()
    response_format: Json | None = None
    max_completion_tokens: int | None = None
    max_tokens: int | None = None
    logprobs: bool = False
    seed: int | None = None
    stream: Literal[False] | None = None

    @property
    def turns(self) -> list[str]:
        """What the user says."""
        return [_text(message) for message in self.messages if message.get("role") == "user"]

    @property
    def limit(self) -> int | None:
        return self.max_completion_tokens or self.max_tokens


def read(body: object) -> Asked:
    """Reads a request. Raises BadRequest for what the endpoint cannot serve."""
    try:
        request = Asked.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the body"
        raise BadRequest(f"The request cannot be served: {field}: {first['msg']}.") from None
    check_model(request.model)
    if not request.turns:
        raise BadRequest("There is no user message.")
    return request


def _text(message: Json) -> str:
    content = message.get("content") or ""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content)
    return str(content)


def complete(request: Asked, evaluator: Evaluator, digest: str, fault: Fault | None) -> Json:
    """The chat completion. `fault` may be malformed, refusal or cut_off; the others never get here.

    The answer to a bare question is refused in prose, everything else in the message's field for
    it.
    """
    persona, purpose, turns = (
        persona_of(request.model),
        request.simulation.purpose,
        request.turns,
    )
    about = request.simulation.about
    reply = evaluator.do(
        purpose,
        {"question": turns[-1]} if about is None else about,
        persona,
        message=turns[-1],
        attempt=len(turns) - 1,
        seed=request.seed,
    )
    text = reply if isinstance(reply, str) else orjson.dumps(reply).decode()
    finish, refusal = "stop", None
    if fault == "refusal":
        in_prose = purpose in ("answer", "depth_answer")
        text, refusal = (REFUSAL, None) if in_prose else ("", REFUSAL)
    elif fault == "malformed":
        text = f"Certainly! I would say that the {text.replace('{', '').replace(':', ' =')}"
    elif fault == "cut_off" or (request.limit is not None and tokens_in(text) > request.limit):
        keep = len(text) // 2 if fault == "cut_off" else (request.limit or 0) * TOKEN_LENGTH
        text, finish = text[:keep], "length"
    chances = None
    if request.logprobs and not refusal:
        chances = token_chances(evaluator.world.seed, persona, turns[-1], text)
    used = sum(tokens_in(_text(message)) for message in request.messages) + 3
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


def tokens_in(text: str) -> int:
    """Tokens, counted as one per four characters."""
    return -(-len(text) // TOKEN_LENGTH)


TOKEN_LENGTH = 4
"""Characters of a token."""
MEMORISED, ORDINARY = 0.25, 1.0
"""Mean surprise of a token in nats, in memorised answers, which half of them are, and in others;
surprises are exponentially distributed."""


def token_chances(seed: int, persona: Persona, message: str, text: str) -> Json:
    """The field `logprobs` of a choice with this text."""
    is_memorised = draw(seed, "memorised", persona.name, message) < 0.5
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
