"""DepthQA inside another LangGraph app: a question graph asked of your own models, and the building of one.

async with embed_depthqa("graph.json", target=my_chat_model, judge="openai:gpt-5", env=os.environ) as depthqa:
    builder.add_node("depthqa", depthqa.graph)      # channels `spec`, `run_id` in, `result` out
    state = depthqa.input(["zero-shot", "multi-turn"])

async with embed_depthqa_build("openai:gpt-5", env=os.environ) as build:
    builder.add_node("build", build.graph)          # what stands in the result as `graph` can be asked
    state = build.input(["Why does ice float, and what follows from it for lakes?"])
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.embeddings import Embeddings

from ...agents.prompt_template import override
from ...agents.prompts import DEPTHQA_BUILD_PROMPTS, DEPTHQA_PROMPTS
from ...state.channels import DrillInput
from ...state.depthqa.items import Material
from ...state.depthqa.spec import GIVEN
from ...state.errors import UsageError
from ...state.spec import DepthQABuildSpec, DepthQASpec, WorldSpec
from ...tools.models.clients import Clients, Limits
from ...tools.models.similarity import EmbeddingSimilarity
from ...tools.runs.journal import Listener, Sink
from ...tools.similarity import LEXICAL, Similarity, similarity_of
from ..depthqa import graph as depthqa
from ..depthqa.building import graph as depthqa_build
from ..run.argument_checks import checked
from ..run.deps import Clock, DrillDeps
from . import Model, new_run_id, one_at_a_time
from .handed_over import (
    UNNAMED,
    Questions,
    Source,
    Telling,
    answers_of,
    graph_of,
    modes_of,
    opened,
    require_bound,
    sources_of,
)


@dataclass(frozen=True, slots=True)
class EmbeddedDepthQA:
    """A compiled DepthQA over one question graph, and what it is bound to."""

    graph: depthqa.DepthQAGraph
    deps: DrillDeps
    material: Material
    """The question graph, and the answers where they are given."""
    target: str
    """Its name in the spec."""
    clients: Clients
    """For other parts of the host that name models by provider strings; open as long as the block."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """The prompts that were overridden; they are part of the spec."""
    world: WorldSpec | None = None
    """The simulated world that was started for `sim:` models; part of the spec too."""

    def spec(self, modes: str | Iterable[str] = "zero-shot", **options: Any) -> DepthQASpec:
        """The spec of a run of the bound models over the bound question graph. Options are fields of `DepthQASpec`:
        logprobs, answer_tokens, judge_temperature, …

        Raises UsageError for modes as `modes_of` does, for values that no spec can have, and for what is bound with the
        graph.
        """
        require_bound(("graph", "material"), options, self.world)
        chosen = modes_of(modes, self.material)
        values: dict[str, Any] = {
            "graph": self.material.graph.name or UNNAMED,
            "material": self.material.digest,
            "target": self.target,
            "judge": self.deps.judge.name,
            "modes": chosen,
            "prompts": dict(self.prompts),
            "world": self.world,
        }
        return checked(DepthQASpec, values | options)

    def input(self, modes: str | Iterable[str] = "zero-shot", **options: Any) -> DrillInput:
        """The graph's input, with a run id of its own."""
        return DrillInput(spec=self.spec(modes, **options).model_dump(mode="json"), run_id=new_run_id())


@dataclass(frozen=True, slots=True)
class EmbeddedDepthQABuild:
    """A compiled builder of question graphs, and what it is bound to."""

    graph: depthqa_build.BuildGraph
    deps: DrillDeps
    clients: Clients
    """For other parts of the host that name models by provider strings; open as long as the block."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """The prompts that were overridden; they are part of the spec."""
    world: WorldSpec | None = None
    """The simulated world that was started for `sim:` models; part of the spec too."""

    def spec(self, questions: Source | Iterable[Source], **options: Any) -> DepthQABuildSpec:
        """The spec of a build. `questions` of depth 3: one, or several, each its text or the fields of a
        `SourceQuestion` (reference, key_points, domain, id); those without an id are called q1, q2, … by their place.
        Options are fields of `DepthQABuildSpec`: name, classify, check, width, language, …

        Raises UsageError for values that no spec can have, such as no question at all, and for what is bound with the
        graph.
        """
        require_bound(("similarity",), options, self.world)
        values: dict[str, Any] = {
            "name": UNNAMED,
            "questions": sources_of(questions),
            "evaluator": self.deps.evaluator.name,
            "similarity": self.deps.similarity.name,
            "prompts": dict(self.prompts),
            "world": self.world,
        }
        return checked(DepthQABuildSpec, values | options)

    def input(self, questions: Source | Iterable[Source], **options: Any) -> DrillInput:
        """The graph's input, with a run id of its own."""
        return DrillInput(spec=self.spec(questions, **options).model_dump(mode="json"), run_id=new_run_id())


