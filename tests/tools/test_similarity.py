"""The lexical measure takes the same words for one question, and never questions of one pattern about
two subjects."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.tools.similarity import LEXICAL, lexical, similarity_of

REPEATS = [
    ("What is entropy?", "what is  Entropy"),
    ("What is the “melting point” of iron?", "What is the melting point of iron"),
    ("什么是熵？", "什么是熵?"),
]
NEIGHBOURS = [
    ("What is the melting point of iron?", "What is the melting point of tin?"),
    (
        "Which elements are in group 1 of the periodic table?",
        "Which elements are in group 2 of the periodic table?",
    ),
    ("How many protons does element 10 have?", "How many protons does element 12 have?"),
    ("How is 10 written in binary?", "How is 100 written in binary?"),
    ("What is the mass of a proton?", "What is the mass of a photon?"),
    ("What are the phases of mitosis?", "What are the phases of meiosis?"),
    ("What is an endothermic reaction?", "What is an exothermic reaction?"),
    ("When is an equilibrium stable?", "When is an equilibrium unstable?"),
    ("What is the sine of an angle?", "What is the cosine of an angle?"),
    ("What is the formula of sodium sulfate?", "What is the formula of sodium sulfite?"),
    ("How does temperature affect pressure?", "How does pressure affect temperature?"),
    ("How are metres converted to feet?", "How are feet converted to metres?"),
    ("Is a square a rectangle?", "Is a rectangle a square?"),
    ("Who invented the telephone?", "When was the telephone invented?"),
    ("Why does the sky look blue?", "How does the sky look blue?"),
    ("Who is the head of state of France?", "Who was the head of state of France?"),
    ("Which metals are magnetic?", "Which metals are not magnetic?"),
    ("What is the root of x + 1?", "What is the root of x - 1?"),
    ("What is f(x) at 2?", "What is f'(x) at 2?"),
    ("What is 5!?", "What is 5?"),
    ("What is f'?", "What is f?"),
    ("What does a compiler do?", "What is a compiler?"),
    ("What can a graph be?", "What is a graph?"),
    ("What is a catalyst for?", "What is a catalyst?"),
    ("Can a matrix be singular?", "Is a matrix singular?"),
    ("What is the molar mass of Co?", "What is the molar mass of CO?"),
    ("What is the density of In?", "What is the density of At?"),
    ("What is vitamin A?", "What is vitamin B?"),
    ("What is type a?", "What is a type?"),
    ("What is C?", "What is C++?"),
    (
        "What is the determinant of a matrix?",
        "What is the determinant of an orthogonal matrix?",
    ),
    (
        "What is the determinant of a matrix?",
        "How do you calculate the determinant of a matrix?",
    ),
    ("What is linear or convex?", "What is linear and convex?"),
    ("Is gold a metal?", "What is a gold metal?"),
]


def alike(one: str, other: str) -> float:
    found = lexical([one, other], 0.01)
    assert lexical([other, one], 0.01) == found
    return found.get((0, 1), 0.0)


@pytest.mark.parametrize(("one", "other"), REPEATS)
def test_a_rewording_is_one_question(one: str, other: str) -> None:
    assert 0.9 <= alike(one, other) <= 1.0


@pytest.mark.parametrize(("one", "other"), NEIGHBOURS)
def test_a_question_of_the_same_pattern_is_another_one(one: str, other: str) -> None:
    assert alike(one, other) < 0.8


def test_repeats_are_alike_by_their_signs() -> None:
    # without case and doubled blanks 16 signs and 15 of them, 15 in common: .9 + .1·2·15/(16 + 15)
    assert alike(*REPEATS[0]) == pytest.approx(0.9 + 0.1 * 2 * 15 / 31)
    assert alike("What is  tin?", "what is Tin?") == 1.0


@given(st.lists(st.text(max_size=12), max_size=6))
def test_any_texts_have_a_measure(texts: list[str]) -> None:
    found = lexical([*texts, *texts], 0.01)
    assert list(found) == sorted(found)
    assert all(0 <= one < other < 2 * len(texts) for one, other in found)
    assert all(0.9 <= likeness <= 1 for likeness in found.values())
    assert all(found[place, place + len(texts)] == 1 for place in range(len(texts)))
    assert lexical([*texts, *texts], 0.95) == {
        pair: value for pair, value in found.items() if value >= 0.95
    }


def test_questions_without_a_word_of_their_own_are_told_apart() -> None:
    assert alike("What?", "Is it?") < 0.9
    assert alike("???", "!") < 0.9
    assert alike("?", " ?") == 1.0


def test_a_whole_graph_takes_little_room() -> None:
    questions = [
        f"How does the {k % 40}th law of field {k} bear on case {k * 7 % 1000}?"
        for k in range(1_700)
    ]
    tracemalloc.start()
    try:
        assert lexical(questions, 0.8) == {}
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 1_700**2  # a byte for each pair


async def test_the_measure_by_its_name() -> None:
    measure = similarity_of(" lexical ", {})
    assert measure.name == LEXICAL
    assert await measure.pairs(REPEATS[0], 0.9) == lexical(REPEATS[0], 0.9) != {}
