"""From an endpoint's JSON to a reply: text, reasoning, finish reason, refusal, usage,
log-probabilities. Thoughts written into the text are taken out of it, by one table of their
marks."""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from ...state.errors import ReplyUnreadable
from ...state.records import Usage
from ..net import Keys, hide
from .chat import ChatReply

THOUGHTS = "thoughts"
"""The finish reason of a reply whose thoughts never end."""
_CUT = ("length", "content_filter", "refusal")
"""Finish reasons that say more than that."""

_TAGS = ("think", "thinking", "thought", "thoughts", "reasoning", "seed:think", "mm:think")
_MARKS = (
    *((f"<{tag}>", f"</{tag}>") for tag in _TAGS),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|channel>thought", "<channel|>"),
)
"""Each form of thoughts: what opens them, what closes them."""


def _any(texts: list[str]) -> str:
    return "|".join(map(re.escape, texts))


_MARK = re.compile(
    f"(?P<opens>{_any([opens for opens, _ in _MARKS])})|(?P<closes>{_any([closes for _, closes in _MARKS])})",
    re.IGNORECASE,
)
_CHANNEL = re.compile(
    r"(?<![ \t\"'`“(])(?:<\|start\|>)?(?:assistant)?<\|channel\|>\s{0,9}(\w+)[^<\n]{0,200}"
    r"(?:<\|constrain\|>[^<\n]{0,200})?(?:<\|message\|>|\Z)"
)
"""The head of a message in the harmony form."""
_END = re.compile(r"<\|(?:end|return|call|start)\|>")

_JSON = re.compile(r"\s*(?:\{|\[\s*[\[{\"])")
_BLANK = "\ufeff\u200b\u2060"
_LEADING = re.compile(rf"[\s{_BLANK}]+|<\|[^|<>\n]{{1,40}}\|>(?:assistant)?|<s>")
_TRAILING = re.compile(r"(?:<\|[^|<>\n]{1,40}\|>|</s>|<end_of_turn>)\Z")
_QUOTES = dict(zip("\"'`“‘«„(", "\"'`”’»“)", strict=True))
_ENDS = frozenset('.!?…。！？"”)*')
_PUNCTUATION = frozenset(",.;:!?)")
_NEAR = 60
"""Characters that say where a mark stands."""


class Spoken(NamedTuple):
    """A text without its thoughts."""

    answer: str
    thoughts: str | None = None
    """None: there were none, and the answer is the text as it was."""
    ends: bool = True
    """False: the thoughts never end, so that nobody knows the answer; it is empty."""


def spoken(text: str) -> Spoken:
    """The answer in a text, without the thoughts around it. Takes time in proportion to the
    text."""
    if _JSON.match(text):
        return Spoken(text)
    return _from_channels(text) or _from_blocks(text)


def answer_in(text: str) -> str:
    """The answer in a text. Raises ReplyUnreadable (thoughts) where its thoughts never end."""
    answer, _, ends = spoken(text)
    if not ends:
        raise ReplyUnreadable(
            THOUGHTS, "The answer holds thoughts that never end, and nothing else."
        )
    return answer


def without_thoughts(reply: ChatReply) -> ChatReply:
    """The reply with its answer alone as its text, and the thoughts beside it. Where these never
    end it has no text, and finishes with `THOUGHTS`."""
    answer, thoughts, ends = spoken(reply.text)
    if thoughts is None:
        return reply
    return replace(
        reply,
        text=answer,
        thoughts=bool(thoughts),
        reasoning="\n".join(part for part in (reply.reasoning, thoughts) if part) or None,
        finish=reply.finish if ends or reply.finish in _CUT else THOUGHTS,
        logprobs=None,
    )


def _from_channels(text: str) -> Spoken | None:
    """By harmony's channels, of which the last `final` is the answer; None of a text that has
    none."""
    heads = list(_CHANNEL.finditer(text))
    if not heads:
        return None
    answer, thoughts = None, [text[: heads[0].start()]]
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=True):
        body = _END.split(text[head.end() : end], maxsplit=1)[0]
        if head[1] == "final":
            answer, body = body, answer or ""
        thoughts.append(body)
    return _split(thoughts, answer)


def _from_blocks(text: str) -> Spoken:
    """By the marks that count: what a block holds, and what stands before a closing mark that none
    opened, is no answer."""
    answers, thoughts = list[str](), list[str]()
    at, hidden, mention_count, fences, counted_to = _start(text), False, 0, 0, 0
    for mark in _MARK.finditer(text, at):
        start, opens = mark.start(), mark["opens"] is not None
        if _is_quoted(text, mark) or (hidden and opens):
            continue
        before = text[max(at, start - _NEAR) : start]
        fences += text.count("```", max(at, counted_to), start)
        counted_to = start
        if hidden:
            thoughts.append(text[at:start])
            hidden = False
        elif opens and fences % 2 == 0 and _stands_first(before):
            answers.append(text[at:start])
            hidden = True
        elif (
            opens or mention_count or _is_in_sentence(before, text[mark.end() : mark.end() + _NEAR])
        ):
            mention_count += 1 if opens else -min(mention_count, 1)  # an answer speaks of the mark
            continue
        else:
            thoughts += [*answers, text[at:start]]
            answers.clear()
        at, fences = mark.end(), 0
    if hidden:
        return _split([*answers, *thoughts, text[at:]], None)
    if not thoughts:
        return Spoken(text)
    return _split(thoughts, "".join((*answers, text[at:])))


