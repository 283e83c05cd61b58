"""What a question and its reference tell by their words alone."""

from collections import Counter

import pytest

from fathom.agents.questioner.question_text import (
    adds,
    agrees,
    answered_by_title,
    asks_yes_or_no,
    gives_itself_away,
    offers_answers,
    points_outside,
    said_before,
)

from ...support.drill.toy import tsv

MELTS = ("At what temperature does copper melt?", "Copper melts at 1,085°C.")
VACCINE = "Which vaccine is given to infants or toddlers?"


@pytest.mark.parametrize(
    ("question", "reference", "added"),
    [
        (*MELTS, "1085 °C"),
        (MELTS[0], "The melting point is 1085 degrees Celsius.", "point 1085 °C"),
        ("At what temperature, 1085 degrees Celsius, does copper melt?", MELTS[1], ""),
        ("Which index type, GIN, suits full-text search?", "GIN is the index type that suits full-text search.", ""),
        ("When did Shakespeare, who wrote Hamlet, write it?", "He wrote it in 1600.", "1600"),
        ("What does it do?", "It doesn't rise to −5.0 % from 5–10 mg.", "not ris to -5.0 % from 5 to 10 mg"),
        ("What is the symbol of indium?", "The symbol is In.", "In"),
        ("Which virus is it?", "It is the hepatitis A virus.", "hepatitis A"),
        ("Which unit is it?", "It is the mW, not the MW; 10³, 10⁻³ and ½.", "mW not MW 10^3 10^-3 1/2"),
        ("What is it?", "It is called the colour of haemoglobin.", "color hemoglobin"),
    ],
)
def test_what_a_reference_adds(question: str, reference: str, added: str) -> None:
    assert " ".join(adds(question, reference)) == added
    assert gives_itself_away(question, reference) is (added == "")


@pytest.mark.parametrize(
    ("question", "reference", "offered", "binary"),
    [
        ("Is copper or silver the better conductor?", "Silver is the better conductor.", True, True),
        ("Which conducts better, copper or silver?", "Silver conducts better than copper.", True, False),
        (VACCINE, "Infants or toddlers are given the MMR vaccine.", False, False),
        (VACCINE, "Infants are given the MMR vaccine.", False, False),
        ("Does it rise or fall, and by how much?", "It rises by 5 %.", False, True),
        ("Is copper a metal?", "Copper is a metal.", False, True),
        ("What about copper as a metal?", "No, it is none.", False, True),
        ("Who wrote Parsifal?", "Nobody but Wagner.", False, False),
    ],
)
def test_questions_that_leave_a_choice_only(question: str, reference: str, offered: bool, binary: bool) -> None:
    assert (offers_answers(question, reference), asks_yes_or_no(question, reference)) == (offered, binary)


def test_what_the_title_answers() -> None:
    asked = ("Which element was it that Courtois found?", "It was Iodine that he found.")
    assert answered_by_title(*asked, "Iodine (element)")
    assert not answered_by_title(*asked, "Bernard Courtois")
    assert not answered_by_title("Did Courtois find it?", "He found it.", "Iodine")


@pytest.mark.parametrize(
    "question",
    [
        "What is the default of this option?",
        "What does the parameter above control?",
        "Which value in the following table is largest?",
        "What is the purpose of the function described below?",
        "Which of the methods mentioned earlier is fastest?",
        "What does the passage say about copper?",
        "According to the passage, when was iodine isolated?",
        "According to the text, who isolated iodine?",
        "What does the author say about slavery?",
        "What does the author claim is the cause of the war?",
        "In this example, what does the loop print?",
        "Who discovered this element?",
        "When was this mission launched?",
        "Which team won the championship this year?",
        "In the section above, what is the index called?",
        "What is the boiling point of this compound?",
        "Which of the following is a noble gas?",
        "What is shown in Figure 2?",
        "What is the melting point mentioned in the text?",
        "Which setting does the article recommend?",
        "What does this parameter do?",
        "What is the above-mentioned reaction called?",
        "What is the purpose of these settings?",
        "Which drug does the document name as the first choice?",
        "What is the value of the expression given in the example above?",
        "Which exception, as described here, applies to minors?",
        "Which constant is defined in this section?",
    ],
)
def test_questions_that_point_outside_themselves(question: str) -> None:
    assert points_outside(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which gas makes up the layer above the troposphere?",
        "At temperatures above 100 °C, what state is water in?",
        "In 1969 Apollo 11 landed on the Moon; who commanded this mission?",
        "PostgreSQL has an option fsync; what does this option guard against?",
        "What happens to copper when this metal is heated in air?",
        "Which author wrote Hamlet?",
        "Who is the author of the Principia?",
        "Which section of the small intestine absorbs iron?",
        "What is the main text of the Talmud called?",
        "Which layer lies below the crust?",
        "Which king reigned in the following year, 1067?",
        "Who wrote the article that first described DNA's double helix in 1953?",
        "What parts of a plant are above-ground?",
        "Which command in Git shows this repository's remotes?",
        "Which bird was described earlier than the dodo?",
        "What pressure is shown below 5 km?",
        "Which page size does PostgreSQL use by default?",
        "What did the passage of the Reform Act change in 1832?",
        "Which table of the Bible's laws stands in Exodus?",
        "Why is this so in chemistry?",
        "Which data structure does the text editor Emacs use for its buffer?",
        "What follows the prophase?",
        "Which particle did J. J. Thomson discover, and in which year was this?",
    ],
)
def test_questions_that_hold_what_they_point_at(question: str) -> None:
    assert not points_outside(question)


@pytest.mark.parametrize(
    ("question", "reference", "text", "said"),
    [
        (*MELTS, "Copper is a metal. It melts at 1085 °C and boils at 2562 °C.", True),
        (*MELTS, "Copper melts readily. Iron boils at 1085 °C.", False),
        (*MELTS, "Copper melts at 1058 °C.", False),
        (
            "What is the half-life of radium-226?",
            "It is 1600 years.",
            "The half-life of radium-228 is 1600 years.",
            False,
        ),
        ("When was it?", "It was in the year.", "It was in the year.", False),
        ("Who named radium?", "Curie named radium.", "Radium was named by Marie Curie.", True),
    ],
)
def test_what_was_said_before(question: str, reference: str, text: str, said: bool) -> None:
    assert said_before(question, reference, ["", text]) is said


def test_answers_that_mean_something_else_never_agree_and_most_that_mean_the_same_do() -> None:
    counts = Counter[tuple[str, bool]]()
    for meaning, question, reference, other in tsv("agreement.tsv"):
        agreed = agrees(question, reference, other)
        assert agreed is agrees(question, other, reference)
        assert not (agreed and meaning == "different"), (question, reference, other)
        counts[meaning, agreed] += 1
    assert counts["different", False] >= 390
    assert counts["same", True] >= 0.75 * (counts["same", True] + counts["same", False]), counts
