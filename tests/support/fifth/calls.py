"""What the fifth method asks."""

from collections.abc import Iterator, Sequence
from typing import Any

from fathom.agents.skill import Ask, Prompt, skill
from fathom.graphs.run.due import ONCE, CallStage, FinishedItems, PlannedCall
from fathom.graphs.run.spread import Spread

from .state import ToySpec

SYMBOL = Prompt("toy_symbol", "Answer from memory.\n=== user ===\n$question")


@skill(SYMBOL, role="target", stage="answer", max_tokens=200)
async def say_symbol(ask: Ask, topic: str) -> str:
    return (await ask.text(bare={"question"}, question=question_of(topic))).text


def question_of(topic: str) -> str:
    return f"What is the chemical symbol of {topic.lower()}?"


class ToyCalls:
    def __init__(self, spec: ToySpec, material: Any = None) -> None:
        self.spec = spec

    def parts(self, past: Sequence[Any] = ()) -> list[tuple[int, Spread]]:
        return [(part, ONCE) for part in range(len(self.spec.topics))]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        if not done.has(f"{done.short_id}/t{part}"):
            yield PlannedCall("target", "toy_symbol", limit=200)

    def chain(self, parts: Spread) -> list[CallStage]:
        return [CallStage("target", "toy_symbol")]


CALLS = ToyCalls
