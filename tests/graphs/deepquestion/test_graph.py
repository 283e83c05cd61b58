"""DeepQuestion in memory: the cycle of drafts, what is asked of whom, what is rejected, and what
becomes of faults."""

import json
from functools import partial
from typing import Any

import pytest

from fathom.graphs.run.deps import Clock
from fathom.state.errors import CallFailed, ReplyUnreadable, UsageError
from fathom.state.events import Event, ItemFinished, ProblemClosed, RunResumed, RunStarted
from fathom.state.problems import Problem, Transformed
from fathom.tools.models.chat import ChatRequest
from fathom.tools.runs.journal import MemorySink

from ...support.deepquestion.toy import GUIDES, SUMS, QuestionModel, QuestionRun
from ...support.eqt.toy import block


async def test_a_whole_run() -> None:
    """Three sums, without a mistake anywhere; drafts score 5, 7 and 9."""
    run = QuestionRun()
    result = await run.play(run.spec(distractors=("none", "some"), baseline=2))
    assert run.model.counts == {
        "prompt_draft": 2,
        "prompt_redraft": 4,
        "prompt_score": 6,
        "scenario": 3,
        "scenario_check": 3,
        "distractors": 3,
        "instruction": 3,
        "instruction_check": 3,
        "independent_solution": 3 * 2 + 3,  # a scenario at two loads, and the written question
        "solution": 3 * (1 + 2),
        "created_question": 3,
        "instruction_met": 3,
        "comparison": 3 * 2 + 2 * 2,
    }
    assert (result.status, result.stop_reason) == ("complete", "all_asked")
    assert [[each.score for each in history.rounds] for history in result.prompts] == [
        [5, 7, 9],
        [5, 7, 9],
    ]
    assert all(
        history.converged and history.used and history.score == 9 for history in result.prompts
    )
    assert (result.original.count, result.original.n) == (3, 3)
    assert [
        (row.load, row.accuracy.count, row.drop.drop if row.drop else None)
        for row in result.q2s
    ] == [
        ("none", 3, 0.0),
        ("some", 3, 0.0),
    ]
    assert result.q2i is not None
    assert (result.q2i.accuracy.count, result.q2i.instructions, result.q2i.distance) == (
        3,
        3,
        0.0,
    )
    # the judge prefers whatever stands first: every pair is a tie, and the leaning is seen
    assert all(
        (row.ties, row.contradictory) == (3, 3) for row in result.q2i.comparisons.criteria
    )
    assert result.q2i.comparisons.position[-1].first_share == 1.0
    assert result.baseline is not None
    assert result.baseline.pairs == 2
    closed = [event for event in run.events if isinstance(event, ProblemClosed)]
    marks = dict.fromkeys(("original", "q2s-none", "q2s-some", "q2i"), "right")
    assert [event.marks for event in closed] == [marks] * 3
    assert not result.rejected


async def test_everybody_sees_what_they_should() -> None:
    run = QuestionRun(problems=SUMS[:2])
    await run.play(run.spec(distractors=("none", "many"), guides=GUIDES))
    p2, p3 = (
        run.items[f"{name}@{place}"].prompt for name, place in (("p2", "many"), ("p3", "none"))
    )
    assert p3[-1].text == (
        "Ada goes to market on a bright morning. She carries 3 apples. Her bag holds 30 pears.\n\n"
        "How many pieces of fruit has she?"
    )
    # the distractors stand between the sentences, which stay to the letter (71 to 75, after n mod
    # 4)
    assert p2[-1].text == (
        "The stall is 72 years old. Ada goes to market on a bright morning. The stall is 73 years "
        "old. She carries 2"
        " apples. The stall is 74 years old. Her bag holds 20 pears. The stall is 71 years old. "
        "The stall is 75 years"
        " old.\n\nHow many pieces of fruit has she?"
    )
    for request in run.model.asked:
        told = "\n".join(message.content for message in request.messages)
        if request.purpose in ("solution", "independent_solution"):
            assert "22" not in told  # nobody who solves sees the reference (11 · 2)
            assert "33" not in told
        if request.purpose == "created_question":
            assert "sum of" not in told  # who writes has not seen the problem
        if request.purpose == "scenario":
            assert block(request, "guide") == "Tell a story."
    assert not run.asked("prompt_draft")  # prompts were given


