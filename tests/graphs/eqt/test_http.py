"""Explain-Query-Test over real HTTP in the simulated world: faults, a run that is cut off, and what
it pays. What holds of every method is in `run/test_paid` and `run/test_killed`."""

from pathlib import Path
from typing import Any

from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.sim.server import Timing
from fathom.state.eqt.result import EqtResult
from fathom.state.events import ConceptClosed, Event, ItemFinished
from fathom.tools.models.clients import Limits
from fathom.tools.runs.folders import read_events

from ...support.eqt.eqts import ELEMENTS, eqt, eqt_spec, whole


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
    assert [row.concept for row in result.concepts] == [
        e.concept for e in sorted(closed, key=lambda e: e.index)
    ]
    assert set(result.open_concepts) == set(ELEMENTS) - {event.concept for event in closed}
    assert result.numbers.all.scored == 9 * len(closed)
    assert {row.concept: row.numbers for row in result.concepts} == {
        e.concept: e.numbers for e in closed
    }
    assert (result.status, result.stop_reason) == ("interrupted", "interrupted")


async def test_options_in_another_order_are_put_to_the_target_alone(tmp_path: Path) -> None:
    cache: dict[str, Any] = {"cache": tmp_path / "cache.sqlite"}
    spec = eqt_spec(open_book=True)
    await eqt(spec, **cache)
    fixed = whole(await eqt(spec.model_copy(update={"shuffle_options": False}), **cache))
    assert fixed.usage["examiner"].cached == fixed.usage["examiner"].calls > 0
    assert fixed.usage["target"].cached == 0
