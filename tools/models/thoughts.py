"""What a reasoning model wrote before its answer: one table of the marks around it, for every
model, role and method.

A mark counts by where it stands, for an answer may speak of one. An opening one begins a line or
stands close to a word; a closing one that none opened does not stand in the middle of a sentence;
neither stands between quotes. JSON is left as it is.
"""

import re
from dataclasses import replace
from typing import NamedTuple

from ...state.errors import ReplyUnreadable
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
_BARE_FINAL = re.compile(r"(?<=[^\s\"'`“(])assistantfinal")
_BARE_ANALYSIS = re.compile(r"(?:assistant)?analysis(?=[A-Z])")
"""The same of a server that swallows special tokens: `analysisWe need …assistantfinalParis.`"""
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
    return _from_channels(text) or _from_bare_channels(text) or _from_blocks(text)


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


def _from_bare_channels(text: str) -> Spoken | None:
    if finals := list(_BARE_FINAL.finditer(text)):
        return _split([text[: finals[-1].start()]], text[finals[-1].end() :])
    return _split([text], None) if _BARE_ANALYSIS.match(text, _start(text)) else None


def _from_blocks(text: str) -> Spoken:
    """By the marks that count: what a block holds, and what stands before a closing mark that none
    opened, is no answer."""
    kept, thoughts = list[str](), list[str]()
    at, hidden, mentions, fences, counted_to = _start(text), False, 0, 0, 0
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
            kept.append(text[at:start])
            hidden = True
        elif opens or mentions or _is_in_sentence(before, text[mark.end() : mark.end() + _NEAR]):
            mentions += 1 if opens else -min(mentions, 1)  # an answer speaks of the mark
            continue
        else:
            thoughts += [*kept, text[at:start]]
            kept.clear()
        at, fences = mark.end(), 0
    if hidden:
        return _split([*kept, *thoughts, text[at:]], None)
    if not thoughts:
        return Spoken(text)
    return _split(thoughts, "".join((*kept, text[at:])))


def _split(thoughts: list[str], answer: str | None) -> Spoken:
    said = "\n".join(part.strip() for part in thoughts if part.strip())
    return Spoken("" if answer is None else _trimmed(answer), said, ends=answer is not None)


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
    before, behind = (
        text[max(mark.start() - 1, 0) : mark.start()],
        text[mark.end() : mark.end() + 1],
    )
    return bool(behind) and _QUOTES.get(before) == behind


def _stands_first(before: str) -> bool:
    """Whether what stands behind this text begins a line, or stands close to the last word of
    one."""
    line = before[before.rfind("\n") + 1 :]
    return not line.strip(" \t>") or line[-1].isalnum() or line[-1] in _ENDS


def _is_in_sentence(before: str, behind: str) -> bool:
    """Whether what stands between these texts belongs to a sentence: blanks set it off, no sentence
    ends before it, and none begins behind it."""
    line = before[before.rfind("\n") + 1 :]
    if not line.strip() or not line[-1].isspace():
        return line.endswith("(")
    following = behind.lstrip(" \t")[:1]
    if line.rstrip()[-1] in _ENDS or following == "\n":
        return False
    return (
        not following
        or following in _PUNCTUATION
        or (following.isalpha() and not following.isupper())
    )
