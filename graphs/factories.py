"""What langgraph.json names: factories of every graph, configured by `configurable` values or environment variables.

`target`, `evaluator`, `judge` and `facts` come from the run's configurable values, else from FATHOM_TARGET,
FATHOM_EVALUATOR, FATHOM_JUDGE and FATHOM_FACTS. A graph builds without them, so that it can be drawn and inspected; the
first call that needs a missing one is refused with its name.
"""

import os
from collections.abc import Mapping, Set
from typing import Any

from langchain_core.runnables import RunnableConfig

from ..agents import export
from ..agents.prompts import PROMPTS
from ..state.errors import UsageError
from ..state.records import Evidence
from ..state.tiers import TIERS, Tier
from ..tools.facts.base import FactQuery, FactSource
from ..tools.facts.registry import Sources, parse_facts
from ..tools.journal import MemorySink
from ..tools.models.chat import Chat, ChatReply, ChatRequest
from ..tools.models.clients import Clients
from .deps import Clock, DrillDeps
from .drill import DrillGraph, build_graph


class LaterChat:
    """A model that is looked up when it is first called."""

    def __init__(self, role: str, values: Mapping[str, Any], clients: Clients, default: str | None = None) -> None:
        self._role, self._clients = role, clients
        self._text: str = values.get(role) or os.environ.get(f"FATHOM_{role.upper()}") or default or ""

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
    """The sources of all tiers, made when the first look-up comes."""

    name = "configured"

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._option: str | None = values.get("facts") or os.environ.get("FATHOM_FACTS")
        self._sources: Sources | None = None

    @property
    def tiers(self) -> Set[Tier]:
        return frozenset(TIERS)

    async def find(self, query: FactQuery) -> list[Evidence]:
        found: list[Evidence] = []
        for source in self._of(query):
            found = found or await source.find(query)
        return found

    def _of(self, query: FactQuery) -> list[FactSource]:
        plan = parse_facts(self._option, os.environ, simulated=False)
        if self._sources is None:
            self._sources = Sources(os.environ, sim_url=None, language=query.language, clock=Clock().now)
        return self._sources.for_tier(plan.facts.get(query.tier, ()))

    async def aclose(self) -> None:
        if self._sources is not None:
            await self._sources.aclose()


def _values(config: RunnableConfig | None) -> Mapping[str, Any]:
    return (config or {}).get("configurable") or {}


def _chat(role: str, config: RunnableConfig | None) -> LaterChat:
    return LaterChat(role, _values(config), Clients(os.environ))


def explainer(config: RunnableConfig | None = None) -> export.Graph:
    """The Explainer, by the evaluator."""
    return export.explainer_graph(_chat("evaluator", config))


def questioner(config: RunnableConfig | None = None) -> export.Graph:
    """The Questioner, by the evaluator."""
    return export.questioner_graph(_chat("evaluator", config))


def prober(config: RunnableConfig | None = None) -> export.Graph:
    """The Prober: the target."""
    return export.prober_graph(_chat("target", config))


def factfinder(config: RunnableConfig | None = None) -> export.Graph:
    """The FactFinder over the configured sources."""
    return export.factfinder_graph([LaterSource(_values(config))])


def judge(config: RunnableConfig | None = None) -> export.Graph:
    """The Judge: the judge, or the evaluator when none is named."""
    values, clients = _values(config), Clients(os.environ)
    evaluator = LaterChat("evaluator", values, clients)
    return export.judge_graph(LaterChat("judge", values, clients, default=evaluator.name))


def drill(config: RunnableConfig | None = None) -> DrillGraph:
    """The whole drill; its input is a spec that names the configured models, and a run id."""
    values, clients = _values(config), Clients(os.environ)
    evaluator = LaterChat("evaluator", values, clients)
    source = LaterSource(values)
    return build_graph(
        DrillDeps(
            target=LaterChat("target", values, clients),
            evaluator=evaluator,
            judge=LaterChat("judge", values, clients, default=evaluator.name),
            sources={tier: [source] for tier in TIERS},
            sink=MemorySink(Clock().now),
            prompts=PROMPTS,
        )
    )