def _split(thoughts: list[str], answer: str | None) -> Spoken:
    stripped = (part.strip() for part in thoughts)
    reasoning = "\n".join(filter(None, stripped))
    text = "" if answer is None else _trimmed(answer)
    return Spoken(text, reasoning, ends=answer is not None)


def _start(text: str) -> int:
    """Where it begins behind white space and tokens of a chat template."""
    start = 0
    while token := _LEADING.match(text, start):
        if _MARK.match(text, start) or _CHANNEL.match(text, start):
            break
        start = token.end()
    return start


def _trimmed(answer: str) -> str:
    """Without white space and tokens of a chat template at its ends."""
    answer = answer[_start(answer) :].rstrip()
    while token := _TRAILING.search(answer, max(0, len(answer) - _NEAR)):
        answer = answer[: token.start()].rstrip()
    return answer


def _is_quoted(text: str, mark: re.Match[str]) -> bool:
    before = text[max(mark.start() - 1, 0) : mark.start()]
    after = text[mark.end() : mark.end() + 1]
    return bool(after) and _QUOTES.get(before) == after


def _stands_first(before: str) -> bool:
    """Whether what stands behind this text begins a line, or stands close to the last word of
    one."""
    line = before[before.rfind("\n") + 1 :]
    return not line.strip(" \t>") or line[-1].isalnum() or line[-1] in _ENDS


def _is_in_sentence(before: str, after: str) -> bool:
    """Whether what stands between these texts belongs to a sentence: blanks set it off, no sentence
    ends before it, and none begins behind it."""
    line = before[before.rfind("\n") + 1 :]
    if not line.strip() or not line[-1].isspace():
        return line.endswith("(")
    following = after.lstrip(" \t")[:1]
    if line.rstrip()[-1] in _ENDS or following == "\n":
        return False
    return (
        not following
        or following in _PUNCTUATION
        or (following.isalpha() and not following.isupper())
    )


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
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    usage = _mapping(data.get("usage"))
    refusal = message.get("refusal")
    unseen = _count(_mapping(usage.get("completion_tokens_details")), "reasoning_tokens")
    whole_reply = ChatReply(
        text=content,
        finish=finish_name(choice.get("finish_reason")),
        refusal=refusal if isinstance(refusal, str) and refusal.strip() else None,
        reasoning=reasoning if isinstance(reasoning, str) and reasoning.strip() else None,
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
    texts = (reply.text, reply.refusal, reply.reasoning, reply.model)
    text, refusal, reasoning, model = (words and hide(words, key) for words in texts)
    return replace(
        reply,
        text=text or "",
        refusal=refusal,
        reasoning=reasoning,
        model=model or "",
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
        return [whole_texts(item) for item in value]
    return (
        {whole_texts(name): whole_texts(item) for name, item in value.items()}
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


def usage_of(
    figures: Mapping[str, Any],
    input_name: str,
    output_name: str,
) -> Usage:
    """The tokens under these two names; none at all unless both can be read: half a count would
    make a call seem almost free, and a budget rests on it."""
    read = _figure(figures.get(input_name), _MOST_TOKENS)
    output = _figure(figures.get(output_name), _MOST_TOKENS)
    if read is None or output is None:
        return Usage()
    return Usage(input_tokens=int(read), output_tokens=int(output))


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


def read_logprobs(
    listed: object,
    text: str,
    *,
    thought: bool,
) -> tuple[float, ...] | None:
    """The natural logarithm of each content token's probability, as it came; None when there is
    nothing usable.

    `listed` is `{"content": [{"token": …, "logprob": …}]}` as in chat completions, that list alone
    (as LangChain has it for some providers), or `{"tokens": […], "token_logprobs": […]}` as in the
    older completions. One entry without a finite number spoils them all, because nobody could say
    whose the others are.

    `thought`: the reply also held hidden reasoning. Some servers list its tokens among those of the
    content, so they are then taken only if they spell `text`, the visible reply, and nothing else.
    """
    entries = _entries(listed)
    values: list[Any] = [entry.get("logprob") for entry in entries]
    if (
        not values
        or not all(map(_is_number, values))
        or (thought and _spelt(entries) != text.strip())
    ):
        return None
    return tuple(float(value) for value in values)


def _entries(listed: object) -> Sequence[Mapping[str, Any]]:
    """One mapping per token; an empty one where none was given."""
    if isinstance(listed, Mapping):
        listed = listed.get("content") or _older(listed)
    if not isinstance(listed, list):
        return ()
    return [entry if isinstance(entry, Mapping) else {} for entry in listed]


def _older(listed: Mapping[str, Any]) -> list[dict[str, Any]]:
    values, tokens = listed.get("token_logprobs"), listed.get("tokens")
    if not isinstance(values, list):
        return []
    named = (
        tokens if isinstance(tokens, list) and len(tokens) == len(values) else [""] * len(values)
    )
    return [{"token": token, "logprob": value} for token, value in zip(named, values, strict=True)]


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _BEYOND


def _spelt(entries: Sequence[Mapping[str, Any]]) -> str:
    spelling = b"".join(map(_bytes, entries))
    return spelling.decode("utf-8", "replace").strip()


def _bytes(entry: Mapping[str, Any]) -> bytes:
    """A token's bytes; a character that several tokens share has no token of its own that could be
    written."""
    raw, token = entry.get("bytes"), entry.get("token")
    if isinstance(raw, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in raw):
        return bytes(raw)
    return token.encode("utf-8", "replace") if isinstance(token, str) else b""
