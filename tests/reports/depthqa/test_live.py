"""A DepthQA run while it goes on: the lines, the screen, and the board that both are read from."""

import io
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.reports.live.display import Gauge, LinesDisplay, make_display
from fathom.reports.live.lines import line_of
from fathom.reports.live.progress import RunProgress, progress_of
from fathom.reports.live.screen import focus_room, frame
from fathom.reports.page.rows import Rows, row_width
from fathom.reports.views.unfinished import unfinished
from fathom.state.depthqa.items import DepthAnswer, Rating
from fathom.state.events import Event, ItemFinished, Notice, RunResumed, TreeClosed

from ...support.depthqa.synthetic_events import BUILD_RUN, DepthPlan, build_events, events_of, items_of
from ...support.drill.synthetic import START, interleaved
from ...support.screen import active_characters, screen, shown, written
from ...support.snapshot import assert_snapshot

GAUGE = Gauge(in_flight=12, peak=38, queued=3, capacity=40)
LONG = DepthPlan(modes=("zero-shot", "prompt-gold", "multi-turn"), trees=4)
GIVEN = DepthPlan(
    run_id="20261120T120000-depthqa-elements-given-c1c1c1c1", target="given:llama3", simulated=False, cost=None
)
ONE = events_of(LONG)
TWO = interleaved(ONE, events_of(GIVEN))
BUILD = build_events()


def screen_after(events: list[Event], width: int, height: int) -> str:
    known = progress_of(events)
    now = START + timedelta(seconds=0.25 * len(events))
    focus = list(known.runs)[: focus_room(len(known.runs), height)]
    return shown(Rows(frame(known, GAUGE, now, focus, width, height)), width, height)


def words(event: Event, plan: DepthPlan = GIVEN) -> str:
    row = line_of(event, plan.spec, plan.material.graph)
    return "".join(text for text, _ in row) if row else ""


@pytest.mark.parametrize(("width", "height"), [(60, 15), (100, 30)])
def test_one_run(width: int, height: int) -> None:
    text = screen_after(ONE[:170], width, height)
    assert_snapshot(f"depthqa_tree_one_{width}x{height}", text)
    assert not active_characters(text)


def test_two_runs() -> None:
    assert_snapshot("depthqa_tree_two_120x40", screen_after(TWO[:150], 120, 40))
    head, first, second = screen_after(TWO[:150], 60, 20).splitlines()[:3]
    assert head.split() == ["run", "trees", "all", "time"]
    assert first.split()[-4:] == ["0/4", "3.81", "38", "s"]
    assert "given as llama3" in second


def test_no_mean_is_cut() -> None:
    for width, said in ((60, "multi-turn  D1 3.63  D2 3.86  D3 2.50  all 3.61"), (40, "multi-turn  all 3.61")):
        assert said in [line.rstrip() for line in screen_after(ONE[:170], width, 15).splitlines()]


def test_finished_runs() -> None:
    lines = screen_after(ONE, 100, 24).splitlines()
    assert lines[1].startswith("complete: every question was asked · trees 4/4")
    assert "complete: every answer was judged · trees 3/3" in screen_after(events_of(GIVEN), 100, 24)
    assert "○" not in "".join(lines)


@settings(max_examples=40, deadline=None)
@given(st.integers(20, 210), st.integers(3, 70), st.integers(0, len(TWO)), st.sampled_from([ONE, TWO, BUILD]))
def test_the_frame_fits_at_every_moment(width: int, height: int, cut: int, events: list[Event]) -> None:
    known = progress_of(events[:cut])
    rows = frame(known, GAUGE, START + timedelta(seconds=cut), list(known.runs), width, height)
    assert 0 < len(rows) <= height
    assert max(row_width(row) for row in rows) <= width


def test_a_build() -> None:
    text = screen_after(BUILD[:11], 80, 18)
    assert_snapshot("depthqa_build_tree_80x18", text)
    assert not active_characters(text)
    two = screen_after(interleaved(BUILD, [e.model_copy(update={"run_id": "x-b8"}) for e in BUILD])[:20], 80, 30)
    head, first, second = two.splitlines()[:3]
    assert head.split() == ["run", "part", "done", "written", "time"]
    assert first.split()[-6:] == ["gaps", "filled", "0/1", "3", "5.0", "s"]
    assert "gaps filled" in second


def test_a_build_says_which_part_is_under_way() -> None:
    seen = []
    run = RunProgress(BUILD_RUN)
    for event in BUILD:
        run.apply(event)
        assert run.build is not None
        seen.append(run.build.phase)
    assert [phase for phase, after in pairwise(seen) if phase != after] == [
        ("questions taken apart", 0, 3),
        ("questions taken apart", 1, 3),  # q2 is no question of depth 3
        ("questions taken apart", 2, 3),  # nobody could tell the depth of q3
        ("questions taken apart", 3, 5),  # two questions of depth 2 were written
        ("questions taken apart", 4, 5),  # one of which is taken apart; the third was dropped unasked
        ("questions taken apart", 5, 5),
        ("gaps filled", 0, 1),
        ("gaps filled", 1, 1),
        ("relations rated", 0, 2),
        ("relations rated", 1, 2),
    ]
    assert run.build is not None
    assert run.build.lost == 2
    assert run.build.counts()[-1] == "written 2 D2, 1 D1"