@pytest.mark.parametrize(
    ("changes", "scores", "used"),
    [
        ({"threshold": 7}, [5, 7], True),  # stops at the first score that reaches the threshold
        ({"threshold": 5}, [5], True),
        ({"rounds": 2}, [5, 7], False),
        ({"rounds": 2, "use_best": True}, [5, 7], True),
        ({"single_pass": True}, [5], True),
    ],
)
async def test_the_cycle_of_drafts(
    changes: dict[str, Any], scores: list[int], used: bool
) -> None:
    run = QuestionRun(problems=SUMS[:1])
    result = await run.play(run.spec(kinds=("q2s",), **changes))
    (history,) = result.prompts
    assert [each.score for each in history.rounds] == scores
    assert history.used == used
    assert bool(run.asked("scenario")) == used
    if used:
        drafts = [
            f"First draft: put the q2s into a story, keep numbers.{' Better.' * n}"
            for n in range(3)
        ]
        assert block(run.asked("scenario")[0], "guide") == drafts[len(scores) - 1]


async def test_a_redraft_sees_what_was_wanting_and_never_converging_is_told() -> None:
    run = QuestionRun(
        QuestionModel(
            prompt_score=lambda r: json.dumps(
                {"feedback": "Vague.", "score": 6 - ("Better" in str(r))}
            )
        )
    )
    result = await run.play(run.spec(kinds=("q2s",)))
    assert [each.score for each in result.prompts[0].rounds] == [6, 5, 5, 5, 5]
    assert block(run.asked("prompt_redraft")[0], "feedback") == "6 of 10\nVague."
    assert (result.stop_reason, result.prompts[0].converged, result.prompts[0].best) == (
        "not_converged",
        False,
        1,
    )
    assert "q2s (best score 6)" in result.stop_detail
    assert set(run.model.counts) == {
        "prompt_draft",
        "prompt_redraft",
        "prompt_score",
    }  # nothing else was asked
    # of the scores 6, 5, 5, 5, 5 the first is the best
    again = QuestionRun(run.model)
    best = await again.play(again.spec(kinds=("q2s",), use_best=True))
    assert best.prompts[0].guide == best.prompts[0].rounds[0].draft
    assert best.q2s[0].scenarios == 3


async def test_one_kind_that_does_not_converge_leaves_the_other() -> None:
    def score(request: ChatRequest) -> str:
        return json.dumps(
            {
                "feedback": "No.",
                "score": 9 if "becomes a scenario" in block(request, "task") else 3,
            }
        )

    run = QuestionRun(QuestionModel(prompt_score=score))
    result = await run.play()
    assert result.stop_reason == "not_converged"
    assert (result.q2s[0].scenarios, bool(run.asked("instruction"))) == (3, False)
    assert result.original.n == 3


async def test_faults_are_never_held_against_the_model() -> None:
    """p2: the target cannot be reached; p3: it says nothing; p4: who checks scenarios cannot be
    read."""

    def solve(request: ChatRequest) -> str | Exception:
        text = request.messages[-1].content
        if "sum of 2" in text:
            return CallFailed("timeout", "nobody answered")
        if "sum of 3" in text:
            return ReplyUnreadable("empty", "nothing, twice")
        return QuestionModel()._solution(request)

    def check(request: ChatRequest) -> str | Exception:
        return (
            ReplyUnreadable("parse", "no JSON")
            if "4 apples" in str(request)
            else QuestionModel()._scenario_check(request)
        )

    run = QuestionRun(QuestionModel(solution=solve, scenario_check=check))
    result = await run.play(run.spec(kinds=("q2s",), guides=GUIDES))
    marks = {row.id: row.original.mark for row in result.problems if row.original is not None}
    assert marks == {"p2": "unscored", "p3": "unscored", "p4": "right"}
    assert (result.original.n, result.original.count, result.original_unscored) == (1, 1, 2)
    assert result.original.bounds == (1 / 3, 1.0)
    assert result.unwritten == {"q2s": 1}
    assert result.q2s[0].scenarios == 2
    assert not result.rejected
    drop = result.q2s[0].drop
    assert drop is None  # p4 alone has an original that counts, and no scenario


