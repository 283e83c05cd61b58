"""Offline archives as a source: real ZIM files, written by libzim, read back through it."""

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.support.fact_server import NOW, query
from tests.support.zim_archive import build_zim

from fathom.state.errors import SourceFailed, UsageError
from fathom.state.text import digest
from fathom.state.tiers import Tier
from fathom.tools.facts.base import Encyclopedia, Whole
from fathom.tools.facts.library.html import NOT_IN_ARTICLES, read_html
from fathom.tools.facts.passages import LACKS
from fathom.tools.facts.zim import ZimSource, lists_senses

pytestmark = pytest.mark.timeout(60, method="thread")
"""An archive is read on a thread of its own, which nothing can stop if it never comes back."""
LEAD = (
    "Sodium chloride is a chemical compound made of sodium and chlorine. People know it as table "
    "salt."
)
BODY = "Sodium chloride is won from the sea in shallow ponds. Mines in the mountains give the rest."
PAGES: dict[str, str] = {
    "Sodium chloride": (
        f"<p>{LEAD}</p><h2>Production</h2><p>{BODY}</p><h2>References</h2><p>Here are some "
        "books.</p>"
    ),
    "Mercury": "<p>Mercury may refer to:</p><ul><li>Mercury (element)</li></ul>",
    "Mercury (element)": (
        "<p>Mercury is a chemical element that is liquid at room temperature. Its symbol is Hg.</p>"
    ),
    "Iron ore": (
        "<p>Iron ore is dug in Sweden by chemical companies. Pure iron is made from it in a "
        "furnace.</p>"
    ),
    "Stubium": "<p>Stubium.</p>",
    "Gold rush": (
        "<p>A gold rush brings people to a far place within weeks. Few of them become rich "
        "there.</p>"
    ),
}
REDIRECTS = {"Table salt": "Sodium chloride", "Salt of the table": "Table salt"}


@asynccontextmanager
async def archive(
    folder: Path, pages: Mapping[str, str] = PAGES, **options: Any
) -> AsyncIterator[ZimSource]:
    file = build_zim(
        folder / "wiki.zim", pages, redirects=REDIRECTS, files={"style.css": "p {}"}, **options
    )
    source = ZimSource(f"zim:{file}", path=str(file), clock=lambda: NOW)
    try:
        yield source
    finally:
        await source.aclose()


async def titles(source: ZimSource, concept: str, tier: Tier = Tier.COMMON) -> list[str]:
    return list(dict.fromkeys(e.title for e in await source.find(query(concept, tier))))


async def test_lead_and_body_with_their_origin_and_no_absolute_path(tmp_path: Path) -> None:
    async with archive(tmp_path) as source:
        common = await source.find(query("Sodium chloride"))
        textbook = await source.find(query("Sodium chloride", Tier.TEXTBOOK))
        assert await source.find(query("Sodium chloride", Tier.SPECIALIST)) == []
    assert [(e.text, e.section) for e in common] == [(LEAD, None)]
    assert [(e.text, e.section) for e in textbook] == [(BODY, "Production")]
    first = common[0]
    assert (first.url, first.revision) == (
        "zim:wiki.zim#Sodium_chloride",
        "wiki_en_test 2026-05-01",
    )
    assert (first.retrieved_at, first.digest) == (NOW, digest(LEAD))
    assert isinstance(source, Encyclopedia)
    assert isinstance(source, Whole)
    assert source.tiers == {Tier.COMMON, Tier.TEXTBOOK}


@pytest.mark.parametrize(
    "concept",
    [
        "sodium chloride",
        "Sodium_chloride",
        "Table salt",
        "Salt of the table",
        "Sodium chlorides",
    ],
)
async def test_a_page_is_found_under_its_other_names(tmp_path: Path, concept: str) -> None:
    async with archive(tmp_path) as source:
        assert await titles(source, concept) == ["Sodium chloride"]


@pytest.mark.parametrize("full_text", [True, False])
async def test_a_list_of_senses_is_no_evidence_but_a_search_within_the_domain_is(
    tmp_path: Path, full_text: bool
) -> None:
    async with archive(tmp_path, full_text=full_text) as source:
        assert await titles(source, "Mercury") == ["Mercury (element)"]


async def test_a_search_hit_counts_with_the_passages_that_mention_the_concept(
    tmp_path: Path,
) -> None:
    async with archive(tmp_path) as source:
        assert await titles(source, "pure iron") == ["Iron ore"]
        assert (
            await titles(source, "rich people") == []
        )  # its page says nothing about the domain
        assert await titles(source, "Mercury AND (NOT iron") == []


@pytest.mark.parametrize(
    "concept",
    ["Unobtainium", "", "   ", "Stubium", "style.css", "\ud800x", "a\0b", "../x"],
)
async def test_where_there_is_nothing_there_is_no_evidence(
    tmp_path: Path, concept: str
) -> None:
    async with archive(tmp_path) as source:
        assert await source.find(query(concept)) == []


async def test_has_page_by_title_redirect_senses_and_mention(tmp_path: Path) -> None:
    async with archive(tmp_path) as source:
        known = [
            await source.has_page(title, "en")
            for title in ("Table salt", "Mercury", "Sodium chlorides", "furnace")
        ]
        assert known == [True] * 4
        assert not await source.has_page("Unobtainium", "en")


