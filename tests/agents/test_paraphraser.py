"""Rewording questions: what is asked of the model, what passes, and what the comparison says."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.agents.answers.figures import lost_figure
from fathom.agents.paraphraser.paraphrase import (
    MANNERS,
    Comparison,
    Reworded,
    compare_wordings,
    find_fault,
    manner_of,
    paraphrase,
)
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
    ("written", "shown"), [("Once more?", "Once more?"), ("", "(an empty wording)")]
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
    assert manner_of(6) == f"{MANNERS[0]} Others have done so 1 time before: find another wording."
    assert (
        manner_of(15) == f"{MANNERS[4]} Others have done so 2 times before: find another wording."
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
    assert Comparison(same_meaning=same, self_contained=contained, reworded=reworded).fault == fault


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
        # options of its own
        (
            QUESTION,
            "Which of these are old? A. red lead B. cobalt violet C. mauve",
            "it brings options of its own",
        ),
        (QUESTION, "Which are old?\nA) red lead\nB) cobalt violet", "it brings options of its own"),
        (
            QUESTION,
            "Which are old: (a) red lead, (b) cobalt violet?",
            "it brings options of its own",
        ),
        (QUESTION, "Which are old? 1) red lead 2) cobalt violet", "it brings options of its own"),
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
        find_fault("Of the pigments made of red lead, which are old?", reworded, options=options)
        is None
    )


@pytest.mark.parametrize(
    ("question", "reworded"),
    [
        ("at 1,000 °C", "at 1000 °C"),
        ("at 1000 °C", "at 1 000 °C"),
        ("12\u202f000 tonnes", "12,000 tonnes"),
        ("Länge: 1.000 m", "1000 m"),
        ("3,14 m", "3.14 m"),
        ("0.50 mol", "0.5 mol"),
        ("1,234,567.5 t", "1234567.5 t"),
        ("1.5 million dollars", "$1,500,000"),
        ("1,500,000 dollars", "1.5 million dollars"),
        ("2 strands", "Two strands"),
        ("a 3-fold rise", "a threefold rise"),
        ("a 3D model", "a three-dimensional model"),
        ("the 20th century", "the twentieth century"),
        ("the 1st law", "the First Law"),
        ("World War 2", "World War II"),
        ("World War 2", "the Second World War"),
        ("1914–18", "from 1914 to 1918"),
        ("from 1914 to 1918", "1914-18"),
        ("4 July 1776", "July 4, 1776"),
        ("10³ times", "10^3 times"),
        ("x² + 1", "one more than x squared"),
        ("1/2 of it", "one half of it"),
        ("2 Million", "2,000,000"),
        ("3 billion", "3,000,000,000"),
        ("1 step", "a single step"),
        ("12 apples", "a dozen apples"),
        ("50% of cases", "50 percent of the cases"),
        ("5km", "5 kilometres"),
        ("CO2 and H2O", "carbon dioxide and water"),  # figures of names that have others
        ("version 3.2.1", "of version 3.2.1."),
        ("no figures", "none"),
        ("the 21st century", "the twenty-first century"),
        ("25 items", "twenty-five items"),
        ("33 items", "thirty three items"),
        ("200 items", "two hundred items"),
        ("2,500 items", "two thousand five hundred items"),
        ("from 100 to 250", "between one hundred and two hundred and fifty"),
        ("2 hundred", "two hundred"),
        ("a 20-second delay", "a twenty-second delay"),
        ("20 first-year students", "twenty first-year students"),
        ("50% of", "half of"),
        ("0.5 of", "half of"),
        ("1/2 of", "half of"),
        ("1/2 of", "50 % of"),
        ("2½ years", "two and a half years"),
        ("25 percent", "a quarter"),
        ("75%", "three quarters"),
        ("2/3 of", "two-thirds of"),
        ("10^6", "one million"),
        ("10^6", "ten to the power of six"),
        ("5×10^3", "5000"),
        ("3 x 10⁸ m/s", "300 million m/s"),
        ("10⁻³", "0.001"),
    ],
)
def test_figures_may_change_their_form(question: str, reworded: str) -> None:
    assert lost_figure(question, reworded) is None


@pytest.mark.parametrize(
    ("question", "reworded", "lost"),
    [
        ("in 1918 and 1945", "in 2018 and 1945", "1918"),
        ("1914–18", "1914 to 1919", "1918"),
        ("3.14", "3.15", "3.14"),
        ("1,000 kg", "100 kg", "1,000"),
        ("10 kg", "100 kg", "10"),
        ("section 3.2.1", "section 3.2", "3.2.1"),
        ("1.5 million", "15 billion", "1.5 million"),
        ("uranium-235", "uranium-238", "235"),
        ("2 strands", "three strands", "2"),
        ("2 strands", "strands", "2"),
        ("25 items", "twenty-six items", "25"),
        ("5 items", "twenty-five items", "5"),
        ("the 20th century", "the twenty-first century", "20"),
        ("200 items", "three hundred items", "200"),
        ("50%", "0.5%", "50"),
        ("50% of", "a quarter of", "50"),
        ("1/2 of", "1/3 of", "1/2"),
        ("10^6", "10^-6", "10^6"),
        ("10^6", "one thousand", "10^6"),
        ("5×10^3", "5×10^4", "5×10^3"),
    ],
)
def test_figures_that_are_lost(question: str, reworded: str, lost: str) -> None:
    assert lost_figure(question, reworded) == lost


@given(st.integers(0, 10**12), st.sampled_from((",", ".", " ", "\u00a0", "'")))
def test_grouping_never_matters(number: int, sign: str) -> None:
    grouped = f"{number:,}".replace(",", sign)
    assert lost_figure(f"about {number} of them", f"{grouped} or so") is None
    assert lost_figure(f"about {grouped} of them", f"{number} or so") is None
    assert lost_figure(f"about {grouped} of them", f"{number + 21} or so") is not None


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_any_text_is_checked_and_none_passes_for_itself(
    question: str, reworded: str, taken: list[str]
) -> None:
    assert find_fault(question, question) is not None
    assert find_fault(question, reworded, [*taken, reworded]) is not None
    assert lost_figure(question, question) is None
