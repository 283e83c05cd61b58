"""Explain-Query-Test: code as an option, questions that give themselves away, silence, specs that
cannot be right."""

import json
import re
from typing import Any

import pytest
from pydantic import ValidationError

from fathom.agents.paraphraser.paraphrase import find_fault
from fathom.agents.questioner.choice_question import (
    Draft,
    DraftOption,
    find_choice_fault,
    right_of,
)
from fathom.state.errors import CallFailed, ReplyUnreadable, UsageError
from fathom.tools.models.chat import ChatRequest

from ...support.eqt.toy import ToyModel, ToyRun, block, shown, toy_spec, user


def draft(question: str, *options: tuple[str, bool]) -> Draft:
    return Draft(
        question=question,
        options=[DraftOption(text=text, correct=correct) for text, correct in options],
    )


# ---- code

CODE = ["the tag <b>", "the tag </table>", "a vector<int> of three", "an if without <else/>"]


def code_question(request: ChatRequest) -> str:
    options = [{"text": text, "correct": place < 2} for place, text in enumerate(CODE)]
    kind = block(request, "kind").partition(":")[0]
    return json.dumps(
        {"question": f"Which {kind} words mark up a <table>?", "options": options}
    )


def says_what_it_sees(request: ChatRequest) -> str:
    """The texts of the right options, as they were shown."""
    seen = [text for text in shown(request).values() if "the tag" in text]
    return "Answer: " + "; ".join(seen)


def reads_the_texts(request: ChatRequest) -> str:
    """The letters of the options whose texts the reply holds."""
    options = re.findall(r"^([A-Z])\. (.*)$", block(request, "question"), re.MULTILINE)
    reply = block(request, "reply")
    return json.dumps({"selected": [letter for letter, text in options if text in reply]})


async def test_code_reaches_the_target_as_it_was_written() -> None:
    def reword(request: ChatRequest) -> str:
        return json.dumps(
            {"paraphrase": f"{block(request, 'manner')} {block(request, 'question')}"}
        )

    run = ToyRun(
        ToyModel(choice_question=code_question, paraphrase=reword, choice=says_what_it_sees)
    )
    run.model.rules |= {"open_book": says_what_it_sees, "selection": reads_the_texts}
    result = await run.play(toy_spec(open_book=True))
    assert result.numbers.all.accuracy == 1.0
    assert result.numbers.open_book_gap == 0.0
    asked = [
        request for request in run.model.asked if request.purpose in ("choice", "open_book")
    ]
    assert all(sorted(shown(request).values()) == sorted(CODE) for request in asked)
    assert all("a <table>?" in user(request) for request in asked)
    paraphrased = [request for request in run.model.asked if request.purpose == "paraphrase"]
    assert all("<\\table>" in user(request) for request in paraphrased), (
        "which is shown with its tags defused"
    )


async def test_the_question_is_worded_open_book_as_it_is_closed_book() -> None:
    run = ToyRun()
    await run.play(toy_spec(questions=1, paraphrases=0, open_book=True))
    closed, opened = (
        user(next(r for r in run.model.asked if r.purpose == p))
        for p in ("choice", "open_book")
    )
    assert opened.endswith(closed)


# ---- giving away


@pytest.mark.parametrize(
    ("question", "fault"),
    [
        (
            "Which are true? (It is a red giant star and it is cold.)",
            "the question gives an option away",
        ),
        (
            "Which holds of a star that is IT IS A RED GIANT star?",
            "the question gives an option away",
        ),
        ("Which of these hold of Betelgeuse?", None),
        ("Which of these hold, if it is a blue dwarf star?", None),
    ],
)
def test_a_question_that_says_a_right_option_is_refused(
    question: str, fault: str | None
) -> None:
    written = draft(
        question, ("It is a red giant", True), ("It is a blue dwarf", False), ("Iron", True)
    )
    assert find_choice_fault(written, 3) == fault


def test_a_name_in_a_question_gives_nothing_away() -> None:
    written = draft(
        "Which metals react with iron?", ("Iron", True), ("Gold", False), ("Nitric acid", True)
    )
    assert find_choice_fault(written, 3) is None


