"""The answer line of a reply, read by its form alone: whatever has another form is put to the judge
(METHODS.md, sections 3 and 5)."""

import re

import orjson

from ...tools.models.replies import spoken

_LABEL = re.compile(r"(?:final )?answer\s?[:：]\s*(.+)", re.IGNORECASE)
_EMPHASIS = re.compile(r"\*\*|__|`")
_FENCE = re.compile(r"```(?:json)?\n(.*)\n```", re.DOTALL)


def answer_line(reply: str) -> str | None:
    """What stands behind `Answer:` on the last line, or under the key `answer` where the reply is a
    JSON object; None for every other form, such as two such lines that differ."""
    text = spoken(reply).answer.strip()
    fenced = _FENCE.fullmatch(text)
    body = fenced[1].strip() if fenced else text
    if body.startswith("{"):
        return _json_answer(body)
    answers = list[str]()
    is_last = False
    for line in body.splitlines():
        label = _LABEL.fullmatch(_EMPHASIS.sub("", line).strip())
        is_last = label is not None
        if label:
            answers.append(label[1].strip())
    is_single = len(set(answers)) == 1
    return answers[-1] if is_last and is_single else None


def _json_answer(body: str) -> str | None:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    answer = value.pop("answer", None)
    if not all(isinstance(other, str) for other in value.values()):  # two answers, perhaps
        return None
    if isinstance(answer, list) and all(isinstance(part, str) for part in answer):
        return ", ".join(answer) or None
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        return None
    return str(answer).strip() or None