def _says(text: str, request: ChatRequest) -> str:
    return text


async def test_answers_in_words_go_to_the_judge() -> None:
    problem = Problem(
        id="w1",
        question="Which sea lies between the sum of 1 and 10 islands?",
        answer="The Aegean Sea",
    )
    words = {
        "It is the Aegean sea, in Greece.": "right",
        "The Baltic Sea": "wrong",
        "The Aegean Sea.": "right",
    }
    for said, mark in words.items():
        run = QuestionRun(QuestionModel(solution=partial(_says, f"Answer: {said}")), (problem,))
        result = await run.play(run.spec(kinds=("q2s",), rounds=1, single_pass=True))
        (row,) = result.problems
        assert (row.answer_kind, row.original and row.original.mark) == ("text", mark)
        # what is the reference to the letter needs no judge
        assert ("w1@original@same" in run.items) == (said != "The Aegean Sea.")


async def test_given_texts_are_asked_as_they_are() -> None:
    given = (
        Transformed(
            problem="p2", scenarios={"none": "It carries 2 apples and 20 pears. How many?"}
        ),
        Transformed(problem="p3", instruction="Add two numbers. The final answer is 33."),
    )
    run = QuestionRun(transformed=given)
    result = await run.play(run.spec(distractors=("none",)))
    assert set(run.model.counts) == {
        "solution", "created_question", "independent_solution", "instruction_met", "comparison",
    }  # fmt: skip
    assert (
        result.original.n,
        result.q2s[0].scenarios,
        result.q2i and result.q2i.instructions,
    ) == (
        3,
        1,
        1,
    )
    assert result.prompts == ()
    assert run.items["p2@none"].prompt[-1].text == given[0].scenarios["none"]


def cut(events: list[Event], item: str) -> MemorySink:
    """A journal that ends behind a step."""
    at = next(
        n
        for n, event in enumerate(events)
        if isinstance(event, ItemFinished) and event.item.id.endswith(item)
    )
    sink = MemorySink(Clock().now)
    sink.load(events[: at + 1])
    began = events[0]
    assert isinstance(began, RunStarted)
    sink.load(
        [RunResumed(run_id=began.run_id, spec=began.spec, version="0", probes=0, at=began.at)]
    )
    return sink


@pytest.mark.parametrize("last", ["q2s@draft1", "q2i@score2", "p3@scenario", "p3@some@solved"])
async def test_a_run_that_was_cut_off_goes_on_where_it_was(last: str) -> None:
    whole = QuestionRun()
    wanted = await whole.play()
    kept = cut(whole.events, f"/{last}")
    done = {item.id for item in kept.items("toy-0001")}
    again = QuestionRun(sink=kept)
    result = await again.play()
    own = {event.item.id for event in again.events if isinstance(event, ItemFinished)}
    assert not own & done
    assert len(again.model.asked) == len(whole.model.asked) - len(done)
    without = {"wall_s", "usage", "provenance"}
    assert result.model_dump(exclude=without) == wanted.model_dump(exclude=without)


async def test_a_lost_score_stops_everything_until_it_is_there() -> None:
    """The infrastructure fails inside the cycle: no problem is played, since problems would be
    played twice."""
    broken = QuestionRun(QuestionModel(prompt_score=lambda _: CallFailed("connection", "down")))
    with pytest.raises(Exception, match="could not be drafted or scored"):
        await broken.play()
    assert "solution" not in broken.model.counts


async def test_bound_models_and_problems_must_be_those_of_the_spec() -> None:
    run = QuestionRun()
    for changes, told in (
        ({"generator": "toy:other"}, "generator"),
        ({"material": "0" * 16}, "not this run's"),
        ({"prompts": {"solution": "Solve.\n=== user ===\n$problem"}}, "prompt 'solution'"),
    ):
        with pytest.raises(UsageError, match=told):
            await run.play(run.spec(**changes))
