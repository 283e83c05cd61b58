"""Final answers: what is read of multiple choice and in words, and what counts as the reference."""

from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from fathom.agents.answers.final.answer import answer_kind, final_stands_in, read_final, same_answer
from fathom.agents.answers.numbers.compare import equal_quantity
from fathom.agents.answers.numbers.read import read_number
from fathom.state.deepquestion.items import AnswerKind, Problem

from ...support.corpora import surrounded, tsv

REPLIES = tsv("final_answers.tsv")
PAIRS = [
    (kind, said, reference, float(tolerance) if tolerance else None, {"right": True, "wrong": False}.get(verdict))
    for kind, said, reference, tolerance, verdict in tsv("same_answers.tsv")
]
"""What was said, the reference, and whether that is the same; None: somebody has to judge."""
KINDS: dict[str, AnswerKind] = {kind: kind for kind in get_args(AnswerKind)}


def test_the_letters_or_the_words_of_a_reply_are_read_whatever_stands_around() -> None:
    for kind, options, text, read in REPLIES:
        for reply in surrounded(text, seen=kind == "choice" or text.startswith("Answer: ")):
            assert (read_final(reply, KINDS[kind], options.split("|")) or "-") == read, reply


def test_which_answers_are_the_reference() -> None:
    for kind, said, reference, tolerance, same in PAIRS:
        if kind in KINDS:
            assert same_answer(said, reference, KINDS[kind], tolerance=tolerance) is same, (said, reference)


def test_a_text_is_itself_and_no_other_whatever_stands_around() -> None:
    for kind, said, reference, _, same in PAIRS:
        if kind == "anywhere":
            for around in ("{}", "Answer: {}", "So it is $\\boxed{{{}}}$."):
                read = read_final(around.format(said), "text")
                assert same_answer(read, said, "text") is True, read
                assert same_answer(read, reference, "text") is same, (read, reference)


def test_equality_needs_the_value_itself() -> None:
    for kind, said, reference, _, same in PAIRS:
        one, other = read_number(said), read_number(reference)
        if kind == "equal" and one and other:
            assert equal_quantity(one, other) is same, (said, reference)


def test_a_final_answer_stands_in_a_text_in_any_form_and_with_its_own_value() -> None:
    for kind, said, reference, _, same in PAIRS:
        assert kind != "stated" or final_stands_in(said, reference) is same, (said, reference)


def test_with_options_a_problem_is_of_multiple_choice() -> None:
    assert answer_kind(Problem(id="p", question="How much?", answer="B", options=("18", "20"))) == "choice"


OPTIONS = {row[1]: row[1].split("|") for row in REPLIES if row[0] == "choice"}
CHOSEN = (
    *("Answer: {0}", "**Answer: ({0})**", "Answer: {0}. {1}", "Answer: {0}) {1}", "Answer: {1}", "Answer: ({0}) {1}"),
    *("Hence {0}.", "So the answer is {0}.", "Therefore, option {0} is correct.", r"$\boxed{{{0}}}$", "{0}"),
)


@given(st.sampled_from(sorted(OPTIONS)), st.integers(0, 3), st.sampled_from(CHOSEN))
def test_a_choice_is_read_back_however_it_is_written(shown: str, place: int, written: str) -> None:
    options = OPTIONS[shown]
    place = min(place, len(options) - 1)
    reply = written.format(chr(65 + place), options[place])
    assert read_final(reply, "choice", options) == chr(65 + place), (reply, options)
