"""A model in memory that examines and is examined: every reply depends on the request alone."""

import re
from collections import Counter
from collections.abc import Mapping

import orjson

from fathom.state.records import Usage
from fathom.tools.models.chat import ChatReply, ChatRequest

from ..drill.toy import field

EXPLANATION = (
    "Entropy counts arrangements. It never falls in a closed system. It was named by Clausius."
)


class ExamChat:
    """Explainer, questioner, paraphraser, candidate and judge in one. Options A, D, G, … are right
    as it writes them; as a candidate it chooses all of these. `replies`: purpose → what it says
    instead, in turn, the last one for good.
    """

    def __init__(self, name: str = "exam", **replies: list[str | ChatReply]) -> None:
        self._name = name
        self.scripts: Mapping[str, list[str | ChatReply]] = replies
        self.requests: list[ChatRequest] = []
        self.counts: Counter[str] = Counter()

    @property
    def name(self) -> str:
        return self._name

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        turn, script = self.counts[request.purpose], self.scripts.get(request.purpose, [])
        self.counts[request.purpose] += 1
        said = (
            script[min(turn, len(script) - 1)]
            if script
            else getattr(self, f"_{request.purpose}")(_asked(request))
        )
        if isinstance(said, ChatReply):
            return said
        return ChatReply(said, usage=Usage(input_tokens=10, output_tokens=5), model=self._name)

    def _explanation(self, asked: str) -> str:
        return f"{field(asked, 'concept')}: {EXPLANATION}"

    def _choice_question(self, asked: str) -> str:
        kind, about = field(asked, "kind").partition(":")[0], field(asked, "concept")
        return draft(int(field(asked, "count")), f"{about}, by its {kind}")

    def _paraphrase(self, asked: str) -> str:
        manner = field(asked, "manner").partition(":")[0]
        return orjson.dumps(
            {"paraphrase": f"{manner} ({field(asked, 'question')[-20:]})"}
        ).decode()

    def _choice(self, asked: str) -> str:
        shown = re.findall(r"^([A-Z])\. Statement (\d+)", asked, re.M)
        return "Answer: " + ", ".join(
            letter for letter, number in shown if is_right(int(number))
        )

    _open_book = _choice

    def _same_question(self, asked: str) -> str:
        return '{"same_meaning": true, "self_contained": true, "reworded": true}'

    def _selection(self, asked: str) -> str:
        return '{"selected": []}'

    def _attribution(self, asked: str) -> str:
        return '{"reason": "Text and question are in order.", "cause": "answer"}'


def is_right(number: int) -> bool:
    return number % 3 == 0


def draft(count: int, about: str = "entropy") -> str:
    """A question with its options, as the reply of a questioner."""
    options = [{"text": f"Statement {i} on it", "correct": is_right(i)} for i in range(count)]
    return orjson.dumps(
        {"question": f"Which statements hold for {about}?", "options": options}
    ).decode()


def _asked(request: ChatRequest) -> str:
    """The first user message: what follows repeats it with a fault."""
    return next(message.content for message in request.messages if message.role == "user")
