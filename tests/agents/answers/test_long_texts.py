"""No text takes long: each step of the readers takes time in proportion to it."""

import time

import pytest

from fathom.agents.answers.final.answer import read_final, same_answer
from fathom.agents.answers.letters.read import read_selection
from fathom.agents.answers.numbers.units import conversion

LONG = 12_000
"""Signs of a text."""
LIMIT_S = 1.0
"""A tenth of a second where time is in proportion; many seconds where a step goes back over the
text."""

LETTERS = (
    *(
        "A, ",
        "(A)",
        "Answer:\n",
        "the answer is A ",
        "<think>",
        "</think>",
        r"\boxed{",
        "{",
        "[",
        "\n",
        "*",
        "A.\n",
    ),
    *(
        "the answer is A\n",
        "for x, the answer is A\n",
        "the answer is\nA\nB, C\n",
        "Answer:\nA - x\n",
        "A ✓\n",
    ),
    *(
        "Wait, ",
        "no, no, ",
        "actually A is wrong ",
        "[x] A ",
        "[x] A\n[ ] B\n",
        "A ✓\nx\n",
        "A-",
        "not C or ",
    ),
    *(
        "~~A",
        "<s>",
        "A\u0336",
        "- ",
        " : -",
        "the answer is\n\nA\n",
        "A (because ",
        "A - both ",
        "not ",
    ),
    *("A is wrong ", "solution: A, ", "so ", "✓"),
)
NUMBERS = (
    *(
        "1,",
        "B. ",
        "not 1 ",
        "wait 1 ",
        "(1 g) ",
        "1 g of ",
        "$1$",
        "\\boxed{",
        "\\frac{",
        "( 1 ",
        "x = 1, ",
        "1 kg/",
    ),
    *("a ", "{,", "({", "5! ", "\\log ", "1 (or 2) "),
)


def long(piece: str) -> str:
    return "Answer: " + piece * (LONG // len(piece)) + "x"


@pytest.mark.parametrize("piece", LETTERS)
def test_letters_of_long_texts_take_time_in_proportion(piece: str) -> None:
    started = time.process_time()
    read_selection(
        long(piece), ("gold", "silver, refined", "copper (Cu)", "tin.", "iron and steel")
    )
    assert time.process_time() - started < LIMIT_S


@pytest.mark.parametrize("piece", NUMBERS)
def test_final_answers_of_long_texts_take_time_in_proportion(piece: str) -> None:
    text = long(piece)
    conversion("g", "kg")  # the registry of units is loaded once
    started = time.process_time()
    read_final(text, "number")
    read_final(text, "text")
    read_final(text, "choice", ("1 g", "2 g", "x"))
    same_answer(text, text, "text")
    assert time.process_time() - started < LIMIT_S
