"""What one model's endpoint takes: names of parameters, how a schema is asked for. Learnt from its
complaints."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .chat import ChatRequest, Message, with_schema_block
from .faults import ErrorBody
from .providers import LimitName, Provider, SchemaMode
from .settings import PLAIN, ModelSettings

_UNSUPPORTED = re.compile(
    r"""unsupported|not\ supported|n.t\ support|unknown|unrecogni[sz]ed|unexpected|not\ permitted
    |not\ allowed|unavailable|only\ the\ default|extra\ inputs|extra\ fields|forbidden|deprecated
    |invalid\ schema|invalid\ parameter|not\ enabled|not\ available|not\ implemented|cannot\ both""",
    re.IGNORECASE | re.VERBOSE,
)
_NAMES: Mapping[str, str] = {
    "response_format": r"response[_ ]format|json[_ ]schema|json_object|guided_json|text\.format",
    "reasoning_effort": r"reasoning[_. ]effort",
    "logprobs": r"logprobs?|log prob(?:s|abilities)|top_logprobs",
    "top_p": r"top[_-]?p",
}
"""What complaints call a parameter, where that is not always its name."""
_NEXT_MODE: Mapping[SchemaMode, SchemaMode] = {"json_schema": "json_object", "json_object": "none"}
_OTHER_LIMIT: Mapping[LimitName, LimitName] = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
_STATUSES = frozenset({400, 413, 416, 422})
"""Of complaints about a request."""
_TEMPLATE_STATUS = frozenset({*_STATUSES, 500})
"""A chat template that fails is a 500 at some servers (llama.cpp, LM Studio, SGLang)."""
_VALUE = re.compile(
    r"(?:must|has to|should) be|out of range|range of|(?:invalid|expected) (?:a "
    r")?value|(?:above|below) m"
    r"|(?:greater|less) than|at (?:most|least)",
    re.IGNORECASE,
)
"""How a value is refused where the parameter itself is not."""
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


@dataclass(frozen=True, slots=True)
class Capabilities:
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
    ) -> "Capabilities":
        """A provider's dialect with the user's own fields; at an address of the user's own, the old
        name of the token limit, which all know."""
        limit: LimitName = "max_tokens" if own_address else provider.limit_name
        # the Responses API has no seed
        refused = frozenset({provider.seed_name} if settings.api else ())
        extra = {**provider.extra, **settings.fields}
        return cls(
            limit,
            provider.seed_name,
            provider.mode,
            extra,
            provider.logprobs,
            refused,
        )

    def parameters(
        self,
        request: ChatRequest,
        schema: dict[str, Any] | None,
    ) -> dict[str, Any]:
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
        if request.schema is not None and schema is not None and self.mode != "none":
            named = {"name": request.schema.__name__, "strict": True, "schema": schema}
            shape = {"json_schema": named} if self.mode == "json_schema" else {}
            parameters["response_format"] = {"type": self.mode, **shape}
        return parameters

    def messages(
        self,
        request: ChatRequest,
        schema: dict[str, Any] | None,
    ) -> tuple[Message, ...]:
        """The conversation; the schema stands in it where `response_format` does not carry it."""
        messages = request.messages
        if schema is not None and self.mode != "json_schema":
            messages = with_schema_block(messages, schema)
        return without_system(messages) if SYSTEM in self.refused else messages

    def learn(
        self,
        status: int,
        body: ErrorBody,
        request: ChatRequest,
        parameters: Mapping[str, Any],
    ) -> "tuple[Capabilities, ChatRequest] | None":
        """The dialect and the request to ask in after a complaint; None when asking again is not
        worth it."""
        limit = parameters.get(self.limit_name)
        if limit and status in _STATUSES and (room := _reply_room(body.message, limit)):
            whole = _window(body.message)
            learnt = replace(self, window=whole) if whole else replace(self, most_tokens=room)
            return learnt, replace(request, max_tokens=room)
        instructed = any(message.role == "system" for message in request.messages)
        if instructed and SYSTEM not in self.refused and _refuses_system(status, body.message):
            return self._without(SYSTEM), request
        if (
            status == 403
        ):  # OpenAI says so that one is "not allowed to request logprobs from this model"
            parameters = {name: value for name, value in parameters.items() if name == "logprobs"}
        elif status not in _STATUSES:
            return None
        dialect = self.after(body, parameters)
        return None if dialect is None else (dialect, request)

    def after(
        self,
        body: ErrorBody,
        parameters: Mapping[str, Any],
    ) -> "Capabilities | None":
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

    def _without(self, name: str) -> "Capabilities":
        if name == self.limit_name:
            return replace(self, limit_name=_OTHER_LIMIT[self.limit_name])
        if name == "response_format":
            return replace(self, mode=_NEXT_MODE[self.mode])
        if name in self.extra:
            extra = {key: value for key, value in self.extra.items() if key != name}
            return replace(self, extra=extra)
        return replace(self, refused=self.refused | {name})


_O_SERIES = re.compile(r"o\d")
"""OpenAI's first reasoning models."""


def payload_of(
    model: str, messages: Iterable[Message], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """What is posted, with the peculiarities that LangChain's ChatOpenAI knows of: the o-series
    takes its system message from a "developer", and o1 a temperature of 1 where no other is sent.
    """
    system = "developer" if _O_SERIES.match(model) else "system"
    turns = [
        {"role": system if m.role == "system" else m.role, "content": m.content} for m in messages
    ]
    forced = {"temperature": 1} if model.lower().startswith("o1") else {}
    return {
        "model": model,
        "messages": turns,
        "stream": False,
        **forced,
        **parameters,
    }


def without_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The conversation with the text of its system messages before that of the user's first
    turn."""
    turns = [message for message in messages if message.role != "system"]
    texts = [message.content for message in messages if message.role == "system"]
    if not texts:
        return tuple(turns)
    if not turns or turns[0].role != "user":
        turns.insert(0, Message("user", ""))
    texts += [turns[0].content] if turns[0].content else []
    return (Message("user", "\n\n".join(texts)), *turns[1:])


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


def _refuses_system(status: int, message: str) -> bool:
    return status in _TEMPLATE_STATUS and _NO_SYSTEM.search(message) is not None


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
    whole, prompt = _window(message), _PROMPT.search(message)
    if whole is not None and prompt is not None:
        room = whole - int(prompt[1])
        room = min(room, limit // 2) if "at least" in message else room
    elif _LIMIT.search(message):
        numbers = [int(number) for number in _NUMBER.findall(message)]
        room = max((number for number in numbers if number < limit), default=0)
    else:
        return None
    return room if _LEAST <= room < limit else None
