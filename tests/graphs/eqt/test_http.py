"""Explain-Query-Test over real HTTP in the simulated world: whatever arrives when, cut off, and taken up again."""

import json
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.sim.server import Timing
from fathom.state.eqt.result import EqtResult
from fathom.state.events import ConceptClosed, Event, ItemFinished
from fathom.state.spec import FaultRates, WorldSpec
from fathom.tools.models.clients import Limits
from fathom.tools.runs.folders import read_events

from ...support.eqt.eqts import ELEMENTS, eqt, eqt_spec, lasting, resumed, whole

WORLDS: dict[str, dict[str, Any]] = {
    "jitter": {"timing": Timing(latency_s=0.001, jitter_s=0.02)},
    "reversed": {"timing": Timing(reverse_window_s=0.02)},
    "one connection": {"limits": Limits(max_connections=1)},
}


async def test_only_what_decides_decides() -> None:
    spec = eqt_spec(open_book=True)
    usual = whole(await eqt(spec))
    for way, options in WORLDS.items():
        assert lasting(usual) == lasting(whole(await eqt(spec, **options))), way
    assert usual.numbers.all.scored == 27
    assert sum(role.calls for role in usual.usage.values()) == 3 * (1 + 3 + 6 + 9 + 3)


async def test_faults_are_no_wrong_answers() -> None:
    world = WorldSpec(faults=FaultRates(rate_limit=0.02, server_error=0.05, hang=0.02, malformed=0.05))
    spec = eqt_spec(*ELEMENTS[:4], target="sim:omniscient", world=world)
    result = whole(await eqt(spec, limits=Limits(timeout_s=0.4)))
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


@pytest.mark.parametrize(("count", "cached"), [(2, False), (40, True)])
async def test_an_interrupted_run_ends_like_one_that_was_not(tmp_path: Path, count: int, cached: bool) -> None:
    spec = eqt_spec(*ELEMENTS[:3], open_book=True, attribute=3)
    cache: dict[str, Any] = {"cache": tmp_path / "cache.sqlite"} if cached else {}
    report = await stop_at(spec, tmp_path / "runs", count, limits=Limits(max_connections=6), **cache)
    assert (report.status, report.exit_code) == ("interrupted", 130)
    before = [event for event in read_events(report.folder) if isinstance(event, ItemFinished)]
    assert report.probes == len(before) >= count
    done = whole(await resumed(report, **cache))
    assert lasting(done) == lasting(whole(await eqt(spec)))
    events = list(read_events(report.folder))
    ids = [event.item.id for event in events if isinstance(event, ItemFinished)]
    assert len(ids) == len(set(ids)), "no finished step was done twice"
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert json.loads((report.folder / "result.json").read_text()) == json.loads(done.model_dump_json())


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


async def test_a_number_of_calls_bounds_whole_concepts(tmp_path: Path) -> None:
    spec = eqt_spec(*ELEMENTS, questions=2, paraphrases=1)
    report = await eqt(spec, runs=tmp_path, max_calls=4 * 9)
    result = whole(report)
    assert (report.status, len(result.concepts)) == ("partial", 3)  # a concept wants q calls more to be free
    assert sum(role.calls for role in result.usage.values()) <= 4 * 9


async def test_the_same_run_again_costs_nothing(tmp_path: Path) -> None:
    spec = eqt_spec(open_book=True)
    cache: dict[str, Any] = {"cache": tmp_path / "cache.sqlite", "prices": ("1/4",)}
    first, again = whole(await eqt(spec, **cache)), whole(await eqt(spec, **cache))
    assert lasting(first) == lasting(again)
    assert again.cost_usd == 0.0
    assert all(role.calls == role.cached > 0 for role in again.usage.values())
    fixed = whole(await eqt(spec.model_copy(update={"shuffle_options": False}), **cache))
    assert fixed.usage["examiner"].cached == fixed.usage["examiner"].calls, "the same questions in another order"
    assert fixed.usage["target"].cached == 0
