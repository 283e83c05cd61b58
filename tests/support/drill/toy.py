"""A toy world in memory: replies that depend only on the request, and delays that must not matter.

Concepts are `c0` … `c399`; a page on one states a few codes; an answer names three more concepts.
The target knows a code when a hash says so. Delays are turns of the event loop, drawn by a shuffle
seed, so that the order of completion can be varied without waiting.
"""

import asyncio
import hashlib
import re
from collections.abc import Callable, Set
from datetime import UTC, date, datetime
from random import Random
from typing import Any

import orjson

from fathom.graphs.method import METHODS
from fathom.graphs.run.deps import Clock, RunDeps
from fathom.state.channels import Path, new_path
from fathom.state.errors import CallFailed, SourceFailed
from fathom.state.records import Evidence, Usage
from fathom.state.spec import DrillSpec
from fathom.state.text import digest
from fathom.state.tiers import TIERS, Tier
from fathom.tools.facts.base import FactQuery
from fathom.tools.models.chat import ChatReply, ChatRequest
from fathom.tools.runs.journal import MemorySink

START = datetime(2026, 1, 1, tzinfo=UTC)


def share(*parts: object) -> float:
    """A number in 0 … 1 that depends on the parts alone."""
    return int(hashlib.sha256(repr(parts).encode()).hexdigest()[:8], 16) / 0xFFFFFFFF


def field(prompt: str, tag: str) -> str:
    """What stands in a prompt's block."""
    found = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", prompt, re.S)
    return found.group(1) if found else ""


class Delays:
    """Yields to the event loop a number of times that depends on the shuffle."""

    def __init__(self, shuffle: int | None) -> None:
        self._rng = Random(shuffle) if shuffle is not None else None

    async def wait(self) -> None:
        for _ in range(self._rng.randrange(12) if self._rng else 0):
            await asyncio.sleep(0)


class ToyChat:
    """Target, evaluator and judge in one. `skill`: chance to know a code; `fault(purpose, text)`:
    raise CallFailed."""

    def __init__(
        self,
        skill: float = 0.85,
        shuffle: int | None = None,
        fault: Callable[[str, str], bool] = lambda purpose, text: False,
        world: int = 0,
        concepts: int = 400,
    ) -> None:
        self.skill, self.fault, self.world, self.concepts = skill, fault, world, concepts
        self.delays = Delays(shuffle)
        self.requests: list[ChatRequest] = []
        self._replies: dict[str, Callable[[str], object]] = {
            "aspects": self.name_aspects,
            "question": self.write,
            "check": self.check,
            "same": self.compare,
            "answer": self.answer,
            "verdict": self.mark,
            "concepts": self.mentions,
            "titles": self.titles,
            "restatement": self.restate,
        }

    @property
    def name(self) -> str:
        return "toy"

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        await self.delays.wait()
        text = request.messages[-1].content
        if self.fault(request.purpose, text):
            raise CallFailed("server", "toy fault")
        reply = self._replies[request.purpose](text)
        body = reply if isinstance(reply, str) else orjson.dumps(reply).decode()
        return ChatReply(
            text=body,
            usage=Usage(input_tokens=10, output_tokens=5),
            model="toy",
            cost_usd=0.001,
        )

    def name_aspects(self, text: str) -> dict[str, list[str]]:
        count, named = int(field(text, "count")), set(field(text, "named").split())
        order = [f"c{i}" for i in range(self.concepts) if f"c{i}" not in named]
        return {"aspects": order[:count]}

    def write(self, text: str) -> dict[str, str]:
        passage = field(text, "passage")
        subject, code = re.search(r"Item (\S+) bears the code (\d+)\.", passage).groups()  # type: ignore[union-attr]
        return {
            "question": f"What code does item {subject} bear?",
            "reference": f"It is {code}.",
            "quote": f"Item {subject} bears the code {code}",
        }

    def check(self, text: str) -> dict[str, object]:
        code = re.search(r"code (\d+)\.", field(text, "passage"))
        line = field(text, "line").splitlines()
        return {
            "answerable": code is not None,
            "answer": f"It is {code.group(1)}." if code else "",
            "level": self.level(field(text, "question"), len(line)),
            "step": "deeper" if line else None,
        }

    def level(self, question: str, depth: int) -> str:
        """The tier that the subject's letter stands for; of C the one that the depth tells."""
        letter = question.split(".")[1][0]
        if letter == "C":
            return "common" if depth < 4 else "cutting_edge"
        return next(tier.value.lower() for tier in TIERS if tier.value.startswith(letter))

    def compare(self, text: str) -> dict[str, object]:
        return {"same": field(text, "reference") == field(text, "answer")}

    def answer(self, text: str) -> str:
        subject = re.search(r"item (\S+) bear", text).group(1)  # type: ignore[union-attr]
        known = self.knows(subject)
        code = code_of(subject) if known else code_of(subject) + 1
        more = [f"c{int(share('more', subject, i) * self.concepts)}" for i in range(3)]
        return f"The code is {code}. Related items are {', '.join(more)}."

    def knows(self, subject: str) -> bool:
        return share(self.world, "knows", subject) < self.skill

    def mark(self, text: str) -> dict[str, object]:
        wanted = re.search(r"\d+", field(text, "reference")).group()  # type: ignore[union-attr]
        said = re.search(r"\d+", field(text, "answer")).group()  # type: ignore[union-attr]
        return {"reason": "compared", "verdict": "asserts" if wanted == said else "contradicts"}

    def restate(self, text: str) -> dict[str, str]:
        code = re.search(r"\d+", field(text, "reference")).group()  # type: ignore[union-attr]
        return {"restatement": f"I should say that the number on it reads {code}."}

    def titles(self, text: str) -> dict[str, object]:
        return {"meant": []}

    def mentions(self, text: str) -> dict[str, object]:
        found = re.findall(r"\bc\d+\b", field(text, "answer"))
        base = int(share("aspect", field(text, "concept")) * self.concepts)
        aspects = [f"c{(base + i) % self.concepts}" for i in range(int(field(text, "count")))]
        return {
            "concepts": [{"said": name, "name": name} for name in found],
            "aspects": aspects,
        }


