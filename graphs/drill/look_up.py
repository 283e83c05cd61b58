"""Look-ups for the next depth: what has a page of its own first, and no more than is needed."""

from collections.abc import Sequence
from contextlib import suppress

from ...agents.factfinder.find import find_evidence
from ...state import channels
from ...state.errors import SourceFailed
from ...state.spec import DrillSpec
from ...state.tiers import Tier
from ...tools.facts.base import ByTitle, FactQuery, Whole
from ..run.deps import DrillDeps, together

HELD = 3
"""Passages that a slot is dealt: one, and reserves for questions that are rejected."""
PASSAGES = 2 * HELD
"""Most passages kept per concept: one task and as many again."""
TITLES = 4
"""Concepts beyond those needed that are looked for by title, which costs next to nothing."""


async def look_up(
    deps: DrillDeps, spec: DrillSpec, path: channels.Path, concepts: Sequence[str], tier: Tier, enough: int
) -> None:
    """Fill the path's `found` and `failed`, side by side, until `enough` of the next concepts have passages. In an
    encyclopedia those with a page of their own come first, as many as give reserves for `enough` slots; the others cost
    a search, and are looked up for want of better ones, and one for reserves. What is not needed stays unknown. Where a
    concept without evidence counts as wrong, and in what lies on this machine, the next `enough` and one more are
    looked up, whatever they bring. A failed source is not missing evidence."""
    sources = deps.sources[tier]
    near = list(concepts[: enough + 1])
    if spec.missing == "wrong" or all(isinstance(source, Whole) for source in sources):
        await together(*(_look_up_one(deps, spec, path, concept, tier) for concept in near))
        return
    titled = list[str]()
    if isinstance(sources[0], ByTitle):
        near = list(concepts[: enough + TITLES])
        titled = await _by_title(sources[0], spec, path, near, tier, enough)
    for left, reserves in ((titled, len(titled)), ([c for c in near if c not in titled], 1)):
        left = [concept for concept in left if concept not in path["found"]]
        while left:
            found = [len(passages) for concept in near if (passages := path["found"].get(concept))]
            wanted = enough - len(found)
            if wanted <= 0:
                if sum(found) >= enough * HELD or not reserves:
                    break
                wanted, reserves = 1, reserves - 1
            asked, left = left[:wanted], left[wanted:]
            await together(*(_look_up_one(deps, spec, path, concept, tier) for concept in asked))


async def _by_title(
    source: ByTitle, spec: DrillSpec, path: channels.Path, concepts: Sequence[str], tier: Tier, enough: int
) -> list[str]:
    """The concepts with a page under their own title; the passages of the first `enough` come along with it. A page
    that has none leaves the concept to the look-up, which asks the other sources of the tier too."""

    async def find(concept: str) -> bool:
        found = await source.find_titled(_query(spec, path, concept, tier))
        if found:
            path["found"][concept] = [evidence.model_dump(mode="json") for evidence in found]
        return found is not None

    async def ask(place: int, concept: str) -> bool:
        with suppress(SourceFailed):  # the look-up itself will say so
            return await (find(concept) if place < enough else source.is_titled(_query(spec, path, concept, tier)))
        return False

    titled = await together(*(ask(place, concept) for place, concept in enumerate(concepts)))
    return [concept for concept, has in zip(concepts, titled, strict=True) if has]


def _query(spec: DrillSpec, path: channels.Path, concept: str, tier: Tier) -> FactQuery:
    line = tuple(path["chain"])
    return FactQuery(concept, spec.domain, tier, spec.as_of, spec.language, limit=PASSAGES, line=line)


async def _look_up_one(deps: DrillDeps, spec: DrillSpec, path: channels.Path, concept: str, tier: Tier) -> None:
    try:
        found = await find_evidence(deps.sources[tier], _query(spec, path, concept, tier))
    except SourceFailed:
        path["failed"].append(concept)
        return
    path["found"][concept] = [evidence.model_dump(mode="json") for evidence in found]
