"""A drill inside another LangGraph app: a subgraph bound to your own models or to provider strings.

async with embed_drill(target=my_chat_model, evaluator="openai:gpt-5", facts="wikipedia", env=os.environ) as drill:
    builder.add_node("drill", drill.graph)          # channels `spec`, `run_id` in, `result` out
    state = drill.input("Cardiology", n=10, max_depth=6)
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from typing_extensions import Unpack

from ...state.channels import DrillInput
from ...state.records import Tier
from ...state.result import DrillResult
from ...state.spec import DrillOptions, DrillSpec, is_simulated
from ...tools.cache.keys import cached_source
from ...tools.facts.base import FactSource, Whole
from ...tools.facts.registry import Sources, parse_facts
from ...tools.models.as_chat import Model
from ..drill.graph import build_graph
from ..run.options import require
from .binding import Embedded, HostOptions, Opened, one_at_a_time, opened


@dataclass(frozen=True, slots=True)
class EmbeddedDrill(Embedded[DrillResult]):
    """A compiled drill and what it is bound to."""

    facts: Mapping[Tier, tuple[str, ...]]
    language: str

    def spec(self, domain: str, **options: Unpack[DrillOptions]) -> DrillSpec:
        """The spec of a drill with the bound models and sources; options are fields of `DrillSpec`:
        n, max_depth, … Raises UsageError as `Embedded.spec` does."""
        require(domain=domain)
        names = {role: getattr(self.deps, role).name for role in ("target", "evaluator", "judge")}
        asked = {"domain": domain, "as_of": self.deps.clock.now().date()}
        return self._checked(
            DrillSpec, options, names | {"facts": self.facts, "language": self.language}, asked
        )

    def input(self, domain: str, **options: Unpack[DrillOptions]) -> DrillInput:
        return Embedded.input(self, domain, **options)


@asynccontextmanager
async def embed_drill(
    target: Model,
    evaluator: Model,
    judge: Model | None = None,
    *,
    facts: str | Mapping[Tier, Sequence[FactSource]] | None = None,
    language: str = "en",
    agents_as_nodes: bool = False,
    **host: Unpack[HostOptions],
) -> AsyncIterator[EmbeddedDrill]:
    """A drill graph for as long as the block lasts; clients and sources made here are closed at its
    end. `facts` is written as on the command line, or maps tiers to sources of your own.
    `agents_as_nodes`: each probe is a graph of its own whose nodes are the agents, for whoever
    streams with `subgraphs=True`; it has the same result, and takes some 8 ms of CPU more. Raises
    UsageError."""
    require(facts=facts, env=host.get("env"))
    models = (target, evaluator, evaluator if judge is None else judge)
    names = [one if isinstance(one, str) else str(getattr(one, "name", "")) for one in models]
    given = facts if isinstance(facts, Mapping) else None
    plan: Mapping[Tier, tuple[str, ...]]
    if given is None:
        simulated = any(map(is_simulated, names))
        plan = parse_facts(facts, host.get("env") or {}, simulated=simulated).facts  # type: ignore[arg-type]
    else:
        plan = {tier: tuple(source.name for source in own) for tier, own in given.items()}
    in_world = given is None and any("sim" in sources for sources in plan.values())
    async with opened("drill", models, host, simulated=in_world) as found:
        sources = given if given is not None else await _sources(found, plan, language, host)
        deps = found.deps(*found.chats, sources=sources)
        graph = one_at_a_time(build_graph(deps, agents_as_nodes=agents_as_nodes))
        yield EmbeddedDrill(graph, deps, found.clients, found.prompts, found.world, plan, language)


async def _sources(
    found: Opened, plan: Mapping[Tier, Sequence[str]], language: str, host: HostOptions
) -> Mapping[Tier, Sequence[FactSource]]:
    url = found.running.base_url if found.running else None
    made = Sources(
        host.get("env") or {},
        sim_url=url,
        language=language,
        clock=found.clock.now,
    )
    found.stack.push_async_callback(made.aclose)
    return {
        tier: [await _ready(source, found) for source in made.for_tier(names)]
        for tier, names in plan.items()
    }


async def _ready(source: FactSource, found: Opened) -> FactSource:
    """The source with what it has to read beforehand read, behind the cache if there is one."""
    if isinstance(source, Whole):
        await source.prepare()
    return source if found.store is None else cached_source(source, found.store)
