"""From an endpoint's JSON to a reply: text, reasoning, finish reason, refusal, usage, log-probabilities."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from ...state.records import Usage
from ..hiding import hide
from .logprobs import read_logprobs

_CLOSED_THOUGHT = re.compile(r"\s*<(think|thinking)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_OPEN_THOUGHT = re.compile(r"\s*<(think|thinking)>(.*)", re.DOTALL | re.IGNORECASE)
_CLOSING_LINE = re.compile(r"^[^\S\n]*</(?:think|thinking)>[ \t]*\n(?=\s*\S)", re.MULTILINE | re.IGNORECASE)

_FINISH = {
    **dict.fromkeys(("max_tokens", "model_length", "max_output_tokens"), "length"),
    **dict.fromkeys(("safety", "blocklist", "prohibited_content", "recitation", "spii"), "content_filter"),
    **dict.fromkeys(("end_turn", "stop_sequence", "eos", "complete", ""), "stop"),
}


@dataclass(frozen=True, slots=True)
class Completion:
    """What one response body holds."""

    text: str
    finish: str
    refusal: str | None
    reasoning: str | None
    usage: Usage
    cached_tokens: int
    """Input tokens that the provider had in its own prompt cache (cheaper, by most price lists)."""
    cost_usd: float | None
    """The cost, where the endpoint names it."""
    model: str
    logprobs: tuple[float, ...] | None = None
    """Of the visible text's tokens, where the endpoint sent them and they can be told apart from hidden reasoning."""


def read_completion(body: bytes) -> Completion | None:
    """Read a chat completion; None when the body is not one (not JSON, HTML, empty, cut off, no choice in it)."""
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    choice = _first_choice(data)
    if choice is None:
        return None
    message = choice["message"]
    content = text_of(message.get("content"))
    text, thought = split_thought(content)
    said = message.get("reasoning_content") or message.get("reasoning")
    usage = _mapping(data.get("usage"))
    cost = usage.get("cost")
    refusal = message.get("refusal")
    reasoning = "\n".join(part for part in (said, thought) if isinstance(part, str) and part.strip()) or None
    unseen = _count(_mapping(usage.get("completion_tokens_details")), "reasoning_tokens")
    return Completion(
        text=text,
        finish=finish_name(choice.get("finish_reason")),
        refusal=refusal if isinstance(refusal, str) and refusal.strip() else None,
        reasoning=reasoning,
        usage=Usage(input_tokens=_count(usage, "prompt_tokens"), output_tokens=_count(usage, "completion_tokens")),
        cached_tokens=_count(_mapping(usage.get("prompt_tokens_details")), "cached_tokens"),
        cost_usd=float(cost) if isinstance(cost, (int, float)) and not isinstance(cost, bool) else None,
        model=str(data.get("model") or ""),
        logprobs=read_logprobs(choice.get("logprobs"), text, thought=bool(reasoning or unseen) or text != content),
    )


def without_key(completion: Completion, key: str | None) -> Completion:
    """The completion as it may be kept: an endpoint that echoes the key it was sent does so in vain."""
    if not key:
        return completion
    return replace(
        completion,
        text=hide(completion.text, key),
        refusal=completion.refusal and hide(completion.refusal, key),
        reasoning=completion.reasoning and hide(completion.reasoning, key),
        model=hide(completion.model, key),
    )


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
    """The text of a message's content: a string, or a list of parts of which the text parts count."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(part if isinstance(part, str) else _part_text(part) for part in content)


def _part_text(part: object) -> str:
    if not isinstance(part, dict) or part.get("type", "text") not in ("text", "output_text"):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else ""


def split_thought(text: str) -> tuple[str, str | None]:
    """(answer, reasoning): `<think>…</think>` blocks at the start of the text are taken out.

    A block that is never closed takes the rest with it; one whose opening tag the server swallowed ends with a closing
    tag on a line of its own. A tag anywhere else is something the answer speaks of.
    """
    if "<" not in text:  # looking for tags in long runs of white space takes long
        return text, None
    thoughts, position = [], 0
    while block := _CLOSED_THOUGHT.match(text, position):
        thoughts.append(block[2])
        position = block.end()
    rest = text[position:]
    if not thoughts and (headless := _CLOSING_LINE.search(rest, 1)):
        thoughts.append(rest[: headless.start()])
        rest = rest[headless.end() :]
    if unclosed := _OPEN_THOUGHT.fullmatch(rest):
        thoughts.append(unclosed[2])
        rest = ""
    if not thoughts:
        return text, None
    return rest.strip(), "\n".join(thought.strip() for thought in thoughts) or None


def finish_name(finish: object) -> str:
    """One name per finish reason, whatever the provider calls it: stop, length, content_filter, …"""
    name = finish.lower() if isinstance(finish, str) else ""
    return _FINISH.get(name, name)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(values: Mapping[str, Any], name: str) -> int:
    value = values.get(name)
    return int(value) if isinstance(value, (int, float)) and value > 0 else 0
