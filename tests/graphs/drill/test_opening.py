"""The populations that roots come from, over the toy world."""

from collections import Counter
from typing import Any

import pytest

from fathom.state.errors import DomainNotFound, UsageError
from fathom.state.events import Opened

from ...support.drill.toy import ToyChat, ToySource, field, toy_spec
from .test_graph import run


class Listing(ToySource):
    """A source that lists its pages, and headings on which it has nothing."""

    def __init__(self, titles: list[str], **more: Any) -> None:
        super().__init__(**more)
        self.titles = titles

    async def contents(self, limit: int) -> list[str]:
        return self.titles[:limit]


class Choosing(ToyChat):
    """Chooses the last of the titles it is shown, and one of its own."""

    def name_aspects(self, text: str) -> dict[str, list[str]]:
        among, named = field(text, "among").splitlines(), field(text, "named").splitlines()
        if not among:
            return super().name_aspects(text)
        there = [title for title in sorted(among) if title not in named]
        return {"aspects": ["c399", *there[-int(field(text, "count")) :]]}


async def test_topics_are_asked_by_weight_and_nobody_names_aspects() -> None:
    chat = ToyChat(skill=1.0)
    topics = {"c7": 4.0} | {f"c{place}": 1.0 for place in range(20, 32)}
    result = await run(chat, ToySource(), toy_spec(topics=topics, max_depth=1))
    roots = Counter(probe.root for probe in result.probes)
    assert roots["c7"] == 2  # 8·4/16
    assert len(roots) == 7
    assert {*roots} <= topics.keys()
    assert "aspects" not in {request.purpose for request in chat.requests}
    assert (result.population, result.roots_with_evidence, result.roots_lost) == (
        "topics",
        1.0,
        (),
    )
    assert result.depths[0].roots == 7


async def test_roots_without_evidence_are_replaced_and_named() -> None:
    topics = {f"c{place}": 1.0 for place in range(40)}

    def missing(concept: str) -> bool:
        return int(concept[1:]) % 2 == 0

    spec = toy_spec(topics=topics, max_depth=1)
    result = await run(ToyChat(skill=1.0), ToySource(missing=missing), spec)
    assert len({probe.root for probe in result.probes}) == 8
    assert not any(probe.spare or missing(probe.root) for probe in result.probes)
    assert result.roots_lost
    assert all(map(missing, result.roots_lost))
    assert result.roots_with_evidence == 8 / (8 + len(result.roots_lost))
    assert result.depths[0].without_evidence == result.roots_lost
    counted = await run(
        ToyChat(skill=1.0),
        ToySource(missing=missing),
        spec.model_copy(update={"missing": "wrong"}),
    )
    assert counted.depths[0].wrong == len(counted.roots_lost) > 0


@pytest.mark.parametrize("topics", [{"c1": 1.0, "c2": 1.0}, {"c1": 99.0, "c2": 1.0, "c3": 1.0}])
async def test_too_few_topics_are_refused(topics: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=f"{len(topics)} topics .* 8 probes .* at least 4"):
        await run(ToyChat(), ToySource(), toy_spec(topics=topics))


async def test_evidence_on_fewer_than_half_of_the_roots_is_an_error() -> None:
    source = ToySource(missing=lambda concept: int(concept[1:]) > 2)
    with pytest.raises(
        DomainNotFound, match=r"10 starting topics .* 3 have evidence at COMMON"
    ):
        await run(ToyChat(concepts=10), source)


async def test_aspects_are_chosen_among_what_the_source_lists() -> None:
    titles = [f"c{place}" for place in range(100, 390)] * 2
    result = await run(Choosing(skill=1.0), Listing(titles), toy_spec(max_depth=1))
    assert result.population == "contents"
    assert sorted(result.aspects) == [f"c{place}" for place in range(380, 390)]


@pytest.mark.parametrize("titles", [["c5"], [*(f"c{place}" for place in range(8)), "Toys"]])
async def test_what_is_listed_must_suffice(titles: list[str]) -> None:
    """Fewer titles than roots are no population; nor are those of which too few are chosen."""

    class Picky(Choosing):
        def name_aspects(self, text: str) -> dict[str, list[str]]:
            among = field(text, "among")
            return {"aspects": ["c3"]} if among else super().name_aspects(text)

    result = await run(Picky(skill=1.0), Listing(titles), toy_spec(max_depth=1))
    assert (result.population, len(result.aspects)) == ("free", 10)


def test_an_opening_says_no_more_than_it_has_to() -> None:
    told = Opened(run_id="r", aspects=("a",), roots=("a",)).model_dump(mode="json")
    assert not {"population", "lost_roots"} & told.keys()
    assert Opened.model_validate(told).population == "free"
