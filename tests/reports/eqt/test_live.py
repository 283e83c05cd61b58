"""An Explain-Query-Test while it goes on: the lines, the screen, and the board that both are read from."""

import io
import re
from datetime import timedelta
from itertools import pairwise

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.reports.live.display import Gauge, TreeDisplay, make_display
from fathom.reports.live.lines import line_of
from fathom.reports.live.progress import RunProgress, progress_of
from fathom.reports.live.screen import focus_room, frame
from fathom.reports.page.rows import Rows, row_width
from fathom.reports.views.eqt.progress import KEPT_ANSWERS, EqtProgress, answers_of, expected_answers, phase_of
from fathom.reports.views.eqt.screen import EQT_LEGEND
from fathom.state.eqt.items import Choice
from fathom.state.events import ConceptClosed, Event, ItemFinished, Notice, RunFinished, RunResumed

from ...support.drill.synthetic import START, interleaved
from ...support.eqt.synthetic import HOSTILE, TIMEOUT, EqtPlan, items_of, many
from ...support.eqt.synthetic_result import events_of, result_of
from ...support.screen import active_characters, screen, shown, written
from ...support.snapshot import assert_snapshot

GAUGE = Gauge(in_flight=12, peak=38, queued=3, capacity=40)
LONG = EqtPlan(concepts=HOSTILE + many(30, ("math", "law")), questions=5, options=10, paraphrases=3)
OTHER = EqtPlan(
    run_id="20261120T120000-eqt-x-b1b1b1b1",
    target="openrouter:meta/llama-4-instruct",
    examiner="openai:gpt-5",
    open_book=True,
    attribute=5,
    simulated=False,
    cost=None,
    accuracy=0.4,
)
ONE = events_of(LONG)
TWO = interleaved(ONE, events_of(OTHER))


def progress(events: list[Event], run_id: str = OTHER.run_id) -> tuple[RunProgress, EqtProgress]:
    run = progress_of(events).runs[run_id]
    assert run.eqt is not None
    return run, run.eqt


def screen_after(events: list[Event], width: int, height: int) -> str:
    known = progress_of(events)
    now = START + timedelta(seconds=0.25 * len(events))
    focus = list(known.runs)[: focus_room(len(known.runs), height)]
    return shown(Rows(frame(known, GAUGE, now, focus, width, height)), width, height)


@pytest.mark.parametrize(("width", "height"), [(60, 15), (80, 24), (120, 40), (200, 60)])
def test_one_run(width: int, height: int) -> None:
    assert_snapshot(f"eqt_tree_one_{width}x{height}", screen_after(ONE[:230], width, height))


@pytest.mark.parametrize(("width", "height"), [(60, 15), (80, 24), (120, 40)])
def test_two_runs(width: int, height: int) -> None:
    assert_snapshot(f"eqt_tree_two_{width}x{height}", screen_after(TWO[:170], width, height))


def test_finished_run() -> None:
    text = screen_after(ONE, 80, 24)
    assert_snapshot("eqt_tree_finished_80x24", text)
    result = result_of(LONG).numbers
    assert result.all.accuracy is not None
    assert f"accuracy {result.all.accuracy * 100:.0f}%" in text
    assert f"ACS {result.consistency.acs:.2f}".replace("0.", ".") in text


@settings(max_examples=60, deadline=None)
@given(st.integers(20, 210), st.integers(3, 70), st.integers(0, len(TWO)), st.booleans())
def test_the_frame_fits_at_every_moment(width: int, height: int, cut: int, both: bool) -> None:
    known = progress_of((TWO if both else ONE)[:cut])
    rows = frame(known, GAUGE, START + timedelta(seconds=cut), list(known.runs), width, height)
    assert 0 < len(rows) <= height
    assert max(row_width(row) for row in rows) <= width


@pytest.mark.parametrize("cut", range(0, len(TWO), 80))
def test_foreign_text_is_inert(cut: int) -> None:
    assert not active_characters(screen_after(TWO[:cut], 120, 40))


def test_what_the_rows_say() -> None:
    lines = screen_after(events_of(OTHER)[:50], 120, 40).splitlines()
    assert lines[0].startswith("6 concepts in 4 categories · openrouter:meta/llama-4-instruct · examiner openai:gpt-5")
    assert re.match(r"answers 17/50 █+░+ concepts 1/6$", lines[1].rstrip())
    assert "accuracy so far" in lines[2]
    assert any("c001 Graph theory" in line and "answers 8/12" in line for line in lines)
    assert any(line.startswith("✗ c001.q2.a1 Graph theory · E (right: D)") for line in lines)
    assert lines[-1].rstrip().endswith(EQT_LEGEND)
    assert "SIMULATED" not in "".join(lines)
    assert "cost unknown" in "".join(lines)


