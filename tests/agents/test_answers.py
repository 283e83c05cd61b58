"""Answers by their form alone: what the last line says, and when form cannot tell."""

import pytest

from fathom.agents.answers.choice import Selection, plain_selection, selection_of
from fathom.agents.answers.final_answer import (
    answer_kind,
    final_stands_in,
    lost_figures,
    read_final,
    same_answer,
)
from fathom.agents.answers.quantity import read_quantity, same_quantity
from fathom.state.problems import Problem

from ..support.corpora import tsv


@pytest.mark.parametrize(
    ("reply", "letters"),
    [
        ("Answer: A, C", "AC"),
        ("Let me see, it may be B.\n\n**Answer: C, A.**", "AC"),
        ("<think>Answer: B</think>\nfinal answer: b", "B"),
        ('{"answer": ["A", "C"]}', "AC"),
        ('```json\n{"reason": "…", "answer": "B"}\n```', "B"),
        ('{"answer": ["C"], "final": ["E"]}', None),
        ("Answer: A and C", None),
        ("Answer: A\nWait, B.\nAnswer: B", None),
        ("Answer: A\nThat is all.", None),
        ("Answer: F", None),
        ("Answer: AC", None),
        ("A", None),
        ("{", None),
        ("", None),
    ],
)
def test_letters_are_read_off_the_line_that_was_asked_for(
    reply: str, letters: str | None
) -> None:
    places = plain_selection(reply, 5)
    assert (None if places is None else "".join(chr(65 + p) for p in sorted(places))) == letters


def test_what_the_judge_reads_is_letters_or_no_selection() -> None:
    assert selection_of(Selection(selected=["C", "A"]), 3) == ("letters", frozenset({0, 2}))
    for reply in (
        Selection(selected=[]),
        Selection(selected=["D"]),
        Selection(selected=["A"], taken_back=True),
    ):
        assert selection_of(reply, 3) == ("unreadable", frozenset())
    with pytest.raises(ValueError, match="one capital letter"):
        Selection(selected=["A and B"])


def test_no_answer_of_the_letters_is_misread() -> None:
    options = {"cell": 10, "plants": 5, "metals": 10}
    for shown, reply, chosen in tsv("letters.tsv"):
        places = plain_selection(reply, options.get(shown, len(shown.split("|"))))
        letters = "".join(chr(65 + place) for place in sorted(places or ()))
        assert places is None or letters == chosen, reply


VERDICTS = {"right": True, "wrong": False, "judge": None}


def test_no_two_quantities_are_called_the_same_or_different_wrongly() -> None:
    said_by_form = 0
    for verdict, reference, answers, *_ in tsv("same_quantities.tsv"):
        for answer in answers.split(" ; "):
            number, wanted = read_quantity(answer), read_quantity(reference)
            same = same_quantity(number, wanted) if number and wanted else None
            assert same in (None, VERDICTS[verdict]), (answer, reference)
            said_by_form += same is not None
    assert said_by_form > 80


@pytest.mark.parametrize(
    ("answer", "reference", "same"),
    [
        ("18", "18.0", True),
        ("18.01", "18", False),
        ("1,000 m", "1 km", True),
        ("45.04 g", "45.0 g", True),
        ("45.3 g", "45.0 g", False),
        ("45.1 g", "45.0 g", None),  # one off in the last place
        ("3 s", "3 m", None),
        ("$18", "18", True),
        ("$18", "€18", None),
        ("25%", "25", True),
        ("77 °F", "25 °C", True),
        ("1.5e3", "1500", True),
        ("3/4", "0.75", True),
        ("1e999 m", "5 km", None),
    ],
)
def test_numbers_are_equal_and_measured_ones_to_the_precision_written(
    answer: str, reference: str, same: bool | None
) -> None:
    number, wanted = read_quantity(answer), read_quantity(reference)
    assert number is not None
    assert wanted is not None
    assert same_quantity(number, wanted) is same


def test_what_is_no_plain_number_is_left_to_the_judge() -> None:
    for text in (
        "12 eggs",
        "3-4",
        "5!",
        "12:30",
        "2 h 20 min",
        r"\boxed{4}",
        "about 7",
        "",
        "1,5",
        "5 s⁻¹",
        "3/0",
        "5 nan",
        "5 J dB",
    ):
        assert read_quantity(text) is None, text


def test_a_tolerance_is_a_relative_difference_besides() -> None:
    ten, more = read_quantity("10"), read_quantity("10.2")
    assert ten is not None
    assert more is not None
    assert same_quantity(more, ten, 0.02)  # 0.2 / 10
    assert not same_quantity(more, ten, 0.019)


def test_a_final_answer_is_compared_by_its_kind() -> None:
    assert answer_kind(Problem(id="p", question="?", answer="18 kg")) == "number"
    assert answer_kind(Problem(id="p", question="?", answer="a cell")) == "text"
    assert (
        answer_kind(Problem(id="p", question="?", answer="B", options=("1", "2"))) == "choice"
    )
    assert read_final("So it is 18.\nAnswer: 18 kg", "number") == "18 kg"
    assert read_final("It is 18 kg.", "number") == ""
    assert read_final("Answer: B", "choice", ["1", "2"]) == "B"
    assert same_answer("a  cell.", "a cell", "text") is True
    assert same_answer("cell", "a cell", "text") is None
    assert same_answer("", "18", "number") is None
    assert same_answer("B", "A", "choice") is False


def test_a_text_states_an_answer_or_loses_a_figure() -> None:
    assert final_stands_in("The result is to be 1,000 g.", "1000 g")
    assert not final_stands_in("The result is to be 100 g.", "1000 g")
    assert final_stands_in("It ends with a cell.", "a cell")
    text = "In 1914 there were 1,000 of 30."
    assert lost_figures(text, "1000 of them in 1914") == ["30"]
    assert lost_figures("World War 2 ended", "the war ended") == ["2"]
