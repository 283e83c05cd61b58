"""Which document of a folder serves which tier: sub-folders, front matter, dates, retractions."""

from datetime import date
from pathlib import Path

import pytest

from fathom.state.tiers import TIERS, Tier

from ....support.library_files import STROKE, look_up, opened, query, reason, write

BODY = "A stroke is treated in a stroke unit by a team of its own.\n"


def front(*lines: str) -> str:
    return "\n".join(["---", *lines, "---", "", "# Care", "", BODY])


async def tiers_of(folder: Path) -> set[Tier]:
    async with opened(folder) as source:
        return {tier for tier in TIERS if await source.find(query("stroke", tier))}


async def test_a_document_without_a_tier_serves_its_lead_then_its_body_then_all_of_it(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"stroke.md": STROKE})
    lead = [None]
    body = ["Treatment", "Treatment › Thrombectomy"]
    assert [e.section for e in await look_up(tmp_path, "stroke", Tier.COMMON)] == lead
    assert [e.section for e in await look_up(tmp_path, "stroke", Tier.TEXTBOOK)] == body
    assert [
        e.section for e in await look_up(tmp_path, "stroke", Tier.PROFESSIONAL)
    ] == lead + body
    assert [
        e.section for e in await look_up(tmp_path, "stroke", Tier.SPECIALIST)
    ] == lead + body
    assert await look_up(tmp_path, "stroke", Tier.CUTTING_EDGE) == []


async def test_where_nothing_stands_before_a_sub_heading_the_first_passages_are_the_lead(
    tmp_path: Path,
) -> None:
    sentence = (
        "A stroke of this kind number {} is described here in about one hundred and fifty "
        "characters of text, so "
    )
    text = "\n\n".join(
        sentence.format(n) + "that many of them fill the lead of the page." for n in range(30)
    )
    divided = f"# Stroke\n\n## All of it\n\n{text}"
    for path, content in (("flat.txt", text), ("divided.md", divided)):
        folder = write(tmp_path / path.split(".")[0], {path: content})
        async with opened(folder) as source:
            lead = await source.find(query("stroke", Tier.COMMON, limit=99))
            body = await source.find(query("stroke", Tier.TEXTBOOK, limit=99))
        assert 1000 < sum(len(e.text) for e in lead) <= 1500
        assert len(lead) + len(body) == 30
        assert "number 0 " in lead[0].text


async def test_a_document_that_is_all_lead_serves_textbook_with_it_and_one_that_is_all_body_common(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"care.md": "# Care\n\n" + BODY, "stroke.md": STROKE})
    assert [e.title for e in await look_up(tmp_path, "care", Tier.TEXTBOOK)] == ["Care"]
    common = await look_up(tmp_path, "thrombectomy", Tier.COMMON)
    assert [e.section for e in common] == ["Treatment › Thrombectomy"]


async def test_what_is_of_the_tier_speaks_for_it_alone(tmp_path: Path) -> None:
    write(tmp_path, {"stroke.md": STROKE, "professional/units.md": "# Care\n\n" + BODY})
    assert {e.title for e in await look_up(tmp_path, "stroke", Tier.PROFESSIONAL)} == {"Care"}
    assert {e.title for e in await look_up(tmp_path, "thrombectomy", Tier.PROFESSIONAL)} == {
        "Stroke"
    }
    assert {e.title for e in await look_up(tmp_path, "stroke", Tier.SPECIALIST)} == {"Stroke"}


async def test_the_innermost_tier_wins_and_front_matter_wins_over_both(tmp_path: Path) -> None:
    write(tmp_path / "a", {"professional/textbook/a.md": BODY})
    assert await tiers_of(tmp_path / "a") == {Tier.TEXTBOOK}
    write(tmp_path / "b", {"professional/b.md": front("tier: [common, Specialist]")})
    assert await tiers_of(tmp_path / "b") == {Tier.COMMON, Tier.SPECIALIST}
    write(tmp_path / "c", {"professional/c.txt": front("tier: common, textbook")})
    assert await tiers_of(tmp_path / "c") == {Tier.COMMON, Tier.TEXTBOOK}


@pytest.mark.parametrize(
    ("written", "serves"),
    [
        ("date: 2025-06-01", True),
        ("published: 2024-03-01T08:00:00Z", True),
        ("published: 2024-02-29", False),
        ("date: 12 March 2025", True),
        ("date: 2026-03-02", False),
        ("date: 2019-01-01\npublished: 2025-01-01", True),
        ("date: soon", False),
        ("author: nobody", False),
    ],
)
async def test_cutting_edge_wants_a_date_within_two_years_before_as_of(
    tmp_path: Path, written: str, serves: bool
) -> None:
    write(tmp_path, {"cutting_edge/new.md": front(written), "other.md": BODY})
    assert bool(await look_up(tmp_path, "stroke", Tier.CUTTING_EDGE)) is serves


async def test_the_date_of_publication_is_recorded_at_every_tier(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": front("published: 2025-01-02")})
    assert {e.published for e in await look_up(tmp_path, "stroke")} == {date(2025, 1, 2)}
    assert {e.published for e in await look_up(tmp_path, "stroke", Tier.CUTTING_EDGE)} == {
        date(2025, 1, 2)
    }


async def test_a_pdf_s_date_of_creation_is_no_date_of_publication(tmp_path: Path) -> None:
    from ....support.library_files import pdf

    data = pdf(
        [["A stroke is treated within hours."]], title="Care) /CreationDate (D:20250101000000Z"
    )
    write(tmp_path, {"a.pdf": data})
    assert [e.published for e in await look_up(tmp_path, "stroke")] == [None]
    assert await look_up(tmp_path, "stroke", Tier.CUTTING_EDGE) == []


@pytest.mark.parametrize(
    ("written", "missing"),
    [
        ("retracted: true", {Tier.SPECIALIST, Tier.CUTTING_EDGE}),
        ("title: 'Retracted: care of stroke'", {Tier.SPECIALIST, Tier.CUTTING_EDGE}),
        ("title: 'Retracted: care of stroke'\nretracted: false", set()),
        ("preprint: yes", {Tier.SPECIALIST}),
        ("preprint: false", set()),
    ],
)
async def test_retractions_and_preprints(
    tmp_path: Path, written: str, missing: set[Tier]
) -> None:
    tiers = "tier: [COMMON, TEXTBOOK, PROFESSIONAL, SPECIALIST, CUTTING_EDGE]\ndate: 2025-06-01"
    write(tmp_path, {"a.md": front(tiers, written)})
    assert await tiers_of(tmp_path) == set(TIERS) - missing


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (front("tier: expert"), "front matter says tier: 'EXPERT', which cannot be understood"),
        (front("tier: [a"), "front matter is not valid YAML"),
        (
            front("retracted: perhaps"),
            "front matter says retracted: 'perhaps', which cannot be understood",
        ),
        (front("&a [*a, *a]: &b [*b]"), "front matter is not valid YAML"),
    ],
)
async def test_front_matter_that_cannot_be_understood_is_not_passed_over(
    tmp_path: Path, text: str, why: str
) -> None:
    write(tmp_path, {"a.md": text})
    assert await reason(tmp_path, "a.md") == why
