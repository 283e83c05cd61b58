"""What cannot be asked is dropped and counted, and no fault is ever a wrong answer."""

import json

import pytest

from fathom.state.eqt.items import ChoiceQuestion, Paraphrase
from fathom.state.errors import CallFailed
from fathom.tools.models.chat import ChatRequest

from ...support.eqt.toy import ToyModel, ToyRun, block, toy_spec, well_formed


async def test_a_malformed_question_is_asked_for_once_more_with_the_reason() -> None:
    tries: list[ChatRequest] = []

    def write(request: ChatRequest) -> str:
        tries.append(request)
        kind = block(request, "kind").partition(":")[0]
        return well_formed("Tide", kind, count=4 if len(request.messages) > 2 else 3)

    run = ToyRun(ToyModel(choice_question=write))
    result = await run.play(toy_spec(questions=1))
    assert [len(request.messages) for request in tries] == [2, 4]
    assert "it has 3 options and 4 were asked for" in tries[1].messages[-1].content
    question = run.items["c001.q1"]
    assert isinstance(question, ChoiceQuestion)
    assert [r.reason for r in question.rejected] == ["it has 3 options and 4 were asked for"]
    assert (result.numbers.questions, result.numbers.dropped, result.numbers.all.accuracy) == (
        1,
        0,
        1.0,
    )


async def test_twice_malformed_is_dropped_and_counted_and_touches_nothing_else() -> None:
    def write(request: ChatRequest) -> str:
        kind = block(request, "kind").partition(":")[0]
        return well_formed("Tide", kind, right=0 if kind == "relation" else 2)

    run = ToyRun(ToyModel(choice_question=write))
    result = await run.play(toy_spec())
    numbers = result.numbers
    assert (numbers.questions, numbers.dropped, numbers.unscored) == (2, 1, {})
    assert (numbers.all.scored, numbers.all.accuracy) == (6, 1.0)
    dropped = result.concepts[0].questions[2]
    assert (dropped.dropped, dropped.answers) == ("no option is marked as correct", ())
    assert run.model.counts["choice_question"] == 4


@pytest.mark.parametrize("written", ["[]", "I had rather not.", '{"question": "Why?"}'])
async def test_a_model_that_cannot_write_a_question_has_a_result_that_says_so(
    written: str,
) -> None:
    result = await ToyRun(ToyModel(choice_question=lambda _: written)).play(toy_spec())
    assert (result.status, result.stop_reason) == ("failed", "no_questions")
    assert (result.numbers.dropped, result.numbers.all.scored, result.numbers.all.accuracy) == (
        3,
        0,
        None,
    )
    assert result.numbers.unscored == {}
    assert result.stop_detail.startswith(
        "no question that can be asked came about; the first reason: "
    )


async def test_a_question_that_is_asked_already_is_asked_for_again() -> None:
    def write(request: ChatRequest) -> str:
        again = " after all" if len(request.messages) > 2 else ""
        return well_formed(f"Tide{again}", "definition")

    run = ToyRun(ToyModel(choice_question=write))
    result = await run.play(toy_spec(questions=2, paraphrases=0))
    first, second = result.concepts[0].questions
    assert first.text != second.text
    assert run.items["c001.q2"].rejected[0].reason == "this question is asked already"  # type: ignore[union-attr]


async def test_paraphrases_differ_from_the_question_and_from_one_another() -> None:
    def reword(request: ChatRequest) -> str:
        again = (
            f" ({len(block(request, 'taken').splitlines())} are taken)"
            if len(request.messages) > 2
            else ""
        )
        return json.dumps(
            {"paraphrase": f"Name the statements that hold true of the tide{again}."}
        )

    run = ToyRun(ToyModel(paraphrase=reword))
    await run.play(toy_spec(questions=1, paraphrases=3))
    texts = [
        item.text for item in run.items.values() if isinstance(item, Paraphrase) and item.text
    ]
    assert texts[:2] == [
        "Name the statements that hold true of the tide.",
        "Name the statements that hold true of the tide (1 are taken).",
    ]
    assert len(set(texts)) == len(texts)


async def test_a_paraphrase_that_will_not_do_twice_is_dropped_and_counted() -> None:
    def echo(request: ChatRequest) -> str:
        return json.dumps({"paraphrase": block(request, "question").upper()})

    run = ToyRun(ToyModel(paraphrase=echo))
    result = await run.play(toy_spec())
    numbers = result.numbers
    assert (numbers.paraphrases, numbers.paraphrases_dropped) == (0, 6)
    assert (numbers.all.scored, numbers.paraphrased.accuracy) == (3, None)
    assert (numbers.consistency.acs, numbers.consistency.uninformative) == (None, 3)


async def test_the_judge_checks_paraphrases_when_asked() -> None:
    def compare(request: ChatRequest) -> str:
        good = "Make" not in block(request, "paraphrase") and "Keep the order" not in block(
            request, "paraphrase"
        )
        return json.dumps({"same_meaning": good, "self_contained": True, "reworded": True})

    run = ToyRun()
    run.judge = ToyModel("toy:judge", same_question=compare)
    result = await run.play(toy_spec(questions=1, verify_paraphrases=True, judge="toy:judge"))
    assert run.judge.counts == {"same_question": 3}, (
        "one is good at once, the other fails twice"
    )
    assert (result.numbers.paraphrases, result.numbers.paraphrases_dropped) == (1, 1)
    dropped = run.items["c001.q1.p2"]
    assert isinstance(dropped, Paraphrase)
    assert dropped.dropped == "it asks for something else"
    assert set(result.usage) == {"examiner", "judge", "target"}


# ---- faults


FAULTS: list[tuple[str, dict[str, int], int]] = [
    ("explanation", {"explanation": 1}, 0),
    ("choice_question", {"question": 3}, 0),
    ("paraphrase", {"paraphrase": 6}, 3),
    ("same_question", {"check": 6}, 3),
    ("choice", {"answer": 9}, 0),
    ("open_book", {"answer": 3}, 9),
]


@pytest.mark.parametrize(("purpose", "unscored", "scored"), FAULTS, ids=[f[0] for f in FAULTS])
async def test_a_fault_is_never_a_wrong_answer(
    purpose: str, unscored: dict[str, int], scored: int
) -> None:
    model = ToyModel()
    model.rules[purpose] = lambda _: CallFailed("timeout", "it took too long.")
    run = ToyRun(model)
    result = await run.play(toy_spec("Tide", open_book=True, verify_paraphrases=True))
    numbers = result.numbers
    assert numbers.unscored == unscored
    assert (numbers.all.scored, numbers.all.correct) == (scored, scored)
    assert numbers.format_failures == numbers.dropped == numbers.paraphrases_dropped == 0
    lost = {item.fault.kind for item in run.items.values() if item.fault}
    assert lost == {"timeout"}
