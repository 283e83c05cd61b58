"""What langgraph.json names: factories of every graph, configured by `configurable` values or environment variables.

Each is an async context manager, as LangGraph's server takes them: clients are closed when the run is over.

`target`, `evaluator`, `judge` and `facts` come from the run's configurable values, else from FATHOM_TARGET,
FATHOM_EVALUATOR, FATHOM_JUDGE and FATHOM_FACTS. A graph builds without them, so that it can be drawn and inspected; the
first call that needs a missing one is refused with its name.
"""

import os
from collections.abc import AsyncIterator, Mapping, Set
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig

from ..agents import export
from ..agents.factfinder import find_evidence
from ..agents.prompts import PROMPTS
from ..state.errors import UsageError
from ..state.records import Evidence
from ..state.tiers import Tier
from ..tools.facts.base import FactQuery
from ..tools.facts.registry import Sources, parse_facts
from ..tools.journal import MemorySink
from ..tools.models.chat import Chat, ChatReply, ChatRequest
from ..tools.models.clients import Clients
from .deps import Clock, DrillDeps
from .drill import DrillGraph, build_graph


class LaterChat:
    """A model that is looked up when it is first called."""

    def __init__(self, role: str, values: Mapping[str, Any], clients: Clients) -> None:
        self._role, self._clients = role, clients
        self._text = _named(role, values)
        if role == "judge":
            self._text = self._text or _named("evaluator", values)

    @property
    def name(self) -> str:
        return self._text

    async def complete(self, request: ChatRequest) -> ChatReply:
        if not self._text:
            raise UsageError(
                f"No {self._role} is named: set FATHOM_{self._role.upper()} or the configurable value {self._role!r}."
            )
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


def _named(role: str, values: Mapping[str, Any]) -> str:
    return values.get(role) or os.environ.get(f"FATHOM_{role.upper()}") or ""


def _values(config: RunnableConfig) -> Mapping[str, Any]:
    return config.get("configurable") or {}


@asynccontextmanager
async def _chat(role: str, config: RunnableConfig) -> AsyncIterator[Chat]:
    clients = Clients(os.environ)
    try:
        yield LaterChat(role, _values(config), clients)
    finally:
        await clients.aclose()


@asynccontextmanager
async def _sources(config: RunnableConfig) -> AsyncIterator[LaterSource]:
    source = LaterSource(_values(config))
    try:
        yield source
    finally:
        await source.aclose()


@asynccontextmanager
async def explainer(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The Explainer, by the evaluator."""
    async with _chat("evaluator", config) as chat:
        yield export.explainer_graph(chat)


@asynccontextmanager
async def questioner(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The Questioner, by the evaluator."""
    async with _chat("evaluator", config) as chat:
        yield export.questioner_graph(chat)


@asynccontextmanager
async def prober(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The Prober: the target."""
    async with _chat("target", config) as chat:
        yield export.prober_graph(chat)


@asynccontextmanager
async def factfinder(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The FactFinder over the configured sources."""
    async with _sources(config) as source:
        yield export.factfinder_graph([source])


@asynccontextmanager
async def judge(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The Judge: the judge, or the evaluator when none is named."""
    async with _chat("judge", config) as chat:
        yield export.judge_graph(chat)


@asynccontextmanager
async def drill(config: RunnableConfig) -> AsyncIterator[DrillGraph]:
    """The whole drill; its input is a spec that names the configured models, and a run id."""
    roles = ("target", "evaluator", "judge")
    async with AsyncExitStack() as stack:
        target, evaluator, marker = [await stack.enter_async_context(_chat(role, config)) for role in roles]
        source = await stack.enter_async_context(_sources(config))
        yield build_graph(
            DrillDeps(
                target=target,
                evaluator=evaluator,
                judge=marker,
                sources={tier: [source] for tier in source.facts},
                sink=MemorySink(Clock().now),
                prompts=PROMPTS,
            )
        )
