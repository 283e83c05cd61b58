"""What langgraph.json names: a factory for each method and each skill, configured by `configurable`
values or environment variables. `make langgraph` writes the file.

Each is an async context manager, as LangGraph's server takes them: clients are closed when the run
is over.

`target`, `evaluator`, `examiner`, `judge`, `generator` and `facts` come from the run's configurable
values, else from FATHOM_TARGET, FATHOM_EVALUATOR, …, FATHOM_FACTS. A role that is not named is
filled by another: judge and generator by the evaluator, the examiner by the target, the judge of an
Explain-Query-Test by the examiner. What is asked comes from `question_graph` (a file or folder that
`tools.files.depthqa.graph.read_graph` reads, or JSON) and `benchmark` (a file, or problems as
JSON), what tells which questions are alike when a question graph is built from `similarity`
(`lexical`, as without it, or an embeddings model). A graph builds without them, so that it can be
drawn and inspected; the first call that needs a missing one is refused with its name.
FATHOM_JOURNAL names a folder for the journals of the methods' runs, one file per thread: a run that
the server tries again after it was killed, or that is started again with the same input, goes on
there.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence, Set
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from langchain_core.runnables import RunnableConfig

from ..agents import export
from ..agents.export import Exported, Graph, deepquestion, depthqa, eqt, graph_of
from ..agents.factfinder.find import find_evidence
from ..agents.prompts import PROMPTS_OF
from ..state.depthqa.items import Material
from ..state.errors import UsageError
from ..state.records import Evidence
from ..state.tiers import Tier
from ..tools.facts.base import FactQuery
from ..tools.facts.registry import Sources, parse_facts
from ..tools.files.deepquestion.fields import problem_set_of
from ..tools.models.chat import Chat, ChatReply, ChatRequest
from ..tools.models.clients import Clients
from ..tools.runs.journal import Sink
from ..tools.similarity import LEXICAL, similarity_of
from .deepquestion.optimiser import prompt_optimiser_graph
from .embed import handed_over
from .embed.binding import open_sink
from .method import METHODS
from .run.deps import Clock, DrillDeps

Factory = Callable[[RunnableConfig], AbstractAsyncContextManager[Graph]]
SKILLS = (*export.EXPORTED, *eqt.EXPORTED, *depthqa.EXPORTED, *deepquestion.EXPORTED)
TARGET, EVALUATOR, JUDGE, GENERATOR = (
    ("target",),
    ("evaluator",),
    ("judge", "evaluator"),
    ("generator", "evaluator"),
)
EXAMINER, EQT_JUDGE = ("examiner", "target"), ("judge", "examiner", "target")
ROLES: Mapping[str, Sequence[str]] = {
    each[0]: each for each in (TARGET, EVALUATOR, JUDGE, GENERATOR, EXAMINER)
}
"""Who does a skill, and who stands in."""
BOUND: Mapping[str, Mapping[str, Sequence[str]]] = {
    "drill": {"target": TARGET, "evaluator": EVALUATOR, "judge": JUDGE},
    "eqt": {"target": TARGET, "evaluator": EXAMINER, "judge": EQT_JUDGE},
    "depthqa": {"target": TARGET, "evaluator": JUDGE, "judge": JUDGE},
    "depthqa_build": {"target": EVALUATOR, "evaluator": EVALUATOR, "judge": EVALUATOR},
    "deepquestion": {
        "target": TARGET,
        "evaluator": EVALUATOR,
        "judge": JUDGE,
        "generator": GENERATOR,
    },
}
"""Who plays what in a method."""


class LaterChat:
    """A model that is looked up when it is first called. `roles`: its own, then those that stand in
    for it."""

    def __init__(self, roles: Sequence[str], values: Mapping[str, Any], clients: Clients) -> None:
        self._roles, self._clients = roles, clients
        self.name = next((found for role in roles if (found := named(role, values))), "")

    async def complete(self, request: ChatRequest) -> ChatReply:
        if not self.name:
            ways = " or ".join(
                f"FATHOM_{role.upper()} or the configurable value {role!r}" for role in self._roles
            )
            raise UsageError(f"No {self._roles[0]} is named: set {ways}.")
        chat: Chat = self._clients.get(self.name)
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
            self._sources[query.language] = Sources(
                os.environ, language=query.language, clock=Clock().now
            )
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
async def sources_of(config: RunnableConfig) -> AsyncIterator[LaterSource]:
    source = LaterSource(values_of(config))
    try:
        yield source
    finally:
        await source.aclose()


@asynccontextmanager
async def sink_for(config: RunnableConfig) -> AsyncIterator[Sink]:
    """Where the events of the thread's runs go. A graph that is only looked at leaves the thread's
    journal alone.

    Raises UsageError for a folder that cannot be written."""
    values = values_of(config)
    folder, thread = (
        os.environ.get("FATHOM_JOURNAL"),
        values.get("thread_id"),
    )  # no client of a server names a folder
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


class Unnamed:
    """What a run is about, where that is not configured."""

    def __init__(self, what: str, setting: str) -> None:
        self._refusal = (
            f"No {what} is named: set FATHOM_{setting.upper()} or the configurable value "
            f"{setting!r}."
        )

    @property
    def digest(self) -> str:
        """Raises UsageError."""
        raise UsageError(self._refusal)


async def _facts(config: RunnableConfig, stack: AsyncExitStack) -> dict[str, Any]:
    source = await stack.enter_async_context(sources_of(config))
    return {"sources": {tier: [source] for tier in source.facts}}


async def _questions(config: RunnableConfig, _: AsyncExitStack) -> dict[str, Any]:
    """Raises UsageError for a question graph that cannot be read."""
    given = named("question_graph", values_of(config))
    graph = (
        Material(graph=await handed_over.graph_of(given))
        if given
        else Unnamed("question graph", "question_graph")
    )
    return {"material": graph}


async def _likeness(config: RunnableConfig, _: AsyncExitStack) -> dict[str, Any]:
    """Raises UsageError for an embeddings model that cannot be reached by its name."""
    alike = named("similarity", values_of(config)) or LEXICAL
    # a provider's package is imported here
    return {"similarity": await asyncio.to_thread(similarity_of, alike, os.environ)}


async def _problems(config: RunnableConfig, _: AsyncExitStack) -> dict[str, Any]:
    """Raises UsageError for a benchmark that cannot be read."""
    given = named("benchmark", values_of(config))
    problems = (
        await asyncio.to_thread(problem_set_of, given)
        if given
        else Unnamed("benchmark", "benchmark")
    )
    return {"problems": problems}


BESIDE: Mapping[str, Callable[[RunnableConfig, AsyncExitStack], Awaitable[dict[str, Any]]]] = {
    "drill": _facts,
    "depthqa": _questions,
    "depthqa_build": _likeness,
    "deepquestion": _problems,
}
"""What a method is bound to beside models."""


def of_method(name: str) -> Factory:
    """A method's graph; its input is a spec that names the configured models, and a run id."""

    @asynccontextmanager
    async def factory(config: RunnableConfig) -> AsyncIterator[Graph]:
        async with AsyncExitStack() as stack:
            beside = await BESIDE[name](config, stack) if name in BESIDE else {}
            chats = await stack.enter_async_context(chats_of(config, *BOUND[name].values()))
            deps: dict[str, Any] = {
                **dict(zip(BOUND[name], chats, strict=True)),
                "sources": {},
                **beside,
            }
            sink = await stack.enter_async_context(sink_for(config))
            yield METHODS[name].build_graph(DrillDeps(sink=sink, prompts=PROMPTS_OF[name], **deps))

    return factory


