"""A budget over real HTTP: never exceeded, ended close to it, and raised without any loss."""

from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.drill.calls import slot_cost
from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.graphs.run.resume_check import take_up
from fathom.state.errors import UsageError
from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec
from fathom.tools.models.budget import Cost
from fathom.tools.runs.folders import read_events, read_result

from ...support.drill.drills import lasting, sim_spec

PRICE = ("1/4",)
SIZE: dict[str, Any] = {"n": 12, "max_depth": 4, "threshold": 0.001}


@pytest.fixture
def needs(monkeypatch: pytest.MonkeyPatch) -> list[Cost]:
    """What each slot was admitted with."""
    asked: list[Cost] = []

    def noting(*args: Any) -> Cost:
        asked.append(slot_cost(*args))
        return asked[-1]

    monkeypatch.setattr("fathom.graphs.drill.probe.slot_cost", noting)
    return asked


async def launch(specs: list[DrillSpec], **options: Any) -> list[RunReport]:
    return await Launch(specs, LaunchOptions(prices=PRICE, **options)).run()


def whole(report: RunReport) -> DrillResult:
    assert report.result is not None
    return report.result


def paid(folder: Path) -> tuple[float, int]:
    """USD and calls by the journal, probes of a depth that was not closed included."""
    events = list(read_events(folder))
    calls = [call for e in events if e.type == "opened" for call in e.calls]
    calls += [call for e in events if e.type == "probe_judged" for call in e.probe.calls]
    own = [call for call in calls if not call.cached]
    return sum(call.cost_usd or 0.0 for call in own), len(own)


async def resumed(report: RunReport, **options: Any) -> RunReport:
    assert report.folder is not None
    taken = take_up(report.folder)
    again = Launch[DrillResult](
        [], LaunchOptions(prices=PRICE, **options), resumed=[taken], launch=taken.launch.launch
    )
    (done,) = await again.run()
    return done


async def test_part_of_the_cost_is_never_exceeded_and_raising_it_gives_the_whole_result(
    tmp_path: Path, needs: list[Cost]
) -> None:
    spec = sim_spec(**SIZE)
    (unbounded,) = await launch([spec], runs=tmp_path / "whole")
    cost = whole(unbounded).cost_usd
    assert cost is not None
    most_usd = 0.75 * cost
    (cut,) = await launch(
        [spec], runs=tmp_path / "cut", budget_usd=most_usd, cache=tmp_path / "cache.sqlite"
    )
    assert cut.folder is not None
    assert (cut.status, cut.exit_code) == ("partial", 3)
    spent, _ = paid(cut.folder)
    slot = max((need.base.usd or 0.0) + (need.extra.usd or 0.0) for need in needs)
    assert most_usd - slot <= spent <= most_usd
    partial = whole(cut)
    assert partial.cost_usd == pytest.approx(spent)
    assert (partial.stop_reason, partial.censored) == ("budget", "budget")
    assert partial.evd_ci[0] <= partial.evd <= partial.evd_ci[1]
    assert partial.depths == whole(unbounded).depths[: len(partial.depths)]
    assert partial.open_depth is not None
    assert partial.open_depth.depth == len(partial.depths) + 1
    assert 0 < partial.open_depth.finished < spec.n
    done = await resumed(
        cut, runs=tmp_path / "cut", budget_usd=2 * cost, cache=tmp_path / "cache.sqlite"
    )
    assert (done.status, done.exit_code) == ("complete", 0)
    assert lasting(whole(done)) == lasting(whole(unbounded))
    assert whole(done).cost_usd == pytest.approx(cost)
    assert whole(done).usage == whole(unbounded).usage
    assert read_result(cut.folder) == done.result


async def test_a_budget_that_is_not_raised_ends_again_without_a_call(tmp_path: Path) -> None:
    (cut,) = await launch([sim_spec(**SIZE)], runs=tmp_path, max_calls=100)
    assert cut.folder is not None
    before = paid(cut.folder)
    again = await resumed(cut, runs=tmp_path, max_calls=100)
    assert (again.status, again.exit_code) == ("partial", 3)
    assert paid(cut.folder) == before
    assert lasting(whole(again)) == lasting(whole(cut))


@pytest.mark.parametrize("most", [40, 131])
async def test_calls_are_bounded_over_all_runs_of_a_launch(
    tmp_path: Path, needs: list[Cost], most: int
) -> None:
    specs = [sim_spec(**SIZE, domain=domain) for domain in ("Chemical elements", "Noble gases")]
    reports = await launch(specs, runs=tmp_path, max_calls=most)
    calls = sum(paid(report.folder)[1] for report in reports if report.folder)
    slot = max(need.base.calls + need.extra.calls for need in needs)
    assert most - slot <= calls <= most
    assert {report.exit_code for report in reports} == {3}


async def test_too_little_for_the_opening(tmp_path: Path) -> None:
    (report,) = await launch([sim_spec(**SIZE)], runs=tmp_path, budget_usd=0.000001)
    assert (report.status, report.result, report.exit_code) == ("partial", None, 3)
    assert report.error is not None
    assert "USD 0.0000 of 1e-06 spent" in report.error


async def test_a_budget_wants_prices() -> None:
    target = "openai@http://127.0.0.1:9/v1:m"
    specs = [sim_spec(**SIZE, target=target)]
    with pytest.raises(
        UsageError, match=r"that of openai@http://127\.0\.0\.1:9/v1:m is unknown"
    ):
        await Launch(specs, LaunchOptions(budget_usd=1.0, prices=("sim:evaluator=1/1",))).run()
