"""On how many topics there are passages: what is asked for it, and how often."""

from collections import Counter
from datetime import date
from typing import Any

from fathom.state.tiers import TIERS, Tier
from fathom.tools.facts.base import FactQuery
from fathom.tools.facts.coverage import coverage

FACTS = {
    Tier.COMMON: ("wikipedia",),
    Tier.TEXTBOOK: ("folder:notes",),
    Tier.PROFESSIONAL: ("folder:notes", "tavily"),
    Tier.SPECIALIST: ("tavily", "openalex"),
    Tier.CUTTING_EDGE: ("sim",),
}
TOPICS = [f"t{place}" for place in range(50)]


class Source:
    """Has passages on every fourth topic, and counts what it is asked for."""

    tiers = frozenset(TIERS)

    def __init__(self, name: str, times: Counter[str]) -> None:
        self.name, self.times = name, times

    async def find(self, query: FactQuery) -> list[str]:
        self.times[self.name] += 1
        return [] if int(query.concept[1:]) % 4 else ["a passage"]

    async def aclose(self) -> None: ...


class Folder(Source):
    async def prepare(self) -> None: ...

    async def fingerprint(self) -> str:
        return ""


class Wiki(Source):
    async def has_page(self, title: str, language: str) -> bool:
        return True

    async def find_titled(self, query: FactQuery) -> list[str] | None:
        self.times["titles"] += 1
        return None if int(query.concept[1:]) % 4 else ["a passage"]


class Sources:
    def __init__(self) -> None:
        self.times = Counter[str]()

    def for_tier(self, names: list[str]) -> list[Source]:
        kinds = {"folder:notes": Folder, "wikipedia": Wiki}
        return [kinds.get(name, Source)(name, self.times) for name in names]


async def test_only_what_is_on_this_machine_is_asked() -> None:
    sources: Any = Sources()
    query = FactQuery("", "Toys", Tier.COMMON, date(2026, 1, 1))
    tiers = {tier.tier: tier for tier in await coverage(sources, FACTS, query, TOPICS)}
    assert sources.times.keys() == {"folder:notes"}
    folder = tiers[Tier.TEXTBOOK]
    assert (folder.topics, len(folder.without), folder.partly) == (50, 37, False)
    assert tiers[Tier.PROFESSIONAL].partly
    assert tiers[Tier.CUTTING_EDGE].topics == 0
