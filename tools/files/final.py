"""The final answer of a problem, where a benchmark has it inside the way to it: behind #### or in a
box."""

import re
from typing import NamedTuple

MARK = "####"
"""GSM8K: the final answer stands behind the last of these."""
_CALCULATED = re.compile(r"<<[^<>\n]*+>>")
_BOX = r"\boxed{"
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
"""An escaped brace is none."""


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
    is more than that; None without a box, or with one that is empty or never closed."""
    way, box, rest_of_text = text.rpartition(_BOX)
    depth = 1
    for brace in _BRACE.finditer(rest_of_text if box else ""):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            inside = rest_of_text[: brace.start()].strip()
            rest = way + rest_of_text[brace.end() :]
            is_more = rest.strip(" \t\n$.")
            return Final(inside, text.strip() if is_more else "") if inside else None
    return None
