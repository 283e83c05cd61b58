"""An Explain-Query-Test in memory: a model that plays every part by rules, and counts calls that
follow each other."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from fathom.graphs.eqt.graph import build_graph
from fathom.graphs.method import METHODS
from fathom.graphs.run.deps import Clock, RunDeps
from fathom.state.eqt.items import EqtItem
from fathom.state.eqt.result import EqtResult
from fathom.state.events import Event, ItemFinished
from fathom.state.items import eqt_items
from fathom.state.spec import Concept, EqtSpec
from fathom.tools.models.chat import ChatReply, ChatRequest
from fathom.tools.runs.journal import MemorySink

SECRET = "Only the explanation says that the colour of it is vermilion-7."
Rule = Callable[[ChatRequest], str | Exception]


def user(request: ChatRequest) -> str:
    """The first user message."""
    return next(message.content for message in request.messages if message.role == "user")


def block(request: ChatRequest, name: str) -> str:
    found = re.search(rf"<{name}>\n(.*?)\n</{name}>", user(request), re.DOTALL)
    return found[1] if found else ""


def well_formed(concept: str, kind: str, count: int = 4, right: int = 2) -> str:
    options = [
        {"text": f"{kind} statement {n} on {concept}", "correct": n < right}
        for n in range(count)
    ]
    return json.dumps(
        {"question": f"Which {kind} statements on {concept} hold?", "options": options}
    )


def shown(request: ChatRequest) -> dict[str, str]:
    """Letter → option, as the target saw them."""
    return dict(re.findall(r"^([A-Z])\. (.*)$", user(request), re.MULTILINE))


def right_letters(request: ChatRequest) -> str:
    """The letters of the right options: the toy's statements 0 and 1."""
    return ", ".join(
        letter for letter, text in shown(request).items() if re.search(r"statement [01] ", text)
    )


class ToyModel:
    """Plays every part. `rules`: purpose → what it replies instead of what it usually does.

    Calls are answered only when nobody can go on without an answer; `rounds` counts how often that
    was so: the calls that follow each other."""

    def __init__(self, name: str = "toy:model", **rules: Rule) -> None:
        self.name = name
        self.rules = rules
        self.asked: list[ChatRequest] = []
        self.rounds = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._driver: asyncio.Task[None] | None = None

    @property
    def counts(self) -> Counter[str]:
        return Counter(request.purpose for request in self.asked)

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        if self._driver is None or self._driver.done():
            self._driver = asyncio.ensure_future(self._drive())
        await waiting
        reply = (self.rules.get(request.purpose) or getattr(self, f"_{request.purpose}"))(
            request
        )
        if isinstance(reply, Exception):
            raise reply
        return ChatReply(reply, model=self.name)

    async def _drive(self) -> None:
        while self._waiting:
            before = -1
            while before != len(self._waiting):
                before = len(self._waiting)
                for _ in range(50):
                    await asyncio.sleep(0)
            self.rounds += 1
            ready, self._waiting = self._waiting, []
            for waiting in ready:
                if not waiting.done():
                    waiting.set_result(None)

    def _explanation(self, request: ChatRequest) -> str:
        return f"{block(request, 'concept')} is a thing. {SECRET}"

    def _choice_question(self, request: ChatRequest) -> str:
        kind = block(request, "kind").partition(":")[0]
        place = "" if block(request, "point") == "anywhere" else " further on"
        return well_formed(
            block(request, "concept") + place, kind, int(block(request, "count"))
        )

    def _paraphrase(self, request: ChatRequest) -> str:
        manner = block(request, "manner")
        begin = re.sub(r"\W+", " ", manner).strip()
        return json.dumps(
            {
                "paraphrase": f"{begin}: name what holds, when {block(request, 'question').lower()[:-1]}."
            }
        )

    def _same_question(self, request: ChatRequest) -> str:
        return json.dumps({"same_meaning": True, "self_contained": True, "reworded": True})

    def _choice(self, request: ChatRequest) -> str:
        return f"Answer: {right_letters(request)}"

    _open_book = _choice

    def _selection(self, request: ChatRequest) -> str:
        return json.dumps({"selected": []})

    def _attribution(self, request: ChatRequest) -> str:
        return json.dumps({"reason": "It chose otherwise.", "cause": "answer"})


def toy_spec(*concepts: str, **changes: Any) -> EqtSpec:
    """A small run of the toy model; names of its parts may be changed."""
    values: dict[str, Any] = {
        "concepts": tuple(
            Concept(name=name, category="things") for name in concepts or ("Tide",)
        ),
        "target": "toy:model",
        "examiner": "toy:model",
        "judge": "toy:model",
        "questions": 3,
        "options": 4,
        "paraphrases": 2,
    }
    return EqtSpec.model_validate(values | changes)


class ToyRun:
    """One run: its result, its events, and the model that played it."""

    def __init__(self, model: ToyModel | None = None, sink: MemorySink | None = None) -> None:
        self.model = model or ToyModel()
        self.events: list[Event] = []
        self.sink = sink or MemorySink(Clock().now)
        self.sink.listen(self.events.append)
        self.target = self.examiner = self.judge = self.model

    def deps(self, **changes: Any) -> RunDeps:
        values: dict[str, Any] = {
            "target": self.target,
            "evaluator": self.examiner,
            "judge": self.judge,
            "sources": {},
            "sink": self.sink,
            "prompts": METHODS["eqt"].prompts,
            "stream": False,
        }
        return RunDeps(**values | changes)

    async def play(self, spec: EqtSpec, **changes: Any) -> EqtResult:
        graph = build_graph(self.deps(**changes))
        done = await graph.ainvoke({"spec": spec.model_dump(mode="json"), "run_id": "toy-0001"})
        return EqtResult.model_validate(done["result"])

    @property
    def items(self) -> dict[str, EqtItem]:
        """Id (without the run's) → item."""
        found = eqt_items(
            event.item for event in self.events if isinstance(event, ItemFinished)
        )
        return {item.id.partition("/")[2]: item for item in found}
