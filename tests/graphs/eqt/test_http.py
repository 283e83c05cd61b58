"""Explain-Query-Test over real HTTP in the simulated world: faults, a run that is cut off, and what it pays. What holds
of every method is in `run/test_paid` and `run/test_killed`."""

from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.sim import server
from fathom.sim.server import Timing
from fathom.state.eqt.result import EqtResult
from fathom.state.events import ConceptClosed, Event, ItemFinished
from fathom.state.spec import FaultRates, WorldSpec
from fathom.tools.models.clients import Limits
from fathom.tools.runs.folders import read_events

from ...support.eqt.eqts import ELEMENTS, eqt, eqt_spec, lasting, resumed, whole


async def test_faults_are_no_wrong_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "RETRY_AFTER_S", 0)
    world = WorldSpec(faults=FaultRates(rate_limit=0.02, server_error=0.05, hang=0.02, malformed=0.05))
    spec = eqt_spec(*ELEMENTS[:4], target="sim:omniscient", world=world)
    result = whole(await eqt(spec, limits=Limits(timeout_s=0.4, backoff_s=0.01)))
    assert result.numbers.all.correct == result.numbers.all.scored > 20
    assert result.numbers.format_failures == 0


async def stop_at(spec: Any, runs: Path, count: int, **options: Any) -> Any:
    """A run that was told to stop at its `count`-th finished step."""
    seen: list[Event] = []

    def listen(event: Event) -> None:
        seen.extend([event] if isinstance(event, ItemFinished) else [])
        if len(seen) == count:
            launch.stop()

    own: dict[str, Any] = {"timing": Timing(latency_s=0.005, jitter_s=0.01), "runs": runs} | options
    launch = Launch[EqtResult]([spec], LaunchOptions(**own), [listen])
    (report,) = await launch.run()
    return report


async def test_a_run_that_is_cut_off_reports_its_whole_concepts(tmp_path: Path) -> None:
    spec = eqt_spec(*ELEMENTS)
    report = await stop_at(spec, tmp_path, 90, limits=Limits(max_connections=2))
    result = whole(report)
    closed = [event for event in read_events(report.folder) if isinstance(event, ConceptClosed)]
    assert 0 < len(closed) < len(ELEMENTS)
    assert [row.concept for row in result.concepts] == [e.concept for e in sorted(closed, key=lambda e: e.index)]
    assert set(result.open_concepts) == set(ELEMENTS) - {event.concept for event in closed}
    assert result.numbers.all.scored == 9 * len(closed)
    assert {row.concept: row.numbers for row in result.concepts} == {e.concept: e.numbers for e in closed}
    assert (result.status, result.stop_reason) == ("interrupted", "interrupted")


async def test_half_the_budget_is_never_exceeded_and_raising_it_gives_the_whole_result(tmp_path: Path) -> None:
    names = (*ELEMENTS, *(f"Concept {n}" for n in range(2)))
    spec = eqt_spec(*names, questions=2, paraphrases=1, answer_tokens=64)
    price: dict[str, Any] = {"prices": ("1/4",), "cache": tmp_path / "cache.sqlite"}
    unbounded = whole(await eqt(spec, prices=("1/4",)))
    assert unbounded.cost_usd is not None
    half = unbounded.cost_usd / 2
    cut = await eqt(spec, runs=tmp_path / "runs", budget_usd=half, **price)
    assert (cut.status, cut.exit_code) == ("partial", 3)
    partial = whole(cut)
    assert partial.cost_usd is not None
    assert 0 < partial.cost_usd <= half
    assert 0 < len(partial.concepts) < len(names)
    done = whole(await resumed(cut, budget_usd=1.0, **price))
    assert lasting(done) == lasting(unbounded)
    assert done.cost_usd == pytest.approx(unbounded.cost_usd)


async def test_options_in_another_order_are_put_to_the_target_alone(tmp_path: Path) -> None:
    cache: dict[str, Any] = {"cache": tmp_path / "cache.sqlite"}
    spec = eqt_spec(open_book=True)
    await eqt(spec, **cache)
    fixed = whole(await eqt(spec.model_copy(update={"shuffle_options": False}), **cache))
    assert fixed.usage["examiner"].cached == fixed.usage["examiner"].calls > 0
    assert fixed.usage["target"].cached == 0