@asynccontextmanager
async def embed_depthqa(
    questions: Questions,
    target: Model,
    judge: Model,
    *,
    answers: Mapping[str, str] | None = None,
    env: Mapping[str, str] | None = None,
    prompts: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    world: WorldSpec | None = None,
    sink: Sink | None = None,
    listeners: Sequence[Listener] = (),
    clock: Clock | None = None,
    cache: Path | None = None,
    journal: Path | None = None,
) -> AsyncIterator[EmbeddedDepthQA]:
    """A graph that asks the questions, for as long as the block lasts; clients made here are closed at its end.

    `answers`: node → answer, where somebody else has collected them. The target is then called `given:NAME` and not
    asked, and nodes without an answer are unscored. `env` holds keys and addresses; the process environment is not
    read. `prompts`: name → text, in place of `DEPTHQA_PROMPTS`. `world`: that of `sim:` models, which is started here.
    Every event also goes to LangGraph's custom stream. Finished steps are kept in memory until the run has its result;
    a host whose checkpointer
    outlives the process names a `journal`, as for `embed`. `cache`: file of the persistent
    cache; without it nothing is cached. Raises UsageError, for the questions as `graph_of` does.
    """
    clock, replaced = clock or Clock(), dict(prompts or {})
    named = target if isinstance(target, str) and target.startswith(GIVEN) else None
    if (named is None) != (answers is None):
        raise UsageError(f"Given answers need a target that is called {GIVEN}NAME, and it needs them: give both.")
    graph = await graph_of(questions)
    material = Material(graph=graph, answers=None if answers is None else answers_of(answers, graph))
    models = (judge if named else target, judge)
    told = Telling(clock, sink, listeners, journal)
    async with opened(models, told, env=env, limits=limits, cache=cache, world=world) as found:
        deps = DrillDeps(
            target=found.chats[0],
            evaluator=found.chats[1],
            judge=found.chats[1],
            sources={},
            sink=found.sink,
            prompts=override(DEPTHQA_PROMPTS, replaced),
            clock=clock,
            material=material,
            connections=found.clients.capacity,
        )
        compiled, called = one_at_a_time(depthqa.build_graph(deps)), named or deps.target.name
        yield EmbeddedDepthQA(compiled, deps, material, called, found.clients, replaced, found.world)


@asynccontextmanager
async def embed_depthqa_build(
    evaluator: Model,
    *,
    similarity: str | Embeddings | Similarity = LEXICAL,
    env: Mapping[str, str] | None = None,
    prompts: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    world: WorldSpec | None = None,
    sink: Sink | None = None,
    listeners: Sequence[Listener] = (),
    clock: Clock | None = None,
    cache: Path | None = None,
    journal: Path | None = None,
) -> AsyncIterator[EmbeddedDepthQABuild]:
    """A graph that builds question graphs, for as long as the block lasts.

    `similarity` tells which questions are alike: `lexical`, an embeddings model as a provider string, or a host's own
    LangChain embeddings, which are asked but not cached. All else as in `embed_depthqa`; the prompts are in place of
    `DEPTHQA_BUILD_PROMPTS`.
    """
    clock, replaced = clock or Clock(), dict(prompts or {})
    simulated = isinstance(similarity, str) and similarity.startswith("sim:")
    told = Telling(clock, sink, listeners, journal)
    opening = opened([evaluator], told, env=env, limits=limits, cache=cache, world=world, simulated=simulated)
    async with opening as found:
        (chat,) = found.chats
        deps = DrillDeps(
            target=chat,
            evaluator=chat,
            judge=chat,
            sources={},
            sink=found.sink,
            prompts=override(DEPTHQA_BUILD_PROMPTS, replaced),
            clock=clock,
            similarity=_similarity(similarity, env or {}, found.clients, limits),
            connections=found.clients.capacity,
        )
        compiled = one_at_a_time(depthqa_build.build_graph(deps))
        yield EmbeddedDepthQABuild(compiled, deps, found.clients, replaced, found.world)


def _similarity(
    given: str | Embeddings | Similarity, env: Mapping[str, str], clients: Clients, limits: Limits | None
) -> Similarity:
    if isinstance(given, str):
        return similarity_of(given, env, clients.sim_url, limits=limits)
    if isinstance(given, Embeddings):
        return EmbeddingSimilarity(given, f"langchain:{type(given).__name__}", limits=limits)
    return given
