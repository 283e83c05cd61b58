"""What is read of a solver's and a judge's reply, and texts that tell the answer: found, and not
asked."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from fathom.agents.judge.comparison import compare_questions
from fathom.agents.prober.solver import IndependentReply
from fathom.agents.questioner.choice_wording import is_telling, usable
from fathom.graphs.deepquestion.result import DEVIATIONS, chosen
from fathom.graphs.run.record import conformance
from fathom.state.problems import Distractor, Problem, Transformed
from fathom.tools.models.chat import ChatRequest

from ...support.deepquestion.toy import GUIDES, SUMS, QuestionModel, QuestionRun
from ...support.eqt.toy import block

FINALS = {
    '{"solvable": false, "answer": null}': "",
    '{"working": null, "solvable": false, "answer": ["33"]}': "",
    '{"solvable": false, "answer": "33"}': "",
    '{"solvable": true, "answer": null}': "",
    '{"solvable": true}': "",
    '{"solvable": true, "answer": 33}': "33",
    '{"solvable": true, "answer": 0.5}': "0.5",
    '{"solvable": true, "answer": " 33 g "}': "33 g",
}


def test_nothing_is_an_answer_and_a_boolean_is_none() -> None:
    assert {said: IndependentReply.model_validate_json(said).final for said in FINALS} == FINALS
    for said in (
        '{"solvable": true, "answer": true}',
        '{"answer": null}',
        '{"solvable": null}',
        "[]",
    ):
        with pytest.raises(ValidationError):
            IndependentReply.model_validate_json(said)


async def test_what_cannot_be_solved_counts_as_invalid() -> None:
    def solve(request: ChatRequest) -> str:
        said = json.loads(QuestionModel()._independent_solution(request))
        return json.dumps(said | {"answer": said["answer"] or None})

    def create(request: ChatRequest) -> str:
        text = request.messages[-1].content
        return (
            QuestionModel()._created_question(request)
            if "22" in text
            else "How many are there?"
        )

    run = QuestionRun(QuestionModel(created_question=create, independent_solution=solve))
    row = (await run.play(run.spec(kinds=("q2i",), guides=GUIDES))).q2i
    assert row is not None
    assert (row.accuracy.count, row.accuracy.n, row.unscored, row.invalid) == (
        1,
        3,
        0,
        {"not answerable": 2},
    )


async def test_a_judge_says_which_question_follows_the_instruction() -> None:
    four = json.dumps(
        dict.fromkeys(("clarity", "reasoning_demand", "realism", "no_giveaway"), "first")
    )
    model = QuestionModel(comparison=lambda _: four)
    assert "instruction_following" not in (
        await compare_questions(model, "A?", "B?")
    ).preferences(instructed=False)
    assert len(model.asked) == 1

    def mended(request: ChatRequest) -> str:
        return four if len(request.messages) == 2 else QuestionModel()._comparison(request)

    model = QuestionModel(comparison=mended)
    told = (await compare_questions(model, "A?", "B?", "Ask.")).preferences(instructed=True)
    assert (told["instruction_following"], len(model.asked)) == ("first", 2)  # not a silent tie


def test_answers_that_stand_nowhere_by_chance() -> None:
    telling = (
        "22",
        "0.25 mol",
        "$1,250",
        "1/3",
        "6.6e-34 J",
        "helium",
        "the Red Sea basin",
        "NaCl",
    )
    chance = ("7", "20", "$500", "1/2", "0.5 g", "yes", "H2O", "no sea", "−3")
    assert [answer for answer in (*telling, *chance) if is_telling(answer)] == list(telling)


def test_distractors_that_tell_the_answer_or_repeat_are_dropped() -> None:
    problem = Problem(id="p", question="What is the sum of 2 and 20?", answer="22 apples")
    texts = {
        "The stall is 71 years old.": "",
        "  the stall is 71 years OLD.": "repeats",
        "Altogether it is 22 pieces.": "gives away",
        "Ada has 2 apples.": "repeats",
        "How many has she?": "repeats",
        "She has paid 2.20.": "",
    }
    written = [Distractor(text=text, after=0) for text in texts]
    kept, dropped = usable(problem, ["Ada has 2 apples."], "How many has she?", written)
    found = dict.fromkeys((each.text for each in kept), "") | {
        each.text: each.why for each in dropped
    }
    assert found == texts
    assert [each.text for each in kept] == [text for text, why in texts.items() if not why]
    stated = problem.model_copy(
        update={"question": "Are 2 and 20 together 22? How many are they?"}
    )
    assert not [each for each in usable(stated, (), "", written)[1] if each.why == "gives away"]


async def test_texts_that_tell_the_answer_are_rejected() -> None:
    """p2's scenario states the sum, one of p3's two distractors does."""

    def check(request: ChatRequest) -> str:
        said = json.loads(QuestionModel()._scenario_check(request))
        return json.dumps(said | {"gives_away": block(request, "answer") == "22"})

    def write(request: ChatRequest) -> str:
        told = [f"Somebody counts {33 + n}" for n in range(2)]
        return json.dumps({"distractors": [{"text": text, "after": 1} for text in told]})

    run = QuestionRun(QuestionModel(scenario_check=check, distractors=write), SUMS)
    result = await run.play(run.spec(kinds=("q2s",), guides=GUIDES))
    assert [(each.problem, each.check, each.reason) for each in result.rejected] == [
        ("p2", "gives away", "All there."),
        ("p3", "malformed", "2 distractors were asked for, 2 came, 1 of them are of use"),
    ]
    assert set(result.problems[2].solved) == {"some"}


def deviations(spec: Any) -> tuple[str, ...]:
    return conformance(DEVIATIONS, chosen(spec), spec)


def test_what_a_run_says_of_its_deviations() -> None:
    run = QuestionRun()
    ways: dict[str, dict[str, Any]] = {
        "loop": {},
        "guides": {"guides": GUIDES},
        "given": {"given": True},
    }
    names = {
        way: {each.partition(":")[0] for each in deviations(run.spec(**spec))}
        for way, spec in ways.items()
    }
    drafted, checked = (
        {"one-frame", "score-of-the-prompt"},
        {"answer-held-back", "distractors-by-rule"},
    )
    assert {way: names[way] & drafted for way in names} == {
        "loop": drafted,
        "guides": set(),
        "given": set(),
    }
    assert {way: names[way] & checked for way in names} == {
        "loop": checked,
        "guides": checked,
        "given": set(),
    }
    assert {"unreadable-to-judge", "unlike-forms"} <= names["loop"] & names["given"]
    assert "unlike-forms" not in {
        each.partition(":")[0] for each in deviations(run.spec(kinds=("q2s",)))
    }


async def test_a_generator_that_is_the_target_is_noted() -> None:
    own, other = QuestionModel("openai:gpt-5"), QuestionModel("anthropic:claude-opus-4")
    cast = {"target": own, "generator": own, "evaluator": other, "judge": other}
    named = {role: model.name for role, model in cast.items()}
    noted = []
    for run in (
        QuestionRun(),
        QuestionRun(transformed=(Transformed(problem="p2", scenarios={"some": "How many?"}),)),
    ):
        result = await run.play(run.spec(kinds=("q2s",), guides=GUIDES, **named), **cast)
        noted.append([note.split(":")[0] for note in result.notes if "generator" in note])
    assert noted == [["The generator openai"], []]  # texts that are given have no generator
