"""What counts as being about a concept, and how web text is read."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.tools import flight as flight_module
from fathom.tools.facts.base import has_domain_word, mentions_concept, title_is_concept
from fathom.tools.facts.passages import outline
from fathom.tools.facts.standing import find_published, parse_date, two_years_before
from fathom.tools.facts.tavily import plain
from fathom.tools.flight import SingleFlight


@pytest.mark.parametrize(
    ("title", "concept"),
    [
        ("Mercury (element)", "mercury"),
        ("Mercury (element)", "Mercury (element)"),
        ("Alkali metal", "the alkali metals"),
        ("Ionization energy", "ionisation energies"),
        ("Noble gas", "noble gases"),
        ("Parkinson’s disease", "Parkinson disease"),
        ("Article 14. Equality before the law", "Equality before the Law"),
        ("Article 14. Equality before the law", "article 14"),
        ("§ 823 Schadensersatzpflicht", "§ 823"),
        ("Alkali-metal oxide", "alkali metal oxides"),
        ("Overview (Pool 15.2 Documentation)", "overview"),
        ("43.1. Explicit Locking", "explicit locking"),
        ("Appendix M. Glossary", "glossary"),
        (
            "re — Regular expression operations (Python 3.11 documentation)",
            "regular expression operations",
        ),
        ("git-commit(1) Manual Page", "git commit"),
        ("Commit", "commit (Git)"),
        ("Commit (Git 2.39 manual)", "commit (Git)"),
    ],
)
def test_a_title_names_the_concept_in_other_words(title: str, concept: str) -> None:
    assert title_is_concept(title, concept)


@pytest.mark.parametrize(
    ("title", "concept"),
    [
        ("Iron ore", "iron"), ("Sodium", "sodium glimmer process"), ("Chloride", "chlorine"), ("Methane", "ethane"),
        ("Sodium sulfite", "sodium sulfate"), ("", "iron"), ("Iron", ""), ("Basis", "bass"),
        ("Mercury (planet)", "mercury (element)"), ("4.5 million years ago", "million"),
    ],
)  # fmt: skip
def test_a_title_that_is_only_near_does_not(title: str, concept: str) -> None:
    assert not title_is_concept(title, concept)


def test_a_passage_mentions_a_concept_with_all_its_words() -> None:
    text = "The first ionization energies of sodium are listed below."
    assert mentions_concept(text, "ionisation energy of sodium")
    assert not mentions_concept(text, "ionisation energy of potassium")
    assert not mentions_concept(text, "")
    assert mentions_concept(text, "ionisation energy (chemistry)")
    assert mentions_concept("The d-block comprises 40 elements.", "D-block")
    assert mentions_concept("水素は最も軽い元素である。", "水素")
    assert not mentions_concept("酸素は元素である。", "水素")


def test_a_text_touches_a_domain_by_any_of_its_words_in_any_form() -> None:
    assert has_domain_word("A study in chemistry.", "Chemical elements")
    assert has_domain_word("An element of surprise.", "Chemical elements")
    assert not has_domain_word("A planet near the sun.", "Chemical elements")


def test_markdown_becomes_prose_with_marked_headings() -> None:
    page = (
        "Title of it\n===========\n\nThe **bold** and *slanted* [link](https://x.example/a_(b)) "
        "stay.\n\n"
        "![image](y.png)\n\n| a | b |\n|---|---|\n\n```\ncode here.\n```\n\n- An item.\n\n"
        "## References\n\n1. Someone, 1900."
    )
    sections = outline(plain(page))
    assert [s.heading for s in sections if s.text.strip()] == ["Title of it"]
    assert sections[-1].text.split() == [
        "The",
        "bold",
        "and",
        "slanted",
        "link",
        "stay.",
        "An",
        "item.",
    ]


def test_a_line_in_bold_type_heads_what_follows_and_a_term_its_definition() -> None:
    sections = outline(
        plain("**Ischaemia**\n\nBlood does not flow.\n\nInfarct\n: Tissue has died.")
    )
    assert [(s.heading, s.text.split("\n")[-1]) for s in sections] == [
        ("Ischaemia", "Blood does not flow."),
        ("Infarct", "Infarct: Tissue has died."),
    ]


@pytest.mark.parametrize(
    "text",
    ["2025-03-12", "2025-03-12T10:00:00Z", "Wed, 12 Mar 2025 10:00:00 GMT", "March 12, 2025", "12th March 2025",
     "on 12 Mar. 2025 in Bonn"],
)  # fmt: skip
def test_dates_are_read_in_their_usual_spellings(text: str) -> None:
    assert parse_date(text) == date(2025, 3, 12)
    assert parse_date("Sept. 5, 2025") == parse_date("5 September 2025") == date(2025, 9, 5)


@pytest.mark.parametrize(
    "text",
    ["", "2025", "March 2025", "31 February 2025", "2025-13-01", "Marching 12, 2025 men"],
)
def test_what_is_no_full_date_is_none(text: str) -> None:
    assert parse_date(text) is None


def test_the_stated_date_comes_first_then_the_label_then_the_path() -> None:
    text, url = "Received: 1 May 2020. Published: 2 May 2020.", "https://x.example/2019/04/03/a"
    assert find_published("2021-01-01", text, url) == date(2021, 1, 1)
    assert find_published(None, text, url) == date(2020, 5, 2)
    assert find_published("unknown", "No date.", url) == date(2019, 4, 3)
    assert find_published(None, "In 12 May 2020 they met.", "https://x.example/2019") is None


@given(st.text(max_size=80))
def test_any_text_is_a_date_or_none(text: str) -> None:
    assert parse_date(text) is None or isinstance(parse_date(text), date)
    plain(text)


def test_two_years_before_a_leap_day() -> None:
    assert two_years_before(date(2024, 2, 29)) == date(2022, 2, 28)
    assert two_years_before(date(2026, 5, 1)) == date(2024, 5, 1)


async def test_what_is_kept_is_bounded_by_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flight_module, "MOST_CHARS", 10)
    flight: SingleFlight[str, str] = SingleFlight(keep=100, chars=len)
    asked: list[str] = []

    async def ask(text: str) -> str:
        async def call() -> str:
            asked.append(text)
            return text

        return await flight.get(text, call)

    for text in ("aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb", "e" * 11, "bbbb"):
        assert await ask(text) == text
    assert asked == ["aaaa", "bbbb", "cccc", "bbbb", "e" * 11, "bbbb"]
    await flight.aclose()
