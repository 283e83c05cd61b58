"""A DepthQA run while it goes on, and a build: its screen, its lines, and what there is of it when it is cut off."""

from typing import Any

import pytest

from fathom.reports.live.display import LinesDisplay
from fathom.state.events import TreeClosed

from ...support.reports import changed, events_of, flat, fragment, framed, interleaved, lined
from ...support.screen import screen, written
from .test_progress import BUILD, FAULTS, RUN, finished, item, items, resumed, tree

GIVEN = [changed(RUN[0], spec__target="given:llama3"), *RUN[1:]]


@pytest.mark.parametrize(
    ("events", "width", "said"),
    [
        (RUN, 60, "multi-turn  D1 3.50  D2 3.25  D3 3.00  all 3.36"),
        (RUN, 40, "multi-turn  all 3.36"),
        (RUN, 80, "multi-turn  D1 3.50 (8)  D2 3.25 (4)  D3 3.00 (2)  all 3.36 (14)"),
        (RUN, 100, "complete: every question was asked · trees 2/2"),
        (GIVEN, 100, "complete: every answer was judged · trees 2/2"),
        (GIVEN, 100, "questions · answers given as llama3 · judge sim:evaluator"),
        (RUN[:11], 100, "○ t002 coolant"),
        (RUN[:3], 100, "○ 1 not begun"),
        (BUILD, 100, "complete: every question was taken apart · 14 questions in the graph"),
    ],
)
def test_what_a_screen_says(events: list[Any], width: int, said: str) -> None:
    assert [line for line in framed(events, width, 30).splitlines() if line.strip().startswith(said)]
    assert ("○" in framed(events, width, 30)) == (events[-1] not in (RUN[-1], BUILD[-1]))


def test_trees_without_room_are_counted() -> None:
    assert "○ 2 more begun" in framed(RUN[:30], 100, 8)


def test_several_runs_have_a_line_each() -> None:
    second = [event.model_copy(update={"run_id": "x-depthqa-given-c1c1c1c1"}) for event in GIVEN]
    head, one, two = framed(interleaved(RUN[:60], second[:60]), 60, 20).splitlines()[:3]
    assert head.split() == ["run", "trees", "all", "time"]
    assert (one.split()[-4], two.split()[-4]) == ("0/2", "0/2")
    assert "answers given as" in two or "given as llama3" in two
    head, one, _ = framed(interleaved(RUN[:60], second[:60]), 120, 40).splitlines()[:3]
    assert head.split() == ["run", "trees", "rated", "?", "D1", "D2", "D3", "all", "time"]
    assert one.split()[-9:-2] == ["0/2", "29", "0", "3.00", "3.25", "1.00", "2.79"], "zero-shot's means"
    builds = [event.model_copy(update={"run_id": "x-b8"}) for event in BUILD]
    head, one, two = framed(interleaved(BUILD[:12], builds[:10]), 80, 30).splitlines()[:3]
    assert head.split() == ["run", "part", "done", "written", "time"]
    assert flat(one).partition("gaps filled ")[2].startswith("1/1 13 ")
    assert "questions taken apart" in two


# lines


def test_lines_of_steps() -> None:
    shared = item(RUN, "coolant.2.2@zero-shot@score")
    nodes = (*shared.nodes, "x", "y")
    lines = lined([*FAULTS, finished(shared.model_copy(update={"id": "r/n@zero-shot@score", "nodes": nodes}))])
    said = "\n".join(lines)
    rated = [each for each in items(FAULTS) if each.type == "rating"]
    assert len(lines) == 1 + len(rated) + 2 + 2 + 1 + 1, "2 answers were lost, 2 trees closed; an answer is not told"
    assert sum(" ? – t" in line for line in lines) == 6
    assert "? – t001 spreader.2.2@zero-shot  " in said
    assert "(judge: cut_off, " in said
    assert "? – t002 coolant@zero-shot  " in said
    assert "(answer: cut_off, " in said
    assert lines[-1].partition("✗")[2].startswith(" 1 t002 n@zero-shot +2  ")
    assert "t001 spreader closed: mean D1 5.00 (2), D2 5.00 (5), D3 3.00 (2), all modes together · unscored 3" in said
    assert "t002 coolant closed: mean D1 2.33 (6), D2 1.50 (6), all modes together · unscored 3" in said
    single = [changed(RUN[0], spec__modes=("zero-shot",)), *(e for e in RUN if isinstance(e, TreeClosed))]
    assert "together" not in "".join(lined(single))
    nothing = next(e for e in RUN if isinstance(e, TreeClosed)).model_copy(update={"depths": {}})
    assert lined([RUN[0], nothing])[-1].endswith("t002 coolant closed: nothing was scored")


def test_lines_of_a_resumed_run_know_its_questions() -> None:
    for told in (True, False):
        console = screen(120)
        display = LinesDisplay(console)
        for event in RUN[:25] if told else ():
            display.recall(event)
        for event in (resumed(RUN), *RUN[25:40]):
            display.handle(event)
        text = written(console)
        assert "resumed with 120 finished steps" in text
        assert ("What is the thermal conductivity at 25 degrees Celsius of aluminium?" in text) == told
        assert "spreader@zero-shot" not in text, "what was told before is not told again"


# cut off


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (RUN[:1], "So far 0 of 2 trees closed, 0 of 34 answers, 0 of 34 ratings."),
        (RUN[:1], "Not closed\nOf 2 trees nothing is finished."),
        (RUN[:3], "t001 spreader: answers 2/17, ratings 0/17\nOf 1 tree nothing is finished."),
        (FAULTS[:-3], "zero-shot"),
        (FAULTS[:-3], "2.89 (9)"),
        (FAULTS[:-3], "5 steps lost to faults"),
        (FAULTS[:-2], "6 steps lost to faults"),
        (GIVEN[:9], "questions · answers given as llama3 · judge sim:evaluator"),
        (BUILD[:6], "So far questions taken apart: 3 of 6."),
        (BUILD[:6], "classified 2 · taken apart 3 · written 4 D2, 2 D1"),
        (events_of("depthqa_build", "faults")[:9], "taken apart 6 · written 4 D2, 6 D1 · 1 lost to faults"),
    ],
)
def test_what_there_is_of_a_run_that_was_cut_off(events: list[Any], said: str) -> None:
    assert said in fragment(events)


def test_of_many_trees_that_were_begun_the_first_are_shown() -> None:
    nodes = [(f"{n:02d}", 3, "") for n in range(14)]
    started = changed(RUN[0], material=tree(*nodes))
    done = item(RUN, "spreader@zero-shot")
    begun = [done.model_copy(update={"id": f"r/{n}", "tree": n, "nodes": (f"{n:02d}",)}) for n in range(14)]
    said = fragment([started, *map(finished, begun)])
    assert "\nt012 11: answers 1/2" in said
    assert "t013" not in said
    assert "\nand 2 more that were begun\n" in said
