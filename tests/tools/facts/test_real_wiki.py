"""The encyclopedia source against a MediaWiki that nobody here wrote."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest
from tests.support import mediawiki
from tests.support.fact_server import network, query

from fathom.state.tiers import Tier
from fathom.tools.facts.mediawiki import MediaWikiSource, plain
from fathom.tools.facts.passages import clean, passages, sentences

METALS = (
    "Lithium",
    "Sodium",
    "Potassium",
    "Rubidium",
    "Caesium",
    "Calcium",
    "Iron",
    "Copper",
    "Zinc",
    "Silver",
    "Tin",
)
RICH = """{{Infobox
| name = Bismuth <!-- not {that} -->
| text = {{Weighs|{{Weighs|1}}}} and more of it. A sentence in a box.
}}
'''Bismuth''' is a [[chemical element|brittle metal]] with a silvery sheen.<ref name="a/b">{{Weighs|5}}. Two.</ref>

== Occurrence ==
{{Main|Tin}}
[[File:Nothing.jpg|thumb|A [[Tin|picture]] of it. Nobody reads this.]]
A large piece of the metal {{Weighs|9}} when it is dry. It is found in [[Bolivia]] and in ''several'' other lands.
The [https://example.org/mine largest mine] (it {{Weighs|7}}) was opened by settlers in 1890.<ref name="a/b" /> It
closed again within ten years &ndash; nobody knows why.

{| class="wikitable"
|-
| A sentence that stands in a table. || {{Weighs|1}}
|}
* The ore is washed in the river first.
* Then it is {{Weighs|2}} and burnt.

=== In [[Sodium]] ===
It is said that [[sodium]]<nowiki/> and [[Re:Bismuth|bismuth]] do not mix at all in the cold.[[Category:Metals]]
[[Category:Brittle metals]]"""
PAGES = {
    metal: f"""'''{metal}''' is a [[chemical element]] that was described by chemists
in a time long ago.<ref>Someone, 1900.</ref> It is counted among the metals and conducts electricity well.

{{| class="wikitable"
! Property !! Value
|-
| Price || 12
|}}

== Production ==
{metal} is made in large cells from molten salts at high temperature. The cells of {metal} run day and night.
* a list item about {metal}

=== History ===
The first large {metal} plant opened in 1890 in the town of Holzminden.

== See also ==
This list of links is not about {metal} and must not be used at all.

[[Category:Metals]]"""
    for metal in METALS
} | {
    "Chemical element": "A '''chemical element''' is a kind of atom with a given number of protons in its nucleus.",
    "Natrium": "#REDIRECT [[Sodium]]",
    "Mercury": ("'''Mercury''' can mean many things:\n* [[Mercury (element)]]\n[[Category:Disambiguation "
        "pages]]"),
    "Mercury (element)": "'''Mercury''' is a chemical element that is liquid at room temperature. Its symbol is Hg.",
    "Stubium": "'''Stubium''' is a stub.",
    "Template:Weighs": "weighs {{{1}}} kilograms",
    "Template:Infobox": "{| class='infobox'\n| {{{name|}}} || {{{text|}}}\n|}",
    "Template:Main": "<div class='noprint'>Main article: [[{{{1}}}]]</div>",
    "Bismuth": RICH,
    "Downs cell & more": "The '''Downs cell''' is a vessel for making the chemical element sodium from molten salt.",
}  # fmt: skip

pytestmark = [
    pytest.mark.xdist_group("facts_real_wiki"),  # one worker makes what all of them begin with
    pytest.mark.mediawiki,
    pytest.mark.skipif(mediawiki.missing() is not None, reason=mediawiki.missing() or ""),
]


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("wiki")
    mediawiki.install(folder / "w", PAGES)
    with mediawiki.serve(folder / "w") as address:
        yield address


@pytest.fixture
async def source(api: str) -> AsyncIterator[MediaWikiSource]:
    found = MediaWikiSource(f"mediawiki:{api}", network(), url=api)
    yield found
    await found.aclose()


async def test_the_lead_and_the_body_without_tables_lists_and_references(
    source: MediaWikiSource,
) -> None:
    (lead,) = await source.find(query("Sodium"))
    assert lead.text == (
        "Sodium is a chemical element that was described by chemists in a time long ago. "
        "It is counted among the metals and conducts electricity well."
    )
    assert lead.url.endswith("/index.php/Sodium")
    assert lead.revision is not None
    assert lead.revision.isdecimal()
    body = await source.find(query("Sodium", Tier.TEXTBOOK))
    assert [(e.section, e.text) for e in body] == [
        ("Production", "Sodium is made in large cells from molten salts at high temperature. "
                       "The cells of Sodium run day and night."),
        ("History", "The first large Sodium plant opened in 1890 in the town of Holzminden."),
    ]  # fmt: skip


async def test_what_is_read_from_wikitext_stands_in_the_wiki_s_own_plain_text(api: str) -> None:
    asked = {"action": "query", "format": "json", "titles": "Bismuth", "explaintext": "1"}
    async with aiohttp.ClientSession() as session:
        options = {
            "prop": "extracts|revisions",
            "exsectionformat": "wiki",
            "rvprop": "content",
            "rvslots": "main",
        }
        async with session.get(api, params=asked | options) as reply:
            (page,) = (await reply.json())["query"]["pages"].values()
    read, given = (
        passages(plain(page["revisions"][0]["slots"]["main"]["*"])),
        clean(page["extract"]),
    )
    told = [passage.text[a:b] for passage in read for a, b in sentences(passage.text)]
    assert told
    assert [
        sentence
        for sentence in told
        if sentence not in given and "largest mine" not in sentence
    ] == []
    assert {passage.section for passage in read} == {None, "Occurrence", "In Sodium"}
    assert len(told) == 6


async def test_a_list_of_senses_sends_the_search_into_the_domain(
    source: MediaWikiSource,
) -> None:
    assert [e.title for e in await source.find(query("Mercury"))] == ["Mercury (element)"]


@pytest.mark.parametrize(
    "concept",
    ["Unobtainium", "Sodium glimmer process", "Stubium", "Category:Metals", "de:Eisen", "a|b"],
)
async def test_no_evidence_where_there_is_none(source: MediaWikiSource, concept: str) -> None:
    assert await source.find(query(concept)) == []
