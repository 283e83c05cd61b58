"""An Explain-Query-Test inside another LangGraph app: a subgraph bound to your own models or to
provider strings.

async with embed_eqt(target=my_chat_model, examiner="openai:gpt-5", env=os.environ) as eqt:
    builder.add_node("eqt", eqt.graph)          # channels `spec`, `run_id` in, `result` out
    state = eqt.input(["Entropy", "Carnot cycle"], questions=5, paraphrases=3)
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from typing_extensions import Unpack

from ...state.eqt.result import EqtResult
from ...state.errors import UsageError
from ...state.spec import Concept, EqtSpec
from ...tools.models.as_chat import Model
from ..eqt.graph import build_graph
from .binding import Embedded, HostOptions, one_at_a_time, opened

T = TypeVar("T")
Concepts = str | Iterable[str | Concept] | Mapping[str, Iterable[str]]
"""One name, several of them, or names by category."""


@dataclass(frozen=True, slots=True)
class EmbeddedEqt(Embedded[EqtResult]):
    """A compiled Explain-Query-Test and what it is bound to; the examiner is `deps.evaluator`."""

    def spec(self, concepts: Concepts, **options: Any) -> EqtSpec:
        """The spec of a run with the bound models. `concepts`: a name, a list of names or of
        `Concept`, or lists of names by category; options are fields of `EqtSpec`: questions,
        options, paraphrases, open_book, …

        Raises UsageError as `Embedded.spec` does, and for no concept at all.
        """
        deps = self.deps
        names = {
            "target": deps.target.name,
            "examiner": deps.evaluator.name,
            "judge": deps.judge.name,
        }
        return self._checked(EqtSpec, options, names, {"concepts": tuple(_concepts(concepts))})


@asynccontextmanager
async def embed_eqt(
    target: Model,
    examiner: Model | None = None,
    judge: Model | None = None,
    **host: Unpack[HostOptions],
) -> AsyncIterator[EmbeddedEqt]:
    """A graph of Explain-Query-Test for as long as the block lasts; clients made here are closed at
    its end.

    `examiner` explains, asks and paraphrases: the target itself where none is given. `judge` checks
    paraphrases and attributes failures where a spec asks for that; the examiner where none is
    given. Raises UsageError.
    """
    explaining = target if examiner is None else examiner
    async with opened(
        "eqt", (target, explaining, explaining if judge is None else judge), host
    ) as found:
        deps = found.deps(*found.chats)
        yield EmbeddedEqt(
            one_at_a_time(build_graph(deps)), deps, found.clients, found.prompts, found.world
        )


def _concepts(given: Concepts) -> Iterable[Concept]:
    """The concepts as a spec has them. A string is one name, not a list of letters."""
    if isinstance(given, Mapping):
        return [
            Concept(name=name, category=category)
            for category, own in given.items()
            for name in _listed(own)
        ]
    return [one if isinstance(one, Concept) else Concept(name=one) for one in _listed(given)]


def _listed(given: str | Iterable[T]) -> Iterable[str | T]:
    if not isinstance(given, Iterable):
        raise UsageError(
            f"Concepts cannot be of type {type(given).__name__}: give a name, or a list of names."
        )
    return [given] if isinstance(given, str) else given