def of_skill(skill: Exported) -> Factory:
    """A skill's graph, by whose role it is."""

    @asynccontextmanager
    async def factory(config: RunnableConfig) -> AsyncIterator[Graph]:
        if skill.role is None:
            yield graph_of(skill)
            return
        async with chats_of(config, ROLES[skill.role]) as (chat,):
            yield graph_of(skill, chat)

    return factory


@asynccontextmanager
async def factfinder(config: RunnableConfig) -> AsyncIterator[Graph]:
    """The FactFinder over the configured sources."""
    async with sources_of(config) as source:
        yield export.factfinder_graph([source])


@asynccontextmanager
async def prompt_optimiser(config: RunnableConfig) -> AsyncIterator[Graph]:
    """The cycle of drafts: the generator drafts, the evaluator scores."""
    async with chats_of(config, GENERATOR, EVALUATOR) as (generator, evaluator):
        yield prompt_optimiser_graph(generator, evaluator)


FACTORIES: Mapping[str, Factory] = {
    **{name: of_method(name) for name in BOUND},
    **{skill.name: of_skill(skill) for skill in SKILLS},
    "factfinder": factfinder,
    "prompt_optimiser": prompt_optimiser,
}
globals().update(FACTORIES)  # LangGraph's server takes them from the module by name


def langgraph_json() -> str:
    """The file by which LangGraph's server finds them."""
    graphs = {name: f"fathom.graphs.factories:{name}" for name in FACTORIES}
    told = {"dependencies": ["."], "graphs": graphs, "env": ".env", "python_version": "3.11"}
    return json.dumps(told, indent=2) + "\n"


if __name__ == "__main__":
    print(langgraph_json(), end="")
