"""DepthQA taken up after faults: what was lost is asked again, nothing else, and the result is as
without them."""

import json

from fathom.graphs.run.deps import Clock
from fathom.state.errors import CallFailed
from fathom.state.events import Event, ItemFinished, RunResumed, TreeClosed
from fathom.tools.models.chat import ChatRequest
from fathom.tools.runs.journal import MemorySink

from ...support.depthqa.toy import BuildModel, BuildRun, DepthModel, DepthRun, asked_about
from ...support.eqt.toy import Rule, block
from .test_build import By


def taken_up(events: list[Event]) -> MemorySink:
    """A sink with a run's journal but for its end, reopened."""
    sink = MemorySink(Clock().now)
    sink.load([event for event in events if event.type != "run_finished"])
    started = sink.run("toy-0001").started
    assert started is not None
    sink.load(
        [
            RunResumed(
                run_id="toy-0001",
                spec=started.spec,
                version="0",
                probes=0,
                reopened=1,
                seq=len(events),
            )
        ]
    )
    return sink


async def test_a_lost_rating_costs_no_second_answer() -> None:
    def rating(request: ChatRequest) -> str | Exception:
        return (
            CallFailed("server", "HTTP 500.")
            if "b1" in block(request, "question")
            else '{"reason": "", "score": 5}'
        )

    first = DepthRun(DepthModel(rating=rating))
    await first.play()
    again = DepthRun(sink=taken_up(first.events))
    done = await again.play()
    assert again.model.counts == {"rating": 1}
    assert [event.root for event in again.events if isinstance(event, TreeClosed)] == ["c"]
    assert done.modes[0].unscored == {}
    (redone,) = [event for event in again.events if isinstance(event, ItemFinished)]
    assert redone.added == 1


async def test_half_of_the_scores_lost_ends_the_run_by_its_infrastructure() -> None:
    run = DepthRun(DepthModel(rating=lambda _: CallFailed("server", "HTTP 500.")))
    result = await run.play()
    assert result.stop_reason == "infrastructure"
    assert "8 of 8 scores are missing" in result.stop_detail
    assert result.modes[0].accuracy["overall"].mean is None


async def test_a_question_that_could_not_be_taken_apart_is_taken_apart_later() -> None:
    def parts(request: ChatRequest) -> str | Exception:
        name = asked_about(block(request, "question"))
        if name in ("q2", "q1.1"):
            return CallFailed("timeout", "no reply.")
        subs = [BuildModel.sub(f"{name}.{n}") for n in (1, 2)]
        return json.dumps({"reasoning": ["causal"], "questions": subs})

    usual, first = BuildRun(), BuildRun(BuildModel(deconstruction=parts))
    whole = await usual.play(usual.spec("q1", "q2"))
    cut = await first.play(first.spec("q1", "q2"))
    assert cut.graph is not None
    assert "q2" not in cut.graph.by_id
    assert cut.graph.by_id["q1.1"].predecessors == ()
    again = BuildRun(sink=taken_up(first.events))
    done = await again.play(again.spec("q1", "q2"))
    assert done.graph == whole.graph
    assert done.removed == ()
    assert again.model.counts == {"deconstruction": 4}  # q2 with its two, and q1.1


def parts_failing(*lost: str) -> Rule:
    def parts(request: ChatRequest) -> str | Exception:
        name = asked_about(block(request, "question"))
        if name in lost:
            return CallFailed("timeout", "no reply.")
        return json.dumps(
            {
                "reasoning": ["causal"],
                "questions": [BuildModel.sub(f"{name}.{n}") for n in (1, 2)],
            }
        )

    return parts


async def test_a_lost_rating_of_what_is_no_relation_any_more_holds_nothing_up() -> None:
    """The first session loses the parts of q1.1, and the rating of the relations as they then
    are."""
    table = {("q1.1.1", "q1.2.1"): 0.95}
    first = BuildRun(
        BuildModel(
            deconstruction=parts_failing("q1.1"),
            relation=lambda _: CallFailed("timeout", "no."),
        )
    )
    first.similarity = By(table)
    cut = await first.play(first.spec("q1", check=True))
    assert cut.stop_reason == "infrastructure"
    again = BuildRun(sink=taken_up(first.events))
    again.similarity = By(table)
    done = await again.play(again.spec("q1", check=True))
    assert (done.stop_reason, [table.unrated for table in done.relations]) == (
        "all_asked",
        [0, 0],
    )


async def test_what_filled_a_gap_that_is_no_longer_there_is_left_out() -> None:
    table = {("q1.1.1", "q1.1.2"): 0.9, ("q0.1.1", "q1.1.2"): 0.95}
    usual, first = BuildRun(), BuildRun(BuildModel(deconstruction=parts_failing("q0")))
    usual.similarity = first.similarity = By(table)
    whole = await usual.play(usual.spec("q0", "q1"))
    cut = await first.play(first.spec("q0", "q1"))
    assert "q1.1.a1" in cut.augmented
    again = BuildRun(sink=taken_up(first.events))
    again.similarity = By(table)
    assert (await again.play(again.spec("q0", "q1"))).graph == whole.graph