def test_concepts_that_have_no_step_yet_are_counted_or_named() -> None:
    assert "○ 36 being explained or waiting" in screen_after(ONE[:2], 80, 24)
    few = events_of(EqtPlan(concepts=HOSTILE[:2]))[:1]
    assert [line.split() for line in screen_after(few, 80, 24).splitlines()[3:5]] == [
        ["○", "c001", "Graph", "theory", "explaining"],
        ["○", "c002", "超流動ヘリウム", "explaining"],
    ]


def test_a_stop_counts_steps() -> None:
    known = progress_of(ONE[:100])
    rows = frame(known, Gauge(3, 3, 0, 4, stopping=7), START, list(known.runs), 100, 24)
    assert rows[-1][0][0] == "stopping: 7 steps in flight, Ctrl-C again to leave now"


def test_a_run_that_has_not_begun_beside_one_that_has() -> None:
    notice = Notice(run_id="x-c1", level="info", message="waits")
    text = shown(Rows(frame(progress_of([*ONE[:100], notice]), GAUGE, START, [], 80, 24)), 80)
    assert any(line.startswith("▸ c1 ") and "–" in line for line in text.splitlines())


def test_the_board_adds_up_to_the_result() -> None:
    run, known = progress(events_of(OTHER))
    result = result_of(OTHER)
    whole = result.numbers
    assert (known.totals.concepts, known.totals.scored, known.totals.correct) == (
        6,
        whole.all.scored,
        whole.all.correct,
    )
    assert known.totals.acs == pytest.approx(whole.consistency.acs)
    assert known.accuracy == whole.all.accuracy
    assert known.outcomes["unscored"] == whole.unscored["answer"]
    assert known.open_book == sum(q.open_book is not None for row in result.concepts for q in row.questions)
    assert known.attributed == 5
    for name, tally in known.by_category.items():
        assert tally.accuracy == result.by_category[name].all.accuracy
    assert run.spend.calls == sum(len(item.calls) for item in items_of(OTHER))
    assert run.finished is not None
    assert run.spec is None, "no drill"


def test_answers_are_expected_as_they_come() -> None:
    for plan in (OTHER, LONG, EqtPlan(paraphrases=0)):
        run = RunProgress(plan.run_id)
        for event in events_of(plan):
            if isinstance(event, ConceptClosed) and run.eqt and event.numbers.questions:
                concept = run.eqt.open[event.index]
                assert concept.answers == expected_answers(plan.spec, concept)
                assert phase_of(plan.spec, concept) == f"answers {concept.answers}/{concept.answers}"
            run.apply(event)
        assert run.eqt is not None
        assert run.eqt.open == {}


@pytest.mark.parametrize("plan", [OTHER, LONG, EqtPlan(paraphrases=0)])
def test_the_bar_runs_over_answers_to_its_end(plan: EqtPlan) -> None:
    run, seen = RunProgress(plan.run_id), list[tuple[int, int]]()
    for event in events_of(plan):
        run.apply(event)
        if run.eqt is not None:
            seen.append(answers_of(run.eqt))
    spec, numbers = plan.spec, result_of(plan).numbers
    assert seen[0] == (0, len(spec.concepts) * spec.questions * (1 + spec.paraphrases)), "all that is planned"
    asked = numbers.all.scored + numbers.unscored.get("answer", 0)
    assert seen[-1] == (asked, asked), "what was dropped is not waited for"
    for (before, planned), (after, then) in pairwise(seen):
        assert before <= after <= then <= planned


def test_the_bar_of_a_concept_that_is_asked_again_stays_full() -> None:
    _, known = progress(events_of(OTHER))
    whole = answers_of(known)
    known.take(next(item for item in items_of(OTHER) if item.type == "choice" and item.fault is not None))
    assert known.open, "it is open once more"
    assert answers_of(known) == whole


def test_phases() -> None:
    seen: list[str] = []
    run = RunProgress(OTHER.run_id)
    for event in events_of(OTHER):
        run.apply(event)
        if run.eqt and 0 in run.eqt.open:
            seen.append(phase_of(OTHER.spec, run.eqt.open[0]))
    assert list(dict.fromkeys(seen))[:6] == [
        "questions 0/3",
        "questions 1/3",
        "questions 2/3",
        "paraphrases 0/6",
        "paraphrases 0/6, answers 1/12",
        "paraphrases 0/6, answers 2/12",
    ]


def test_the_board_stays_small() -> None:
    plan = EqtPlan(concepts=many(60, ("math",)), paraphrases=5, questions=5)
    _, known = progress(events_of(plan), plan.run_id)
    assert known.totals.scored > 1000
    assert len(known.newest) == KEPT_ANSWERS
    assert not known.open
    assert len(known.closed) == 60, "small numbers per concept, not per answer"


