"""What DeepQuestion's checks throw out, with a planted example of each, and what makes an attempt
at Q2I invalid."""

import json

from fathom.state.deepquestion.result import DeepQuestionResult
from fathom.state.problems import Problem
from fathom.tools.models.chat import ChatRequest

from ...support.deepquestion.toy import GUIDES, SUMS, QuestionModel, QuestionRun
from ...support.eqt.toy import block


def checks(result: DeepQuestionResult) -> set[tuple[str, str, str]]:
    """(problem, kind, check) of everything that was rejected."""
    return {(each.problem, each.kind, each.check) for each in result.rejected}


WELL = {"bare": False, "gives_away": False}


def _spoilt(request: ChatRequest) -> str:
    """Scenarios: p2's answer is changed, p3 loses a quantity, p4 is the bare problem."""
    problem = block(request, "problem")
    good = json.loads(QuestionModel()._scenario(request))
    if "of 2 " in problem:
        good["sentences"][1] = "She carries 9 apples."
    elif "of 3 " in problem:
        good["sentences"].pop()
    else:
        good = {"sentences": ["Well."], "question": problem}
    return json.dumps(good)


async def test_scenarios_that_lost_something_are_rejected() -> None:
    """What is planted: a changed quantity, a lost one (only the check sees it), and the problem
    itself."""

    def check(request: ChatRequest) -> str:
        lost = "pears" not in block(request, "scenario")
        return json.dumps(
            {"reason": "I looked.", "missing": ["how many pears"] if lost else []} | WELL
        )

    run = QuestionRun(QuestionModel(scenario=_spoilt, scenario_check=check))
    result = await run.play(run.spec(kinds=("q2s",), guides=GUIDES))
    assert checks(result) == {
        ("p2", "q2s", "answer changed"),
        ("p3", "q2s", "quantity lost"),
        ("p4", "q2s", "bare problem"),
    }
    assert {each.problem: each.reason for each in result.rejected} == {
        "p2": "the evaluator reaches 29",  # 9 + 20
        "p3": "missing: how many pears (I looked.)",
        "p4": "it repeats the problem almost word for word",
    }
    assert (result.original.n, result.q2s[0].scenarios, result.q2s[0].accuracy.n) == (3, 0, 0)
    assert len(run.asked("scenario_check")) == 2  # the third is seen without asking
    assert len(run.asked("solution")) == 3  # the originals alone


async def test_instructions_that_give_the_question_away_are_rejected() -> None:
    problems = tuple(
        each.model_copy(
            update={
                "question": f"{each.question} Count every single one of them twice if you like."
            }
        )
        for each in (
            *SUMS,
            Problem(id="p5", question="What is the sum of 5 and 50?", answer="55"),
        )
    )

    def write(request: ChatRequest) -> str:
        answer, problem = block(request, "answer"), block(request, "problem")
        told = {
            "22": f"Ask this, so that 22 comes out: {problem}",
            "33": "Write a question whose answer is a number, by adding.",
            "44": "Ask for the fruit in a box with 1 apples and 43 pears; the final answer is 44.",
        }
        return json.dumps(
            {"instruction": told.get(answer, f"Add two numbers. The final answer is {answer}.")}
        )

    def check(request: ChatRequest) -> str:
        away = "a box with" in block(request, "instruction")
        return json.dumps({"reason": "It is ready.", "gives_away": away, "complete": True})

    run = QuestionRun(QuestionModel(instruction=write, instruction_check=check), problems)
    result = await run.play(run.spec(kinds=("q2i",), guides=GUIDES))
    assert checks(result) == {
        ("p2", "q2i", "gives away"),
        ("p3", "q2i", "incomplete"),
        ("p4", "q2i", "gives away"),
    }
    assert (
        len(run.asked("instruction_check")) == 2
    )  # a copied question and a missing answer are seen without asking
    assert result.q2i is not None
    assert (result.q2i.instructions, result.q2i.accuracy.count) == (1, 1)


async def test_what_makes_an_attempt_invalid() -> None:
    def create(request: ChatRequest) -> str:
        text = request.messages[-1].content
        if "22" in text:
            return "How many?"  # nobody can answer it
        return (
            "A box has 1 apples and 1 pears. How many?"
            if "33" in text
            else "A box has 4 apples and 40 pears. How many?"
        )

    run = QuestionRun(
        QuestionModel(
            created_question=create, instruction_met=lambda _: '{"reason": "No.", "met": false}'
        )
    )
    result = await run.play(run.spec(kinds=("q2i",), guides=GUIDES))
    assert result.q2i is not None
    assert result.q2i.invalid == {
        "not answerable": 1,
        "another answer": 1,
        "instruction not met": 1,
    }
    assert (result.q2i.accuracy.count, result.q2i.accuracy.n, result.q2i.distance) == (
        0,
        3,
        1.0,
    )
    assert (
        len(run.asked("comparison")) == 2
    )  # only what has the required answer is compared, in both orders
