"""Asking a DepthQA graph in memory: who is asked what, when, with which words, and what becomes of
faults."""

import pytest

from fathom.graphs.depthqa.calls import DepthQACalls, length
from fathom.graphs.depthqa.protocol import planned_questions
from fathom.graphs.run.spread import fixed
from fathom.state.depthqa.items import DepthAnswer, Rating
from fathom.state.errors import CallFailed, UsageError
from fathom.state.events import ItemFinished, TreeClosed
from fathom.state.question_graph import Material, QuestionGraph
from fathom.tools.models.chat import ChatReply, ChatRequest

from ...support.depthqa.toy import TWO_TREES, DepthModel, DepthRun, asked_about, node
from ...support.eqt.toy import block

ONE_CHAIN = QuestionGraph(
    name="toy",
    nodes=(node("c", 3, "b1", "b2"), node("b1", 2, "a1"), node("b2", 2, "a1"), node("a1", 1)),
)


def answer_of(run: DepthRun, place: str) -> DepthAnswer:
    item = run.items[place]
    assert isinstance(item, DepthAnswer)
    return item


def rating_of(run: DepthRun, place: str) -> Rating:
    item = run.items[place]
    assert isinstance(item, Rating)
    return item


async def test_zero_shot_takes_two_rounds_and_asks_each_text_once() -> None:
    run = DepthRun()
    result = await run.play()
    assert run.model.rounds == 2  # all answers at once, all ratings at once
    assert run.model.counts == {
        "depth_answer": 8,
        "rating": 8,
    }  # nine nodes, of which two hold the same question
    assert answer_of(run, "a2@zero-shot").nodes == ("a2", "d")
    assert result.graph.questions == 8
    assert result.modes[0].accuracy["overall"].questions == 8
    assert {event.root for event in run.events if isinstance(event, TreeClosed)} == {"c", "f"}


async def test_the_target_sees_the_question_alone() -> None:
    run = DepthRun()
    await run.play()
    for request in run.model.asked:
        if request.purpose == "depth_answer":
            assert [message.role for message in request.messages] == ["system", "user"]
            assert request.messages[-1].content.startswith("What about")
            assert not any("truth" in message.content for message in request.messages)


async def test_prompt_gold_quotes_the_references_of_the_predecessors() -> None:
    run = DepthRun()
    await run.play(run.spec("prompt-gold"))
    assert run.model.rounds == 2
    asked = {
        asked_about(r.messages[-1].content): r
        for r in run.model.asked
        if r.purpose == "depth_with_context"
    }
    assert set(asked) == {"c", "b1", "b2", "f", "e"}
    assert "The truth about b1." in block(asked["c"], "context")
    assert "The truth about a1." not in block(asked["c"], "context")
    assert run.model.counts == {"depth_with_context": 5, "rating": 5}


async def test_prompt_pred_quotes_the_zero_shot_answers() -> None:
    run = DepthRun()
    await run.play(run.spec("zero-shot", "prompt-pred"))
    # zero-shot; prompt-pred beside the first ratings; the last ratings
    assert run.model.rounds == 3
    assert run.model.counts == {"depth_answer": 8, "depth_with_context": 5, "rating": 13}
    (asked,) = [
        r
        for r in run.model.asked
        if r.purpose == "depth_with_context" and "c?" in r.messages[-1].content
    ]
    assert "Knows about b1." in block(asked, "context")
    assert "truth" not in block(asked, "context")


async def test_prompt_pred_alone_asks_what_it_quotes_and_does_not_rate_it() -> None:
    run = DepthRun()
    result = await run.play(run.spec("prompt-pred"))
    assert run.model.counts == {
        "depth_answer": 6,
        "depth_with_context": 5,
        "rating": 5,
    }  # c and f are never quoted
    assert not answer_of(run, "b1@zero-shot").scored
    assert [mode.mode for mode in result.modes] == ["prompt-pred"]


async def test_multi_turn_generates_every_turn_in_its_own_conversation() -> None:
    run = DepthRun(graph=ONE_CHAIN)
    await run.play(run.spec("zero-shot", "multi-turn"))
    places = [
        place for place in run.items if "@multi-turn@" in place and not place.endswith("@score")
    ]
    # a1 in the conversations of b1 and b2, which end there; b1, b2 and c in that of c
    assert sorted(places) == [
        "b1@multi-turn@a1",
        "b2@multi-turn@a1",
        "c@multi-turn@b1",
        "c@multi-turn@b2",
        "c@multi-turn@c",
    ]
    last = next(r for r in run.model.asked if len(r.messages) == 6)
    assert [message.role for message in last.messages] == [
        "system",
        *["user", "assistant"] * 2,
        "user",
    ]
    assert [m.content for m in last.messages[1:]] == [
        "What about b1?",
        "Knows about b1.",
        "What about b2?",
        "Knows about b2.",
        "What about c?",
    ]
    assert run.model.counts["depth_answer"] == 4 + 5