def code_of(subject: str) -> int:
    return int(share("code", subject) * 1_000_000)


class ToySource:
    """Pages on c0 … c399, `per_page` passages each per tier. `missing` and `fails` say for which
    concepts not. `twins`: the pages on c0 and c1, on c2 and c3, … state the same facts."""

    def __init__(
        self,
        shuffle: int | None = None,
        per_page: int = 3,
        missing: Callable[[str], bool] = lambda concept: False,
        fails: Callable[[str], bool] = lambda concept: False,
        now: datetime = START,
        twins: bool = False,
    ) -> None:
        self.per_page, self.missing, self.fails, self.now = per_page, missing, fails, now
        self.twins = twins
        self.delays = Delays(shuffle)
        self.asked: list[FactQuery] = []

    @property
    def name(self) -> str:
        return "toy"

    @property
    def tiers(self) -> Set[Tier]:
        return frozenset(TIERS)

    async def has_page(self, title: str, language: str) -> bool:
        return title != "Nowhere"

    async def find(self, query: FactQuery) -> list[Evidence]:
        self.asked.append(query)
        await self.delays.wait()
        if self.fails(query.concept):
            raise SourceFailed("server", "toy fault")
        if self.missing(query.concept):
            return []
        return [self._passage(query, i) for i in range(self.per_page)]

    def _passage(self, query: FactQuery, index: int) -> Evidence:
        number = int(query.concept[1:])
        about = f"c{number - number % 2}" if self.twins else query.concept
        subject = f"{about}.{query.tier.value[0]}{index}"
        text = f"Item {subject} bears the code {code_of(subject)}."
        text += f" It stands on {query.concept}." if self.twins else ""
        return Evidence(
            text=text,
            title=query.concept,
            url=f"toy://{query.concept}",
            source="toy",
            tier=query.tier,
            retrieved_at=self.now,
            digest=digest(text),
        )

    async def aclose(self) -> None:
        pass


def toy_spec(**changes: object) -> DrillSpec:
    """A small drill of the toy world."""
    values: dict[str, object] = {
        "domain": "Toys",
        "target": "toy",
        "evaluator": "toy",
        "judge": "toy",
        "facts": dict.fromkeys(TIERS, ("toy",)),
        "n": 8,
        "max_depth": 6,
        "passes": 2,
        "as_of": date(2026, 1, 1),
    }
    return DrillSpec.model_validate(values | changes)


def toy_deps(
    chat: ToyChat, source: ToySource, sink: MemorySink | None = None, **changes: object
) -> RunDeps:
    """The drill's dependencies in the toy world, with a clock that stands still."""
    clock = Clock(now=lambda: START, seconds=lambda: 0.0)
    sources = {tier: [source] for tier in TIERS}
    values: dict[str, object] = {
        "sources": sources,
        "stream": False,
        "prompts": METHODS["drill"].prompts,
        "clock": clock,
    } | changes
    values |= {"target": chat, "evaluator": chat, "judge": chat}
    values |= {"sink": sink or MemorySink(clock.now)}
    return RunDeps(**values)  # type: ignore[arg-type]  # changes


def a_path(**fields: Any) -> Path:
    path = new_path(fields["id"], fields["root"])
    path.update(fields)  # type: ignore[typeddict-item]
    return path
