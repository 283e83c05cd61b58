"""The simulated model endpoint, as the OpenAI chat protocol has it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Any

import orjson

from .deepquestion import tasks as problems
from .depthqa.tasks import Turn, question_in
from .embeddings import MODEL as EMBEDDINGS
from .evaluator import Evaluator, blocks, prose_task, task_of
from .faults import BadRequest, Fault
from .personas import MODELS, Persona, persona_of
from .values import draw, number

__all__ = ["MODELS", "Asked", "complete", "model_card", "model_list", "read"]

FINGERPRINT = "fp_simulated"
REFUSAL = "I'm sorry, but I can't help with that request."
Json = dict[str, Any]


def error_body(message: str, status: int, code: str | None = None) -> Json:
    """An error as OpenAI writes it."""
    kinds = {
        429: "rate_limit_error",
        500: "server_error",
    }
    return {
        "error": {
            "message": message,
            "type": kinds.get(status, "invalid_request_error"),
            "param": None,
            "code": code,
        }
    }


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
    """A chat request, read: the model, the task (None: prose), the blocks, and the last user
    message."""

    model: str
    task: str | None
    purpose: str
    """The task, or what prose is wanted for: `answer`, `with_context`, `turn`, `explanation`,
    `choice`, `open_book`, `solution`, `created_question`."""
    blocks: Mapping[str, str]
    question: str
    attempt: int
    """How often the task was sent back: user messages behind the first; 0 for prose."""
    limit: int | None
    stream: bool
    logprobs: bool = False
    seed: int | None = None
    properties: frozenset[str] = frozenset()
    """What the reply to a task may hold; empty for prose."""
    earlier: tuple[Turn, ...] = ()
    """Of a conversation in prose what was asked and answered before."""


def read(body: object) -> Asked:
    """Reads a request. Raises BadRequest for what the endpoint cannot serve."""
    if not isinstance(body, dict):
        raise BadRequest("The body is not a JSON object.")
    model = check_model(body.get("model"))
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("'messages' must be a list with at least one message.")
    turns = [
        (message.get("role"), _text(message)) for message in messages if isinstance(message, dict)
    ]
    texts = [text for role, text in turns if role == "user"]
    if not texts:
        raise BadRequest("There is no user message.")
    blocks_of_prompt = problems.with_count(blocks("\n".join(texts)), "\n".join(texts))
    properties = _properties(body.get("response_format"), blocks_of_prompt)
    task = task_of(properties) if properties is not None else None
    if properties and task is None:
        raise BadRequest(
            "The simulated evaluator has no task with the properties "
            f"{', '.join(sorted(properties))}."
        )
    limit = body.get("max_completion_tokens") or body.get("max_tokens")
    system = "\n".join(text for role, text in turns if role == "system")
    seed = body.get("seed")
    return Asked(
        model=model,
        task=task,
        purpose=task or prose_task(blocks_of_prompt, texts, system),
        blocks=blocks_of_prompt,
        question=texts[-1],
        attempt=len(texts) - 1 if task else 0,
        limit=limit if isinstance(limit, int) else None,
        stream=body.get("stream") is True,
        logprobs=body.get("logprobs") is True,
        seed=seed if isinstance(seed, int) else None,
        properties=properties or frozenset(),
        earlier=()
        if task
        else _earlier([(role, text) for role, text in turns if role != "system"]),
    )


def _earlier(turns: Sequence[tuple[object, str]]) -> tuple[Turn, ...]:
    """What was asked and answered, of all that was said."""
    return tuple(
        (question, reply)
        for (role, question), (next_role, reply) in pairwise(turns)
        if (role, next_role) == ("user", "assistant")
    )


def _text(message: Json) -> str:
    content = message.get("content") or ""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content)


def _properties(
    response_format: object, blocks_of_prompt: Mapping[str, str]
) -> frozenset[str] | None:
    """Property names of the schema asked for: in `response_format`, else in a block `<schema>`;
    None for prose."""
    schema: object = None
    if isinstance(response_format, dict) and response_format.get("type") == "json_schema":
        schema = (response_format.get("json_schema") or {}).get("schema")
    elif "schema" in blocks_of_prompt:
        try:
            schema = orjson.loads(blocks_of_prompt["schema"])
        except orjson.JSONDecodeError as error:
            raise BadRequest(f"The block <schema> is not JSON: {error}.") from error
    if not isinstance(schema, dict):
        return None
    return frozenset(schema.get("properties", {}))


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
    if request.task is not None:
        reply = evaluator.do(request.task, request.blocks, persona, request.attempt, request.seed)
        text = orjson.dumps(
            {key: value for key, value in reply.items() if key in request.properties}
        ).decode()
    else:
        text = evaluator.say(
            request.purpose, persona, request.blocks, request.question, request.earlier
        )
    finish, refusal = "stop", None
    if fault == "refusal":
        text, refusal = (REFUSAL, None) if request.purpose == "answer" else ("", REFUSAL)
    elif fault == "malformed":
        text = _broken(text, digest)
    elif fault == "cut_off" or (request.limit is not None and tokens_in(text) > request.limit):
        keep = len(text) // 2 if fault == "cut_off" else (request.limit or 0) * TOKEN_LENGTH
        text, finish = text[:keep], "length"
    chances = None
    if request.logprobs and not refusal:
        chances = token_chances(evaluator.world.seed, persona, request.question, text)
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


def _broken(text: str, digest: str) -> str:
    """JSON that is none, in one of three ways models have."""
    way = number(digest) % 3
    if way == 0:
        return text[: max(1, len(text) * 2 // 3)]
    if way == 1:
        return "Certainly! I would say that the " + text.replace('"', "").replace("{", "").replace(
            "}", ""
        )
    return text.replace(":", " =", 1)


TOKEN_LENGTH = 4
"""Characters of a token."""
MEMORISED, ORDINARY = 0.25, 1.0
"""Mean surprise of a token in nats, in memorised and in other answers; surprises are exponentially
distributed."""


def token_chances(seed: int, persona: Persona, question: str, text: str) -> dict[str, Any] | None:
    """The field `logprobs` of a choice with this text; None where this persona tells none."""
    if draw(seed, "logprobs", persona.name, question) >= persona.logprobs:
        return None
    scale = MEMORISED if is_memorised(seed, persona, question) else ORDINARY
    tokens = [text[index : index + TOKEN_LENGTH] for index in range(0, len(text), TOKEN_LENGTH)]
    content = [
        {
            "token": token,
            "logprob": round(scale * log(1.0 - draw(seed, "token", persona.name, text, index)), 6),
            "bytes": list(token.encode()),
            "top_logprobs": [],
        }
        for index, token in enumerate(tokens)
    ]
    return {"content": content, "refusal": None}


def is_memorised(seed: int, persona: Persona, text: str) -> bool:
    """Whether the answer to what is asked is a memorised one: the deeper the question, the more
    rarely."""
    question = question_in(text)
    name = question.id if question else " ".join(text.split())
    depth = question.depth if question else 1
    return draw(seed, "memorised", persona.name, name) < persona.memorised**depth
