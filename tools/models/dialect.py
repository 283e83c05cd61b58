"""How an endpoint is spoken to: what it is sent, what its answers say, and which parameters its complaints
show that it does not take."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from pydantic import BaseModel

from ...state.records import Usage
from ..net import Keys, hide
from .chat import ChatReply, ChatRequest, Message
from .faults import ErrorBody
from .logprobs import read_logprobs
from .providers import LimitName, Provider, SchemaMode
from .replies import THOUGHTS, text_of, whole_texts, without_thoughts
from .settings import PLAIN, ModelSettings

_UNSUPPORTED = re.compile(
    r"""unsupported|not\ supported|n.t\ support|unknown|unrecogni[sz]ed|unexpected|not\ permitted
    |not\ allowed|unavailable|only\ the\ default|extra\ inputs|extra\ fields|forbidden|deprecated
    |invalid\ schema|invalid\ parameter|not\ enabled|not\ available|not\ implemented|cannot\ both""",
    re.IGNORECASE | re.VERBOSE,
)
_VALUE = re.compile(
    r"(?:must|has to|should) be|out of range|range of|(?:invalid|expected) (?:a "
    r")?value|(?:above|below) m|(?:greater|less) than|at (?:most|least)",
    re.IGNORECASE,
)
"""How a value is refused where the parameter itself is not."""
_NAMES: Mapping[str, str] = {
    "response_format": r"response[_ ]format|json[_ ]schema|json_object|guided_json|text\.format",
    "reasoning_effort": r"reasoning[_. ]effort",
    "logprobs": r"logprobs?|log prob(?:s|abilities)|top_logprobs",
    "top_p": r"top[_-]?p",
}
"""What complaints call a parameter, where that is not always its name."""
_NEXT_MODE: Mapping[SchemaMode, SchemaMode] = {
    "json_schema": "json_object",
    "json_object": "none",
}
_OTHER_LIMIT: Mapping[LimitName, LimitName] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
_STATUSES = frozenset({400, 413, 416, 422})
"""Of complaints about a request."""
_TEMPLATE_STATUS = frozenset({*_STATUSES, 500})
"""A chat template that fails is a 500 at some servers (llama.cpp, LM Studio, SGLang)."""
_NO_SYSTEM = re.compile(
    r"system role not supported|roles must alternate|only user and assistant roles"
    r"|\.role' does not support|(?:system|developer) (?:message|prompt|instruction|role)s? "
    r"(?:is|are) not",
    re.IGNORECASE,
)
"""Gemma's and Mistral's templates, OpenAI's o1-mini, Gemma at Google."""
_LIMIT = re.compile(
    r"max_(?:completion_|new_|output_)?tokens|(?:completion|output) tokens", re.IGNORECASE
)
_WINDOW = re.compile(
    r"(?:context (?:length|window|size)|max_new_tokens` must be)\D{0,24}(\d+)", re.IGNORECASE
)
_PROMPT = re.compile(
    r"(\d+) (?:in the (?:messages|prompt)|of text input|(?:`inputs`|input|prompt) tokens)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<![\w.-])\d{1,7}(?![\w-]|\.\d)")
"""A whole number that is no part of a model's name, a date or an id."""
_LEAST = 16
"""Fewer tokens hold no answer."""
SYSTEM = "system"


def instructed(request: ChatRequest, settings: ModelSettings) -> ChatRequest:
    """The request as it is sent to a model: with the sampling and the system prompt among its
    settings."""
    names = ("temperature", "top_p", "max_tokens")
    chosen: dict[str, Any] = {name: getattr(settings, name) for name in names}
    changes = {name: value for name, value in chosen.items() if value is not None}
    if settings.system:
        systems = [message for message in request.messages[:1] if message.role == "system"]
        text = "\n\n".join([settings.system, *(message.content for message in systems)])
        changes["messages"] = (Message("system", text), *request.messages[len(systems) :])
    return replace(request, **changes) if changes else request


# constraints that strict modes refuse, and words that repeat a field's name or speak to programmers
_KEYWORDS = """title description default examples format pattern minLength maxLength minItems maxItems
uniqueItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"""
_NOT_STRICT = frozenset(_KEYWORDS.split())


