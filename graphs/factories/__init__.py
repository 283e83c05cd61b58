"""What langgraph.json names: factories of every graph, configured by `configurable` values or environment variables.

Each is an async context manager, as LangGraph's server takes them: clients are closed when the run is over.

`target`, `evaluator`, `examiner`, `judge` and `facts` come from the run's configurable values, else from FATHOM_TARGET,
FATHOM_EVALUATOR, FATHOM_EXAMINER, FATHOM_JUDGE and FATHOM_FACTS. A role that is not named is filled by another: the
judge of a drill by the evaluator, the examiner by the target, the judge of an Explain-Query-Test by the examiner. A
graph builds without them, so that it can be drawn and inspected; the first call that needs a missing one is refused
with its name. FATHOM_JOURNAL names a folder for the journals of the methods' runs, one file per thread: a run that the
server tries again after it was killed, or that is started again with the same input, goes on there. The graphs and
agents of DepthQA are in `factories.depthqa`, those of DeepQuestion in `factories.deepquestion`.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence, Set
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from langchain_core.runnables import RunnableConfig

from ...agents import export
from ...agents.export import eqt as export_eqt
from ...agents.factfinder.find import find_evidence
from ...agents.prompts import EQT_PROMPTS, PROMPTS
from ...state.errors import UsageError
from ...state.records import Evidence
from ...state.tiers import Tier
from ...tools.facts.base import FactQuery
from ...tools.facts.registry import Sources, parse_facts
from ...tools.models.chat import Chat, ChatReply, ChatRequest
from ...tools.models.clients import Clients
from ...tools.runs.journal import Sink
from ..drill.graph import DrillGraph, build_graph
from ..embed import open_sink
from ..eqt.graph import EqtGraph
from ..eqt.graph import build_graph as build_eqt
from ..run.deps import Clock, DrillDeps

TARGET, EVALUATOR, JUDGE = ("target",), ("evaluator",), ("judge", "evaluator")
EXAMINER, EQT_JUDGE = ("examiner", "target"), ("judge", "examiner", "target")


class LaterChat:
    """A model that is looked up when it is first called. `roles`: its own, then those that stand in for it."""

    def __init__(self, roles: Sequence[str], values: Mapping[str, Any], clients: Clients) -> None:
        self._roles, self._clients = roles, clients
        self._text = next((found for role in roles if (found := named(role, values))), "")

    @property
    def name(self) -> str:
        return self._text

    async def complete(self, request: ChatRequest) -> ChatReply:
        if not self._text:
            ways = " or ".join(f"FATHOM_{role.upper()} or the configurable value {role!r}" for role in self._roles)
            raise UsageError(f"No {self._roles[0]} is named: set {ways}.")
        chat: Chat = self._clients.get(self._text)
        return await chat.complete(request)


class LaterSource:
    """The sources of all configured tiers, made when the first look-up comes, per language."""

    name = "configured"

    def __init__(self, values: Mapping[str, Any]) -> None:
        option = values.get("facts") or os.environ.get("FATHOM_FACTS")
        self.facts = parse_facts(option, os.environ, simulated=False).facts
        self._sources: dict[str, Sources] = {}

    @property
    def tiers(self) -> Set[Tier]:
        return frozenset(self.facts)

    async def find(self, query: FactQuery) -> list[Evidence]:
        if query.language not in self._sources:
            self._sources[query.language] = Sources(os.environ, language=query.language, clock=Clock().now)
        sources = self._sources[query.language].for_tier(self.facts.get(query.tier, ()))
        return await find_evidence(sources, query)

    async def aclose(self) -> None:
        for sources in self._sources.values():
            await sources.aclose()


def named(role: str, values: Mapping[str, Any]) -> str:
    """What a role, or another setting, is configured as; empty where it is not."""
    return values.get(role) or os.environ.get(f"FATHOM_{role.upper()}") or ""


def values_of(config: RunnableConfig) -> Mapping[str, Any]:
    """The run's configurable values."""
    return config.get("configurable") or {}


