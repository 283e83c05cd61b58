"""Europe PMC as a fact source, against a loopback server scripted from its documented replies."""

import pytest
from aiohttp import web
from tests.support.fact_server import in_turn, query
from tests.support.literature_records import core, reply, source_on, titles

from fathom.state.errors import SourceFailed
from fathom.state.tiers import Tier
from fathom.tools.facts.search import plain_abstract, plain_title


async def test_each_tier_asks_in_the_services_own_query_language() -> None:
    async with source_on("europepmc", in_turn(reply("europepmc"))) as (source, server, _):
        for tier in (Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE):
            assert await source.find(query("Sodium azide", tier)) == []
    asked = [request["query"] for request in server.asked]
    guided, any_kind, beyond_domain, recent, _ = (
        asked  # any reviewed article is the same search at two tiers
    )
    concept = '(ABSTRACT:"Sodium azide" OR (ABSTRACT:"Sodium" AND ABSTRACT:"azide"))'
    assert all(text.startswith(concept) and "HAS_ABSTRACT:y" in text for text in asked)
    assert all(text.endswith('NOT PUB_TYPE:"retracted publication"') for text in asked)
    assert 'PUB_TYPE:"practice guideline" OR' in guided
    assert 'PUB_TYPE:"practice guideline"' not in any_kind + recent
    assert '"Chemical" AND "elements"' in any_kind
    assert "Chemical" not in beyond_domain
    assert 'SRC:"PPR"' not in guided + any_kind + beyond_domain
    assert 'SRC:"PPR"' in recent
    assert "FIRST_PDATE:[2024-05-01 TO 2026-05-01]" in recent
    assert "FIRST_PDATE" not in any_kind


async def test_what_tells_the_sense_is_asked_for_first_and_then_left_out() -> None:
    async with source_on("europepmc", in_turn(reply("europepmc"))) as (source, server, _):
        await source.find(
            query("lead (metal)", Tier.SPECIALIST, line=("Toxins", "Paint (old)"))
        )
    assert [
        '"elements" AND "metal" AND "Paint"' in asked["query"] for asked in server.asked
    ] == [
        True,
        False,
        False,
    ]


async def test_what_a_user_writes_cannot_leave_its_quotes() -> None:
    async with source_on("europepmc", in_turn(reply("europepmc"))) as (source, server, _):
        await source.find(query('azide") OR (SRC:PPR AND \\"x', Tier.SPECIALIST))
    asked = server.asked[0]["query"]
    assert "SRC:PPR" not in asked
    assert asked.count('"') % 2 == 0
    assert 'ABSTRACT:"azide"' in asked


@pytest.mark.parametrize(
    "title",
    ["Correction of myopia", "Withdrawal of azide", "An erratum-free life", "Correction"],
)
async def test_only_notices_are_taken_for_notices(title: str) -> None:
    assert (await titles("europepmc", Tier.SPECIALIST, core(title)) == []) is (
        title == "Correction"
    )


async def test_harmless_links_between_records_do_no_harm() -> None:
    links = [
        {"type": "Comment in", "id": "9"},
        {"type": "Preprint in", "id": "PPR9"},
        {"type": "Erratum in", "id": "8"},
    ]
    assert (
        await titles(
            "europepmc",
            Tier.SPECIALIST,
            core(commentCorrectionList={"commentCorrection": links}),
        )
        != []
    )


async def test_other_languages_are_asked_for_and_english_articles_then_refused() -> None:
    german = core(
        "Natriumazid",
        id="2",
        language="ger",
        abstractText="Natriumazid ist ein farbloses Salz und löst sich.",
    )
    async with source_on(
        "europepmc", in_turn(reply("europepmc", german, core("Natriumazid")))
    ) as (
        source,
        _,
        _,
    ):
        found = await source.find(query("Natriumazid", Tier.SPECIALIST, language="de"))
    assert [e.revision for e in found] == ["PMID 2, revised 2025-09-30"]
    assert await titles(
        "europepmc", Tier.SPECIALIST, core("English abstract", language="ger")
    ) == ["English abstract"]


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("<h4>Aim</h4>We saw it.<h4>End</h4>All.", "## Aim\nWe saw it.\n## End\nAll."),
        ("At 10<sup>5</sup> Pa, H<sub>2</sub>O boils.", "At 10⁵ Pa, H2O boils."),
        ("Ca<sup>2+</sup> and 10<sup>-3</sup> M", "Ca²⁺ and 10⁻³ M"),
        ("about 10<sup>3.5</sup> cells", "about 10^3.5 cells"),
        ("<i>E. coli</i> grew, P &lt; 0.05 &amp; n<20", "E. coli grew, P < 0.05 & n<20"),
        ("&lt;i&gt;In vivo&lt;/i&gt; &amp;lt; 3", "In vivo < 3"),
        (
            "<jats:title>Abstract</jats:title><jats:p>One.</jats:p><jats:p>Two.</jats:p>",
            "One.\nTwo.",
        ),
        ("Abstract Sodium burns.", "Sodium burns."),
        ("ABSTRACT: Sodium burns.", "Sodium burns."),
        ("Abstract algebra is old.", "Abstract algebra is old."),
    ],
)
def test_abstracts_become_plain_text(marked: str, plain: str) -> None:
    assert plain_abstract(marked) == plain


def test_titles_lose_markup_and_their_full_stop() -> None:
    assert (
        plain_title("Role of &lt;i&gt;NaN&lt;sub&gt;3&lt;/sub&gt;&lt;/i&gt;.") == "Role of NaN3"
    )


async def test_an_error_in_a_good_reply_is_an_error() -> None:
    body = {"version": "6.9", "errCode": 400, "errMsg": "no"}
    async with source_on("europepmc", in_turn(lambda: web.json_response(body))) as (
        source,
        server,
        _,
    ):
        with pytest.raises(SourceFailed) as failure:
            await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert failure.value.kind == "bad_reply"
    assert len(server.asked) == 1


async def test_odd_fields_are_passed_over() -> None:
    odd = core(
        pubTypeList={"pubType": "Journal Article"},
        commentCorrectionList={"commentCorrection": [None, {"type": 3}]},
        dateOfRevision="soon",
        doi=None,
    )
    async with source_on("europepmc", in_turn(reply("europepmc", odd))) as (source, _, _):
        (evidence,) = await source.find(query("Sodium azide", Tier.SPECIALIST))
    assert evidence.url == "https://europepmc.org/article/MED/31234567"
    assert evidence.revision == "PMID 31234567, revised 2025-03-04"
