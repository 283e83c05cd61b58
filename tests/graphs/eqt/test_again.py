"""An Explain-Query-Test that is taken up again with steps that came to nothing: what it asks, and
what it pays."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.run.deps import Clock
from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.graphs.run.resume_check import spent_by, take_up
from fathom.state.eqt.result import EqtResult
from fathom.state.errors import CallFailed
from fathom.state.events import ConceptClosed, Event, ItemFinished, RunResumed
from fathom.state.spec import EqtSpec, FaultRates
from fathom.tools.models.chat import ChatRequest
from fathom.tools.runs.journal import MemorySink

from ...support.eqt.eqts import ELEMENTS, eqt, eqt_spec, resumed, whole
from ...support.eqt.toy import ToyModel, ToyRun, block, toy_spec, well_formed
from ..run.test_outage import HASTY, a_world, port_of


def spec_at(api_url: str) -> EqtSpec:
    """A run whose target is at an address; its examiner is in a world of its own."""
    return eqt_spec(
        *ELEMENTS[:4],
        target=f"sim@{api_url}:student",
        examiner="sim:evaluator",
        judge="sim:evaluator",
    )


def taken_up(run: ToyRun) -> MemorySink:
    """A sink with the run's journal but for its end, reopened."""
    sink = MemorySink(Clock().now)
    sink.load([event for event in run.events if event.type != "run_finished"])
    started = sink.run("toy-0001").started
    assert started is not None
    again = RunResumed(
        run_id="toy-0001",
        spec=started.spec,
        version="0",
        probes=0,
        reopened=1,
        seq=len(run.events),
    )
    sink.load([again])
    return sink


def fails(number: int) -> Any:
    """Fails with the `number`-th question, counted from 1 by its kind."""
    kinds = ["definition", "characteristics", "relation"]

    def write(request: ChatRequest) -> str | Exception:
        kind = block(request, "kind").partition(":")[0]
        if kind == kinds[number - 1]:
            return CallFailed("server", "it broke.")
        return well_formed("Tide", "every")

    return write


async def test_a_question_that_is_written_later_is_not_one_that_is_there() -> None:
    first = ToyRun(ToyModel(choice_question=fails(1)))
    await first.play(toy_spec(questions=2))
    assert first.items["c001.q2"].fault is None
    tries: list[str] = []

    def write(request: ChatRequest) -> str:
        tries.append(request.messages[-1].content)
        return well_formed("Tide" if len(tries) == 1 else "Ebb", "every")

    again = ToyRun(ToyModel(choice_question=write), taken_up(first))
    result = await again.play(toy_spec(questions=2))
    one, other = result.concepts[0].questions
    assert one.text != other.text
    assert "this question is asked already" in tries[1]


async def test_until_a_lost_step_is_done_again_its_concept_stands_as_it_was() -> None:
    first = ToyRun(ToyModel(choice_question=fails(2)))
    before = await first.play(toy_spec("Tide", "Ebb"))
    sink = taken_up(first)
    memory = sink.run("toy-0001")
    assert (memory.reopened, set(memory.parts)) == ({0, 1}, {0, 1})
    assert {item_id.partition("/")[2] for item_id in memory.redo} == {"c001.q2", "c002.q2"}
    assert len(sink.items("toy-0001")) == len(first.items)
    again = ToyRun(sink=sink)
    done = await again.play(toy_spec("Tide", "Ebb"))
    assert (before.numbers.unscored, done.numbers.unscored) == ({"question": 2}, {})
    closed = [event.index for event in again.events if isinstance(event, ConceptClosed)]
    assert sorted(closed) == [0, 1]
    redone = [
        event
        for event in again.events
        if isinstance(event, ItemFinished) and event.added is not None
    ]
    assert {event.item.id.partition("/")[2] for event in redone} == {"c001.q2", "c002.q2"}
    assert all(len(e.item.calls) == (e.added or 0) + 1 for e in redone), (
        "the failed call was paid for too"
    )


async def test_a_result_is_never_replaced_by_a_smaller_one(tmp_path: Path) -> None:
    async with a_world(FaultRates(server_error=0.8)) as world:
        report = await eqt(spec_at(world.api_url), runs=tmp_path, limits=HASTY)
    lost = whole(report)
    assert len(lost.concepts) == 4
    async with a_world(port=port_of(world)):
        cut = await resumed(
            report,
            limits=HASTY,
            max_calls=spent_by(tmp_path / report.run_id, cached=False)[1] + 6,
        )
    assert cut.exit_code == 3
    partial = whole(cut)
    assert len(partial.concepts) == 4
    assert partial.numbers.all.scored >= lost.numbers.all.scored
    async with a_world(port=port_of(world)):
        done = whole(await resumed(cut, limits=HASTY, max_calls=10_000))
    assert done.numbers.unscored == {}


@pytest.mark.parametrize("cached", [False, True])
async def test_what_was_paid_stays_in_the_cost(tmp_path: Path, cached: bool) -> None:
    own: dict[str, Any] = {"prices": ("1/4",), "limits": HASTY}
    own |= {"cache": tmp_path / "cache.sqlite"} if cached else {}
    async with a_world(FaultRates(server_error=0.8)) as world:
        report = await eqt(spec_at(world.api_url), runs=tmp_path / "runs", **own)
    before = whole(report)
    async with a_world(port=port_of(world)):
        done = whole(await resumed(report, **own))
        usual = whole(await eqt(spec_at(world.api_url), prices=("1/4",), limits=HASTY))
    assert before.cost_usd is not None
    assert done.cost_usd == pytest.approx(usual.cost_usd), (
        "failed calls cost nothing, all others what they cost"
    )
    assert done.usage["examiner"].calls == before.usage["examiner"].calls
    assert report.folder is not None
    assert spent_by(report.folder, cached=cached)[0] == pytest.approx(done.cost_usd)


async def test_a_run_that_is_cut_off_while_steps_are_done_again_says_what_is_missing(
    tmp_path: Path,
) -> None:
    def a_question(event: Event) -> bool:
        return isinstance(event, ItemFinished) and event.added is not None

    async with a_world(FaultRates(server_error=0.8)) as world:
        spec = spec_at(world.api_url)
        spec = spec.model_copy(update={"examiner": spec.target, "judge": spec.target})
        report = await eqt(spec, runs=tmp_path, limits=HASTY)
    assert report.folder is not None
    async with a_world(port=port_of(world)):
        cut = await stopped_again(report, a_question)
    assert (cut.status, cut.exit_code) == ("interrupted", 130)
    result = whole(cut)
    assert any("were being asked again" in note for note in result.notes)
    async with a_world(port=port_of(world)):
        done = whole(await resumed(cut, limits=HASTY))
    assert (done.numbers.unscored, done.numbers.all.scored) == ({}, 36)


async def stopped_again(
    report: RunReport[EqtResult], when: Callable[[Event], bool]
) -> RunReport[EqtResult]:
    """The run taken up again, and told to stop at the first event that `when` picks."""

    def listen(event: Event) -> None:
        if when(event):
            again.stop()

    assert report.folder is not None
    taken = take_up(report.folder)
    options = LaunchOptions(runs=report.folder.parent, limits=HASTY)
    again = Launch[EqtResult](
        [], options, [listen], resumed=[taken], launch=taken.launch.launch
    )
    (cut,) = await again.run()
    return cut
