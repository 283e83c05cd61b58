"""From an endpoint's JSON to a reply: text, reasoning, finish reason, refusal, usage,
log-probabilities."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from ...state.records import Usage
from ..redact import Keys, hide
from .chat import ChatReply
from .thoughts import THOUGHTS, without_thoughts

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
_LONGEST_NAME = 1_000
_LONG_PROMPT, _MOST_CHARACTERS = 2_000, 12
"""Characters of a prompt that is long enough to judge, and of a token: no language's text has as
many."""


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
    message = choice["message"]
    content = text_of(message.get("content"))
    beside = message.get("reasoning_content") or message.get("reasoning")
    usage = _mapping(data.get("usage"))
    refusal = message.get("refusal")
    unseen = _count(_mapping(usage.get("completion_tokens_details")), "reasoning_tokens")
    whole_reply = ChatReply(
        text=content,
        finish=finish_name(choice.get("finish_reason")),
        refusal=refusal if isinstance(refusal, str) and refusal.strip() else None,
        reasoning=beside if isinstance(beside, str) and beside.strip() else None,
        usage=usage_of(usage, "prompt_tokens", "completion_tokens"),
        cost_usd=_figure(usage.get("cost"), _MOST_USD),
        model=named[:_LONGEST_NAME] if isinstance(named := data.get("model"), str) else "",
    )
    reply = without_thoughts(whole_reply)
    thought = bool(reply.reasoning or unseen) or reply.text != content
    logprobs = read_logprobs(choice.get("logprobs"), reply.text, thought=thought)
    return Completion(
        replace(reply, logprobs=logprobs),
        _count(_mapping(usage.get("prompt_tokens_details")), "cached_tokens"),
    )


def without_key(reply: ChatReply, key: Keys) -> ChatReply:
    """The reply as it may be kept: an endpoint that echoes the key it was sent does so in vain."""
    said = (reply.text, reply.refusal, reply.reasoning, reply.model)
    text, refusal, reasoning, model = (each and hide(each, key) for each in said)
    return replace(reply, text=text or "", refusal=refusal, reasoning=reasoning, model=model or "")


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


def text_of(content: object) -> str:
    """The text of a message's content: a string, or a list of parts of which the text parts
    count."""
    if isinstance(content, str):
        return whole(content)
    if not isinstance(content, list):
        return ""
    return text_of("".join(part if isinstance(part, str) else _part_text(part) for part in content))


def whole(text: str) -> str:
    """The text with a replacement sign for each half of a surrogate pair, which no file could
    hold."""
    return (
        text
        if text.isascii()
        else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


def whole_texts(value: object) -> object:
    """The value without halves of surrogate pairs in its texts: one such sign must not spoil all
    that was said."""
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, list):
        return [whole_texts(each) for each in value]
    return (
        {whole_texts(name): whole_texts(each) for name, each in value.items()}
        if isinstance(value, dict)
        else value
    )


def _part_text(part: object) -> str:
    if not isinstance(part, dict) or part.get("type", "text") not in ("text", "output_text"):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else ""


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
    return (
        replace(reply, finish="length")
        if used_up and reply.finish in ("stop", "other", THOUGHTS)
        else reply
    )


def usage_of(figures: Mapping[str, Any], given: str, made: str) -> Usage:
    """The tokens under these two names; none at all unless both can be read: half a count would
    make a call seem almost free, and a budget rests on it."""
    counts = [_figure(figures.get(name), _MOST_TOKENS) for name in (given, made)]
    read, written = (int(count or 0) for count in counts)
    return Usage() if None in counts else Usage(input_tokens=read, output_tokens=written)


def cut_prompt(payload: Mapping[str, Any], completion: Completion) -> str | None:
    """What is to be said where an endpoint counted fewer tokens in a prompt than its text can have;
    None: it did not, or the prompt is short, in the provider's cache, or was not counted."""
    characters = sum(len(turn["content"]) for turn in payload["messages"])
    tokens = completion.reply.usage.input_tokens
    believable = tokens * _MOST_CHARACTERS >= characters
    if characters < _LONG_PROMPT or not tokens or completion.cached_tokens or believable:
        return None
    return (
        f"the endpoint counted {tokens} tokens in a prompt of {characters} characters, and may "
        "have cut it off: give"
        " the server a larger context (for Ollama OLLAMA_CONTEXT_LENGTH)"
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(values: Mapping[str, Any], name: str) -> int:
    return int(_figure(values.get(name), _MOST_TOKENS) or 0)


def _figure(value: Any, most: int) -> float | None:
    """A number from 0 to `most`; None for anything else."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= most else None


_BEYOND = 1e300
"""No logarithm is as large: infinity, and whole numbers that no float can hold."""


def read_logprobs(given: object, text: str, *, thought: bool) -> tuple[float, ...] | None:
    """The natural logarithm of each content token's probability, as it came; None when there is
    nothing usable.

    `given` is `{"content": [{"token": …, "logprob": …}]}` as in chat completions, that list alone
    (as LangChain has it for some providers), or `{"tokens": […], "token_logprobs": […]}` as in the
    older completions. One entry without a finite number spoils them all, because nobody could say
    whose the others are.

    `thought`: the reply also held hidden reasoning. Some servers list its tokens among those of the
    content, so they are then taken only if they spell `text`, the visible reply, and nothing else.
    """
    entries = _entries(given)
    values: list[Any] = [entry.get("logprob") for entry in entries]
    if (
        not values
        or not all(map(_is_number, values))
        or (thought and _spelt(entries) != text.strip())
    ):
        return None
    return tuple(float(value) for value in values)


def _entries(given: object) -> Sequence[Mapping[str, Any]]:
    """One mapping per token; an empty one where none was given."""
    if isinstance(given, Mapping):
        given = given.get("content") or _older(given)
    if not isinstance(given, list):
        return ()
    return [entry if isinstance(entry, Mapping) else {} for entry in given]


def _older(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    values, tokens = given.get("token_logprobs"), given.get("tokens")
    if not isinstance(values, list):
        return []
    named = (
        tokens if isinstance(tokens, list) and len(tokens) == len(values) else [""] * len(values)
    )
    return [{"token": token, "logprob": value} for token, value in zip(named, values, strict=True)]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _BEYOND


def _spelt(entries: Sequence[Mapping[str, Any]]) -> str:
    return b"".join(map(_bytes, entries)).decode("utf-8", "replace").strip()


def _bytes(entry: Mapping[str, Any]) -> bytes:
    """A token's bytes; a character that several tokens share has no token of its own that could be
    written."""
    raw, token = entry.get("bytes"), entry.get("token")
    if isinstance(raw, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in raw):
        return bytes(raw)
    return token.encode("utf-8", "replace") if isinstance(token, str) else b""