async def test_ratings_do_not_hold_up_a_conversation() -> None:
    run = DepthRun(graph=ONE_CHAIN)
    await run.play(run.spec("multi-turn"))
    assert run.model.rounds == 4


@pytest.mark.parametrize(
    ("modes", "calls"),
    [
        (("zero-shot",), 2),
        (("prompt-gold",), 2),
        (("prompt-pred",), 3),
        (("zero-shot", "multi-turn"), 4),
    ],
)
async def test_the_critical_path_is_what_the_plan_says(
    modes: tuple[str, ...], calls: int
) -> None:
    run = DepthRun()
    await run.play(run.spec(*modes))
    calls_in_a_row = length(
        DepthQACalls(run.spec(*modes), Material(graph=TWO_TREES)).chain(fixed(1.0))
    )
    assert run.model.rounds == calls_in_a_row == calls


async def test_the_scores_are_the_judges() -> None:
    run = DepthRun(DepthModel(scores={"c": 2, "b1": 4}))
    result = await run.play()
    assert rating_of(run, "c@zero-shot@score").score == 2
    accuracy = result.modes[0].accuracy
    assert [accuracy[level].mean for level in ("D3", "D2")] == pytest.approx([3.5, 14 / 3])
    forward = result.modes[0].discrepancies.forward["D2 → D3"]
    # c: neighbours (4 + 5)/2 = 4.5, own 2: d = .625; f: neighbours 5, own 5: 0
    assert forward.eligible == 2
    assert forward.average == pytest.approx(0.3125)


async def test_an_unreadable_rating_is_no_score() -> None:
    def rating(request: ChatRequest) -> str:
        return (
            '{"reason": "", "score": 4.5}'
            if "b1" in block(request, "question")
            else '{"reason": "", "score": 4}'
        )

    run = DepthRun(DepthModel(rating=rating))
    result = await run.play()
    lost = rating_of(run, "b1@zero-shot@score")
    assert (lost.score, lost.fault and lost.fault.kind) == (None, "parse")
    assert not lost.lost  # the judge was reached: asking again would not help
    assert result.modes[0].unscored == {"judge": 1}
    assert result.modes[0].accuracy["D2"].scored == 2


async def test_silence_is_unscored_and_moves_the_bounds() -> None:
    def silent(request: ChatRequest) -> str:
        return "" if "b1" in request.messages[-1].content else "Knows about it."

    run = DepthRun(DepthModel(depth_answer=silent))
    result = await run.play()
    row = result.modes[0].accuracy["overall"]
    assert (result.modes[0].silent, result.modes[0].unscored) == (0, {"answer": 1})
    assert row.mean is not None
    total = row.mean * row.scored
    assert row.bounds == pytest.approx(
        ((total + 1) / (row.scored + 1), (total + 5) / (row.scored + 1))
    )


async def test_a_flagged_refusal_scores_1_without_a_judge() -> None:
    class Refuses(DepthModel):
        async def complete(self, request: ChatRequest) -> ChatReply:
            reply = await super().complete(request)
            if request.purpose == "depth_answer" and "b1" in request.messages[-1].content:
                return ChatReply("", refusal="No.", model=self.name)
            return reply

    run = DepthRun(Refuses())
    result = await run.play()
    assert rating_of(run, "b1@zero-shot@score").score == 1
    assert result.modes[0].refusals == 1


async def test_what_cannot_be_quoted_leaves_the_question_unscored() -> None:
    def lost(request: ChatRequest) -> str | Exception:
        if "a1" in request.messages[-1].content:
            return CallFailed("timeout", "no reply within 1 s.")
        return f"Knows about {asked_about(request.messages[-1].content)}."

    run = DepthRun(DepthModel(depth_answer=lost))
    result = await run.play(run.spec("zero-shot", "prompt-pred"))
    fault = answer_of(run, "b1@prompt-pred").fault
    assert fault is not None
    assert (fault.stage, fault.kind) == ("context", "timeout")
    assert answer_of(run, "b1@prompt-pred").lost
    assert answer_of(run, "b2@prompt-pred").fault is None
    assert result.modes[1].unscored == {"context": 1}
    assert "b1@prompt-pred@score" not in run.items


