"""Final answers: what is read of multiple choice and in words, and what counts as the reference."""

from hypothesis import given
from hypothesis import strategies as st

from fathom.agents.answers.final.answer import answer_kind, final_stands_in, read_final, same_answer
from fathom.agents.answers.numbers.compare import equal_quantity
from fathom.agents.answers.numbers.read import read_number
from fathom.state.deepquestion.items import AnswerKind, Problem

from ...support.corpora import of_kinds, surrounded

CHOICES, TEXTS = of_kinds("final_answers.tsv", "choice", "text")
"""The options, a reply, and what is read of it."""
NUMBERS, WORDS, LETTERS, ANYWHERE, EQUAL, STATED = of_kinds(
    "same_answers.tsv", "number", "text", "choice", "anywhere", "equal", "stated"
)
"""What was said, the reference, a tolerance, and whether the one is the other."""
VERDICTS = {"right": True, "wrong": False, "judge": None}


def test_the_letters_of_a_reply_are_read_whatever_stands_around() -> None:
    for options, text, letters in CHOICES:
        for reply in surrounded(text):
            assert (read_final(reply, "choice", options.split("|")) or "-") == letters, reply


def test_of_a_text_the_last_label_or_the_last_paragraph_is_read_whatever_stands_around() -> None:
    for _, text, read in TEXTS:
        for reply in surrounded(text, seen=text.startswith("Answer: ")):
            assert (read_final(reply, "text") or "-") == read, reply


def test_which_answers_are_the_reference() -> None:
    kinds: tuple[tuple[AnswerKind, list[list[str]]], ...] = (
        ("number", NUMBERS),
        ("text", WORDS),
        ("choice", LETTERS),
    )
    for kind, cases in kinds:
        for said, reference, tolerance, verdict in cases:
            same = same_answer(
                said, reference, kind, tolerance=float(tolerance) if tolerance else None
            )
            assert same is VERDICTS[verdict], (said, reference)


def test_an_expression_is_itself_and_no_other_whatever_stands_around() -> None:
    for said, reference, _, verdict in ANYWHERE:
        for around in ("{}", "Answer: {}", "So it is $\\boxed{{{}}}$."):
            read = read_final(around.format(said), "text")
            assert same_answer(read, said, "text") is True, read
            assert same_answer(read, reference, "text") is VERDICTS[verdict], (read, reference)


def test_equality_needs_the_value_itself() -> None:
    for said, reference, _, verdict in EQUAL:
        one, other = read_number(said), read_number(reference)
        assert one is not None
        assert other is not None
        assert equal_quantity(one, other) is VERDICTS[verdict], (said, reference)


def test_a_final_answer_stands_in_a_text_in_any_form_and_with_its_own_value() -> None:
    for said, reference, _, verdict in STATED:
        assert final_stands_in(said, reference) is VERDICTS[verdict], (said, reference)


def test_with_options_a_problem_is_of_multiple_choice() -> None:
    assert (
        answer_kind(Problem(id="p", question="How much?", answer="B", options=("18", "20")))
        == "choice"
    )


CHOSEN = (
    *(
        "Answer: {0}",
        "**Answer: ({0})**",
        "Answer: {0}. {1}",
        "Answer: {0}) {1}",
        "Answer: {1}",
        "Answer: ({0}) {1}",
    ),
    *(
        "Hence {0}.",
        "So the answer is {0}.",
        "Therefore, option {0} is correct.",
        r"$\boxed{{{0}}}$",
        "{0}",
    ),
)


@given(
    st.sampled_from(sorted({options for options, *_ in CHOICES})),
    st.integers(0, 3),
    st.sampled_from(CHOSEN),
)
def test_a_choice_is_read_back_however_it_is_written(shown: str, place: int, written: str) -> None:
    options = shown.split("|")
    place = min(place, len(options) - 1)
    reply = written.format(chr(65 + place), options[place])
    assert read_final(reply, "choice", options) == chr(65 + place), (reply, options)