@asynccontextmanager
async def chats_of(config: RunnableConfig, *every: Sequence[str]) -> AsyncIterator[list[Chat]]:
    """A model for each of the roles; those at one endpoint share its connections."""
    clients = Clients(os.environ)
    try:
        yield [LaterChat(roles, values_of(config), clients) for roles in every]
    finally:
        await clients.aclose()


@asynccontextmanager
async def _sources(config: RunnableConfig) -> AsyncIterator[LaterSource]:
    source = LaterSource(values_of(config))
    try:
        yield source
    finally:
        await source.aclose()


@asynccontextmanager
async def sink_for(config: RunnableConfig) -> AsyncIterator[Sink]:
    """Where the events of the thread's runs go. A graph that is only looked at leaves the thread's journal alone.

    Raises UsageError for a folder that cannot be written."""
    values = values_of(config)
    folder, thread = os.environ.get("FATHOM_JOURNAL"), values.get("thread_id")  # no client of a server names a folder
    journal = None
    if folder and thread and values.get("__is_for_execution__", True):
        journal = Path(folder) / f"{quote(str(thread), safe='')}.jsonl"
        await asyncio.to_thread(_make, journal.parent)
    async with AsyncExitStack() as stack:
        yield await open_sink(stack, Clock(), journal=journal)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"FATHOM_JOURNAL={folder} is no folder to write to ({error.strerror}): name another."
        ) from error


@asynccontextmanager
async def explainer(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The Explainer, by the evaluator."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export.explainer_graph(chat)


@asynccontextmanager
async def questioner(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The Questioner, by the evaluator."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export.questioner_graph(chat)


@asynccontextmanager
async def prober(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The Prober: the target."""
    async with chats_of(config, TARGET) as (chat,):
        yield export.prober_graph(chat)


@asynccontextmanager
async def factfinder(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The FactFinder over the configured sources."""
    async with _sources(config) as source:
        yield export.factfinder_graph([source])


@asynccontextmanager
async def judge(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The Judge: the judge, or the evaluator when none is named."""
    async with chats_of(config, JUDGE) as (chat,):
        yield export.judge_graph(chat)


@asynccontextmanager
async def drill(config: RunnableConfig) -> AsyncIterator[DrillGraph]:
    """The whole drill; its input is a spec that names the configured models, and a run id."""
    async with (
        chats_of(config, TARGET, EVALUATOR, JUDGE) as (target, evaluator, marker),
        _sources(config) as source,
        sink_for(config) as sink,
    ):
        yield build_graph(
            DrillDeps(
                target=target,
                evaluator=evaluator,
                judge=marker,
                sources={tier: [source] for tier in source.facts},
                sink=sink,
                prompts=PROMPTS,
            )
        )


@asynccontextmanager
async def concept_explainer(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The explaining of a concept, by the examiner."""
    async with chats_of(config, EXAMINER) as (chat,):
        yield export_eqt.concept_explainer_graph(chat)


@asynccontextmanager
async def choice_questioner(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The writing of a multi-select question, by the examiner."""
    async with chats_of(config, EXAMINER) as (chat,):
        yield export_eqt.choice_questioner_graph(chat)


@asynccontextmanager
async def paraphraser(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The Paraphraser, by the examiner."""
    async with chats_of(config, EXAMINER) as (chat,):
        yield export_eqt.paraphraser_graph(chat)


@asynccontextmanager
async def chooser(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The choosing of options, closed book: the target."""
    async with chats_of(config, TARGET) as (chat,):
        yield export_eqt.chooser_graph(chat)


@asynccontextmanager
async def letter_judge(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The letter check; it needs no model."""
    yield export_eqt.letter_judge_graph()


@asynccontextmanager
async def eqt(config: RunnableConfig) -> AsyncIterator[EqtGraph]:
    """The whole Explain-Query-Test; its input is a spec that names the configured models, and a run id."""
    async with (
        chats_of(config, TARGET, EXAMINER, EQT_JUDGE) as (target, examiner, marker),
        sink_for(config) as sink,
    ):
        deps = DrillDeps(
            target=target,
            evaluator=examiner,
            judge=marker,
            sources={},
            sink=sink,
            prompts=EQT_PROMPTS,
        )
        yield build_eqt(deps)
