"""What the stream says about a run is what the board knows, and the board does not grow with the run."""

from fathom.reports.live.progress import KEPT_PROBES, RunProgress, Spend, progress_of
from fathom.state.events import Notice, RunFinished
from fathom.state.records import Call, Usage

from ...support.drill.synthetic import Plan, call, cost_of, events_of, interleaved


def test_interleaved_runs_are_kept_apart() -> None:
    first, second = Plan(n=8), Plan(run_id="x-b1", n=5, accuracies=(0.8, 0.4), seed=3)
    events = interleaved(events_of(first), events_of(second))
    runs = progress_of(events).runs
    for plan in (first, second):
        progress = runs[plan.run_id]
        assert list(progress.rows.values()) == plan.rows
        assert progress.probes == len(plan.probes)
        assert progress.evd == sum(row.survival for row in plan.rows)
        assert progress.finished is not None
        assert not progress.waiting


def test_open_depth_counts_what_came_so_far() -> None:
    plan = Plan(n=8)
    events = events_of(plan)
    asked = next(i for i, event in enumerate(events) if event.type == "probe_judged")
    progress = progress_of(events[: asked + 3]).runs[plan.run_id]  # one judged, one answered
    assert progress.open is not None
    assert progress.open.slots == 8
    assert sum(progress.open.marks.values()) == 2
    assert len(progress.waiting) == 6


def test_replacement_rounds_do_not_reopen_the_depth() -> None:
    plan = Plan(n=8, unscored=2)
    events = events_of(plan)
    index = next(i for i, event in enumerate(events) if event.type == "depth_planned" and event.round == 1)
    progress = progress_of(events[: index + 1]).runs[plan.run_id]
    assert progress.open is not None
    assert (progress.open.round, progress.open.slots) == (1, 8)
    assert progress.open.scored == 6


def test_the_board_stays_small() -> None:
    plan = Plan(n=30, accuracies=(0.9,) * 10)
    progress = progress_of(events_of(plan)).runs[plan.run_id]
    assert progress.probes > 300
    assert len(progress.newest) == KEPT_PROBES


def test_spend_adds_up() -> None:
    plan = Plan(n=6)
    events = events_of(plan)
    spend = progress_of(events).runs[plan.run_id].spend
    assert spend.calls == 3 * len(plan.probes) + 1
    failed = sum(probe.outcome.status == "unscored" for probe in plan.probes)
    calls = 3 * len(plan.probes) + 1 - failed
    assert spend.input_tokens == 120 * calls
    assert spend.usd is not None
    assert abs(spend.usd - 0.0002 * calls) < 1e-9
    assert cost_of(plan) is not None


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    spend = Spend()
    spend.add(call(Plan(), "target", "answer"))
    spend.add(call(Plan(cost=None), "judge", "verdict"))
    spend.add(call(Plan(), "target", "answer"))
    assert spend.usd is None
    assert spend.calls == 3


def test_cached_calls_cost_nothing_again() -> None:
    spend = Spend()
    spend.add(Call(role="target", purpose="answer", model="m", usage=Usage(input_tokens=9), cost_usd=1.0, cached=True))
    assert (spend.calls, spend.input_tokens, spend.usd) == (0, 0, 0.0)


def test_time_stops_with_the_run() -> None:
    plan = Plan()
    events = events_of(plan)
    progress = progress_of(events).runs[plan.run_id]
    assert events[-1].at is not None
    assert progress.elapsed_s(events[-1].at.replace(year=2030)) == 75.2


def test_a_run_that_failed_before_it_began() -> None:
    progress = RunProgress("x")
    progress.apply(Notice(run_id="x", level="error", message="no page"))
    progress.apply(
        RunFinished(run_id="x", status="failed", stop_reason="failed", evd=None, evd_ci=None, cost_usd=None, wall_s=0.2)
    )
    assert progress.evd is None
    assert [notice.message for notice in progress.notices] == ["no page"]
