"""Who is asked for what: every purpose, and how it is done in one world on the values that a request
names beside its prompt."""

from collections.abc import Mapping
from typing import Any

from . import deepquestion, depthqa, drill, eqt
from .personas import PERSONAS, Persona
from .world import Purposes, Reply, Task, World

PURPOSES: Purposes = {
    **drill.PURPOSES,
    **eqt.PURPOSES,
    **depthqa.PURPOSES,
    **deepquestion.PURPOSES,
}


class Evaluator:
    """Does in one world what is asked for. It remembers what it asked about foreign passages, for
    the personas."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._memory = dict[str, drill.Asked]()

    def do(
        self,
        purpose: str,
        about: Mapping[str, Any],
        persona: Persona = PERSONAS["omniscient"],
        *,
        message: str = "",
        attempt: int = 0,
        seed: int | None = None,
    ) -> Reply | str:
        """An object, or prose. Whoever asks for what is none of the purposes, as programs from
        elsewhere do, has asked what his message says. See `Task`."""
        if purpose not in PURPOSES:
            purpose, about = "answer", {"question": message}
        task = Task(self.world, persona, about, message, attempt, seed, self._memory)
        return PURPOSES[purpose](task)
