"""FactFinder: retrieves evidence for a concept from the sources of a tier."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Concatenate, Generic, ParamSpec

from pydantic import Field

from ...state.errors import SourceFailed, UsageError
from ...state.records import Evidence
from ...state.tiers import Tier
from ...tools.facts.base import (
    FactQuery,
    Facts,
    FactSource,
    Sectioned,
    Titled,
    title_is_concept,
)
from ...tools.models.tracing import traced_look_up
from ..skill import Text

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ..graph_of import Graph

P = ParamSpec("P")
NEAREST = 5
"""Titles near a name that are kept."""
HEADINGS = 40
"""Headings that are listed at most for names that were not found."""


async def find_evidence(sources: Sequence[FactSource], query: FactQuery) -> list[Evidence]:
    """Passages from the first source that has any, in reading order; none when no source has a page
    on the concept. The callbacks of a host see the look-up.

    A source that fails is passed over; SourceFailed is raised only when no source had evidence and
    one of them failed, because then nobody knows whether evidence exists.
    """
    return await traced_look_up(
        query.concept, query.tier, lambda: _first_evidence(sources, query)
    )


async def _first_evidence(sources: Sequence[FactSource], query: FactQuery) -> list[Evidence]:
    failure: SourceFailed | None = None
    for source in sources:
        try:
            passages = await source.find(query)
        except SourceFailed as error:
            failure = failure or error
            continue
        if passages:
            return passages
    if failure is not None:
        raise failure
    return []


async def nearest_titles(
    sources: Sequence[FactSource], concept: str, language: str
) -> list[str]:
    """The titles nearest to a concept that was not found, of the first source that knows any; none
    where one is the concept's own, which then has a page and no passage. They are only to help: a
    source that fails knows none."""
    for source in sources:
        if isinstance(source, Titled):
            with suppress(SourceFailed):
                if titles := await source.nearest(concept, language):
                    has_page = any(title_is_concept(title, concept) for title in titles)
                    return [] if has_page else titles[:NEAREST]
    return []


async def headings_around(sources: Sequence[FactSource], query: FactQuery) -> list[str]:
    """Headings of the texts on a query's line and concept, of the first source that lists them."""
    for source in sources:
        if isinstance(source, Sectioned):
            with suppress(SourceFailed):
                return await source.sections(query, HEADINGS)
    return []


@dataclass(frozen=True, slots=True)
class LookUp(Generic[P]):
    """A skill that needs sources in place of a model."""

    work: Callable[Concatenate[Facts, P], Awaitable[list[Evidence]]]

    async def __call__(
        self, facts: Facts, /, *args: P.args, **kwargs: P.kwargs
    ) -> list[Evidence]:
        return await self.work(facts, *args, **kwargs)

    def graph(self, facts: Facts, *, output: str = "result") -> "Graph":
        """A node for other LangGraph apps: its channels are the arguments, and `output`."""
        from ..graph_of import graph_of

        return graph_of(self.work, partial(self, facts), output)

    def tool(self, facts: Facts) -> "BaseTool":
        """A LangChain tool, which returns the passages."""
        from ..graph_of import tool_of

        return tool_of(self.work, partial(self, facts))


@LookUp
async def find_passages(
    facts: Facts,
    domain: Text,
    concept: Text,
    tier: Tier = Tier.COMMON,
    line: Annotated[Sequence[str], Field(description="The concepts asked about before.")] = (),
    limit: Annotated[int, Field(ge=1, description="Most passages to return.")] = 6,
    language: str = "en",
    as_of: Annotated[date | None, Field(description="The day that counts as today.")] = None,
) -> list[Evidence]:
    """Find passages on a concept of a domain, in reading order."""
    if tier not in facts:
        raise UsageError(f"No source serves the tier {tier}: name one for it.")
    day = as_of or datetime.now(UTC).date()
    query = FactQuery(concept, domain, tier, day, language, limit, tuple(line))
    return await find_evidence(facts[tier], query)
