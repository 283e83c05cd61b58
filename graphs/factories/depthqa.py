"""What langgraph.json names of DepthQA: factories of its two graphs and its agents, configured as those in `factories`.

What the graph `depthqa` asks comes from the run's configurable value `question_graph`, else from
FATHOM_QUESTION_GRAPH: a file or folder that `tools.files.depthqa.graph.read_graph` reads, or a graph as JSON. What
tells which questions are alike when one is built comes from `similarity`, else from FATHOM_SIMILARITY: `lexical`, as
without either, or an embeddings model. The judge is the evaluator where none is named.
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property

from langchain_core.runnables import RunnableConfig

from ...agents import export
from ...agents.export import depthqa as export_depthqa
from ...agents.prompts import DEPTHQA_BUILD_PROMPTS, DEPTHQA_PROMPTS
from ...state.depthqa.items import Material
from ...state.errors import UsageError
from ...tools.similarity import LEXICAL, similarity_of
from ..depthqa.building.graph import BuildGraph
from ..depthqa.building.graph import build_graph as build_builder
from ..depthqa.graph import DepthQAGraph
from ..depthqa.graph import build_graph as build_depthqa
from ..embed.handed_over import graph_of
from ..run.deps import DrillDeps
from . import EVALUATOR, JUDGE, TARGET, chats_of, named, sink_for, values_of


class Unnamed(Material):
    """The material of a run for which no question graph is configured."""

    @cached_property
    def digest(self) -> str:
        """Raises UsageError."""
        raise UsageError(
            "No question graph is named: set FATHOM_QUESTION_GRAPH or the configurable value 'question_graph'."
        )


@asynccontextmanager
async def depthqa(config: RunnableConfig) -> AsyncIterator[DepthQAGraph]:
    """The asking of a question graph; its input is a spec that names the configured models and the graph's material
    digest, and a run id. Raises UsageError for a question graph that cannot be read."""
    questions = named("question_graph", values_of(config))
    material = Material(graph=await graph_of(questions)) if questions else Unnamed.model_construct()  # type: ignore[call-arg]  # it has none
    async with chats_of(config, TARGET, JUDGE) as (target, judge), sink_for(config) as sink:
        deps = DrillDeps(
            target=target,
            evaluator=judge,
            judge=judge,
            sources={},
            sink=sink,
            prompts=DEPTHQA_PROMPTS,
            material=material,
        )
        yield build_depthqa(deps)


@asynccontextmanager
async def depthqa_build(config: RunnableConfig) -> AsyncIterator[BuildGraph]:
    """The building of a question graph; its input is a spec that names the configured evaluator and similarity, and a
    run id. Raises UsageError for an embeddings model that cannot be reached by its name."""
    alike = named("similarity", values_of(config)) or LEXICAL
    similarity = await asyncio.to_thread(similarity_of, alike, os.environ)  # a provider's package is imported here
    async with chats_of(config, EVALUATOR) as (chat,), sink_for(config) as sink:
        deps = DrillDeps(
            target=chat,
            evaluator=chat,
            judge=chat,
            sources={},
            sink=sink,
            prompts=DEPTHQA_BUILD_PROMPTS,
            similarity=similarity,
        )
        yield build_builder(deps)


@asynccontextmanager
async def deep_answerer(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The answering in depth, of a question alone: the target."""
    async with chats_of(config, TARGET) as (chat,):
        yield export_depthqa.deep_answerer_graph(chat)


@asynccontextmanager
async def rater(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The rating of an answer: the judge."""
    async with chats_of(config, JUDGE) as (chat,):
        yield export_depthqa.rater_graph(chat)


@asynccontextmanager
async def classifier(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The classification of a question by depth, by the evaluator."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export_depthqa.classifier_graph(chat)


@asynccontextmanager
async def deconstructor(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The deconstruction of a question, by the evaluator."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export_depthqa.deconstructor_graph(chat)


@asynccontextmanager
async def opener(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The opening of a yes-or-no question, by the evaluator."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export_depthqa.opener_graph(chat)


@asynccontextmanager
async def referencer(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The writing of a reference answer, by the evaluator."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export_depthqa.referencer_graph(chat)


@asynccontextmanager
async def relation_rater(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The rating of a relation between questions; by the evaluator, as in a build."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export_depthqa.relation_rater_graph(chat)