def test_stopping_counts_steps() -> None:
    for events in (ONE[:100], BUILD[:5]):
        known = progress_of(events)
        rows = frame(known, Gauge(3, 3, 0, 4, stopping=7), START, list(known.runs), 100, 24)
        assert rows[-1][0][0] == "stopping: 7 steps in flight, Ctrl-C again to leave now"


def test_a_run_that_has_not_begun_beside_others() -> None:
    for events in (ONE[:100], BUILD[:5]):
        notice = Notice(run_id="x-c1", level="info", message="waits")
        text = shown(Rows(frame(progress_of([*events, notice]), GAUGE, START, [], 80, 24)), 80)
        assert any(line.startswith("▸ c1 ") and "–" in line for line in text.splitlines())


def resumed(plan: DepthPlan) -> RunResumed:
    return RunResumed(run_id=plan.run_id, spec=plan.spec, version="0.1.0", probes=120)


def test_a_stream_without_its_start_says_nothing_wrong() -> None:
    known = progress_of(ONE[5:60])
    assert known.runs[LONG.run_id].depthqa is None
    later = progress_of([resumed(LONG), *ONE[5:60]])
    run = later.runs[LONG.run_id]
    assert run.depthqa is not None
    assert run.depthqa.mean("zero-shot").number > 0
    assert shown(Rows(frame(later, GAUGE, START, [LONG.run_id], 80, 24)), 80)


def test_lines() -> None:
    console, stdout = screen(80), io.StringIO()
    display = make_display("lines", console=console, stdout=stdout, gauge=lambda: GAUGE)
    events = [*events_of(GIVEN), *BUILD]
    for event in events:
        display.handle(event)
    text = written(console)
    assert_snapshot("depthqa_lines", text)
    assert not active_characters(text)
    items = items_of(GIVEN)
    faults = [i for i in items if i.fault is not None]
    lines = [line for line in text.splitlines() if " c1c1c1c1 " in line]
    rated = sum(isinstance(i, Rating) for i in items)
    lost = sum(isinstance(i, DepthAnswer) for i in faults)
    assert sum("@zero-shot" in line for line in lines) == rated + lost
    assert sum(" ? – t" in line for line in lines) == len(faults)
    assert sum(" closed: " in line for line in lines) == 3


def test_a_line_says_where_what_score_and_which_question() -> None:
    by_id = {e.item.id: e for e in events_of(GIVEN) if isinstance(e, ItemFinished)}
    assert words(by_id["c1c1c1c1/1_d1_n6@zero-shot@score"]).endswith(
        "✓ 4 t001 1_d1_n6@zero-shot +2  1.2 s What is electrolysis?"
    ), "two more nodes hold the question"
    assert words(by_id["c1c1c1c1/1_d1_n6@zero-shot"]) == "", "its rating will tell"
    late = words(by_id["c1c1c1c1/3_d3@zero-shot@score"])
    assert "? – t003 3_d3@zero-shot  1.2 s How would a world without" in late
    assert late.endswith("(judge: timeout, The judge did not␛[2J answer within 60 s.)")
    end = line_of(ONE[-1], LONG.spec)
    assert end is not None
    assert end[-1][0] == "complete: every question was asked · USD 0.12 · 1:15"
    assert words(resumed(GIVEN)).endswith("resumed with 120 finished steps")


def test_the_line_of_a_tree_says_when_it_pools_modes() -> None:
    closed = next(e for e in ONE if isinstance(e, TreeClosed))
    assert len(LONG.spec.modes) > 1
    assert ", all modes together" in words(closed, LONG)
    assert "mean D1" in words(closed, GIVEN)
    assert "together" not in words(closed, GIVEN)


def test_lines_of_a_resumed_run_know_its_questions() -> None:
    events = events_of(GIVEN)
    for told in (True, False):
        console = screen(80)
        display = LinesDisplay(console)
        if told:
            for event in events[:20]:
                display.recall(event)
        display.handle(resumed(GIVEN))
        for event in events[20:30]:
            display.handle(event)
        text = written(console)
        assert ("What is the atomic number of sodium?" in text) == told
        assert "1_d3@zero-shot" not in text, "what was told before is not told again"


def test_an_unfinished_run() -> None:
    (run,) = progress_of(ONE[:200]).runs.values()
    text = shown(unfinished(run, width=90), 90)
    assert_snapshot("depthqa_unfinished_90", text)
    assert not active_characters(text)
    (begun,) = progress_of(ONE[:1]).runs.values()
    assert "So far 0 of 4 trees closed, 0 of" in " ".join(shown(unfinished(begun, width=90), 90).split())


def test_an_unfinished_build() -> None:
    (run,) = progress_of(BUILD[:6]).runs.values()
    text = " ".join(shown(unfinished(run, width=90), 90).split())
    assert "INTERRUPTED: resume with `fathom resume " in text
    assert "`. So far questions taken" in text
    assert "taken apart: 3 of 5." in text
    assert "classified 3 · references 1 · taken apart 1 · written 2 D2 · 1 lost to faults" in text
    assert "SIMULATED" in text
