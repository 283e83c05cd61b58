"""A DeepQuestion run while it goes on: the screen, the lines, what is known of it, and what a list shows of it."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.commands.fragment import unfinished_document
from fathom.reports.live.display import Gauge
from fathom.reports.live.lines import line_of
from fathom.reports.live.progress import RunProgress, progress_of
from fathom.reports.live.screen import focus_room, frame
from fathom.reports.page.endings import ended_words, unit_of
from fathom.reports.page.listing import runs_listing
from fathom.reports.page.rows import Rows, row_width
from fathom.reports.views.deepquestion.progress import DeepQuestionProgress, PromptLoop
from fathom.reports.views.unfinished import unfinished
from fathom.state.deepquestion.items import DeepItem
from fathom.state.events import Event, ItemFinished, ProblemClosed, RunResumed, RunStarted
from fathom.tools.runs.folders import list_runs
from fathom.tools.runs.listed import numbers_of, subject_of
from fathom.tools.runs.run_state import RunMemory, is_known, note

from ...support.deepquestion.events import BAD, LOST, PROBLEMS, RUN, SPEC, events_of, rounds, solved
from ...support.drill.synthetic import START, interleaved
from ...support.screen import active_characters, shown
from ...support.snapshot import assert_snapshot

GAUGE = Gauge(in_flight=12, peak=38, queued=3, capacity=40)
EVENTS = events_of()
TWO = interleaved(EVENTS, events_of(run_id="20261120T120000-deepquestion-mechanics-e8e8e8e8")[:9])


def screen_after(events: list[Event], width: int, height: int) -> str:
    known = progress_of(events)
    now = START + timedelta(seconds=len(events))
    focus = list(known.runs)[: focus_room(len(known.runs), height)]
    return shown(Rows(frame(known, GAUGE, now, focus, width, height)), width, height)


def progress(events: list[Event]) -> DeepQuestionProgress:
    (run,) = progress_of(events).runs.values()
    assert run.deepquestion is not None
    return run.deepquestion


def words(event: Event) -> str:
    row = line_of(event, SPEC)
    return "".join(text for text, _ in row) if row else ""


def test_screens() -> None:
    for name, events, width, height in (
        ("drafting_100x12", EVENTS[:6], 100, 12),
        ("one_100x26", EVENTS[:-1], 100, 26),
        ("one_60x15", EVENTS[:-1], 60, 15),
        ("two_120x40", TWO, 120, 40),
    ):
        text = screen_after(events, width, height)
        assert_snapshot(f"deepquestion_tree_{name}", text)
        assert not active_characters(text)


@settings(max_examples=15, deadline=None)
@given(st.integers(20, 210), st.integers(3, 50), st.integers(0, len(TWO)), st.sampled_from([EVENTS, TWO]))
def test_the_frame_fits_at_every_moment(width: int, height: int, cut: int, events: list[Event]) -> None:
    known = progress_of(events[:cut])
    rows = frame(known, GAUGE, START + timedelta(seconds=cut), list(known.runs), width, height)
    assert 0 < len(rows) <= height
    assert max(row_width(row) for row in rows) <= width


def test_lines() -> None:
    text = "\n".join(line for event in EVENTS if (line := words(event)))
    assert_snapshot("deepquestion_lines", text)
    assert not active_characters(text)
    lines = text.splitlines()
    assert sum(" prompt, round " in line for line in lines) == 5, "and one of six scores could not be read"
    assert sum(" closed: " in line for line in lines) == 3
    assert len(lines) == 5 + 3 + 3 + 3, "three steps were lost; start, notice and end"
    resumed = RunResumed(run_id=RUN, spec=SPEC, version="0.1.0", probes=12)
    assert words(resumed).endswith("resumed with 12 finished steps")


@pytest.mark.parametrize(
    ("scores", "changes", "said"),
    [
        ((4, 7, 9), {}, "round 1 4/10 · round 2 7/10 · round 3 9/10 accepted"),
        ((4, 8), {}, "round 1 4/10 · round 2 8/10 accepted"),  # the threshold is enough
        ((4,), {}, "round 1 4/10"),
        ((None, 7, 7), {}, "round 1 no score · round 2 7/10 · round 3 7/10 · not converged"),
        ((6, 7, 7), {"use_best": True}, "round 1 6/10 · round 2 7/10 · round 3 7/10 · not converged, round 2 is used"),
        (
            (None, None, None),
            {"use_best": True},
            "round 1 no score · round 2 no score · round 3 no score · not converged",
        ),
        ((4,), {"single_pass": True}, "round 1 4/10 single pass"),
    ],
)
def test_what_a_loop_has_come_to(scores: tuple[int | None, ...], changes: dict[str, bool], said: str) -> None:
    spec = SPEC.model_copy(update={"use_best": False} | changes)
    loop = PromptLoop("q2s")
    for item in rounds("q2s", scores):
        loop.take(item, spec)  # type: ignore[arg-type]  # they are drafts and scores
    assert " · ".join(loop.words(spec)) == said


def test_a_loop_under_way_and_one_that_a_fault_has_ended() -> None:
    drafts = list(rounds("q2s", (4, 7)))
    loop = PromptLoop("q2s")
    for item in drafts[:3]:
        loop.take(item, SPEC)  # type: ignore[arg-type]
    assert loop.words(SPEC) == ["round 1 4/10", "round 2 under way"]
    loop.take(drafts[2].model_copy(update={"fault": LOST[8].fault}), SPEC)  # type: ignore[arg-type]
    assert loop.words(SPEC.model_copy(update={"use_best": False}))[1:] == ["round 2 no score", "not converged"]


def test_marks_and_what_is_counted_again() -> None:
    known = progress(EVENTS)
    columns = ["original", "q2s-none", "q2s-some", "q2i"]
    assert known.columns == columns
    # p1 right right wrong right; p2 wrong rejected rejected wrong; p3 right wrong unscored rejected
    assert [known.accuracy(column) for column in columns] == [2 / 3, 1 / 2, 0.0, 1 / 2]
    assert (known.marks["q2s-some", "unscored"], known.marks["q2s-some", "rejected"]) == (1, 1)
    assert (known.steps, known.lost, known.open, sorted(known.closed)) == (53, 3, {3}, [0, 1, 2])
    done = solved("p3@some", "scenario", "Newton", equal=True)
    closed = next(event for event in EVENTS if isinstance(event, ProblemClosed) and event.problem == "p3")
    known.take(done)
    assert known.open == {2, 3}, "what a fault took is being done again"
    assert (known.steps, known.lost) == (53, 2)
    assert sum(step.id == done.id for step in known.newest) == 1
    known.close(closed.model_copy(update={"marks": {**closed.marks, "q2s-some": "right"}}))
    assert known.accuracy("q2s-some") == 1 / 2
    assert known.marks["q2s-some", "unscored"] == 0
    assert [event.problem for event in known.closings] == ["p3", "p2", "p1"]


def test_a_stream_without_its_start_says_nothing_wrong() -> None:
    assert progress_of(EVENTS[5:]).runs[RUN].deepquestion is None
    resumed = RunResumed(run_id=RUN, spec=SPEC, version="0.1.0", probes=5)
    assert progress([resumed, *EVENTS[5:40]]).accuracy("original") == 1.0
    assert "p1  original ✓" in screen_after([resumed, *EVENTS[5:40]], 80, 24)


def test_texts_that_are_given_need_no_drafts() -> None:
    spec = SPEC.model_copy(update={"given": True})
    assert not DeepQuestionProgress(spec).drafting
    assert DeepQuestionProgress(SPEC).drafting
    started = EVENTS[0]
    assert isinstance(started, RunStarted)
    assert "generator" not in words(started.model_copy(update={"spec": spec}))


def test_an_unfinished_run() -> None:
    (run,) = progress_of(EVENTS[:-1]).runs.values()
    text = shown(unfinished(run, width=90), 90)
    assert_snapshot("deepquestion_unfinished_90", text)
    assert not active_characters(text)
    (begun,) = progress_of(EVENTS[:4]).runs.values()
    told = " ".join(shown(unfinished(begun, width=90), 90).split())
    assert "So far 0 of 4 problems closed, transformation prompts are being drafted." in told
    (ended,) = progress_of(EVENTS).runs.values()
    assert "NO RESULT: interrupted. So far 3 of 4 problems closed, 1 more begun." in shown(
        unfinished(ended, width=90), 90
    )


def test_how_a_run_ended() -> None:
    assert unit_of(SPEC) == "step"
    assert ended_words(SPEC, "complete", "not_converged") == (
        "complete: no draft of a transformation prompt was good enough"
    )
    assert ended_words(SPEC, "complete", "all_asked") == "complete: every problem was asked"
    assert ended_words(SPEC, "failed", "infrastructure") == "failed: too many steps failed"
    gauge = Gauge(3, 3, 0, 4, stopping=7)
    rows = frame(progress_of(EVENTS[:20]), gauge, START, [RUN], 100, 24)
    assert rows[-1][0][0] == "stopping: 7 steps in flight, Ctrl-C again to leave now"


def test_a_document_of_what_there_is(tmp_path: Path) -> None:
    folder = tmp_path / RUN
    folder.mkdir()
    (folder / "events.jsonl").write_text("".join(event.model_dump_json() + "\n" for event in EVENTS[:-1]))
    document = unfinished_document(folder)
    assert (document["method"], document["status"], document["simulated"]) == ("deepquestion", "unfinished", True)
    assert document["problems"][1] == {"index": 1, "problem": "p2", "marks": closings()["p2"]}
    assert len(document["items"]) == 53
    (entry,) = list_runs(tmp_path)
    assert (entry.method, entry.domain, entry.target, entry.original) == (
        "deepquestion",
        SPEC.benchmark,
        "sim:student",
        None,
    )


def closings() -> dict[str, dict[str, str]]:
    return {event.problem: dict(event.marks) for event in EVENTS if isinstance(event, ProblemClosed)}


def share(value: float | None) -> dict[str, object]:
    return {"n": 0 if value is None else 20, "count": 0, "share": value, "ci": [0.25, 0.75]}


def test_what_a_list_shows_of_a_result(tmp_path: Path) -> None:
    rows = [{"load": load, "accuracy": share(value)} for load, value in (("none", 0.8), ("some", 0.6), ("many", 0.5))]
    facts = {"method": "deepquestion", "original": share(0.9), "q2s": rows, "q2i": {"accuracy": share(None)}}
    found = numbers_of(facts)
    assert (found["original"], found["original_ci"], found["q2s"]) == (0.9, (0.25, 0.75), 0.6), "the load some"
    assert (found["q2i"], found["q2i_ci"]) == (None, None), "0 … 1 of nothing says nothing"
    most = numbers_of({**facts, "q2s": [rows[0], rows[2]]})
    assert (most["q2s"], most["q2s_load"]) == (0.5, "many"), "without it, the most"
    assert numbers_of({**facts, "q2s": [], "q2i": None})["q2s"] is None
    assert subject_of(SPEC.model_dump()) == SPEC.benchmark
    folder = tmp_path / RUN
    folder.mkdir()
    result = {**facts, "spec": SPEC.model_dump(mode="json"), "status": "complete", "simulated": True}
    (folder / "result.json").write_text(json.dumps(result))
    lines = shown(runs_listing(list_runs(tmp_path), width=120), 120).splitlines()
    assert lines[0].split()[-9:] == ["original", "95%", "CI", "Q2S", "95%", "CI", "Q2I", "95%", "CI"]
    assert "90%" in lines[2]
    assert "60% some" not in lines[2]
    (folder / "result.json").write_text(json.dumps({**result, "q2s": rows[2:]}))
    for width in (120, 80):
        assert "50% many" in shown(runs_listing(list_runs(tmp_path), width=width), width), "another task"
    assert "25–75" in lines[2]
    assert not active_characters("\n".join(lines))


def test_a_closed_problem_is_remembered() -> None:
    memory = RunMemory()
    closed = [event for event in EVENTS if isinstance(event, ProblemClosed)]
    assert not is_known(memory, closed[1])
    note(memory, closed[1])
    assert is_known(memory, closed[1])
    assert not is_known(memory, closed[0])
    assert memory.reportable
    memory.reopened.add(1)
    assert not is_known(memory, closed[1]), "it will close again"
    again = closed[1].model_copy(update={"marks": {"original": "right"}})
    note(memory, again)
    assert memory.parts[1] == again
    assert not memory.reopened


def test_every_step_has_words() -> None:
    run = RunProgress(RUN)
    items: list[DeepItem] = []
    for event in EVENTS:
        run.apply(event)
        items += [event.item] if isinstance(event, ItemFinished) and isinstance(event.item, DeepItem) else []
    assert run.deepquestion is not None
    said = {step.id.partition("/")[2]: (step.style, step.said) for step in run.deepquestion.newest}
    assert len(said) == len({item.id for item in items}) == 53
    for place, expected in {
        "q2s@score3": ("correct", "9/10 accepted Criterion 3 [i]is␛[2J not[/i] met."),
        "p1@some": ("wrong", "30"),
        "p1@q2i@second": ("correct", "created first: 1 original, 3 created, 1 tie"),
        "p1@baseline@first": ("correct", "own first: 2 own, 2 other, 1 tie"),
        "p2@original": ("wrong", "no answer"),
        "p2@scenario@check": ("warning", "quantity lost: the ␛[1mmass: It is gone."),
        "p2@some@solved": ("warning", "answer changed: A"),
        "p2@q2i@solved": ("quiet", "torque, for the judge to compare"),
        "p2@q2i@solved@same": ("wrong", "another answer: Torque is no force."),
        "p2@q2i@met": ("wrong", "instruction not met: It asks nothing."),
        "p3@none": ("wrong", "refused"),
        "p3@some": ("unscored", "answer: timeout (no reply␛[2J within 60 s)"),
        "p3@instruction@check": ("warning", "gives away: it repeats the problem"),
    }.items():
        assert said[place] == expected, place
    assert len(BAD) + len(LOST) == 23
    assert progress(EVENTS).question(1) == PROBLEMS.problems[1].question