async def test_a_lost_turn_ends_its_conversation_and_no_other() -> None:
    def lost(request: ChatRequest) -> str | Exception:
        if len(request.messages) == 4 and "b2" in request.messages[-1].content:
            return CallFailed("server", "HTTP 500.")
        return f"Knows about {asked_about(request.messages[-1].content)}."

    run = DepthRun(DepthModel(depth_answer=lost), graph=ONE_CHAIN)
    await run.play(run.spec("multi-turn"))
    assert rating_of(run, "c@multi-turn@b1@score").score == 5
    last = answer_of(run, "c@multi-turn@c").fault
    assert last is not None
    assert (last.stage, last.kind) == ("context", "server")
    assert rating_of(run, "b2@multi-turn@a1@score").score == 5


async def test_given_answers_ask_nobody_but_the_judge() -> None:
    run = DepthRun(answers={"c": "It is so.", "b1": "", "a2": "Thus.", "d": "Thus."})
    result = await run.play()
    assert run.model.counts == {"rating": 2}  # c, and a2 with d; b1 says nothing
    assert run.model.rounds == 1
    assert result.modes[0].unscored == {"answer": 1}
    assert answer_of(run, "a2@zero-shot").nodes == ("a2", "d")


async def test_log_probabilities_are_asked_for_only_when_they_are_wanted() -> None:
    for wanted in (False, True):
        run = DepthRun(graph=ONE_CHAIN)
        result = await run.play(run.spec(logprobs=wanted))
        assert {r.logprobs for r in run.model.asked if r.purpose == "depth_answer"} == {wanted}
        assert not any(r.logprobs for r in run.model.asked if r.purpose == "rating")
        assert result.modes[0].min_k is None
        assert result.modes[0].min_k_missing


async def test_the_judges_decoding_is_as_it_was_asked_for() -> None:
    run = DepthRun(graph=ONE_CHAIN)
    result = await run.play(run.spec(judge_temperature=1.0, judge_top_p=0.9, judge_tokens=300))
    for request in run.model.asked:
        if request.purpose == "rating":
            assert (request.temperature, request.top_p, request.max_tokens) == (1.0, 0.9, 300)
    assert result.provenance["judge_decoding"] == {
        "temperature": 1.0,
        "top_p": 0.9,
        "max_tokens": 300,
    }


async def test_another_graph_than_the_specs_is_refused() -> None:
    run = DepthRun()
    spec = run.spec(material="0" * 16)
    with pytest.raises(UsageError, match="questions of toy"):
        await run.play(spec)


async def test_a_run_without_any_score_says_why() -> None:
    run = DepthRun(DepthModel(rating=lambda _: "no JSON"))
    result = await run.play()
    assert result.stop_reason == "no_questions"
    assert "no readable reply" in result.stop_detail


def test_every_node_is_asked_in_zero_shot_and_in_one_tree_only() -> None:
    run = DepthRun()
    found = planned_questions(run.spec(), Material(graph=TWO_TREES))
    assert [len(due) for due in found] == [6, 2]  # d is answered with a2, in the first tree
    assert sorted(name for due in found for a in due for name in a.nodes) == sorted(
        TWO_TREES.by_id
    )


CROSSED = QuestionGraph(
    name="toy",
    nodes=(
        node("c", 3, "b"),
        node("b", 2, "a"),
        node("a", 1),
        node("f", 3, "e"),
        node("e", 2, "a", "z"),
        node("z", 1),
    ),
)
"""`a` counts in the tree of `c`, and serves a question in that of `f` too."""


async def test_a_conversation_keeps_its_turns_together_wherever_they_count() -> None:
    run = DepthRun(graph=CROSSED)
    await run.play(run.spec("multi-turn"))
    (last,) = [
        r
        for r in run.model.asked
        if r.purpose == "depth_answer" and r.messages[-1].content == "What about z?"
    ]
    assert [m.content for m in last.messages[1:]] == [
        "What about a?",
        "Knows about a.",
        "What about z?",
    ]
    assert answer_of(run, "e@multi-turn@a").tree == answer_of(run, "e@multi-turn@z").tree == 1


async def test_a_tree_is_closed_when_what_it_shares_is_there() -> None:
    run = DepthRun()
    await run.play()
    closed = next(
        place
        for place, e in enumerate(run.events)
        if isinstance(e, TreeClosed) and e.root == "f"
    )
    rated = {
        e.item.id.partition("/")[2] for e in run.events[:closed] if isinstance(e, ItemFinished)
    }
    assert "a2@zero-shot@score" in rated  # it answers d, which is below f
    marks = [
        sum(m.scored for m in e.depths.values())
        for e in run.events
        if isinstance(e, TreeClosed)
    ]
    assert sum(marks) == 8  # each answer is told of once
