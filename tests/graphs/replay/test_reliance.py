"""What a replay tries on a judge and on a second evaluator, in the toy world."""

import asyncio
from typing import Any

import pytest

from fathom.graphs.drill.evd import EvdEstimate
from fathom.graphs.replay.judges import agreement, by_answer, verdicts_by_judge
from fathom.graphs.replay.page import REJUDGE
from fathom.graphs.replay.question_set import questions_of
from fathom.graphs.replay.rejudged import weight_of, widened
from fathom.graphs.replay.trials import SECOND, trials_of
from fathom.reports.page.blocks import Table
from fathom.state.events import RunResumed
from fathom.state.replay import RejudgeResult
from fathom.state.result import DrillResult
from fathom.tools.models.chat import ChatReply, ChatRequest

from ...support.drill.toy import field
from ...support.replays import REPLAY, Named, Replay, toy_drill


@pytest.fixture(scope="module")
def drill() -> DrillResult:
    return asyncio.run(toy_drill())


def replay(drill: DrillResult, judge: Named, **more: Any) -> Replay:
    more = {"calibration": 30, "evaluator": Named("writer"), **more}
    return Replay(drill, Named("toy"), judge, **more)


async def run(replay: Replay) -> RejudgeResult:
    result = await replay.run()
    assert isinstance(result, RejudgeResult)
    assert replay.again() == result
    return result


def test_each_reference_is_tried_on_another_question_whose_answer_it_is_not(
    drill: DrillResult,
) -> None:
    probes = questions_of(drill)
    spec = replay(drill, Named("other")).spec
    trials = trials_of(spec, probes)
    by_id = {probe.id: probe for probe in probes}
    assert len(trials.siblings) == 30
    assert len({sibling.id for sibling in trials.siblings.values()}) > 20
    for name, sibling in trials.siblings.items():
        own = by_id[name]
        assert own.question is not None
        assert sibling.question is not None
        assert own.question.reference != sibling.question.reference
        assert own.root == sibling.root or own.tier == sibling.tier
    assert trials_of(spec, probes) == trials
    another = spec.model_copy(update={"seed": 1})
    assert [*trials_of(another, probes).siblings] != [*trials.siblings]


async def test_a_judge_is_tried_on_what_looks_like_any_other_answer(drill: DrillResult) -> None:
    judge = Named("strict")
    result = await run(replay(drill, judge))
    tried = result.calibration
    assert tried is not None
    assert (tried.right, tried.accepted, tried.wrong, tried.rejected) == (30, 30, 30, 30)
    assert tried.sensitivity_ci == pytest.approx((0.8865, 1.0), abs=1e-4)
    assert {request.purpose for request in judge.requests} == {"verdict"}
    assert len({request.messages[0].content for request in judge.requests}) == 1
    assert len(judge.requests) == 48 + 60
    assert result.evd == drill.evd  # what is tried counts nowhere else


class Lenient(Named):
    """Accepts everything but answers of its own choice."""

    def mark(self, text: str) -> dict[str, object]:
        digits = field(text, "reference")[-2:]
        return {"reason": "R.", "verdict": "misses" if digits in ("1.", "2.") else "asserts"}


async def test_what_a_judge_gets_wrong_is_counted(drill: DrillResult) -> None:
    counts = (await run(replay(drill, Lenient("lenient")))).calibration
    assert counts is not None
    assert 15 < counts.accepted < 30
    assert 0 < counts.rejected < 15


async def test_the_own_judge_is_tried_and_its_verdicts_stand(drill: DrillResult) -> None:
    judge = Named("toy")
    result = await run(replay(drill, judge))
    assert len(judge.requests) == 60
    assert (result.judges, result.evd, result.evd_ci) == (None, drill.evd, drill.evd_ci)


async def test_a_reference_that_cannot_be_restated_is_lost_and_nothing_else(
    drill: DrillResult,
) -> None:
    class Parrot(Named):
        def restate(self, text: str) -> dict[str, str]:
            return {"restatement": field(text, "reference")}

    writer = Parrot("writer")
    result = await run(replay(drill, Named("other"), evaluator=writer))
    tried = result.calibration
    assert tried is not None
    assert (tried.right, tried.wrong, tried.unscored) == (0, 0, 60)
    assert (tried.sensitivity, tried.sensitivity_ci) == (None, (0.0, 1.0))
    assert len(writer.requests) == 60  # each once more
    assert result.evd == drill.evd


class Dying(Named):
    async def complete(self, request: ChatRequest) -> ChatReply:
        if len(self.requests) >= 50:
            raise ConnectionResetError("gone")
        return await super().complete(request)


