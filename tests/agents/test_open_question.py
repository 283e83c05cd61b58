"""Which questions yes or no would answer."""

import json

import pytest

from fathom.agents.paraphraser.open_question import without_verdict
from fathom.agents.questioner.question_text import is_binary

from ..support.paths import REAL

ANSWERS = REAL / "depthqa/llama3_8b_zero-shot.json"
BINARY = (
    "Is iron heavier than gold?",
    "If I heat iron, does it melt?",
    "Does iron melt when heated?",
    "Does it matter or not?",
    "Isn’t this contradictory?",
    "Water boils at 100 °C, right?",
    "I know that iron rusts. Could we say that gold does?",
    "So is every metal a solid?",
    "Can Euler's method be applied to all types of differential equations?",
    "True or false?",
    "“Are all metals shiny?”",
)
OPEN = (
    "Why is iron heavier than aluminium?",
    "Is it so, and why?",
    "Is it so? If so, why?",
    "Can you explain what iron is?",
    "Could you write a complete proof?",
    "Is iron or gold heavier?",
    "When does iron melt?",
    "In what sense is it a metal?",
    "Explain whether every matrix has a basis of eigenvectors.",
    "Why is branching unstructured? And is it a bad design choice?",
    "Describe how iron rusts.",
    "Canned food is kept in tin: what for?",
    "",
)


@pytest.mark.parametrize("question", BINARY)
def test_yes_or_no_answers_it(question: str) -> None:
    assert is_binary(question)


@pytest.mark.parametrize("question", OPEN)
def test_yes_or_no_is_no_answer(question: str) -> None:
    assert not is_binary(question)


@pytest.mark.skipif(not ANSWERS.is_file(), reason="the real questions do not lie beside this clone")
def test_nearly_all_published_questions_are_open() -> None:
    """The paper found 98.7 % of a sample to be open (DepthQA, section 3.3)."""
    questions = [
        row["question"] for row in json.loads(ANSWERS.read_text(encoding="utf-8")).values()
    ]
    assert 1 <= sum(map(is_binary, questions)) <= 0.013 * len(questions)


@pytest.mark.parametrize(
    ("reference", "left"),
    [
        ("No. The orchard needs them more.", "The orchard needs them more."),
        ("Yes, because iron rusts.", "Because iron rusts."),
        ("No – it does not.", "It does not."),
        ("Noble gases do not.", "Noble gases do not."),
        ("No gas does.", "No gas does."),
        ("Yes.", "Yes."),
        ("", ""),
    ],
)
def test_a_reference_loses_the_verdict_nobody_asks_for(reference: str, left: str) -> None:
    assert without_verdict(reference) == left