@lru_cache(maxsize=256)
def strict_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a shape as strict modes take it, in as few words as will do: every field
    required, none beyond them, no constraints. All who ask share it: not to be changed."""
    strict: dict[str, Any] = _strict(shape.model_json_schema())
    return strict


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    strict = dict[str, Any]()
    for key, value in node.items():
        if key in ("properties", "$defs"):  # below these, keys are names and not keywords
            strict[key] = {name: _strict(schema) for name, schema in value.items()}
        elif key not in _NOT_STRICT:
            strict[key] = _strict(value)
    if "properties" in strict:
        strict |= {"required": list(strict["properties"]), "additionalProperties": False}
    return strict


def with_schema_block(
    messages: Sequence[Message], schema: dict[str, Any]
) -> tuple[Message, ...]:
    """The conversation with the schema in its last user message: for endpoints that take no schema
    of their own."""
    last = max(
        (i for i, message in enumerate(messages) if message.role == "user"), default=None
    )
    if last is None:
        raise ValueError("a request needs at least one user message")
    block = (
        "Reply with one JSON object that fits this JSON schema, and nothing else.\n"
        f"<schema>\n{orjson.dumps(schema).decode()}\n</schema>"
    )
    changed = replace(messages[last], content=f"{messages[last].content}\n\n{block}")
    return (*messages[:last], changed, *messages[last + 1 :])


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to ask one model. Immutable: what is learnt makes a new one."""

    limit_name: LimitName
    seed_name: str
    mode: SchemaMode
    extra: Mapping[str, object]
    logprobs: bool | int = True
    """What asks for them."""
    refused: frozenset[str] = frozenset()
    """Parameters that it does not take; SYSTEM: messages of the system, whose text then begins the
    first turn of the user."""
    most_tokens: int | None = None
    """Of a reply, by the endpoint's own word."""
    window: int | None = None
    """Tokens of prompt and reply together, once they were too few for what was asked."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """What of a request is not honoured, in words, because the endpoint complained about it."""
        names = {"temperature": "temperature", "top_p": "top_p", self.seed_name: "seed"}
        caveats = [
            not_sent(name, ", because the endpoint refuses it")
            for parameter, name in (names | {"logprobs": "logprobs"}).items()
            if parameter in self.refused
        ]
        if SYSTEM in self.refused:
            caveats.append(
                "it takes no system message, so that its text begins the first message of the user"
            )
        if self.most_tokens is not None:
            most = f"its endpoint allows replies of {self.most_tokens} tokens at most"
            caveats.append(f"{most}, fewer than were asked for")
        if self.window is not None:
            room = f"its context of {self.window} tokens left less room for a reply"
            caveats.append(f"{room} than was asked for")
        return tuple(caveats)

    @classmethod
    def of(
        cls, provider: Provider, *, own_address: bool, settings: ModelSettings = PLAIN
    ) -> "Dialect":
        """A provider's dialect with the user's own fields; at an address of the user's own, the old
        name of the token limit, which all know."""
        return cls(
            "max_tokens" if own_address else provider.limit_name,
            provider.seed_name,
            provider.mode,
            {**provider.extra, **settings.fields},
            provider.logprobs,
            # the Responses API has no seed
            frozenset({provider.seed_name} if settings.api else ()),
        )

    def parameters(self, request: ChatRequest) -> dict[str, Any]:
        """The request's fields beside model and messages."""
        # of two that do not go together (Claude takes top_p or a temperature) the first in this
        # order is given up
        wanted = {
            "logprobs": self.logprobs if request.logprobs else None,
            "top_p": request.top_p,
            "temperature": request.temperature,
            self.seed_name: request.seed,
        }
        limit = min(request.max_tokens, self.most_tokens or request.max_tokens)
        parameters: dict[str, Any] = {**self.extra, self.limit_name: limit}
        unset = {name for name, value in wanted.items() if value is None} | self.refused
        parameters |= {name: value for name, value in wanted.items() if name not in unset}
        if request.schema is not None and self.mode != "none":
            parameters["response_format"] = {"type": self.mode}
            if self.mode == "json_schema":
                parameters["response_format"]["json_schema"] = {
                    "name": request.schema.__name__,
                    "strict": True,
                    "schema": strict_schema(request.schema),
                }
        return parameters

    def messages(self, request: ChatRequest) -> tuple[Message, ...]:
        """The conversation; the schema stands in it where `response_format` does not carry it."""
        messages = request.messages
        if request.schema is not None and self.mode != "json_schema":
            messages = with_schema_block(messages, strict_schema(request.schema))
        return without_system(messages) if SYSTEM in self.refused else messages

    def learn(
        self, status: int, body: ErrorBody, request: ChatRequest, parameters: Mapping[str, Any]
    ) -> "tuple[Dialect, ChatRequest] | None":
        """The dialect and the request to ask in after a complaint; None when asking again is not
        worth it."""
        limit = parameters.get(self.limit_name)
        if limit and status in _STATUSES and (room := _reply_room(body.message, limit)):
            window = _window(body.message)
            learnt = replace(self, window=window) if window else replace(self, most_tokens=room)
            return learnt, replace(request, max_tokens=room)
        has_system = any(message.role == "system" for message in request.messages)
        is_about_system = status in _TEMPLATE_STATUS and _NO_SYSTEM.search(body.message)
        if has_system and is_about_system and SYSTEM not in self.refused:
            return self._without(SYSTEM), request
        if status == 403:
            # OpenAI says so that one is "not allowed to request logprobs from this model"
            parameters = {
                name: value for name, value in parameters.items() if name == "logprobs"
            }
        elif status not in _STATUSES:
            return None
        dialect = self.after(body, parameters)
        return None if dialect is None else (dialect, request)

    def after(self, body: ErrorBody, parameters: Iterable[str]) -> "Dialect | None":
        """The dialect without the parameter that a 400 or 422 calls unsupported, or whose value it
        refuses; None when it is about something else.

        Only what was really sent is looked for, first where the endpoint points, then in its
        message.
        """
        words = (body.message, *body.codes)
        names = list(parameters)
        if not any(map(_UNSUPPORTED.search, words)):
            if not any(map(_VALUE.search, words)):
                return None
            names = [name for name in names if name != self.limit_name]
        pointed_at = [name for name in names if name in body.names]
        mentioned = [name for name in names if _mentions(body.message, name)]
        return next(map(self._without, pointed_at + mentioned), None)

    def _without(self, name: str) -> "Dialect":
        if name == self.limit_name:
            return replace(self, limit_name=_OTHER_LIMIT[self.limit_name])
        if name == "response_format":
            return replace(self, mode=_NEXT_MODE[self.mode])
        if name in self.extra:
            extra = {key: value for key, value in self.extra.items() if key != name}
            return replace(self, extra=extra)
        return replace(self, refused=self.refused | {name})


