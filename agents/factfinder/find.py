"""FactFinder: retrieves evidence for a concept from the sources of a tier."""

from collections.abc import Sequence

from ...state.errors import SourceFailed
from ...state.records import Evidence
from ...tools.facts.base import FactQuery, FactSource


async def find_evidence(sources: Sequence[FactSource], query: FactQuery) -> list[Evidence]:
    """Passages from the first source that has any, in reading order; none when no source has a page
    on the concept.

    A source that fails is passed over; SourceFailed is raised only when no source had evidence and
    one of them failed, because then nobody knows whether evidence exists.
    """
    failure: SourceFailed | None = None
    for source in sources:
        try:
            found = await source.find(query)
        except SourceFailed as error:
            failure = failure or error
            continue
        if found:
            return found
    if failure is not None:
        raise failure
    return []
