"""The final answer of a problem, where a benchmark has it inside the way to it: behind #### or in a
box."""

import re
from collections import deque
from typing import NamedTuple

MARK = "####"
"""GSM8K: the final answer stands behind the last of these."""
_CALCULATED = re.compile(r"<<[^<>\n]*+>>")
_BOX = re.compile(r"\\f?box(?:ed)?(?![a-zA-Z])\s*")
_BARE = re.compile(r"\\?[^\s$\\{}]+")
"""What a box without braces holds: `\\boxed 5`."""
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_WRAPPED = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\s*\{([^{}]*)\}")


class Final(NamedTuple):
    answer: str
    solution: str
    """The text around it; empty where there is none."""


def marked(text: str) -> Final | None:
    """What stands behind the last `####`, and the way before it without GSM8K's notes of what was
    calculated (`<<48/2=24>>`); None without that mark, or with nothing behind it."""
    way, mark, answer = text.rpartition(MARK)
    if not mark or not answer.strip():
        return None
    return Final(answer.strip(), _CALCULATED.sub("", way).strip())


def boxed(text: str) -> Final | None:
    r"""What stands in the last `\boxed{…}`, as MATH marks its answers, and the whole text where it
    is more than that; None without a box, or with one that is empty or never closed. Takes time in
    proportion to the text."""
    last = deque(_BOX.finditer(text), maxlen=1)
    if not last:
        return None
    box = last[0]
    end = _closing(text, box.end()) if text[box.end() : box.end() + 1] == "{" else None
    if end is not None:
        inside, rest = text[box.end() + 1 : end], text[: box.start()] + text[end + 1 :]
    elif bare := _BARE.match(text, box.end()):
        inside, rest = bare[0], text[: box.start()] + text[bare.end() :]
    else:
        return None
    inside = inside.strip().strip("$").strip()
    if wrapped := _WRAPPED.fullmatch(inside):
        inside = wrapped[1].strip()
    return Final(inside, text.strip() if rest.strip(" \t\n$.") else "") if inside else None


def _closing(text: str, at: int) -> int | None:
    """Where the brace that opens at a place is closed; an escaped brace is none."""
    depth = 0
    for brace in _BRACE.finditer(text, at):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0 and brace[0] == "}":
            return brace.start()
    return None
