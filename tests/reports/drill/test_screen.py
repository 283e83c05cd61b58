"""The live screen: right at every size, never larger than the terminal, never moved by foreign text."""

import time
from dataclasses import replace
from datetime import timedelta
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.reports.live.lines import line_of
from fathom.reports.live.progress import Progress, progress_of
from fathom.reports.live.screen import LEGEND, Gauge, focus_room, frame
from fathom.reports.page.rows import Rows, clip, clip_left, pad, row_width
from fathom.state.events import Event

from ...support.drill.synthetic import START, Plan, events_of, interleaved
from ...support.screen import active_characters, shown
from ...support.snapshot import assert_snapshot

SIZES = [(80, 24), (120, 40), (200, 60), (60, 15)]
GAUGE = Gauge(in_flight=12, peak=38, queued=3, capacity=40)
LONG = Plan(n=30, accuracies=(0.93, 0.9, 0.87, 0.9, 0.8, 0.9, 0.8, 0.7))
OTHER = Plan(
    run_id="20261120T120000-drill-x-b1b1b1b1",
    domain="元素 العناصر",
    target="openrouter:meta/llama-4-instruct",
    simulated=False,
    cost=None,
    seed=5,
)
ONE = events_of(LONG)
TWO = interleaved(ONE, events_of(OTHER))


def screen_after(events: list[Event], width: int, height: int) -> str:
    progress = progress_of(events)
    now = START + timedelta(seconds=0.25 * len(events))
    focus = list(progress.runs)[: focus_room(len(progress.runs), height)]
    return shown(Rows(frame(progress, GAUGE, now, focus, width, height)), width, height)


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_one_run(width: int, height: int) -> None:
    assert_snapshot(f"tree_one_{width}x{height}", screen_after(ONE[:540], width, height))


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_two_runs(width: int, height: int) -> None:
    assert_snapshot(f"tree_two_{width}x{height}", screen_after(TWO[:620], width, height))


def test_finished_run() -> None:
    assert_snapshot("tree_finished_80x24", screen_after(ONE, 80, 24))


@settings(max_examples=60, deadline=None)
@given(st.integers(20, 210), st.integers(3, 70), st.integers(0, len(TWO)), st.booleans())
def test_the_frame_fits_at_every_moment(width: int, height: int, cut: int, both: bool) -> None:
    progress = progress_of((TWO if both else ONE)[:cut])
    rows = frame(progress, GAUGE, START + timedelta(seconds=cut), list(progress.runs), width, height)
    assert 0 < len(rows) <= height
    assert max(row_width(row) for row in rows) <= width
    assert row_width(rows[-1]) <= max(1, width - len("^C^C")), "what a terminal echoes at the cursor breaks no line"


def test_many_runs_are_counted_where_they_do_not_fit() -> None:
    streams = [
        events_of(Plan(run_id=f"t-drill-x-{i:08}", domain=f"Domain {i}", accuracies=(0.9, 0.2))) for i in range(30)
    ]
    progress = progress_of(interleaved(*streams[:6], *(stream[:20] for stream in streams[6:])))
    rows = frame(progress, GAUGE, START, ["t-drill-x-00000007"], 100, 30)
    text = shown(Rows(rows), 100)
    assert len(rows) <= 30
    assert "more runs; 6 of 30 finished" in text
    assert "Domain 7 · sim:student · evaluator" in text, "the run in focus is shown in full"


def test_what_the_rows_say() -> None:
    lines = screen_after(ONE[:540], 120, 40).splitlines()
    assert lines[0].startswith("Chemical elements · sim:student · evaluator sim:evaluator")
    assert lines[0].rstrip().endswith("SIMULATED")
    first = next(line for line in lines if line.startswith(" 1 common 1"))
    row = LONG.rows[0]
    assert f" {row.scored} " in first
    assert f" {row.correct} " in first
    assert "93%" in first
    assert any(line.startswith(" 6 textbook 3") and "asking" in line for line in lines)
    assert lines[-1].startswith("calls in flight 12 of 40 (peak 38, 3 queued)  ")
    assert lines[-1].rstrip().endswith(LEGEND)


def test_a_stop_is_said_first() -> None:
    progress = progress_of(ONE[:540])
    for width in (60, 200):
        rows = frame(progress, replace(GAUGE, stopping=7), START, list(progress.runs), width, 24)
        last = shown(Rows(rows), width, 24).splitlines()[-1]
        assert last.startswith("stopping: 7 probes in flight, Ctrl-C again to leave now")
        assert (LEGEND in last) == (width == 200)
    progress = progress_of(ONE)
    over = frame(progress, replace(GAUGE, stopping=0), START, list(progress.runs), 120, 24)
    assert "stopping" not in shown(Rows(over), 120, 24), "when all is over there is nothing to leave"


@pytest.mark.parametrize("reason", ["threshold", "max_depth"])
def test_a_lower_limit_is_marked_as_one(reason: Literal["threshold", "max_depth"]) -> None:
    events = [*events_of(Plan(stop_reason=reason)), *events_of(Plan(run_id="t-drill-x-2", stop_reason=reason))]
    last = line_of(events[-1], None)
    assert last is not None
    assert ("· EVD ≥" in last[-1][0]) == (reason != "threshold")
    text = screen_after(events, 120, 40)
    assert ("EVD ≥" in text) == (reason != "threshold")
    assert sum("≥" in line for line in text.splitlines()) == (0 if reason == "threshold" else 4), (
        "in the table and in full"
    )


def test_an_unknown_price_is_said() -> None:
    text = screen_after(events_of(OTHER), 120, 40)
    assert "cost unknown" in text
    assert "SIMULATED" not in text


@pytest.mark.parametrize("cut", range(0, len(TWO), 50))
def test_foreign_text_is_inert(cut: int) -> None:
    text = screen_after(TWO[:cut], 120, 40)
    assert not active_characters(text)


def test_markup_is_shown_as_it_is() -> None:
    assert "[red]Noble gases[/red]" in screen_after(ONE, 200, 60)


def test_nothing_yet() -> None:
    text = shown(Rows(frame(Progress(), GAUGE, START, [], 80, 24)), 80)
    assert "waiting for the first run" in text


def test_a_frame_is_cheap() -> None:
    progress = progress_of(TWO)
    focus = list(progress.runs)
    best = min(_seconds(progress, focus) for _ in range(15))
    assert best < 0.02  # of a frame every .1 s; some 2 ms where nothing else runs


def _seconds(progress: Progress, focus: list[str]) -> float:
    began = time.perf_counter()
    shown(Rows(frame(progress, GAUGE, START, focus, 200, 60)), 200, 60, colour=True)
    return time.perf_counter() - began


def test_clipping_counts_cells_not_characters() -> None:
    assert clip("超流動ヘリウム", 7) == "超流動…"
    assert clip("helium", 6) == "helium"
    assert clip("helium", 0) == ""
    assert clip_left("超流動ヘリウム", 7) == "…リウム"
    assert pad("超流", 6) == "超流  "
    assert pad("超流", 6, right=True) == "  超流"
