"""What an endpoint's complaint about a request asks for, by its form: numbers and names that stand
in it."""

import re

STATUSES = frozenset({400, 413, 416, 422})
"""Of complaints about a request."""
TEMPLATE_STATUS = frozenset({*STATUSES, 500})
"""A chat template that fails is a 500 at some servers (llama.cpp, LM Studio, SGLang)."""
VALUE = re.compile(
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


def refuses_system(message: str) -> bool:
    """Whether it is about a system message, for which the model's template has no place."""
    return _NO_SYSTEM.search(message) is not None


def window(message: str) -> int | None:
    """Tokens of prompt and reply together that it allows; None: it is not about both."""
    match = _WINDOW.search(message)
    return int(match[1]) if match and _PROMPT.search(message) else None


def reply_room(message: str, limit: int) -> int | None:
    """Most tokens of a reply that it allows, where `limit` were asked for; None: it is not about
    that.

    Of a window it is what the prompt leaves. vLLM stops counting a prompt at the first token that
    is too many ("at least 2049 input tokens"): half of the limit is tried then.
    """
    whole, prompt = window(message), _PROMPT.search(message)
    if whole is not None and prompt is not None:
        room = whole - int(prompt[1])
        room = min(room, limit // 2) if "at least" in message else room
    elif _LIMIT.search(message):
        numbers = [int(number) for number in _NUMBER.findall(message)]
        room = max((number for number in numbers if number < limit), default=0)
    else:
        return None
    return room if _LEAST <= room < limit else None
