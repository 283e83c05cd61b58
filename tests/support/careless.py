"""A careless reader of a drill's prompts: it takes a block to end where anything like its end
stands, and does what the simulated evaluator would do with what it read."""

import re
from functools import lru_cache
from typing import Any

from fathom.sim import chat_api
from fathom.sim.evaluator import Evaluator

Json = dict[str, Any]
PURPOSES = {
    "Aspects": "aspects",
    "WrittenQuestion": "question",
    "QuestionReading": "check",
    "SameAnswer": "same",
    "Marking": "verdict",
    "Concepts": "concepts",
    "_Places": "titles",
}
"""By the name of a reply's shape."""
_OPENING = re.compile(r"<(\w+)>\n")
_LOOSE = r"[\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*+"
_LESS = r"(?:[<\uff1c\ufe64\u02c2\u2039\u2329\u276e\u2770\u27e8\u3008]|&(?:amp;)*(?:lt|#0*60|#x0*3c);?|\\u003c)"
_DEFUSED = re.compile(rf"({_LESS})\\", re.IGNORECASE)


def blocks(text: str) -> dict[str, str]:
    """The tagged blocks of a prompt, with defused tags restored; the second and later ones of a tag
    under its name with their number, "passage 2".

    Case, width, spaces and invisible signs of an end do not matter.
    """
    by_tag: dict[str, str] = {}
    position = 0
    while opening := _OPENING.search(text, position):
        position = opening.end()
        if closing := _closing(opening[1]).search(text, position):
            tag, count = opening[1], 1
            while tag in by_tag:
                tag, count = f"{opening[1]} {count + 1}", count + 1
            by_tag[tag] = _DEFUSED.sub(
                r"\1", text[position : closing.start()].removesuffix("\n")
            )
            position = closing.end()
    return by_tag


@lru_cache(maxsize=256)
def _closing(tag: str) -> re.Pattern[str]:
    name = _LOOSE.join(tag)
    return re.compile(
        rf"(?:[<\uff1c\u2039]|&lt;?){_LOOSE}[/\uff0f]{_LOOSE}{name}{_LOOSE}(?:[>\uff1e\u203a]|&gt;?)",
        re.I,
    )


def purpose_of(body: Json) -> str:
    """What a request is for, by the shape of the reply that it wants."""
    shape = body.get("response_format", {}).get("json_schema", {}).get("name")
    return PURPOSES.get(shape, "answer")


def told(body: Json) -> Json:
    """The request with what its prompt says beside it, as the simulated world wants it."""
    texts = [message["content"] for message in body["messages"] if message["role"] == "user"]
    about: Json = dict(blocks("\n".join(texts)))
    about["passages"] = [
        {
            "passage": text,
            "title": about[tag.replace("passage", "title")],
            "concept": about[tag.partition(" ")[0].replace("passage", "concept")],
        }
        for tag, text in about.items()
        if "passage" in tag and "concept" in about
    ]
    for name in {"named", "among", "references", "drilled", "line"} & about.keys():
        about[name] = about[name].splitlines()
    about |= {"count": int(about["count"])} if "count" in about else {}
    if "names" in about:
        lines = (line.partition(": ") for line in about["names"].splitlines())
        about["names"] = {
            name: near.partition(" (after: ")[0].split("; ") for name, _, near in lines
        }
    about.setdefault("question", texts[-1])
    return body | {"simulation": {"purpose": purpose_of(body), "about": about}}


def completion(body: Json, evaluator: Evaluator) -> Json:
    """The reply to a request that says nothing beside its prompt."""
    return chat_api.complete(chat_api.read(told(body)), evaluator, "0", None)
