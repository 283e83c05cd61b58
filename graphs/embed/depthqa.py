"""DepthQA inside another LangGraph app: a question graph asked of your own models, and the building of one.

async with embed_depthqa("graph.json", target=my_chat_model, judge="openai:gpt-5", env=os.environ) as depthqa:
    builder.add_node("depthqa", depthqa.graph)      # channels `spec`, `run_id` in, `result` out
    state = depthqa.input(["zero-shot", "multi-turn"])

async with embed_depthqa_build("openai:gpt-5", env=os.environ) as build:
    builder.add_node("build", build.graph)          # what stands in the result as `graph` can be asked
    state = build.input(["Why does ice float, and what follows from it for lakes?"])
"""

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from langchain_core.embeddings import Embeddings
from typing_extensions import Unpack

from ...state.depthqa.build import DepthQABuildResult
from ...state.depthqa.items import Material
from ...state.depthqa.result import DepthQAResult
from ...state.depthqa.spec import GIVEN
from ...state.errors import UsageError
from ...state.spec import DepthQABuildSpec, DepthQASpec
from ...tools.models.as_chat import Model
from ...tools.models.clients import Clients
from ...tools.models.similarity import EmbeddingSimilarity
from ...tools.similarity import LEXICAL, Similarity, similarity_of
from ..depthqa import graph as depthqa
from ..depthqa.building import graph as depthqa_build
from .binding import Embedded, HostOptions, one_at_a_time, opened
from .handed_over import UNNAMED, Questions, Source, answers_of, graph_of, modes_of, sources_of


@dataclass(frozen=True, slots=True)
class EmbeddedDepthQA(Embedded[DepthQAResult]):
    """A compiled DepthQA over one question graph, and what it is bound to."""

    material: Material
    """The question graph, and the answers where they are given."""
    target: str
    """Its name in the spec."""

    def spec(self, modes: str | Iterable[str] = "zero-shot", **options: Any) -> DepthQASpec:
        """The spec of a run of the bound models over the bound question graph. Options are fields
        of `DepthQASpec`: logprobs, answer_tokens, judge_temperature, … Raises UsageError as
        `Embedded.spec` and `modes_of` do."""
        bound = {
            "graph": self.material.graph.name or UNNAMED,
            "material": self.material.digest,
            "target": self.target,
            "judge": self.deps.judge.name,
        }
        return self._checked(DepthQASpec, options, bound, {"modes": modes_of(modes, self.material)})


@dataclass(frozen=True, slots=True)
class EmbeddedDepthQABuild(Embedded[DepthQABuildResult]):
    """A compiled builder of question graphs, and what it is bound to."""

    def spec(self, questions: Source | Iterable[Source], **options: Any) -> DepthQABuildSpec:
        """The spec of a build. `questions` of depth 3: one, or several, each its text or the fields
        of a `SourceQuestion` (reference, key_points, domain, id); those without an id are called
        q1, q2, … by their place. Options are fields of `DepthQABuildSpec`: name, classify, check,
        width, language, …

        Raises UsageError as `Embedded.spec` does, and for no question at all.
        """
        bound = {"evaluator": self.deps.evaluator.name, "similarity": self.deps.similarity.name}
        return self._checked(
            DepthQABuildSpec, options, bound, {"name": UNNAMED, "questions": sources_of(questions)}
        )


@asynccontextmanager
async def embed_depthqa(
    questions: Questions,
    target: Model,
    judge: Model,
    *,
    answers: Mapping[str, str] | None = None,
    **host: Unpack[HostOptions],
) -> AsyncIterator[EmbeddedDepthQA]:
    """A graph that asks the questions, for as long as the block lasts; clients made here are closed
    at its end.

    `answers`: node → answer, where somebody else has collected them. The target is then called
    `given:NAME` and not asked, and nodes without an answer are unscored. Raises UsageError, for the
    questions as `graph_of` does.
    """
    named = target if isinstance(target, str) and target.startswith(GIVEN) else None
    if (named is None) != (answers is None):
        raise UsageError(
            f"Given answers need a target that is called {GIVEN}NAME, and it needs them: give both."
        )
    graph = await graph_of(questions)
    material = Material(
        graph=graph, answers=None if answers is None else answers_of(answers, graph)
    )
    async with opened("depthqa", (judge if named else target, judge), host) as found:
        asked, judging = found.chats
        deps = found.deps(asked, judging, judging, material=material)
        compiled, called = one_at_a_time(depthqa.build_graph(deps)), named or deps.target.name
        yield EmbeddedDepthQA(
            compiled, deps, found.clients, found.prompts, found.world, material, called
        )


@asynccontextmanager
async def embed_depthqa_build(
    evaluator: Model,
    *,
    similarity: str | Embeddings | Similarity = LEXICAL,
    **host: Unpack[HostOptions],
) -> AsyncIterator[EmbeddedDepthQABuild]:
    """A graph that builds question graphs, for as long as the block lasts. `similarity` tells which
    questions are alike: `lexical`, an embeddings model as a provider string, or a host's own
    LangChain embeddings, which are asked but not cached. Raises UsageError."""
    simulated = isinstance(similarity, str) and similarity.startswith("sim:")
    async with opened("depthqa_build", [evaluator], host, simulated=simulated) as found:
        (chat,) = found.chats
        deps = found.deps(chat, chat, chat, similarity=_similarity(similarity, found.clients, host))
        compiled = one_at_a_time(depthqa_build.build_graph(deps))
        yield EmbeddedDepthQABuild(compiled, deps, found.clients, found.prompts, found.world)


def _similarity(
    given: str | Embeddings | Similarity, clients: Clients, host: HostOptions
) -> Similarity:
    limits = host.get("limits")
    if isinstance(given, str):
        return similarity_of(given, host.get("env") or {}, clients.sim_url, limits=limits)
    if isinstance(given, Embeddings):
        return EmbeddingSimilarity(given, f"langchain:{type(given).__name__}", limits=limits)
    return given
