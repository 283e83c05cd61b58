"""The graph of a replay, in the toy world: which questions are put, what is asked how often, what a
failure costs."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from fathom.graphs.replay.graph import build_graph
from fathom.graphs.replay.question_set import AGAIN, questions_of
from fathom.state.errors import RunFailed, UsageError
from fathom.state.events import ProbeAnswered, ProbeAsked, ProbeJudged, RunResumed, RunStarted
from fathom.state.replay import RejudgeResult, ReplayResult
from fathom.state.result import DrillResult
from fathom.tools.models.chat import ChatRequest

from ...support.drill.toy import ToySource, toy_deps
from ...support.replays import DRILL, REPLAY, Named, Replay, toy_drill


@pytest.fixture(scope="module")
def drill() -> DrillResult:
    return asyncio.run(toy_drill())


def other(**options: Any) -> Named:
    return Named("other", skill=0.5, world=1, **options)


def purposes(model: Named) -> Counter[str]:
    return Counter(request.purpose for request in model.requests)


async def replayed(replay: Replay) -> ReplayResult:
    result = await replay.run()
    assert isinstance(result, ReplayResult)
    return result


async def rejudged(replay: Replay) -> RejudgeResult:
    result = await replay.run()
    assert isinstance(result, RejudgeResult)
    return result


def test_the_graph() -> None:
    drawn = build_graph(toy_deps(other(), ToySource())).get_graph().draw_mermaid()
    assert [line.strip() for line in drawn.splitlines() if "-->" in line or "-.->" in line] == [
        "__start__ --> open;",
        "open -.-> put;",
        "put --> finish;",
        "finish --> __end__;",
    ]


async def test_the_very_questions_are_put_closed_book_and_nothing_else(
    drill: DrillResult,
) -> None:
    replay = Replay(drill, other(), Named("toy"))
    result = await replayed(replay)
    counting = [p for p in drill.probes if p.outcome.status == "scored" and p.excluded is None]
    assert len(counting) == result.source.questions == sum(row.scored for row in drill.depths)
    asked = {request.messages[-1].content for request in replay.target.requests}
    assert asked == {p.question.text for p in counting if p.question}
    assert purposes(replay.target) == {"answer": len(counting)}
    assert purposes(replay.judge) == {"verdict": len(counting)}
    assert [(p.question, p.depth, p.tier, p.root, p.chain) for p in result.probes] == [
        (p.question, p.depth, p.tier, p.root, p.chain) for p in counting
    ]
    assert {p.id.partition("/")[0] for p in result.probes} == {"bbbb0002"}


async def test_what_is_reported_is_what_both_models_know(drill: DrillResult) -> None:
    target = other()
    result = await replayed(Replay(drill, target, Named("toy")))
    known = {}
    for probe in result.probes:
        assert probe.question is not None
        known[probe.id.partition("/")[2]] = target.knows(
            probe.question.text.removesuffix(" bear?").split()[-1]
        )
    assert {
        pair.id.partition("/")[2]: pair.target == "correct" for pair in result.pairs
    } == known
    old = {p.id: p.outcome.verdict for p in drill.probes if p.outcome.status == "scored"}
    assert {pair.id: pair.source for pair in result.pairs} == {
        pair.id: old[pair.id] for pair in result.pairs
    }
    row = result.paired
    assert row.difference == pytest.approx(
        sum(known.values()) / row.n - (result.source_tally.accuracy or 0)
    )
    assert (
        row.only_source + row.only_target + row.both + row.neither == row.n == len(result.pairs)
    )
    assert sum(depth.paired.n for depth in result.by_depth) == row.n
    assert sum(tier.n for tier in result.by_tier.values()) == row.n
    assert (result.source.evd, result.source.run_id) == (drill.evd, DRILL)


async def test_home_advantage_is_said_and_no_evd_is_claimed(drill: DrillResult) -> None:
    result = await replayed(Replay(drill, other(), Named("toy")))
    assert any(
        "home advantage" in note and "the answers of toy" in note for note in result.notes
    )
    assert any("No Expected Valid Depth of other" in note for note in result.notes)
    assert not {"evd", "evd_ci", "depths"} & set(ReplayResult.model_fields)


async def test_every_question_leaves_its_events(drill: DrillResult) -> None:
    replay = Replay(drill, other(), Named("toy"))
    result = await replayed(replay)
    assert isinstance(replay.events[0], RunStarted)
    new = {probe.id for probe in result.probes}
    for kind in (ProbeAsked, ProbeAnswered):
        assert {e.probe_id for e in replay.events if isinstance(e, kind)} == new
    judged = [e.probe for e in replay.events if isinstance(e, ProbeJudged)]
    assert {p.id for p in judged} - new == {p.id for p in questions_of(drill)}
    assert all(not p.calls for p in judged if p.id not in new)  # the drill paid for them


@pytest.mark.parametrize(("purpose", "stage"), [("answer", "answer"), ("verdict", "judge")])
async def test_an_answer_without_a_verdict_leaves_its_pair_out_and_is_never_wrong(
    drill: DrillResult, purpose: str, stage: str
) -> None:
    questions = [p.question.text for p in questions_of(drill) if p.question][:5]
    fault = fails_on(purpose, questions)
    whole = await replayed(Replay(drill, other(), Named("toy")))
    result = await replayed(Replay(drill, other(fault=fault), Named("toy", fault=fault)))
    assert result.unscored == {stage: 5}
    assert result.paired.n == whole.paired.n - 5
    assert [pair.target for pair in result.pairs[:5]] == [None] * 5
    assert [pair.source for pair in result.pairs[:5]] != [None] * 5
    assert result.pairs[5:] == whole.pairs[5:]
    assert result.target_tally.scored == whole.target_tally.scored - 5
    assert (
        "5 questions lack a verdict on one side and are left out of the comparison."
        in result.notes
    )


def fails_on(purpose: str, questions: list[str]) -> Callable[[str, str], bool]:
    return lambda asked, text: (
        asked == purpose and any(question in text for question in questions)
    )


async def test_nothing_to_compare_is_a_failure_with_its_reason(drill: DrillResult) -> None:
    replay = Replay(drill, other(fault=lambda purpose, text: True), Named("toy"))
    with pytest.raises(RunFailed, match="None of the 48 questions has a verdict on both sides"):
        await replay.run()


async def test_a_resumed_replay_asks_nothing_twice_and_needs_the_journal_only(
    drill: DrillResult,
) -> None:
    whole = await replayed(Replay(drill, other(), Named("toy")))
    replay = Replay(drill, Dying("other", after=20, skill=0.5, world=1), Named("toy"))
    with pytest.raises(ConnectionResetError):
        await replay.run()
    done = {p.id for p in replay.sink.probes(REPLAY)}
    second = Replay(drill, other(), Named("toy"))
    second.questions = {}
    second.sink.load(replay.events)
    await second.sink.emit(
        RunResumed(run_id=REPLAY, spec=second.spec, version="1", probes=len(done))
    )
    result = await replayed(second)
    answered = len([probe_id for probe_id in done if probe_id.startswith("bbbb0002/")])
    assert 0 < answered < 48
    assert purposes(second.target) == {"answer": 48 - answered}
    assert (result.pairs, result.paired) == (whole.pairs, whole.paired)


class Dying(Named):
    """Its process is gone after so many answers."""

    def __init__(self, name: str, *, after: int, **options: Any) -> None:
        super().__init__(name, **options)
        self.after = after

    async def complete(self, request: ChatRequest) -> object:  # type: ignore[override]  # passes the toy's reply on
        if len(self.requests) >= self.after:
            raise ConnectionResetError("gone")
        return await super().complete(request)


async def test_questions_that_are_not_those_of_the_spec_are_refused(drill: DrillResult) -> None:
    replay = Replay(drill, other(), Named("toy"))
    replay.questions = {replay.spec.questions: questions_of(drill)[1:]}
    with pytest.raises(RunFailed, match="not all in this replay's journal, or were changed"):
        await replay.run()


async def test_a_graph_bound_to_another_model_is_refused(drill: DrillResult) -> None:
    replay = Replay(drill, other(), Named("toy"))
    replay.target = Named("another")
    with pytest.raises(
        UsageError, match="target is 'other' but the graph is bound to 'another'"
    ):
        await replay.run()


async def test_another_judge_judges_both_sides(drill: DrillResult) -> None:
    first = questions_of(drill)[0]
    assert first.question is not None
    judge = Named("contrary", contrary=[first.question.text])
    replay = Replay(drill, other(), judge)
    result = await replayed(replay)
    assert purposes(judge) == {"verdict": 2 * 48}
    plain = await replayed(Replay(drill, other(), Named("toy")))
    assert result.pairs[0].source != plain.pairs[0].source
    assert result.pairs[0].target != plain.pairs[0].target
    assert result.pairs[1:] == plain.pairs[1:]
    assert result.judges is not None
    assert (result.judges.judge, result.judges.other, result.judges.n) == (
        "toy",
        "contrary",
        48,
    )
    assert result.judges.agreement == pytest.approx(47 / 48)
    assert plain.judges is None
    assert sum(probe.id.endswith(AGAIN) for probe in result.probes) == 48


async def test_judging_anew_asks_no_target_and_removes_what_grew_from_rejected_answers(
    drill: DrillResult,
) -> None:
    source = questions_of(drill)
    parents = Counter(p.parent for p in source)
    first = next(p for p in source if p.depth == 1 and parents[p.id])
    assert first.question is not None
    unasked, judge = Named("toy"), Named("contrary", contrary=[first.question.text])
    replay = Replay(drill, unasked, judge)
    result = await rejudged(replay)
    assert not unasked.requests
    assert purposes(judge) == {"verdict": 48}
    gone = {first.id}
    for probe in source:
        if probe.parent in gone:
            gone.add(probe.id)
    assert result.removed == len(gone) - 1 > 0
    assert [(flip.id, flip.judge, flip.other, flip.reason) for flip in result.flips] == [
        (first.id, "correct", "wrong", "contrary")
    ]
    assert [row.n for row in result.depths] == [
        sum(p.depth == d and (p.id not in gone or p is first) for p in source)
        for d in range(1, 7)
    ]
    assert result.evd < drill.evd == result.source.evd
    assert any("conditional" in note for note in result.notes)
    assert replay.again() == result


async def test_the_same_verdicts_again_give_the_drills_own_evd(drill: DrillResult) -> None:
    result = await rejudged(Replay(drill, Named("toy"), Named("twin")))
    assert (result.evd, result.removed, result.flips, result.newly_accepted) == (
        drill.evd,
        0,
        (),
        0,
    )
    assert result.evd_ci == drill.evd_ci
    assert result.judges is not None
    assert (result.judges.agreement, result.judges.kappa) == (1.0, 1.0)
    assert [(row.correct, row.n) for row in result.depths] == [
        (row.correct, row.scored) for row in drill.depths
    ]


async def test_a_judge_that_never_answers_is_a_failure_with_its_reason(
    drill: DrillResult,
) -> None:
    replay = Replay(drill, Named("toy"), Named("mute", fault=lambda purpose, text: True))
    with pytest.raises(RunFailed, match="mute reached no verdict on any of 48 answers"):
        await replay.run()
