"""DeepQuestion after something went wrong: in a host, inside the cycle of drafts, at the judge."""

import json

from fathom.graphs.deepquestion.calls import baseline_pairs
from fathom.state.errors import CallFailed, ReplyUnreadable
from fathom.state.events import ItemFinished, ProblemClosed
from fathom.state.problems import Problem, ProblemSet
from fathom.tools.models.chat import ChatRequest

from ...support.deepquestion.toy import GUIDES, SUMS, QuestionModel, QuestionRun
from ...support.eqt.toy import block


async def test_a_draft_that_cannot_be_read_is_a_round_and_not_the_end() -> None:
    seen: list[ChatRequest] = []

    def draft(request: ChatRequest) -> str | Exception:
        seen.append(request)
        return (
            ReplyUnreadable("refusal", "no")
            if len(seen) == 1
            else QuestionModel()._prompt_draft(request)
        )

    run = QuestionRun(QuestionModel(prompt_draft=draft), SUMS[:1])
    result = await run.play(run.spec(kinds=("q2s",), rounds=4))
    assert [each.score for each in result.prompts[0].rounds] == [None, 5, 7, 9]
    assert result.prompts[0].converged
    assert seen[0].seed != seen[1].seed  # or the same reply might come again


async def test_never_a_readable_draft_says_why() -> None:
    run = QuestionRun(
        QuestionModel(prompt_draft=lambda _: ReplyUnreadable("refusal", "It will not.")),
        SUMS[:1],
    )
    result = await run.play(run.spec(kinds=("q2s",), rounds=2))
    assert result.stop_reason == "not_converged"
    assert "It will not." in result.stop_detail
    assert run.model.counts == {"prompt_draft": 2}


async def test_a_generator_or_a_judge_that_is_down_is_no_complete_run() -> None:
    run = QuestionRun(QuestionModel(scenario=lambda _: CallFailed("connection", "down")))
    assert (await run.play(run.spec(guides=GUIDES))).stop_reason == "infrastructure"
    words = Problem(
        id="w",
        question="Which sea lies between the sum of 1 and 10 islands?",
        answer="The Aegean Sea",
    )
    silent = QuestionRun(
        QuestionModel(
            solution=lambda _: "Answer: the sea of Crete",
            verdict=lambda _: CallFailed("timeout", "late"),
        ),
        (words,),
    )
    result = await silent.play(silent.spec(kinds=("q2s",), guides={"q2s": "Tell a story."}))
    assert (result.stop_reason, result.original.n, result.original_unscored) == (
        "infrastructure",
        0,
        1,
    )


async def test_an_answer_that_no_rule_can_read_goes_to_the_judge() -> None:
    def judge(request: ChatRequest) -> str:
        same = (
            "twenty and two more" in block(request, "answer")
            and block(request, "reference") == "22"
        )
        return json.dumps({"reason": "", "verdict": "asserts" if same else "contradicts"})

    run = QuestionRun(
        QuestionModel(solution=lambda _: "Answer: twenty and two more", verdict=judge), SUMS[:1]
    )
    result = await run.play(run.spec(kinds=("q2i",), guides=GUIDES))
    assert (result.original.count, result.original.n) == (1, 1)


async def test_problems_close_in_order_whatever_takes_longer() -> None:
    """What fails early takes fewer steps: a run that is cut off would be about the failures."""

    def write(request: ChatRequest) -> str:
        bad = block(request, "answer") in (
            "33",
            "44",
        )  # rejected at once, while the first is still written
        return json.dumps(
            {
                "instruction": "Write whatever you like."
                if bad
                else "Add two numbers, so that 22 comes out."
            }
        )

    run = QuestionRun(
        QuestionModel(instruction=write, created_question=lambda _: "1 apples and 21 pears?")
    )
    await run.play(run.spec(kinds=("q2i",), guides=GUIDES))
    closed = [event for event in run.events if isinstance(event, ProblemClosed)]
    assert [(event.index, event.marks["q2i"]) for event in closed] == [
        (0, "right"),
        (1, "rejected"),
        (2, "rejected"),
    ]
    ids = [event.item.id for event in run.events if isinstance(event, ItemFinished)]
    last = max(
        event.seq
        for event in run.events
        if isinstance(event, ItemFinished) and "p2@" in event.item.id
    )
    assert all(event.seq > last for event in closed), ids


def test_baseline_pairs_are_different_pairs() -> None:
    for count in (1, 2, 3, 10):
        problems = ProblemSet(name="many", problems=tuple(_numbered(n) for n in range(count)))
        for seed in range(20):
            spec = QuestionRun().spec(baseline=10, seed=seed)
            pairs = baseline_pairs(spec, problems)
            assert all(index != other for index, other in pairs.items())
            told = {frozenset(pair) for pair in pairs.items()}
            assert len(told) == len(pairs) >= {1: 0, 2: 1, 3: 2, 10: 10}[count]


def _numbered(number: int) -> Problem:
    return Problem(id=f"p{number}", question=f"{number}?", answer="1")
