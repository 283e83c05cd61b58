"""Looking concepts up for a path, and running coroutines side by side."""

import asyncio
from collections.abc import Awaitable, Iterable
from typing import Any

from ...agents.factfinder.find import find_evidence
from ...state.channels import Path
from ...state.errors import SourceFailed
from ...state.spec import DrillSpec
from ...state.tiers import Tier
from ...tools.facts.base import FactQuery
from .deps import DrillDeps

PASSAGES = 6
"""Most passages kept per concept: one task and as many again."""


async def together(*work: Awaitable[Any]) -> list[Any]:
    """Results in the order given; when one raises, the others are cancelled and awaited before it is raised."""
    tasks = [asyncio.ensure_future(w) for w in work]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def look_up(deps: DrillDeps, spec: DrillSpec, path: Path, concepts: Iterable[str], tier: Tier) -> None:
    """Fill the path's `found` and `failed` for the concepts, side by side. A failed source is not missing evidence."""
    await together(*(_look_up_one(deps, spec, path, concept, tier) for concept in concepts))


async def _look_up_one(deps: DrillDeps, spec: DrillSpec, path: Path, concept: str, tier: Tier) -> None:
    line = tuple(path["chain"])
    query = FactQuery(concept, spec.domain, tier, spec.as_of, spec.language, limit=PASSAGES, line=line)
    try:
        found = await find_evidence(deps.sources[tier], query)
    except SourceFailed:
        path["failed"].append(concept)
        return
    path["found"][concept] = [evidence.model_dump(mode="json") for evidence in found]
