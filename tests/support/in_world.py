"""A model of the simulated world without the wire, and what its examiner writes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fathom.agents.answers.choice import plain_selection
from fathom.agents.explainer.explain import explain_concept
from fathom.agents.questioner.choice_question import Draft, point_of, write_choice_question
from fathom.sim import chat_api, eqt
from fathom.sim.evaluator import Evaluator
from fathom.sim.personas import PERSONAS
from fathom.sim.world import Task, World
from fathom.state.eqt.items import KINDS
from fathom.state.records import Rejected
from fathom.state.spec import WorldSpec
from fathom.tools.models.chat import ChatReply, ChatRequest

SPEC = WorldSpec(seed=7)
WORLD = World(SPEC)


@dataclass
class InWorld:
    """A model of the simulated world, without the wire."""

    model: str = "evaluator"
    evaluator: Evaluator = field(default_factory=lambda: Evaluator(WORLD))
    purposes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"sim:{self.model}"

    async def complete(self, request: ChatRequest) -> ChatReply:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [
                {"role": message.role, "content": message.content}
                for message in request.messages
            ],
            "max_completion_tokens": request.max_tokens,
        }
        body["simulation"] = {"purpose": request.purpose, "about": request.about}
        asked = chat_api.read(json.loads(json.dumps(body)))
        self.purposes.append(asked.simulation.purpose)
        choice = chat_api.complete(asked, self.evaluator, "0", None)["choices"][0]
        return ChatReply(choice["message"]["content"], choice["finish_reason"])


def reply_of(world: World, purpose: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """The object that the evaluator of a world replies."""
    reply = Evaluator(world).do(purpose, about)
    assert isinstance(reply, dict)
    return reply


async def question(
    chat: InWorld, concept: str, number: int, count: int = 10, last: Rejected | None = None
) -> Draft:
    """The question of a concept that counts from 1."""
    text = await explain_concept(chat, concept)
    kind, point = KINDS[(number - 1) % len(KINDS)], point_of(number, len(KINDS))
    return await write_choice_question(chat, concept, text, kind, count, point=point, last=last)


def selection(reply: str, options: Sequence[str]) -> set[str] | None:
    """The letters of a reply; None where no selection can be read."""
    places = plain_selection(reply, len(options))
    if places is not None:
        return {chr(65 + place) for place in places}
    letters: Any = eqt.selection(Task(WORLD, PERSONAS["omniscient"], {"reply": reply}))[
        "selected"
    ]
    return set(letters) or None
