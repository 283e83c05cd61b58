"""Looking things up in a folder: what counts, in which order, and queries that mean harm."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fathom.state.text import contains, digest
from fathom.state.tiers import Tier
from fathom.tools.facts.base import FactQuery, mentions_concept
from fathom.tools.facts.library.reading import read
from fathom.tools.facts.passages import MAX_CHARS, clean

from ....support.library_files import AS_OF, STROKE, look_up, opened, query, write

HOSTILE = [
    '"', '""', "*", "a*", "stroke*", "C++", "stroke AND clot", "stroke NOT clot", "NEAR(stroke clot, 5)",
    "title:stroke",
    "{title} : stroke", "^stroke", "stroke)", "(stroke", "-stroke", "+", "'; DROP TABLE passages; --", "\x00", "\ud800",
    "stroke\x00clot", "%", "_", "\\", "🧠", "½", "ﬁ", "ß", " ", "", "stroke " * 5_000, "x" * 100_000,
    " ".join(f"w{n}" for n in range(3_000)),
]  # fmt: skip


async def test_the_closest_is_found_and_nothing_looser_beside_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "exact.md": "# Brain\n\n## Article 3. Blood clots\n\n"
            + "\n\n".join(f"They are dissolved by the drug number {n}." for n in "123"),
            "phrase.md": "Some day a blood clot blocked an artery of the patient's brain.\n",
            "near.md": "Where it is still, blood will clot within a few minutes only.\n",
            "apart.md": "# Blood\n\nThe heart pumps it through the body and no clot arises in it.\n",
            "sense.md": "# Clot (cream)\n\nIt is eaten with scones on a sunny afternoon in Devon.\n",
        },
    )
    async with opened(tmp_path) as source:

        async def files(concept: str) -> set[str]:
            return {e.url.split("#")[0][-9:] for e in await source.find(query(concept))}

        for name in ("blood clot", "the blood-clots", "Article 3", "Article 3: blood clots"):
            assert await files(name) == {"/exact.md"}, name
    for gone, left in (("exact", "phrase"), ("phrase", "near"), ("near", "apart")):
        (tmp_path / f"{gone}.md").unlink()
        found = await look_up(tmp_path, "blood clot")
        assert {Path(e.url.split("#")[0]).stem for e in found} == {left}
    assert await look_up(tmp_path, "clot (blood)") != await look_up(tmp_path, "clot (cream)")
    assert await look_up(tmp_path, "clot fibrillation") == []


async def test_titles_and_headings_weigh_more_than_the_body_and_the_domain_helps(
    tmp_path: Path,
) -> None:
    text = "The text on {} mentions mercury once in its body.\n"
    files = {"body.md": "# Body\n\n" + text, "title.md": "# Mercury ore\n\n" + text}
    files |= {
        "domain.md": "# Astronomy notes\n\nThe text on planets mentions mercury once in the body.\n"
    }
    write(tmp_path, {name: content.format(name) for name, content in files.items()})

    async def first(domain: str) -> str:
        async with opened(tmp_path) as source:
            return (await source.find(query("mercury", domain=domain)))[0].url

    assert "title.md" in await first("Chemistry")
    assert "domain.md" in await first("Astronomy of planets")


async def test_brackets_and_the_line_raise_the_rank_and_nothing_more(tmp_path: Path) -> None:
    crime = (
        "To commit a crime is to commit an act that the law forbids; who will commit it is a "
        "criminal."
    )
    git = (
        "Each commit points to the tree of the snapshot in Git; a commit can be taken back by "
        "another."
    )
    write(tmp_path, {"a.md": crime, "b.md": git})
    write(
        tmp_path,
        {f"{n}.md": f"Other pages such as number {n} tell of things." for n in range(9)},
    )
    async with opened(tmp_path) as source:

        async def order(concept: str, *line: str) -> list[str]:
            found = await source.find(replace(query(concept, domain="Software"), line=line))
            return [e.url.partition("#")[0][-4] for e in found]

        assert await order("commit") == ["a", "b"]
        assert (
            await order("commit (Git)")
            == await order("commit", "version control", "snapshot")
            == ["b", "a"]
        )


async def test_no_document_fills_the_hand_alone_while_others_have_something(
    tmp_path: Path,
) -> None:
    long = "# Facts\n\n" + "\n\n".join(
        f"Fact {n} of this list is about the stroke." for n in range(40)
    )
    write(
        tmp_path,
        {
            "long.md": long,
            "other.md": "# Other\n\nAn aside in another text names the stroke as well.\n",
        },
    )
    async with opened(tmp_path) as source:
        urls = [
            e.url.split("/")[1].split("#")[0]
            for e in await source.find(query("stroke", limit=9))
        ]
        assert urls == ["long.md"] * 8 + ["other.md"]
        one = await source.find(query("fact", limit=5))
    assert [int(e.url.split("#L")[1]) for e in one] == sorted(
        int(e.url.split("#L")[1]) for e in one
    )
    assert len(one) == 5


async def test_a_script_without_spaces(tmp_path: Path) -> None:
    text = "# 脳の病気\n\n脳卒中は脳の血管が詰まるか破れるかして起こる病気である。治療は早いほどよい。\n"
    write(
        tmp_path,
        {
            "a.md": text,
            "b.md": "# 心臓\n\n心臓は血液を全身に送り出す筋肉でできた臓器である。\n",
        },
    )
    async with opened(tmp_path) as source:
        found = await source.find(
            FactQuery("脳卒中", "医学", Tier.COMMON, AS_OF, language="ja")
        )
        assert [e.title for e in found] == ["脳の病気"]
        assert (
            await source.find(FactQuery("脳中", "医学", Tier.COMMON, AS_OF, language="ja"))
            == []
        )


async def test_sentences_end_by_the_rules_of_the_source_s_language(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.md": (
                "Der Schlaganfall wurde am 3. Oktober behandelt. Danach ging es dem Kranken viel "
                "besser.\n"
            )
        },
    )
    async with opened(tmp_path, language="de") as source:
        (german,) = await source.find(
            FactQuery("Schlaganfall", "Medizin", Tier.COMMON, AS_OF, language="de")
        )
    assert german.text.startswith("Der Schlaganfall wurde am 3. Oktober behandelt.")


@pytest.mark.parametrize("concept", HOSTILE, ids=lambda text: repr(text[:20]))
async def test_syntax_in_a_concept_or_a_domain_is_inert(tmp_path: Path, concept: str) -> None:
    write(
        tmp_path,
        {"a.md": STROKE, "b.md": "Programs in C are compiled before they run anywhere.\n"},
    )
    async with opened(tmp_path) as source:
        found = await source.find(query(concept, domain=concept))
        assert all(
            mentions_concept(e.text, concept) or "stroke" in concept.casefold() for e in found
        )
        assert len(await source.find(query("stroke", domain=concept))) == 3


WORDS = st.sampled_from(
    ["Stroke", "clot", "burns", "Dr.", "e.g.", "3.14", "it", "No.", "5", "(brain)", "in", "the"]
)
ENDS = st.sampled_from(
    [
        ". ",
        "! ",
        ".\n",
        ".\n\n",
        "\n\n## Head\n\n",
        "\n\n- ",
        "\n\n# References\n\n",
        "? ",
        " ",
        ",\n",
    ]
)
TEXTS = st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=30), ENDS), max_size=30).map(
    lambda parts: "".join(" ".join(words) + end for words, end in parts)
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(text=TEXTS, kind=st.sampled_from(["markdown", "text"]))
def test_passages_are_verbatim_in_order_and_never_overlap(text: str, kind: str) -> None:
    from fathom.tools.facts.library.document import Unreadable

    try:
        pieces = read(text.encode(), "a", kind, "en", lambda: None).pieces
    except Unreadable:
        return
    flat = " ".join(clean(text).replace("- ", "").split())
    end = 0
    for piece in pieces:
        assert len(piece.text) <= MAX_CHARS
        start = flat.find(piece.text, end)
        assert start >= end, (piece.text, flat[end:])
        end = start + len(piece.text)
    lines = [int(piece.place.removeprefix("L")) for piece in pieces]
    assert all(a <= b for a, b in pairwise(lines))


async def test_evidence_carries_where_it_is_from(tmp_path: Path) -> None:
    folder = write(tmp_path / "lib", {"a.md": STROKE})
    (found,) = await look_up(folder, "alteplase", Tier.TEXTBOOK)
    assert found.source == "folder:lib"
    assert found.revision is not None
    assert len(found.revision) == 12
    assert found.digest == digest(found.text)
    assert contains(STROKE, found.text)
    assert found.tier is Tier.TEXTBOOK


async def test_a_place_is_listed_for_a_line_and_found_as_itself(tmp_path: Path) -> None:
    taxes = (
        "# Payroll\n\n## Pay the government\n\nThe taxes of the staff are sent each month.\n"
    )
    other = (
        "# Licences\n\n## Pay the government\n\nA licence costs three coins in every year.\n"
    )
    write(tmp_path, {"a.md": taxes, "b.md": other})
    async with opened(tmp_path) as source:
        wanted = replace(query("taxes on staff"), line=("payrolls",))
        assert await source.sections(wanted, 9) == ["Payroll › Pay the government"]
        (passage,) = await source.find(replace(wanted, concept="Payroll › Pay the government"))
        assert (passage.title, passage.section) == ("Payroll", "Pay the government")


async def test_where_most_headings_ask_something_they_are_listed_too(tmp_path: Path) -> None:
    asked = "## What is a toy?\n\nA toy is a thing that one plays with.\n\n"
    told = "## Dolls\n\nA doll is a toy that looks like a child.\n"
    write(tmp_path, {"a.md": f"# Why toys?\n\n{asked}{told}"})
    async with opened(tmp_path) as source:
        assert await source.contents(9) == ["Why toys?", "What is a toy?", "Dolls"]


async def test_nearest_titles_and_the_contents_of_a_folder(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.md": STROKE,
            "b.md": "# 2. Strokes of luck\n\n## References\n\nSmith, A. A book that nobody has read.\n\n"
            "## Article 3. Dice\n\nA die has six sides that are equal.\n",
        },
    )
    async with opened(tmp_path) as source:
        held = ["Stroke", "Treatment", "Thrombectomy", "Strokes of luck", "Article 3. Dice"]
        assert await source.contents(99) == held
        assert await source.contents(2) == [held[0], held[2]]
        assert (await source.nearest("Ischaemic stroke", "en"))[:2] == [
            "Stroke",
            "Strokes of luck",
        ]
        assert (await source.nearest("thrombectomies", "en"))[0] == "Thrombectomy"
        assert await source.nearest("", "en") == []