async def test_nothing_is_asked_twice_and_the_result_is_the_same(drill: DrillResult) -> None:
    second: dict[str, Any] = {"second": Named("harder"), "calibration": 10}
    whole = await run(replay(drill, Named("other"), **second))
    cut = replay(drill, Dying("other"), **second)
    with pytest.raises(ConnectionResetError):
        await cut.run()
    done = {probe.id for probe in cut.sink.probes(REPLAY)}
    rest = replay(drill, Named("other"), **second)
    rest.questions = {}
    rest.sink.load(cut.events)
    await rest.sink.emit(
        RunResumed(run_id=REPLAY, spec=rest.spec, version="1", probes=len(done))
    )
    result = await rest.run()
    assert isinstance(result, RejudgeResult)
    assert result.calibration == whole.calibration
    assert result.second_evaluator == whole.second_evaluator
    assert [probe.outcome for probe in result.probes] == [p.outcome for p in whole.probes]
    judged = sum(probe.id.startswith("bbbb0002/") for probe in cut.sink.probes(REPLAY))
    assert len(rest.judge.requests) == 48 + 20 + 20 - judged


class Harder(Named):
    """Refuses some passages, and asks for what nobody knows from the others."""

    def write(self, text: str) -> dict[str, str]:
        written = super().write(text)
        if written["reference"][-2] == "7":
            return {"question": "", "refused": ["1: no fact"], "reference": "", "quote": ""}  # type: ignore[dict-item]
        subject = written["question"].split()[-2]
        return {**written, "question": f"In the list, what code does item {subject}x bear?"}


async def test_a_second_evaluator_on_the_same_passages(drill: DrillResult) -> None:
    second = Harder("harder")
    made = replay(drill, Named("toy"), second=second, calibration=0)
    result = await run(made)
    found = result.second_evaluator
    assert found is not None
    assert (found.passages, len(second.requests)) == (20, 20)
    assert found.refused + found.withdrawn + found.lost + found.n == 20
    assert found.refused > 0
    tried = [probe for probe in result.probes if probe.id.endswith(SECOND)]
    known = {probe.id.rpartition("/")[2]: probe for probe in questions_of(drill)}
    right = [known[p.id.rpartition("/")[2].removesuffix(SECOND)] for p in tried if p.verdict]
    assert found.first_accuracy == sum(p.verdict == "correct" for p in right) / len(right)
    assert found.accuracy == sum(p.verdict == "correct" for p in tried) / found.n
    assert found.accuracy_difference == pytest.approx(found.accuracy - found.first_accuracy)
    assert {call.role for probe in tried for call in probe.calls} == {
        *("target", "evaluator", "judge", "second_evaluator")
    } - ({"target"} if not found.n else set())
    assert result.usage["second_evaluator"].calls == 20


def test_how_much_wider_evd_is_between_evaluators() -> None:
    # A = .8, .5, .4: g = 1 + .5·1.4, .8·1.4, .4 = 1.7, 1.12, .4; Σ g·A = 1.36 + .56 + .16
    assert weight_of([(8, 10), (4, 8), (2, 5)]) == pytest.approx(2.08)
    # .4 in place of .8: Δ = −1.04; √(.09 + (1.0816 − .04)/2) = .7815; 1.36·exp(∓1.96·.7815/1.36)
    estimate = EvdEstimate(1.36, (0.88, 2.1), se=0.3)
    assert widened(estimate, 15, -1.04, 0.2) == pytest.approx((0.4410, 4.1942), abs=1e-3)
    assert widened(estimate, 3, -1.04, 0.2) == pytest.approx((0.4410, 3.0), abs=1e-3)
    # what chance alone explains widens nothing: 1.36·exp(∓1.96·.3/1.36)
    assert widened(estimate, 15, -0.1, 0.2) == pytest.approx((0.8826, 2.0957), abs=1e-3)
    assert widened(EvdEstimate(0.0, (0.0, 0.1)), 15, -1.04, 0.2) is None


async def test_several_judges_stand_side_by_side(drill: DrillResult) -> None:
    questions = [p.question.text for p in questions_of(drill) if p.question]
    results = []
    for name, contrary in (("twin", []), ("odd", questions[:3])):
        results.append(await run(replay(drill, Named(name, contrary=contrary), calibration=0)))
    verdicts = verdicts_by_judge(results)
    assert [*verdicts] == ["toy", "twin", "odd"]
    assert agreement(verdicts["toy"], verdicts["twin"])["agreement"] == 1.0
    share = agreement(verdicts["twin"], verdicts["odd"])["agreement"]
    assert share == pytest.approx(45 / 48)
    assert [len(labels) for labels in by_answer(verdicts)] == [3] * 48
    assert REJUDGE.compare is not None
    evds, pairs = REJUDGE.compare(results)
    assert isinstance(evds, Table)
    assert isinstance(pairs, Table)
    assert [(row["judge"], row["evd"]) for row in evds.rows] == [
        ("toy", drill.evd),
        ("twin", drill.evd),
        ("odd", results[1].evd),
    ]
    assert len(pairs.rows) == 3
