"""On how many topics the sources on this machine have passages, tier by tier."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...state.spec import DrillSpec
from ...state.tiers import Tier
from .base import FactQuery, FactSource, Whole
from .plan import LOCAL, kind_of
from .registry import Sources

MOST = 200
"""Topics looked up at most."""
NAMED = 5
"""Topics without passages that are named."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of one tier. `topics`: how many were looked up; `without`: those without passages;
    `partly`: sources of the tier are elsewhere."""

    tier: Tier
    topics: int
    without: tuple[str, ...]
    partly: bool


def in_words(tiers: Sequence[Coverage]) -> str:
    """`COMMON, TEXTBOOK 8 of 10 (none on Iron, Zinc); SPECIALIST not looked up`."""
    alike = defaultdict[str, list[str]](list)
    for coverage in tiers:
        names = ", ".join(coverage.without[:NAMED]) + (
            ", …" if coverage.without[NAMED:] else ""
        )
        none = f" (none on {names})" if names else ""
        least = "at least " if coverage.partly else ""
        share = f"{least}{coverage.topics - len(coverage.without)} of {coverage.topics}{none}"
        alike[share if coverage.topics else "not looked up"].append(coverage.tier.value)
    return "; ".join(f"{', '.join(names)} {share}" for share, names in alike.items())


def covered(tiers: Sequence[Coverage]) -> list[str]:
    """One sentence; none where no tier was looked up."""
    looked_up = any(coverage.topics for coverage in tiers)
    return [f"Topics with passages: {in_words(tiers)}."] if looked_up else []


async def cover(sources: Sources, spec: DrillSpec) -> list[Coverage]:
    """Of the topics of a drill."""
    query = FactQuery("", spec.domain, Tier.COMMON, spec.as_of, spec.language, limit=1)
    return await coverage(sources, spec.facts, query, [*spec.topics])


async def coverage(
    sources: Sources,
    facts: Mapping[Tier, Sequence[str]],
    query: FactQuery,
    topics: Sequence[str],
) -> list[Coverage]:
    """Of each tier, for queries that are this one but for concept and tier. Raises SourceFailed and
    UsageError."""
    tiers = []
    for tier, names in facts.items():
        local = sources.for_tier([name for name in names if kind_of(name) in LOCAL])
        for source in local:
            if isinstance(source, Whole):
                await source.prepare()
        sample = topics[:: -(-len(topics) // MOST)] if local else []
        without = []
        for topic in sample:
            wanted = replace(query, concept=topic, domain=query.domain or topic, tier=tier)
            if not await _has_passages(local, wanted):
                without.append(topic)
        tiers.append(Coverage(tier, len(sample), tuple(without), len(local) < len(names)))
    return tiers


async def _has_passages(sources: Sequence[FactSource], query: FactQuery) -> bool:
    """Whether any of the sources has passages."""
    for source in sources:
        if await source.find(query):
            return True
    return False