async def test_titles_near_a_name_and_the_contents(tmp_path: Path) -> None:
    async with archive(tmp_path) as source:
        assert (await source.nearest("Gold rushes of old", "en"))[0] == "Gold rush"
        held = await source.contents(99)
        assert held[:2] == ["Gold rush", "Iron ore"]
        assert not set(held) & {*REDIRECTS, "style.css"}
        assert await source.contents(2) == [held[0], held[len(held) // 2]]


async def test_the_fingerprint_is_the_archives_own(tmp_path: Path) -> None:
    async with archive(tmp_path) as source:
        first = await source.fingerprint()
        assert first == await source.fingerprint()
    async with archive(
        tmp_path, {"Other": "<p>Another page.</p>", "Sodium chloride": "<p>x</p>"}
    ) as source:
        assert await source.fingerprint() != first
    assert len(first) == 16


async def prepare(path: Path, language: str = "en") -> None:
    source = ZimSource("zim:x", path=str(path), language=language, clock=lambda: NOW)
    try:
        await source.prepare()
    finally:
        await source.aclose()


async def test_prepare_takes_a_whole_archive_in_its_language_and_no_other(
    tmp_path: Path,
) -> None:
    file = build_zim(tmp_path / "wiki.zim", PAGES)
    await prepare(file)
    await prepare(file, "simple")
    with pytest.raises(
        UsageError, match=r"wiki.zim is written in eng, not in 'de'.*--language"
    ):
        await prepare(file, "de")
    await prepare(build_zim(tmp_path / "mute.zim", PAGES, metadata={}), "de")


async def test_prepare_refuses_what_is_no_archive(tmp_path: Path) -> None:
    whole = build_zim(tmp_path / "wiki.zim", PAGES).read_bytes()
    for name, content in {
        "cut": whole[:-40],
        "half": whole[: len(whole) // 2],
        "empty": b"",
        "text": b"Hi." * 99,
    }.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(
            UsageError, match=f"{name} is no whole ZIM archive.*download it again"
        ):
            await prepare(tmp_path / name)
    with pytest.raises(UsageError, match="does not exist"):
        await prepare(tmp_path / "none.zim")
    with pytest.raises(UsageError, match="does not exist"):
        await prepare(tmp_path)
    with pytest.raises(UsageError, match="holds no articles"):
        await prepare(build_zim(tmp_path / "bare.zim", {}, files={"style.css": "p {}"}))


async def test_in_the_midst_of_a_run_a_lost_archive_is_a_failed_source(tmp_path: Path) -> None:
    source = ZimSource("zim:x", path=str(tmp_path / "gone.zim"), clock=lambda: NOW)
    try:
        with pytest.raises(SourceFailed, match="does not exist"):
            await source.find(query("Sodium"))
        with pytest.raises(SourceFailed):
            await source.fingerprint()
    finally:
        await source.aclose()


@pytest.mark.parametrize("seed", range(6))
async def test_damage_is_a_failed_source_or_a_page_not_found_but_never_another_error(
    tmp_path: Path, seed: int
) -> None:
    content = bytearray(build_zim(tmp_path / "wiki.zim", PAGES).read_bytes())
    rng = Random(seed)
    start = rng.randrange(80, len(content) - 100)
    end = min(len(content) - 40, start + rng.choice((20, 2000, 60_000)))
    content[start:end] = rng.randbytes(end - start)
    (tmp_path / "hurt.zim").write_bytes(content)
    source = ZimSource("zim:x", path=str(tmp_path / "hurt.zim"), clock=lambda: NOW)
    try:
        for words in ("Sodium chloride", "pure iron"):
            with suppress(SourceFailed):
                passages = await source.find(query(words))
                assert all(passage.text for passage in passages)
    finally:
        await source.aclose()


def test_without_libzim_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libzim", None)
    with pytest.raises(UsageError, match=r"\[zim\]"):
        ZimSource("zim:x", path="x.zim", clock=lambda: NOW)


def test_an_articles_prose_is_read_and_nothing_else() -> None:
    page = """<h1>Sodium</h1><div class="hatnote">For the band, see there.</div><div id="toc">1 Uses</div>
      <table class="infobox"><tr><td>Symbol: Na.</td></tr></table><script>x()</script><pre>y = "This is code."</pre>
      <p>Sodium is a <b>chemical</b>\nelement.<sup class="reference">[1]</sup> It has 10<sup>5</sup>
      uses with CO<sub>2</sub>.</p>
      <details><summary><h2>Uses<span class="mw-editsection">[edit]</span></h2></summary>
      <p>Salt has <span class="mwe-math-element"><math>x</math></span> uses.</p>
      <p style="display: none">Hidden.</p></details>
      <div class="navbox"><p>Related: potassium.</p></div><h1>More</h1><p>End &amp; fin.</p>"""
    assert read_html(page, NOT_IN_ARTICLES).text().split("\n") == [
        "Sodium is a chemical element. It has 10⁵ uses with CO2.",
        "## Uses",
        f"Salt has {LACKS} uses.",
        "## More",
        "End & fin.",
    ]


@pytest.mark.parametrize(
    ("title", "page"),
    [
        ("Mercury", "<p>Mercury may refer to:</p>"),
        ("Mercury (disambiguation)", "<p>Several things.</p>"),
        ("Mercury", "<meta property='mw:PageProp/disambiguation'><p>Several things.</p>"),
        ("Mercury", "<p>Several things.</p><div id='disambigbox'></div>"),
    ],
)
def test_lists_of_senses_are_known_by_words_title_or_mark(title: str, page: str) -> None:
    assert lists_senses(title, page, read_html(page, NOT_IN_ARTICLES).text())
