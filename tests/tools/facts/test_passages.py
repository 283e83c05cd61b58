"""Pages cut into passages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.tools.facts.base import Passage
from fathom.tools.facts.passages import (
    LACKS,
    MAX_CHARS,
    MAX_SENTENCES,
    clean,
    passages,
    sentences,
)

SODIUM = """Sodium is a chemical element with the symbol Na.[1][2] It is a soft, silvery metal. It reacts with water.


== Production ==
Sodium is made by the Downs process in large cells. The process was patented in 1924.


=== Cells ===
Each cell holds molten salt at about 600 degrees.
Inputs of a cell
1 2 3 4 5 6 7 8 9 10 11 12 13 14.


== See also ==
This sentence in a list of links is long enough to be taken.


=== Below it ===
This sentence stands below the list and is long enough as well.


== Uses ==
Street lamps filled with sodium vapour give yellow light.
This article about a metal is a stub.
"""

WORDS = st.sampled_from(
    [
        "Sodium",
        "burns",
        "Dr.",
        "e.g.",
        "3.14",
        "it",
        "U.S.",
        "No.",
        "5",
        "(yellow)",
        "No.",
        "water",
    ]
)
ENDS = st.sampled_from(
    [
        ". ",
        "! ",
        "? ",
        "… ",
        ".\n",
        "\n\n== Head ==\n",
        "\n\n\n== References ==\n",
        "。",
        " ",
        "؟ ",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=400),
    st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=60), ENDS), max_size=40).map(
        lambda parts: "".join(" ".join(words) + end for words, end in parts)
    ),
)


def texts(page: str, language: str = "en") -> list[str]:
    return [passage.text for passage in passages(page, language)]


def test_a_page_gives_its_prose_with_headings_and_nothing_else() -> None:
    lead = (
        "Sodium is a chemical element with the symbol Na. It is a soft, silvery metal. It reacts "
        "with water."
    )
    assert passages(SODIUM) == [
        Passage(lead, None),
        Passage(
            "Sodium is made by the Downs process in large cells. The process was patented in 1924.",
            "Production",
        ),
        Passage("Each cell holds molten salt at about 600 degrees.", "Cells"),
        Passage("Street lamps filled with sodium vapour give yellow light.", "Uses"),
    ]


def test_two_or_three_sentences_are_preferred_and_none_begins_with_a_word_that_points_back() -> (
    None
):
    metals = ["Sodium", "Cobalt", "Nickel", "Copper"]
    page = " ".join(
        f"{metal} is a metal that people use. It was found long ago." for metal in metals
    )
    found = texts(page)
    assert [passage.split()[0] for passage in found] == metals
    assert all(len(sentences(passage)) == 2 for passage in found)


def test_a_sentence_that_is_too_long_is_left_out_and_not_reached_across() -> None:
    long = "Sodium " + "and so on " * 90 + "ends."
    assert len(long) > MAX_CHARS
    first, last = (
        "The first fact is about sodium metal.",
        "The last fact is about lithium metal.",
    )
    assert texts(f"{first} {long} {last}") == [first, last]


def test_what_could_not_be_read_takes_its_sentence_along_and_no_other() -> None:
    first, last = "Mass and energy are equivalent.", "The idea is from 1905 by Einstein."
    assert texts(f"{first} The energy of a body is {LACKS}, where m is its mass. {last}") == [
        first,
        last,
    ]


def test_names_in_brackets_and_small_first_letters_survive() -> None:
    page = (
        "The [18]annulene ring was made in 1962.[3] pH is a scale of acidity for water.\nand a "
        "broken piece of text."
    )
    assert texts(page) == [
        "The [18]annulene ring was made in 1962. pH is a scale of acidity for water."
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "This article about a chemical compound is a stub.", "Mercury may refer to any of the following things.",
        "Retrieved from the web on the fifth of May.", "The book has the ISBN that is printed below it.",
        "All rights reserved by the owner of this page.", "This site uses cookies to make your visit better.",
        "You agree to our terms of service by reading on.", "Log in to see the full text of this paper.",
        "See https://example.org/page for the whole story there.", "| a cell | another cell | of a table here.",
        "1807, 1809, 1811 and 12.5, 13.5, 14.5, 15.5 or 16.5.",
    ],
)  # fmt: skip
def test_boilerplate_markup_and_figures_are_left_out(sentence: str) -> None:
    fact = "Sodium was isolated by Humphry Davy in 1807."
    assert texts(f"{fact}\n{sentence}") == [fact]


@pytest.mark.parametrize(
    "sentence",
    ["The design of the article of trade was significant.", "Other alkali metals share this property with sodium.",
     "The log of the ship is more than a hundred pages.", "The reservoirs hold more water in terms of volume."],
)  # fmt: skip
def test_facts_with_such_words_stay(sentence: str) -> None:
    assert texts(sentence) == [sentence]


@pytest.mark.parametrize(
    "sentence",
    ["p53 binds to the promoters of many genes.", "α-synuclein accumulates in the neurons of such patients.",
     "pg_dump writes a script of the whole database.", "pH is a scale of acidity for water.",
     "os.environb: Bytes version of the environment.",
     "key function: A callable that returns a value for sorting."],
)  # fmt: skip
def test_a_sentence_may_begin_with_a_name_in_small_letters(sentence: str) -> None:
    assert [p.text for p in passages(sentence)] == [sentence]
    begun = "The client is a program of its own."
    assert texts(f"{begun} {sentence}") == [f"{begun} {sentence}"]
    assert len(sentences(f"{begun} {sentence}")) == 2


@pytest.mark.parametrize(
    "sentence",
    ["where x is the mass of the body in grams.", "name of the table that is to be dropped.",
     "adds control structures to the language itself."],
)  # fmt: skip
def test_the_rest_of_a_sentence_is_none(sentence: str) -> None:
    assert texts(sentence) == []


@pytest.mark.parametrize(
    "sentence",
    ["This section explains how the parameters are set.", "In this tutorial you will learn how branches work.",
     "The following table lists the known parameters.", "See the meaning of the fields in Section 9.",
     "For more information, see the manual of the server."],
)  # fmt: skip
def test_a_sentence_about_the_text_itself_is_no_evidence(sentence: str) -> None:
    fact = "Sodium was isolated by Humphry Davy in 1807."
    assert texts(f"{fact} {sentence}") == [fact]


@pytest.mark.parametrize(
    "sentence",
    ["The lock is released when the transaction ends (see Section 13.3).",
     "This Document does not cover any patents over the database.",
     "Give the name of the <file> that the output goes to."],
)  # fmt: skip
def test_a_fact_beside_a_reference_stays(sentence: str) -> None:
    assert texts(sentence) == [sentence]


def test_short_sentences_stand_in_company_only() -> None:
    assert texts("It burns. It melts.") == []
    assert texts("Its symbol is Na. Sodium was isolated by Davy in 1807.") == [
        "Its symbol is Na. Sodium was isolated by Davy in 1807."
    ]


def test_other_languages_are_cut_too() -> None:
    assert texts("ナトリウムは原子番号11の元素である。元素記号はNaである。", "ja") != []
    assert texts("الصوديوم عنصر كيميائي رمزه الكيميائي صوديوم. هل هو فلز؟", "ar") != []
    assert texts("सोडियम एक रासायनिक तत्व है जिसका प्रतीक एनए है।", "hi") != []


def test_composed_characters_are_kept_as_written() -> None:
    page = "The number is 6.022 × 10²³ per mole of substance."
    assert texts(page) == [page]


@given(TEXTS)
def test_whatever_the_text_passages_keep_their_promises(page: str) -> None:
    source, position = clean(page), 0
    for passage in passages(page):
        found = source.find(passage.text, position)
        assert found >= 0, "in order, without overlap, a substring of the cleaned text"
        position = found + len(passage.text)
        assert len(passage.text) <= MAX_CHARS
        assert 1 <= len(sentences(passage.text)) <= MAX_SENTENCES
        assert "\n" not in passage.text
        assert passage.text == passage.text.strip()


@given(TEXTS)
def test_cleaning_twice_is_cleaning_once_for_what_is_cut(page: str) -> None:
    assert passages(page) == passages(page)
    assert all(text in clean(page) for text in texts(page))


@given(st.integers(2, 12), st.integers(20, 300))
def test_no_usable_sentence_is_lost(count: int, length: int) -> None:
    written = [f"Sentence {n} holds a fact about metal {'x' * length}." for n in range(count)]
    assert " ".join(texts(" ".join(written))) == " ".join(written)
