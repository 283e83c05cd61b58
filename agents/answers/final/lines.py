"""Where a solver's free prose gives its final answer: what is boxed, in a JSON object, or behind the last label."""

import re
from collections.abc import Callable, Iterator, Sequence

import orjson

from ..lines import Behind, behind_label
from ..numbers.prose import read_again
from ..numbers.read import bare, numbers_in, read_number

_BRACE = re.compile(r"(?<!\\)\$?\\f?boxed ?\{|\\[{}]|[{}]")
_OPEN, _CLOSE = "\ue000", "\ue001"  # around what is boxed, within this module
_BOX = re.compile(f"{_OPEN}[^{_OPEN}{_CLOSE}]*{_CLOSE}")
_BOXES = re.compile(f"{_OPEN}([^\n]*){_CLOSE}\\$?([^\n]*)")
_FENCE = re.compile(r"```[a-z]{0,12}\s*+")
_KEYS = ("final_answer", "answer", "final", "result")


def held_answer(reply: str) -> str | None:
    """The answer in a JSON object at the end of a reply; None: there is none."""
    said = _FENCE.sub("", reply.rpartition("</think>")[2]).strip("`~ \r\n\t")
    for start in dict.fromkeys((said.find("{"), said.rfind("{"))) if said.endswith("}") else ():
        try:
            told = orjson.loads(said[start:])
        except orjson.JSONDecodeError:
            continue
        if not isinstance(told, dict):
            continue
        named = {key.casefold().replace(" ", "_"): value for key, value in told.items()}
        for key in _KEYS:
            if isinstance(value := named.get(key), str | int | float) and not isinstance(value, bool):
                return str(value)
    return None


def labelled(reply: str) -> Iterator[str]:
    """The lines of a reply, those behind #### and what is boxed behind labels."""
    for line in _BOXES.sub(_label_box, _boxes_marked(reply)).splitlines():
        stripped = line.strip()
        hashes = stripped.startswith("####") and read_number(stripped.lstrip("#")) is not None
        yield f"Answer: {stripped.lstrip('# ')}" if hashes else line


def _boxes_marked(text: str) -> str:
    """The text with marks around what is boxed; braces inside are counted, unclosed boxes left as they are."""
    if "boxed" not in text:
        return text
    text = text.replace(_OPEN, "").replace(_CLOSE, "")
    opened: list[re.Match[str]] = []
    marks: dict[int, tuple[int, str]] = {}
    for brace in _BRACE.finditer(text):
        if brace[0].endswith("{") and brace[0] != r"\{":
            opened.append(brace)
        elif brace[0] == "}" and opened and (box := opened.pop())[0] != "{":
            marks[box.start()] = box.end(), _OPEN
            marks[brace.start()] = brace.end(), _CLOSE
    parts, at = list[str](), 0
    for start in sorted(marks):
        parts += [text[at:start], marks[start][1]]
        at = marks[start][0]
    return _BOX.sub(_one_line, "".join([*parts, text[at:]]))


def _one_line(box: re.Match[str]) -> str:
    return box[0].replace("\n", " ")


def _label_box(found: re.Match[str]) -> str:
    """A label for what is boxed in a line; several boxes leave it open. The unit may stand behind a box."""
    parts = [part.partition(_OPEN)[2] for part in f"{_OPEN}{found[1]}".split(_CLOSE)]
    if len(parts) > 1:
        return f"\nAnswer: {' or '.join(parts)}\n{found[2]}"
    inside = found[1]
    alone, joint = read_number(inside), bare(f"{inside} {found[2][:60]}")
    if alone is not None and not (alone.unit or alone.currency or alone.percent):
        numbers = numbers_in(joint)
        if numbers and not numbers[0].start and (quantity := numbers[0].quantity) and quantity.value == alone.value:
            inside = read_again(joint[: numbers[0].end])
    return f"\nAnswer: {inside}\n{found[2]}"


def last_label(lines: Sequence[str], reads: Callable[[str], bool] | None) -> tuple[Behind, int] | None:
    """The last label of an answer, with something behind or below it, and its line. What "Answer: …" says, only a
    conclusion ("so the answer is …") replaces. `reads`: whether a clause says an answer at all; None: only labels do.
    """
    clause: tuple[Behind, int] | None = None
    below = False
    for index in range(len(lines) - 1, -1, -1):
        behind = behind_label(lines[index])
        if behind is not None and not behind.clause and (behind.said or below):
            return clause if clause and clause[0].concludes else (behind, index)
        if reads and behind is not None and behind.clause and reads(behind.said):
            better = clause is None or (behind.concludes and not clause[0].concludes)
            clause = (behind, index) if better else clause
        below = below or bool(lines[index])
    return clause