def test_an_asking_that_is_put_again_counts_once() -> None:
    """A fault is no answer; when the run goes on and the answer comes, it takes the fault's place."""
    events = events_of(OTHER)
    _, before = progress(events)
    failed = next(e.item for e in events if isinstance(e, ItemFinished) and e.item.fault and e.item.type == "choice")
    assert isinstance(failed, Choice)
    answer = failed.model_copy(update={"fault": None, "reading": "none", "correct": False, "chosen": ()})
    closed = next(e for e in events if isinstance(e, ConceptClosed) and e.index == failed.concept)
    again = RunResumed(run_id=OTHER.run_id, spec=OTHER.spec, version="0.1.0", probes=len(events))
    _, known = progress([*events, again, ItemFinished(run_id=OTHER.run_id, item=answer)])
    assert known.outcomes == {**before.outcomes, "wrong": before.outcomes["wrong"] + 1, "unscored": 0}
    assert phase_of(OTHER.spec, known.open[failed.concept]) == "asked again"
    known.close(closed)
    assert known.totals == before.totals, "a concept that is closed twice counts once"
    assert not known.open


def test_a_stream_without_its_start_says_nothing_wrong() -> None:
    known = progress_of(ONE[5:60])
    assert known.runs[LONG.run_id].eqt is None
    assert shown(Rows(frame(known, GAUGE, START, [LONG.run_id], 80, 24)), 80)


def test_lines() -> None:
    console, stdout = screen(80), io.StringIO()
    display = make_display("lines", console=console, stdout=stdout, gauge=lambda: GAUGE)
    events = events_of(OTHER)
    for event in events:
        display.handle(event)
    text = written(console)
    assert_snapshot("eqt_lines", text)
    assert not active_characters(text)
    items = [event.item for event in events if isinstance(event, ItemFinished)]
    assert sum(" ✓ " in line or " ✗ " in line for line in text.splitlines()) == sum(
        isinstance(item, Choice) and item.correct is not None for item in items
    )
    lost = sum(item.fault is not None or getattr(item, "dropped", None) is not None for item in items)
    assert sum(" ? " in line or " – c" in line for line in text.splitlines()) == lost
    assert sum(" closed: " in line for line in text.splitlines()) == len(OTHER.concepts)


def words(event: Event) -> str:
    row = line_of(event, OTHER.spec)
    return "".join(text for text, _ in row) if row else ""


def test_a_line_says_what_was_chosen() -> None:
    events = {e.item.id: e for e in events_of(OTHER) if isinstance(e, ItemFinished)}
    right = words(events["b1b1b1b1/c002.q1.a0"])
    assert right.endswith("✓ c002.q1.a0 超流動ヘリウム · E")
    assert words(events["b1b1b1b1/c001.q1.open"]).endswith("✓ c001.q1.open Graph theory · C (open book)")
    assert "? c003.q1.a1 الهيليوم السائل · answer: timeout (The target did not" in words(events["b1b1b1b1/c003.q1.a1"])
    assert words(events["b1b1b1b1/c001"]) == "", "an explanation that went well is no milestone"
    assert TIMEOUT.message not in words(events["b1b1b1b1/c003.q1.a1"]), "made harmless"


def test_the_line_of_a_resumed_run_and_of_an_end_by_faults() -> None:
    again = RunResumed(run_id=OTHER.run_id, spec=OTHER.spec, version="0.1.0", probes=120)
    assert words(again).endswith("resumed with 120 finished steps")
    end = RunFinished(
        run_id="x-1", status="failed", stop_reason="infrastructure", evd=None, evd_ci=None, cost_usd=None, wall_s=1.0
    )
    assert words(end).endswith("failed: too many steps failed · cost unknown · 1.0 s")


def test_the_tree_on_an_emulated_terminal() -> None:
    console = screen(80, 24, colour=True)
    clock = [START]
    display = TreeDisplay(console, lambda: GAUGE, lambda: clock[0])
    display.start()
    for number, event in enumerate(TWO[:300]):
        display.handle(event)
        clock[0] = START + timedelta(seconds=number / 4)
        if number % 40 == 0:
            display.refresh()
    display.stop()
    terminal = pyte.HistoryScreen(80, 24, history=1000)
    terminal.set_mode(pyte.modes.LNM)  # a terminal driver adds the carriage return to each line feed
    pyte.Stream(terminal).feed(written(console))
    rows = [row.rstrip() for row in terminal.display]
    assert not terminal.history.top, "nothing was pushed off the top: the frame never overflowed"
    assert sum(row.startswith("  run ") for row in rows) == 1, "each frame replaced the one before"
