"""Rewording questions: what is asked of the model, what passes, and what the comparison says."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.agents.answers.final_answer import lost_figures
from fathom.agents.paraphraser.paraphrase import (
    MANNERS,
    Comparison,
    Reworded,
    compare_wordings,
    find_fault,
    manner_of,
    paraphrase,
)
from fathom.agents.paraphraser.restatement import hardly_restated
from fathom.agents.skill import Ask, block
from fathom.state.errors import ReplyUnreadable
from fathom.state.records import Rejected

from ..support.scripted_chat import Scripted

QUESTION = "Which pigments were known in antiquity?"
OPTIONS = ("red lead", "Prussian\nblue")
SAID = orjson.dumps({"paraphrase": " Name the pigments \n of antiquity. "}).decode()
ALIKE = "it is worded like the question"


async def test_the_prompt_holds_question_options_and_manner() -> None:
    model = Scripted(SAID)
    made = await paraphrase(
        Ask(model, seed=3, language="de"), QUESTION, OPTIONS, MANNERS[0], ["One?", "Two?"]
    )
    assert made == "Name the pigments of antiquity."
    request = model.asked[0]
    assert (request.purpose, request.seed, request.schema, request.temperature) == (
        "paraphrase",
        3,
        Reworded,
        0.0,
    )
    for name, value in {
        "question": QUESTION,
        "options": "red lead\nPrussian blue",
        "manner": MANNERS[0],
        "taken": "One?\nTwo?",
        "language": "de",
    }.items():
        assert block(name, value) in request.messages[-1].content


@pytest.mark.parametrize(
    ("written", "shown"), [("Once more?", "Once more?"), ("", "(nothing)")]
)
async def test_what_will_not_do_goes_back_with_the_reason(written: str, shown: str) -> None:
    model = Scripted(SAID)
    await paraphrase(
        model,
        QUESTION,
        OPTIONS,
        MANNERS[0],
        last=Rejected(text=written, reason="its wording is taken"),
    )
    before, again = model.asked[0].messages[-2:]
    assert (before.role, before.content, again.role) == ("assistant", shown, "user")
    assert "cannot be used: its wording is taken." in again.content


def test_manners_come_in_turn_and_say_when_they_come_again() -> None:
    assert [manner_of(number) for number in range(1, 6)] == list(MANNERS)
    assert (
        manner_of(6) == f"{MANNERS[0]} Others have done so 1 time before: find another wording."
    )
    assert (
        manner_of(15)
        == f"{MANNERS[4]} Others have done so 2 times before: find another wording."
    )
    assert len({manner_of(number) for number in range(1, 101)}) == 100


async def test_the_comparison_sees_both_wordings() -> None:
    model = Scripted('{"same_meaning": true, "self_contained": true, "reworded": true}')
    found = await compare_wordings(Ask(model, seed=3), QUESTION, "Name them.", OPTIONS)
    assert found.fault is None
    request = model.asked[0]
    assert (request.purpose, request.seed, request.schema) == ("same_question", 3, Comparison)
    for name, value in {
        "question": QUESTION,
        "paraphrase": "Name them.",
        "options": "red lead\nPrussian blue",
    }.items():
        assert block(name, value) in request.messages[-1].content
    with pytest.raises(ReplyUnreadable):  # "true" is no boolean
        await compare_wordings(
            Scripted('{"same_meaning": "true", "self_contained": true, "reworded": true}'),
            "a",
            "b",
            OPTIONS,
        )


@pytest.mark.parametrize(
    ("same", "contained", "reworded", "fault"),
    [
        (True, True, True, None),
        (False, False, False, "it asks for something else"),
        (True, False, False, "it cannot be understood by itself"),
        (True, True, False, "it is hardly reworded"),
    ],
)
def test_the_first_fault_counts(
    same: bool, contained: bool, reworded: bool, fault: str | None
) -> None:
    assert (
        Comparison(same_meaning=same, self_contained=contained, reworded=reworded).fault
        == fault
    )


@pytest.mark.parametrize(
    ("question", "reworded", "fault"),
    [
        (QUESTION, "Name the pigments that the ancients had.", None),
        (QUESTION, "", "it is empty"),
        (QUESTION, " ?! ", "it is empty"),
        (QUESTION, QUESTION, ALIKE),
        (QUESTION, "“Which pigments were KNOWN in antiquity”", ALIKE),
        # one word more or less in a long question
        (
            (
                "Which of the following statements about the causes of the Thirty Years' War do "
                "historians share?"
            ),
            (
                "Which of the following statements about the causes of the Thirty Years' War do "
                "historians not share?"
            ),
            ALIKE,
        ),
        (QUESTION, "Taken, this one!", "its wording is taken"),
        (QUESTION, "What pigments? " * 30, "it is far longer than the question"),
        (
            "What does E. coli need?",
            "E. coli grows only with certain things. Which are they?",
            None,
        ),
        (
            "What do vitamins A and B do?",
            "There are vitamins A and B. What are they good for?",
            None,
        ),
        (
            "Let A. be a baker and B. his debtor. Who pays?",
            "A baker, A. by name, has a debtor, B. Who has to pay?",
            None,
        ),
        # figures
        (
            "What happened in 1945?",
            "The war ended. What else took place in that year?",
            "it lacks the figure 1945",
        ),
    ],
)
def test_faults(question: str, reworded: str, fault: str | None) -> None:
    assert find_fault(question, reworded, ["Which one?", "taken this ONE", ""]) == fault


def test_what_only_an_option_says_stays_there() -> None:
    options = ("made of red lead", "lead")
    reworded = "Name the pigments of old that are made of red lead."
    assert find_fault(QUESTION, reworded) is None
    assert find_fault(QUESTION, reworded, options=options) == "it says what only an option says"
    assert (
        find_fault(
            "Of the pigments made of red lead, which are old?", reworded, options=options
        )
        is None
    )


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_any_text_is_checked_and_none_passes_for_itself(
    question: str, reworded: str, taken: list[str]
) -> None:
    assert find_fault(question, question) is not None
    assert find_fault(question, reworded, [*taken, reworded]) is not None
    assert lost_figures(question, question) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("At 5 °C, I should say, since that is where it begins to melt.", None),
        ("It melts at 5 °C.", "its words are those of the reference"),
        (
            "I believe the answer is this: it melts at 5 °C.",
            "its words are those of the reference",
        ),
        ("As soon as it is warm enough it turns into a liquid.", "it lacks the figure 5"),
        (" ", "it is empty"),
        ("5 °C " * 100, "it is far longer than the reference"),
    ],
)
def test_a_reference_is_restated_in_other_words_with_its_figures(
    text: str, fault: str | None
) -> None:
    assert hardly_restated("It melts at 5 °C.", text) == fault