def payload_of(
    model: str, messages: Iterable[Message], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """What is posted, with the peculiarities that LangChain's ChatOpenAI knows of: the o-series
    takes its system message from a "developer", and o1 a temperature of 1 where no other is sent.
    """
    system = "developer" if re.match(r"o\d", model) else "system"
    turns = [
        {"role": system if m.role == "system" else m.role, "content": m.content}
        for m in messages
    ]
    forced = {"temperature": 1} if model.lower().startswith("o1") else {}
    return {"model": model, "messages": turns, "stream": False, **forced, **parameters}


def without_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation with the text of its system messages before that of the user's first
    turn."""
    turns = [message for message in messages if message.role != "system"]
    texts = [message.content for message in messages if message.role == "system"]
    if turns and turns[0].role == "user":
        texts.append(turns.pop(0).content)
    text = "\n\n".join(filter(None, texts))
    return (Message("user", text), *turns)


def not_sent(name: str, why: str = "") -> str:
    """What is to be said of a parameter that is left out."""
    if name == "logprobs":
        return f"log-probabilities are not asked for{why}"
    return f"{name} is not sent{why}"


def refused_setting(body: ErrorBody, chosen: Iterable[str]) -> str | None:
    """The first of the parameters that the user chose which a complaint is about; None when it is
    about none."""
    texts = [body.message, *body.names]
    return next((name for name in chosen if any(_mentions(text, name) for text in texts)), None)


def _mentions(text: str, name: str) -> bool:
    words = _NAMES.get(name, re.escape(name))
    return re.search(rf"(?<!\w)(?:{words})(?!\w)", text, re.IGNORECASE) is not None


def _window(message: str) -> int | None:
    """Tokens of prompt and reply together that it allows; None: it is not about both."""
    match = _WINDOW.search(message)
    return int(match[1]) if match and _PROMPT.search(message) else None


def _reply_room(message: str, limit: int) -> int | None:
    """Most tokens of a reply that it allows, where `limit` were asked for; None: it is not about
    that.

    Of a window it is what the prompt leaves. vLLM stops counting a prompt at the first token that
    is too many ("at least 2049 input tokens"): half of the limit is tried then.
    """
    window, prompt = _window(message), _PROMPT.search(message)
    if window is not None and prompt is not None:
        room = window - int(prompt[1])
        room = min(room, limit // 2) if "at least" in message else room
    elif _LIMIT.search(message):
        numbers = [int(number) for number in _NUMBER.findall(message)]
        room = max((number for number in numbers if number < limit), default=0)
    else:
        return None
    return room if _LEAST <= room < limit else None


_FINISH_NAMES: Mapping[str, str] = {
    "length": "length max_tokens max_output_tokens max_new_tokens max_length model_length token_limit"
    " model_context_window_exceeded",
    "content_filter": "content_filter content_filtered guardrail_intervened safety blocklist prohibited_content"
    " recitation spii",
    "stop": "stop end_turn stop_sequence eos eos_token complete",
    "tool_calls": "tool_calls tool_use function_call",
    "refusal": "refusal",
}
_FINISH = {word: name for name, words in _FINISH_NAMES.items() for word in words.split()}
_PREFIX = re.compile(r".*[.:/]|(?:finish|stop|done)_?reason_?", re.IGNORECASE)
"""What some libraries write before the word: `FinishReason.MAX_TOKENS`, `FINISH_REASON_MAX_TOKENS`.
"""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MOST_TOKENS, _MOST_USD = 10**9, 10**6
"""No one call has more: a figure beyond is none."""


class Completion(NamedTuple):
    """What one response body holds: the reply, with the cost where the endpoint names it."""

    reply: ChatReply
    cached_tokens: int
    """Input tokens that the provider had in its own prompt cache (cheaper, by most price lists)."""


def read_completion(body: bytes) -> Completion | None:
    """Read a chat completion; None when the body is not one (not JSON, HTML, empty, cut off, no
    choice in it)."""
    data = _parsed(body)
    choice = _first_choice(data)
    if choice is None or not isinstance(data, dict):
        return None
    message, usage = choice["message"], _mapping(data.get("usage"))
    content = text_of(message.get("content"))
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    reply = without_thoughts(
        ChatReply(
            text=content,
            finish=finish_name(choice.get("finish_reason")),
            refusal=_words(message.get("refusal")),
            reasoning=_words(reasoning),
            usage=usage_of(usage, "prompt_tokens", "completion_tokens"),
            cost_usd=_figure(usage.get("cost"), _MOST_USD),
            model=(_words(data.get("model")) or "")[:1000],
        )
    )
    if choice.get("logprobs"):
        unseen = _count(usage.get("completion_tokens_details"), "reasoning_tokens")
        thought = bool(reply.reasoning or unseen) or reply.text != content
        logprobs = read_logprobs(choice["logprobs"], reply.text, thought=thought)
        reply = replace(reply, logprobs=logprobs)
    return Completion(reply, _count(usage.get("prompt_tokens_details"), "cached_tokens"))


def without_key(reply: ChatReply, key: Keys) -> ChatReply:
    """The reply as it may be kept: an endpoint that echoes the key it was sent does so in vain."""
    return replace(
        reply,
        text=hide(reply.text, key),
        refusal=reply.refusal and hide(reply.refusal, key),
        reasoning=reply.reasoning and hide(reply.reasoning, key),
        model=hide(reply.model, key),
    )


def _parsed(body: bytes) -> object:
    """The JSON of a body, None when it is none. What is nearly JSON spoils nothing: a byte order
    mark, half a surrogate pair, as some models write it, or NaN."""
    body = body.removeprefix(BOM_UTF8)
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        pass
    try:
        return whole_texts(json.loads(body.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None


def _first_choice(data: object) -> Mapping[str, Any] | None:
    if not isinstance(data, dict) or data.get("error"):
        return None
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return None
    choice: dict[str, Any] = choices[0]
    failed = choice.get("error") or choice.get("finish_reason") == "error"
    return None if failed or not isinstance(choice.get("message"), dict) else choice


def finish_name(finish: object) -> str:
    """One name per finish reason, whatever the provider calls it: stop (also when it gives none),
    length, content_filter, tool_calls, refusal; `other` for a word of its own, which might be
    anything, a key among it."""
    if finish is None or finish == "":
        return "stop"
    if not isinstance(finish, str):
        return "other"
    word = finish
    while prefix := _PREFIX.match(word):
        word = word[prefix.end() :]
    return _FINISH.get(_HUMP.sub("_", word).replace("-", "_").lower(), "other")


def cut_at(reply: ChatReply, limit: int | None) -> ChatReply:
    """The reply as one that was cut off where it used up the limit that was sent, whatever the
    endpoint calls it."""
    used_up = limit is not None and (reply.usage.output_tokens or 0) >= limit
    if used_up and reply.finish in ("stop", "other", THOUGHTS):
        return replace(reply, finish="length")
    return reply


def usage_of(figures: Mapping[str, Any], input_name: str, output_name: str) -> Usage:
    """The tokens under these two names; none at all unless both can be read: half a count would
    make a call seem almost free, and a budget rests on it."""
    read = _figure(figures.get(input_name), _MOST_TOKENS)
    written = _figure(figures.get(output_name), _MOST_TOKENS)
    if read is None or written is None:
        return Usage()
    return Usage(input_tokens=int(read), output_tokens=int(written))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _words(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _count(values: object, name: str) -> int:
    return int(_figure(_mapping(values).get(name), _MOST_TOKENS) or 0)


def _figure(value: Any, most: int) -> float | None:
    """A number from 0 to `most`; None for anything else."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= most else None