def test_a_question_with_nothing_wrong_in_it_is_refused() -> None:
    written = draft("Which hold?", ("It is red", True), ("It is blue", True))
    assert find_choice_fault(written, 2) == "every option is marked as correct"


def test_a_paraphrase_that_says_an_option_is_refused() -> None:
    options = ["It is a red giant", "It is a blue dwarf"]
    question = "Which of these statements hold of Betelgeuse?"
    fault = "it says what only an option says"
    assert (
        find_fault(question, "Pick what is so of Betelgeuse: it is a red giant.", (), options)
        == fault
    )
    assert find_fault(question, "Pick what is so of Betelgeuse.", (), options) is None
    said = "If it is a red giant, which of these hold of Betelgeuse?"
    assert (
        find_fault(said, "Name what holds of Betelgeuse when it is a red giant.", (), options)
        is None
    )


def test_how_many_are_right_is_drawn_within_bounds() -> None:
    from random import Random

    for count, most in ((2, 1), (3, 1), (4, 2), (10, 5), (26, 6)):
        drawn = {right_of(count, Random(f"{count}:{n}")) for n in range(300)}
        assert drawn == set(range(1, most + 1))


async def test_how_many_should_be_right_differs_from_question_to_question() -> None:
    run = ToyRun()
    await run.play(toy_spec("Tide", "Ebb", questions=6, options=10, paraphrases=0))
    wanted = [block(r, "right") for r in run.model.asked if r.purpose == "choice_question"]
    assert len(set(wanted)) >= 3


# ---- silence


async def test_a_target_that_says_nothing_was_not_heard_and_moves_the_bounds() -> None:
    asked = list[str]()

    def choose(request: ChatRequest) -> str:
        asked.append(request.messages[-1].content)
        return "" if asked[-1] == asked[0] else "Answer: A"

    some = await ToyRun(ToyModel(choice=choose)).play(toy_spec())
    row = some.numbers.all
    assert (row.scored, some.numbers.unscored, some.numbers.format_failures) == (
        8,
        {"answer": 1},
        0,
    )
    assert row.bounds == (row.correct / 9, (row.correct + 1) / 9)
    assert any(
        note.startswith("If all answers that the target left out") for note in some.notes
    )
    for kind in ("empty", "thoughts", "cut_off", "content_filter"):
        error = ReplyUnreadable(kind, "no.")
        unheard = await ToyRun(ToyModel(choice=lambda _, error=error: error)).play(toy_spec())  # type: ignore[misc]
        assert (unheard.numbers.all.scored, unheard.numbers.unscored) == (0, {"answer": 9})


async def test_what_is_missing_is_said() -> None:
    late = iter(range(100))

    def choose(request: ChatRequest) -> str | Exception:
        return CallFailed("timeout", "late.") if next(late) == 4 else "Answer: A"

    result = await ToyRun(ToyModel(choice=choose)).play(toy_spec())
    assert "1 of 9 closed-book answers" in result.stop_detail


# ---- specs


async def test_a_graph_does_not_label_a_result_with_prompts_it_did_not_use() -> None:
    with pytest.raises(UsageError, match="another text for the prompt 'choice'"):
        await ToyRun().play(toy_spec(prompts={"choice": "Mine.\n=== user ===\n$question"}))


@pytest.mark.parametrize(
    "concepts",
    [
        [{"name": "Tide"}, {"name": " tide "}],
        [{"name": "  "}],
        [{"name": "Tide", "category": "All"}],
        [{"name": "x" * 201}],
        [],
    ],
)
def test_a_spec_whose_concepts_cannot_be_told_apart_is_none(
    concepts: list[dict[str, Any]],
) -> None:
    with pytest.raises(ValidationError):
        toy_spec(concepts=concepts)


def test_one_name_in_two_categories_is_two_concepts() -> None:
    spec = toy_spec(
        concepts=[
            {"name": "Cell", "category": "biology"},
            {"name": "Cell", "category": "prisons"},
        ]
    )
    assert len(spec.concepts) == 2
