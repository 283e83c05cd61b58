"""What is looked up for the next depth: pages under their own titles first, searches for want of
better, no more than is needed, and everything where the paper's rule counts concepts without
evidence."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from fathom.agents.factfinder.find import nearest_titles
from fathom.graphs.drill.look_up import LookUp, LookUps
from fathom.state.channels import Path
from fathom.state.errors import BudgetSpent, SourceFailed
from fathom.state.records import Evidence
from fathom.state.tiers import Tier
from fathom.tools.cache.store import Store
from fathom.tools.facts.base import ByTitle, FactQuery, FactSource
from fathom.tools.facts.registry import cached_source

from ...support.drill.toy import START, ToyChat, ToySource, a_path, toy_deps, toy_spec

CONCEPTS = [f"c{place}" for place in range(8)]
NEXT = Tier.COMMON


class Wiki(ToySource):
    """Has pages under the titles of some concepts; on the others a search finds something."""

    def __init__(
        self,
        titled: Sequence[str],
        per_page: int = 3,
        fails: Callable[[str], bool] = lambda _: False,
    ):
        super().__init__(per_page=per_page, fails=fails)
        self.titled = titled
        self.titles: list[str] = []

    async def find_titled(self, query: FactQuery) -> list[Evidence] | None:
        self.titles.append(query.concept)
        return await self.find(query) if query.concept in self.titled else None


async def looked_up(
    *sources: FactSource,
    enough: int = 1,
    missing: str = "exclude",
    concepts: int = 8,
    spent: Sequence[str] = (),
) -> Path:
    """A path after its look-ups."""
    path = a_path(
        id="p",
        root="r",
        chain=[],
        concepts=[(c, "answer") for c in CONCEPTS[:concepts]],
        found={},
        failed={},
    )
    deps = toy_deps(ToyChat(), ToySource(), sources={NEXT: list(sources)})
    await LookUp(deps, toy_spec(missing=missing), NEXT).look_up(path, enough, spent)
    return path


@pytest.mark.parametrize(
    ("titled", "enough", "found"),
    [
        (["c0", "c1", "c2", "c3"], 1, ["c0", "c1", "c2", "c3"]),
        (["c2", "c3"], 1, ["c2", "c3"]),
        (["c1", "c3"], 2, ["c1", "c3"]),
        (["c3"], 2, ["c0", "c1", "c3"]),
        ([], 1, ["c0", "c1"]),
        (["c7"], 1, ["c0", "c1"]),
    ],
    ids=["first", "later", "two of two", "one and searches", "searches", "too far down"],
)
async def test_concepts_with_a_page_of_their_own_come_first(
    titled: list[str], enough: int, found: list[str]
) -> None:
    wiki = Wiki(titled)
    assert isinstance(wiki, ByTitle)
    path = await looked_up(wiki, enough=enough)
    assert sorted(path["found"]) == found
    assert not path["failed"]
    asked = {query.concept for query in wiki.asked}
    assert asked <= {*found, *titled}, "nothing else was searched for"


async def test_a_page_whose_passages_were_used_is_not_enough() -> None:
    used = (await looked_up(Wiki(["c1"])))["found"]["c1"]
    spent = [passage["digest"] for passage in used]
    assert sorted((await looked_up(Wiki(["c1"]), spent=spent))["found"]) == ["c0", "c1", "c2"]
    assert sorted((await looked_up(Wiki(["c1"]), spent=spent[1:]))["found"]) == ["c1"]


@pytest.mark.parametrize(("paid", "asked"), [(False, 8), (True, 4)])
async def test_searches_that_find_too_little_are_followed_by_the_others(
    paid: bool, asked: int
) -> None:
    source = ToySource(missing=lambda concept: concept < "c3")
    source.charges = paid  # type: ignore[attr-defined]
    path = await looked_up(source)
    assert [path["found"]["c0"], bool(path["found"]["c3"])] == [[], True]
    assert len(source.asked) == asked


async def test_where_missing_evidence_counts_as_wrong_the_order_of_the_concepts_decides() -> (
    None
):
    wiki = Wiki(["c1"])
    assert list((await looked_up(wiki, missing="wrong"))["found"]) == ["c0", "c1"]
    assert not wiki.titles


async def test_where_a_page_says_nothing_the_other_sources_of_the_tier_are_asked() -> None:
    stub, other = Wiki(["c0"], per_page=0), ToySource(per_page=3)
    path = await looked_up(stub, other)
    assert len(path["found"]["c0"]) == 3
    assert [query.concept for query in other.asked] == ["c0", "c1"]


async def test_a_source_that_fails_is_no_missing_evidence() -> None:
    def fails(concept: str) -> bool:
        return concept == "c0"

    path = await looked_up(Wiki(["c0", "c1"], fails=fails))
    assert "c0" not in path["found"]
    assert path["found"]["c1"]
    with pytest.raises(SourceFailed):
        await Wiki(["c0"], fails=fails).find_titled(
            FactQuery("c0", "Toys", NEXT, toy_spec().as_of)
        )


async def test_a_path_is_looked_up_once_and_anew_where_that_failed_or_its_answer_is_another() -> (
    None
):
    source = ToySource()
    look_ups = LookUps(toy_deps(ToyChat(), source, sources={tier: [source] for tier in Tier}))
    path = a_path(id="p", root="r", chain=[], concepts=[("c0", "answer")], found={}, failed={})
    broken = look_ups.begin("run", toy_spec(), path, 1, 2)
    broken.cancel()
    await asyncio.wait([broken])
    begun = look_ups.begin("run", toy_spec(), path, 1, 2)
    assert look_ups.begin("run", toy_spec(), path, 1, 2) is begun
    other: Path = {**path, "concepts": [("c1", "answer")]}
    assert look_ups.begin("run", toy_spec(), other, 1, 2) is not begun
    assert look_ups.begin("another run", toy_spec(), path, 1, 2) is not begun
    (filled,) = await look_ups.settle("run", toy_spec(), [path], 1, 2)
    assert (list(filled["found"]), path["found"]) == (["c0"], {})
    assert look_ups.begin("run", toy_spec(), path, 1, 2) is not begun, (
        "what is settled is forgotten"
    )


async def test_a_source_that_takes_money_is_asked_for_no_more_than_is_needed_and_not_too_early() -> (
    None
):
    class Paid(ToySource):
        charges = True

    for source, early in ((ToySource(), True), (Paid(), False)):
        kept = cached_source(source, Store.memory(now=lambda: START))
        assert list((await looked_up(kept))["found"]) == ["c0", "c1"]
        deps = toy_deps(ToyChat(), source, sources={tier: [kept] for tier in Tier})
        assert LookUps(deps).may_begin_early(1, toy_spec()) is early


class Titles(ToySource):
    """Knows nothing under the names of most concepts, but titles and places that are near them."""

    async def sections(self, query: FactQuery, limit: int) -> list[str]:
        return ["c70"]

    async def nearest(self, title: str, language: str) -> list[str]:
        return [f"{title} of toys", "c9"]


async def test_of_what_was_not_found_the_explainer_says_what_it_means() -> None:
    class Explainer(ToyChat):
        def titles(self, text: str) -> dict[str, object]:
            return {
                "meant": [
                    {"name": "c1", "title": "c9", "other_names": []},
                    {"name": "c2", "title": "c7", "other_names": ["c0", "c1"]},
                    {"name": "c3", "title": "c70", "other_names": ["c6", "c1", "c2", "c5"]},
                ]
            }

    source, chat = Titles(missing=lambda concept: concept < "c4"), Explainer()
    deps = toy_deps(chat, source)
    path = await looked_up(source, concepts=4)
    assert path["nearest"]["c0"] == ["c0 of toys", "c9"]
    await LookUp(deps, toy_spec(), NEXT).ask_what_is_meant([path], 1)
    assert [bool(path["found"][concept]) for concept in CONCEPTS[:4]] == [
        False,
        True,
        False,
        True,
    ]
    assert {each["title"] for each in path["found"]["c3"]} == {"c70", "c6"}, "both in turn"
    assert (path["unmeant"], len(path["calls"])) == (["c0", "c2"], 1)
    assert len(chat.requests) == 1, "one call for the whole path"
    await LookUp(deps, toy_spec(), NEXT).ask_what_is_meant([path], 1)
    assert await nearest_titles([source], "c9", "en") == [], "it has a page, and no passage"
    assert len(chat.requests) == 1, "there is enough"


async def test_what_is_meant_is_not_passed_over_when_the_budget_is_spent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fathom.graphs.drill.look_up.titles_cost", lambda deps: None)

    class Spent:
        async def admit(self, cost: object) -> None:
            raise BudgetSpent("the budget is used up")

    source = Titles(missing=lambda concept: concept < "c4")
    deps = toy_deps(ToyChat(), source, budget=Spent())
    path = await looked_up(source, concepts=4)
    asking = asyncio.ensure_future(LookUp(deps, toy_spec(), NEXT).ask_what_is_meant([path], 1))
    await deps.gate.wait_cut()
    assert deps.gate.reason == "the budget is used up"
    assert not asking.done(), "the run ends here, and asks when it is resumed"
    asking.cancel()
