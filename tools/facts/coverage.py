"""On how many topics the sources have passages, tier by tier, as far as asking costs nothing."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...state.records import Tier
from ...state.spec import DrillSpec
from .base import ByTitle, FactQuery, FactSource, Whole
from .plan import LOCAL, WIKIS, kind_of
from .registry import Sources

AT_HAND, AFAR = 200, 20
"""Topics looked up at most: on this machine, and elsewhere."""
NAMED = 5
"""Topics without passages that are named."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of one tier. `topics`: how many were looked up; `without`: those without passages;
    `partly`: sources of the tier were left out."""

    tier: Tier
    topics: int
    without: tuple[str, ...]
    partly: bool


def in_words(tiers: Sequence[Coverage]) -> str:
    """`COMMON, TEXTBOOK 8 of 10 (none on Iron, Zinc); SPECIALIST not looked up`."""
    alike = defaultdict[str, list[str]](list)
    for each in tiers:
        names = ", ".join(each.without[:NAMED]) + (", …" if each.without[NAMED:] else "")
        none = f" (none on {names})" if names else ""
        least = "at least " if each.partly else ""
        share = f"{least}{each.topics - len(each.without)} of {each.topics}{none}"
        alike[share if each.topics else "not looked up"].append(each.tier.value)
    return "; ".join(f"{', '.join(names)} {share}" for share, names in alike.items())


def covered(tiers: Sequence[Coverage]) -> list[str]:
    """One sentence; none where no tier was looked up."""
    looked_up = any(each.topics for each in tiers)
    return [f"Topics with passages: {in_words(tiers)}."] if looked_up else []


async def cover(sources: Sources, spec: DrillSpec) -> list[Coverage]:
    """Of the topics of a drill, by the sources on this machine."""
    query = FactQuery("", spec.domain, Tier.COMMON, spec.as_of, spec.language, limit=1)
    return await coverage(sources, spec.facts, query, [*spec.topics])


async def coverage(
    sources: Sources,
    facts: Mapping[Tier, Sequence[str]],
    query: FactQuery,
    topics: Sequence[str],
    *,
    afar: bool = False,
    paid: bool = False,
) -> list[Coverage]:
    """Of each tier, for queries that are this one but for concept and tier. Files of this machine
    are searched; `afar`: wikis are asked for the titles of a few topics, evenly drawn, and if
    `paid` all sources for their passages. Raises SourceFailed and UsageError."""
    tiers = []
    for tier, names in facts.items():
        kinds = {name: kind_of(name) for name in names}
        reach = {*LOCAL, *(WIKIS if afar else ()), *(kinds.values() if paid else ())} - {"sim"}
        opened = sources.for_tier([name for name in names if kinds[name] in reach])
        for source in opened:
            if isinstance(source, Whole):
                await source.prepare()
        most = AT_HAND if LOCAL.issuperset(kinds.values()) else AFAR
        sample = topics[:: -(-len(topics) // most)] if opened else []
        queries = [
            replace(query, concept=topic, domain=query.domain or topic, tier=tier)
            for topic in sample
        ]
        has = await asyncio.gather(*(_has(opened, each, paid=paid) for each in queries))
        without = tuple(topic for topic, there in zip(sample, has, strict=True) if not there)
        tiers.append(Coverage(tier, len(sample), without, len(opened) < len(names)))
    return tiers


async def _has(sources: Sequence[FactSource], query: FactQuery, *, paid: bool) -> bool:
    for source in sources:
        if isinstance(source, ByTitle) and not isinstance(source, Whole) and not paid:
            passages = await source.find_titled(query)
        else:
            passages = await source.find(query)
        if passages:
            return True
    return False
