"""An Explain-Query-Test inside another LangGraph app: a subgraph bound to your own models or to provider strings.

async with embed_eqt(target=my_chat_model, examiner="openai:gpt-5", env=os.environ) as eqt:
    builder.add_node("eqt", eqt.graph)          # channels `spec`, `run_id` in, `result` out
    state = eqt.input(["Entropy", "Carnot cycle"], questions=5, paraphrases=3)
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ...agents.prompt_template import override
from ...agents.prompts import EQT_PROMPTS
from ...state.channels import DrillInput
from ...state.errors import UsageError
from ...state.spec import Concept, EqtSpec, WorldSpec
from ...tools.models.clients import Clients, Limits
from ...tools.runs.journal import Listener, Sink
from ..eqt.graph import EqtGraph, build_graph
from ..run.argument_checks import checked
from ..run.deps import Clock, DrillDeps
from . import Model, new_run_id, one_at_a_time
from .handed_over import Telling, opened

T = TypeVar("T")
Concepts = str | Iterable[str | Concept] | Mapping[str, Iterable[str]]
"""One name, several of them, or names by category."""


@dataclass(frozen=True, slots=True)
class EmbeddedEqt:
    """A compiled Explain-Query-Test and what it is bound to."""

    graph: EqtGraph
    deps: DrillDeps
    """The examiner is bound as its `evaluator`."""
    clients: Clients
    """For other parts of the host that name models by provider strings; open as long as the block."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """The prompts that were overridden; they are part of the spec."""
    world: WorldSpec | None = None
    """The simulated world that was started for `sim:` models; part of the spec too."""

    def spec(self, concepts: Concepts, **options: Any) -> EqtSpec:
        """The spec of a run with the bound models. `concepts`: a name, a list of names or of `Concept`, or lists of
        names by category; options are fields of `EqtSpec`: questions, options, paraphrases, open_book, …

        Raises UsageError for prompts or a world that the graph is not bound to, and for values that no spec can have,
        such as no concept at all.
        """
        if "prompts" in options or (self.world and options.get("world", self.world) != self.world):
            raise UsageError("Prompts and a simulated world are bound with the graph: give them to embed_eqt.")
        values: dict[str, Any] = {
            "concepts": tuple(_concepts(concepts)),
            "target": self.deps.target.name,
            "examiner": self.deps.evaluator.name,
            "judge": self.deps.judge.name,
            "prompts": dict(self.prompts),
            "world": self.world,
        }
        return checked(EqtSpec, values | options)

    def input(self, concepts: Concepts, **options: Any) -> DrillInput:
        """The graph's input, with a run id of its own."""
        return DrillInput(spec=self.spec(concepts, **options).model_dump(mode="json"), run_id=new_run_id())


@asynccontextmanager
async def embed_eqt(
    target: Model,
    examiner: Model | None = None,
    judge: Model | None = None,
    *,
    env: Mapping[str, str] | None = None,
    prompts: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    world: WorldSpec | None = None,
    sink: Sink | None = None,
    listeners: Sequence[Listener] = (),
    clock: Clock | None = None,
    cache: Path | None = None,
    journal: Path | None = None,
) -> AsyncIterator[EmbeddedEqt]:
    """A graph of Explain-Query-Test for as long as the block lasts; clients made here are closed at its end.

    `examiner` explains, asks and paraphrases: the target itself where none is given. `judge` checks paraphrases and
    attributes failures where a spec asks for that; the examiner where none is given. `env` holds keys and addresses;
    the process environment is not read. `prompts`: name → text, in place of `EQT_PROMPTS`. `world`: that of `sim:`
    models, which is started here. Every event also goes to LangGraph's custom stream. `journal`, `sink` and `cache`
    are those of `embed`. Raises UsageError.
    """
    clock, replaced, explaining = clock or Clock(), dict(prompts or {}), target if examiner is None else examiner
    used = override(EQT_PROMPTS, replaced)
    models = (target, explaining, explaining if judge is None else judge)
    told = Telling(clock, sink, listeners, journal)
    async with opened(models, told, env=env, limits=limits, cache=cache, world=world) as found:
        deps = DrillDeps(
            target=found.chats[0],
            evaluator=found.chats[1],
            judge=found.chats[2],
            sources={},
            sink=found.sink,
            prompts=used,
            clock=clock,
            connections=found.clients.capacity,
        )
        yield EmbeddedEqt(one_at_a_time(build_graph(deps)), deps, found.clients, replaced, found.world)


def _concepts(given: Concepts) -> Iterable[Concept]:
    """The concepts as a spec has them. A string is one name, not a list of letters."""
    if isinstance(given, Mapping):
        return [Concept(name=name, category=category) for category, own in given.items() for name in _listed(own)]
    return [one if isinstance(one, Concept) else Concept(name=one) for one in _listed(given)]


def _listed(given: str | Iterable[T]) -> Iterable[str | T]:
    if not isinstance(given, Iterable):
        raise UsageError(f"Concepts cannot be of type {type(given).__name__}: give a name, or a list of names.")
    return [given] if isinstance(given, str) else given
